#include "heap_count.hpp"

#include <cstdlib>
#include <malloc.h>
#include <new>

namespace {

// Of the thread: an atomic would slow down exactly those contenders that allocate.
thread_local constinit std::uint64_t allocation_count = 0;

void* counted_or_null(std::size_t bytes) noexcept {
  ++allocation_count;
  return std::malloc(bytes != 0 ? bytes : 1);
}

void* counted(std::size_t bytes) {
  if (void* const made = counted_or_null(bytes)) return made;
  throw std::bad_alloc();
}

void* counted_aligned(std::size_t bytes, std::size_t alignment) {
  ++allocation_count;
  const std::size_t rounded = (bytes + alignment - 1) / alignment * alignment;
  if (void* const made = std::aligned_alloc(alignment, rounded != 0 ? rounded : alignment))
    return made;
  throw std::bad_alloc();
}

}  // namespace

// Every form, although the standard library's would end in these: a sanitizer brings forms of its
// own, and takes a mixture of both for a mistake.
void* operator new(std::size_t bytes) {
  return counted(bytes);
}
void* operator new[](std::size_t bytes) {
  return counted(bytes);
}
void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept {
  return counted_or_null(bytes);
}
void* operator new[](std::size_t bytes, const std::nothrow_t&) noexcept {
  return counted_or_null(bytes);
}
void* operator new(std::size_t bytes, std::align_val_t alignment) {
  return counted_aligned(bytes, static_cast<std::size_t>(alignment));
}
void* operator new[](std::size_t bytes, std::align_val_t alignment) {
  return counted_aligned(bytes, static_cast<std::size_t>(alignment));
}
void operator delete(void* memory) noexcept {
  std::free(memory);
}
void operator delete[](void* memory) noexcept {
  std::free(memory);
}
void operator delete(void* memory, std::size_t) noexcept {
  std::free(memory);
}
void operator delete[](void* memory, std::size_t) noexcept {
  std::free(memory);
}
void operator delete(void* memory, const std::nothrow_t&) noexcept {
  std::free(memory);
}
void operator delete[](void* memory, const std::nothrow_t&) noexcept {
  std::free(memory);
}
void operator delete(void* memory, std::align_val_t) noexcept {
  std::free(memory);
}
void operator delete[](void* memory, std::align_val_t) noexcept {
  std::free(memory);
}
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept {
  std::free(memory);
}
void operator delete[](void* memory, std::size_t, std::align_val_t) noexcept {
  std::free(memory);
}

namespace bfc::bench {

std::uint64_t heap_allocations() noexcept {
  return allocation_count;
}

std::uint64_t heap_bytes_in_use() noexcept {
  const struct mallinfo2 facts = mallinfo2();
  return facts.uordblks + facts.hblkhd;
}

}  // namespace bfc::bench
