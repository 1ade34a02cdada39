/// Traces written by hand in one line.
#pragma once

#include <bfc/replay/program.hpp>
#include <bfc/trace/trace.hpp>

#include <cstdint>
#include <vector>

namespace bfc::test {

/// One event: `take(n)` allocates n bytes as the next block, `give(b)` frees block b.
struct small_event {
  bool is_free;
  std::uint64_t value;
};
inline small_event take(std::uint64_t bytes) {
  return {false, bytes};
}
inline small_event give(std::uint64_t block) {
  return {true, block};
}

/// Events 10 µs apart, sizes times `scale`, all of thread 1.
inline trace::trace make_trace(const std::vector<small_event>& events, std::uint64_t scale = 1) {
  trace::trace t;
  t.name = "small";
  std::uint64_t time = 100;
  for (const small_event& e : events) {
    if (e.is_free) {
      t.events.push_back({static_cast<std::uint32_t>(e.value), 1, -1, time});
    } else {
      t.events.push_back({static_cast<std::uint32_t>(t.block_count++), 1,
                          static_cast<std::int64_t>(e.value * scale), time});
    }
    time += 10;
  }
  return t;
}

/// Four blocks, two apart freed, and one that needs both places in one piece: peak 4, need 6.
inline std::vector<small_event> split_holes() {
  return {take(1), take(1), take(1), take(1), give(0), give(2), take(2)};
}

/// Fits in exactly its peak of 9, does not fit in 10: with one more unit the last free block ties
/// with a hole, the lower hole is taken, and in the end no 4 are left in one piece.
inline std::vector<small_event> not_monotone() {
  return {take(4), take(2), give(0), take(3), take(2), give(1), take(4)};
}

}  // namespace bfc::test
