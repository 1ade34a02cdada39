#include "model/step_generator.hpp"

#include <algorithm>

namespace bfc::model {

core::heap_options random_setup(test::random_source& random, core::coalescing policy) {
  constexpr std::uint64_t most_units = UINT32_MAX;
  core::heap_options setup;
  setup.policy = policy;
  setup.unit_bytes = random.one_in(2) ? 256u : 1u << random.between(4, 21);
  std::uint64_t units = 0;
  switch (random.below(8)) {
    case 0:
      units = random.between(1, 4);
      break;
    case 1:
    case 2:
      units = random.between(5, 64);
      break;
    case 3:
    case 4:
    case 5:
      units = random.between(65, 4096);
      break;
    case 6:
      units = random.log_uniform(most_units);
      break;
    default:
      units = most_units;
      break;
  }
  setup.capacity_bytes = units * setup.unit_bytes;
  setup.trigger.unmerged_limit_count = static_cast<std::uint32_t>(random.log_uniform(64));
  setup.trigger.unmerged_limit_bytes =
      random.one_in(3) ? 0 : random.log_uniform(setup.capacity_bytes);
  setup.trigger.window_frees = static_cast<std::uint32_t>(random.log_uniform(256));
  setup.trigger.ratio_limit = random.one_in(2) ? 0.75 : 0.25;
  setup.expected_blocks = static_cast<std::uint32_t>(random.one_in(2) ? 1024 : random.below(8));
  return setup;
}

step_generator::step_generator(test::random_source& random, const core::heap_options& setup)
    : random_(random),
      setup_(setup),
      mix_(static_cast<size_mix>(random.below(5))),
      live_target_(std::array<std::uint64_t, 8>{3, 8, 16, 32, 64, 100, 160, 500}[random.below(8)]),
      // Around a fair share each: most fit, some do not, and holes matter.
      usual_size_limit_(std::max<std::uint64_t>(
          1, setup.capacity_bytes / live_target_ / 2 * (std::uint64_t{1} << random.below(4)))),
      repeated_sizes_{},
      with_alignments_(!random.one_in(3)),
      with_marks_(random.one_in(2)),
      with_resizing_(!random.one_in(3)) {
  for (std::uint64_t& size : repeated_sizes_) size = random.log_uniform(usual_size_limit_);
}

step step_generator::next(std::uint64_t live_blocks) {
  if (phase_left_ == 0) {
    growing_ = !growing_;
    phase_left_ = random_.between(10, 10 + 4 * live_target_);
  }
  --phase_left_;
  if (live_blocks >= 2 * live_target_) growing_ = false;
  if (live_blocks == 0) growing_ = true;
  const std::uint64_t die = random_.below(100);
  if (die < 3) return random_misuse();
  if (die < 5) return largest(random_alignment());
  if (die < 6) return coalesce();
  if (die < 10 && with_marks_) return settle(static_cast<std::uint32_t>(random_.between(1, 4)));
  if (die < 20 && with_resizing_) {
    if (random_.one_in(2)) return expand(any_block(), random_.one_in(2) ? 1 : random_size());
    const bool marked = with_marks_ && random_.one_in(3);
    return shrink(any_block(), random_.below(1010),
                  marked ? static_cast<std::uint32_t>(random_.between(1, 4)) : 0);
  }
  return random_.below(100) < (growing_ ? 65u : 35u) ? random_allocate() : random_release();
}

std::uint32_t step_generator::any_block() {
  return static_cast<std::uint32_t>(random_.below(4096));
}

std::uint64_t step_generator::random_size() {
  const std::uint64_t die = random_.below(1000);
  if (die < 2) return 0;
  if (die < 6) return UINT64_MAX - random_.below(2 * std::uint64_t{setup_.unit_bytes});
  if (die < 8) return random_.log_uniform(UINT64_MAX);
  if (die < 18) return size_from(size_mix::near_capacity);
  return size_from(mix_);
}

std::uint64_t step_generator::size_from(size_mix mix) {
  const std::uint64_t unit = setup_.unit_bytes;
  switch (mix) {
    case size_mix::tiny:
      return random_.between(1, 4 * unit);
    case size_mix::log_uniform:
      return random_.log_uniform(usual_size_limit_);
    case size_mix::repeated:
      return repeated_sizes_[random_.below(repeated_sizes_.size())];
    case size_mix::near_capacity: {
      const std::uint64_t part = setup_.capacity_bytes / random_.between(1, 4);
      return part + random_.below(2 * unit + 1) - std::min(part, unit);
    }
    case size_mix::all:
      return size_from(static_cast<size_mix>(random_.below(4)));
  }
  return unit;
}

std::uint64_t step_generator::random_alignment() {
  const std::uint64_t die = random_.below(100);
  if (die < 2) return random_.below(1000);                    // mostly no power of two
  if (die < 4) return std::uint64_t{1} << random_.below(64);  // the absurd ones too
  if (die < 20) return 0;
  if (die < 60) return std::uint64_t{setup_.unit_bytes} << random_.below(6);
  return std::uint64_t{256} << random_.below(19);  // 256 B to 64 MiB
}

step step_generator::random_allocate() {
  const bool aligned = with_alignments_ && random_.one_in(3);
  return allocate(random_size(), aligned ? random_alignment() : 0,
                  random_.one_in(4) ? core::placement::high : core::placement::low,
                  static_cast<std::uint32_t>(random_.below(4)));
}

step step_generator::random_release() {
  if (with_marks_ && random_.one_in(3)) {
    return release_with_marks(any_block(), static_cast<std::uint32_t>(random_.between(1, 4)));
  }
  return release(any_block());
}

step step_generator::random_misuse() {
  const std::uint64_t delta = random_.one_in(4) ? random_.next() : random_.log_uniform(1 << 20) - 1;
  return bad_release(static_cast<bad_offset>(random_.below(4)), any_block(), delta);
}

}  // namespace bfc::model
