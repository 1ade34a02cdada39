// What the interned tag names offer beside tag.hpp. Private to allocator.
#pragma once

#include <cstdint>

namespace bfc {

/// How many ids exist, `none` included; ids are below it. Takes no lock.
[[nodiscard]] std::uint32_t tag_count() noexcept;

/// For fork.
void lock_tag_names();
void unlock_tag_names();

}  // namespace bfc
