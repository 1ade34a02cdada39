#include <bfc/base/status.hpp>

#include <array>
#include <cstddef>

namespace bfc {
namespace {

struct entry {
  status code;
  std::string_view name;
  std::string_view message;
};

constexpr std::array table = {
    entry{status::ok, "ok", "The call succeeded; nothing needs doing."},
    entry{status::out_of_memory, "out_of_memory",
          "No place in the reservation can host the request, even after merging; free something "
          "first, ask for less, or reserve more."},
    entry{status::host_memory, "host_memory",
          "The host has no memory for the allocator's own bookkeeping; free host memory."},
    entry{status::invalid_size, "invalid_size",
          "The size is zero or too large for any address range; check how it was computed."},
    entry{status::invalid_alignment, "invalid_alignment",
          "The alignment is no power of two, or above the maximum the pool was made with; use a "
          "power of two, or a pool with a higher maximum alignment."},
    entry{status::foreign_pointer, "foreign_pointer",
          "The pointer lies in no reservation held here; return it to where it came from."},
    entry{status::interior_pointer, "interior_pointer",
          "The pointer lies inside a live block; pass the address the allocation returned."},
    entry{status::double_free, "double_free",
          "The address was freed before; free each block once, and nobody else's."},
    entry{status::not_allocated, "not_allocated",
          "The address is free memory and its history is forgotten; pass the address of a live "
          "block."},
    entry{status::wrong_size, "wrong_size",
          "The size given is not the one the block was asked for with; pass the requested size."},
    entry{status::wrong_pool, "wrong_pool",
          "The pointer belongs to another pool; free it in the pool it came from."},
    entry{status::cannot_expand, "cannot_expand",
          "The memory behind the block is live or ends too early; allocate a new block and copy."},
    entry{status::closed, "closed",
          "The allocator was closed; finish every use of it before closing it."},
    entry{status::forked, "forked",
          "The pool cannot be used in a forked child; make a new pool in the child."},
    entry{status::unavailable, "unavailable",
          "The device or feature is not there; choose another device, or a build that has it."},
    entry{status::driver_error, "driver_error",
          "The memory source's own call failed; look at the device's or the system's log."},
    entry{status::invalid_option, "invalid_option",
          "An option is out of range or contradicts another one; the text names which."},
    entry{status::invalid_input, "invalid_input",
          "A file, flag or text does not follow its grammar; the text names the place and the "
          "rule."},
    entry{status::truncated_input, "truncated_input",
          "A file ends in the middle of a record; fetch it again, or read it tolerantly."},
    entry{status::io_error, "io_error",
          "Reading or writing a file failed; check its path, its rights and the free space."},
};

constexpr bool table_follows_the_enumeration() {
  for (std::size_t i = 0; i < table.size(); ++i) {
    if (static_cast<std::size_t>(table[i].code) != i) return false;
  }
  return table.back().code == status::io_error;
}
static_assert(table_follows_the_enumeration(), "one entry a status, in the order of the enum");

constexpr entry unknown{status::ok, "unknown_status",
                        "The value is no status of this version; library and headers differ."};

constexpr const entry& find(status s) noexcept {
  const auto index = static_cast<std::size_t>(s);
  return index < table.size() ? table[index] : unknown;
}

}  // namespace

std::string_view name(status s) noexcept {
  return find(s).name;
}

std::string_view message(status s) noexcept {
  return find(s).message;
}

}  // namespace bfc
