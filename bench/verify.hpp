/// Whether a contender's answers are right. Every contender is checked before it is timed.
/// Part of: bench.
#pragma once

#include "contender.hpp"
#include "workload.hpp"

#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

namespace bfc::bench {

/// A contender gave a wrong answer. The text names contender, workload, operation and rule.
class wrong_answer : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Plays the whole workload on a fresh instance, and again on the same one after freeing all.
/// Checks that nothing is refused, every block lies within the capacity, is aligned to the unit
/// and overlaps no live block, every free is accepted, and that in the end the whole capacity is
/// one block again. (Capacity and wholeness do not apply where entry.reuses is false.)
/// Returns the offsets of the first pass, one for each allocation.
/// Fails: throws wrong_answer.
std::vector<std::uint64_t> verify(const contender_entry& entry, const workload& what,
                                  const setup& how);

/// The same rules for the blocks that live at one moment: `bytes` by slot, 0 where none lives.
/// Fails: throws wrong_answer.
void verify_live(const contender_entry& entry, const setup& how, std::uint64_t base,
                 const std::vector<std::uint64_t>& bytes,
                 const std::vector<std::uint64_t>& handles);

}  // namespace bfc::bench
