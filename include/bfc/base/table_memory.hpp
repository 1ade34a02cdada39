/// Host memory for tables that grow with the number of blocks. Layer: base.
#pragma once

#include <cstddef>
#include <new>
#include <vector>

#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace bfc {

/// A standard allocator whose larger arrays lie on large pages, where the system has them: random
/// look-ups in a table of tens of megabytes otherwise miss the TLB nearly every time.
template <typename T>
struct table_memory {
  using value_type = T;

  table_memory() = default;
  template <typename U>
  table_memory(const table_memory<U>&) noexcept {}  // NOLINT: allocators convert.

  [[nodiscard]] T* allocate(std::size_t count) {
    const std::size_t bytes = count * sizeof(T);
    void* memory = ::operator new(bytes, alignment(bytes));
#if defined(__linux__)
    // Advice only: without it everything is right, and slower.
    if (bytes >= large_page) madvise(memory, bytes, MADV_HUGEPAGE);
#endif
    return static_cast<T*>(memory);
  }

  void deallocate(T* memory, std::size_t count) noexcept {
    ::operator delete(memory, alignment(count * sizeof(T)));
  }

  template <typename U>
  bool operator==(const table_memory<U>&) const noexcept {
    return true;
  }

 private:
  static constexpr std::size_t large_page = std::size_t{2} << 20;
  static constexpr std::size_t cache_line = 64;

  static std::align_val_t alignment(std::size_t bytes) noexcept {
    return std::align_val_t{bytes >= large_page ? large_page : cache_line};
  }
};

template <typename T>
using table = std::vector<T, table_memory<T>>;

}  // namespace bfc
