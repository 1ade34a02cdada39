#include "address_space.hpp"

#include <bfc/base/checked.hpp>

#include <algorithm>
#include <cerrno>
#include <sys/mman.h>
#include <unistd.h>

namespace bfc::detail {
namespace {

std::size_t page_bytes() noexcept {
  const long answer = ::sysconf(_SC_PAGESIZE);
  return answer > 0 ? static_cast<std::size_t>(answer) : std::size_t{4096};
}

void trim(std::byte* from, const std::byte* to, std::uint64_t& calls) noexcept {
  if (from == to) return;
  ++calls;
  // Failing would leave unused addresses mapped and no memory spent: nothing to report.
  (void)::munmap(from, static_cast<std::size_t>(to - from));
}

}  // namespace

range_result map_aligned(std::size_t bytes, std::size_t alignment, access rights,
                         std::uint64_t& calls) noexcept {
  if (!is_power_of_two(alignment)) return {status::invalid_alignment, {}};
  const std::size_t page = page_bytes();
  const auto length = checked_align_up(bytes, page);
  if (bytes == 0 || !length) return {status::invalid_size, {}};
  // mmap aligns to pages; for more, map so much that an aligned base lies inside, and give the
  // ends back.
  const std::size_t spare = alignment > page ? alignment - page : 0;
  const auto mapped = checked_add(*length, spare);
  if (!mapped) return {status::invalid_size, {}};

  const int protection = rights == access::none ? PROT_NONE : PROT_READ | PROT_WRITE;
  ++calls;
  void* const answer =
      ::mmap(nullptr, *mapped, protection, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (answer == MAP_FAILED) {
    const bool full = errno == ENOMEM || errno == EAGAIN;
    return {full ? status::out_of_memory : status::driver_error, {}};
  }
  auto* const first = static_cast<std::byte*>(answer);
  const auto address = reinterpret_cast<std::uintptr_t>(first);
  std::byte* const base = first + (align_up(address, std::max(alignment, page)) - address);
  trim(first, base, calls);
  trim(base + *length, first + *mapped, calls);
  return {status::ok, {base, bytes}};
}

status unmap(memory_range range, std::uint64_t& calls) noexcept {
  ++calls;
  return ::munmap(range.base, range.bytes) == 0 ? status::ok : status::driver_error;
}

}  // namespace bfc::detail
