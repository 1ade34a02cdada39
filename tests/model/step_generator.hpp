/// Random step programs: setups from one-unit spaces to 2^32 - 1 units, and mixes of sizes.
#pragma once

#include "model/step_program.hpp"
#include "support/seed.hpp"

#include <array>

namespace bfc::model {

[[nodiscard]] core::heap_options random_setup(test::random_source& random, core::coalescing policy);

/// Gives steps one at a time, because what is worth doing depends on how many blocks are live.
class step_generator {
 public:
  step_generator(test::random_source& random, const core::heap_options& setup);

  [[nodiscard]] step next(std::uint64_t live_blocks);

 private:
  enum class size_mix : std::uint8_t { tiny, log_uniform, repeated, near_capacity, all };

  [[nodiscard]] std::uint64_t random_size();
  [[nodiscard]] std::uint64_t size_from(size_mix mix);
  [[nodiscard]] std::uint64_t random_alignment();
  [[nodiscard]] step random_allocate();
  [[nodiscard]] step random_release();
  [[nodiscard]] step random_misuse();
  [[nodiscard]] std::uint32_t any_block();

  test::random_source& random_;
  core::heap_options setup_;
  size_mix mix_;
  std::uint64_t live_target_;
  std::uint64_t usual_size_limit_;
  std::array<std::uint64_t, 4> repeated_sizes_;
  bool with_alignments_;
  bool with_marks_;
  bool with_resizing_;
  bool growing_ = true;
  std::uint64_t phase_left_ = 0;
};

}  // namespace bfc::model
