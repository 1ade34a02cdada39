/// What becomes of a program in a heap of a given size, without any memory. Layer: replay.
#pragma once

#include <bfc/base/status.hpp>
#include <bfc/core/heap.hpp>
#include <bfc/replay/program.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace bfc::replay {

/// Anything that answers where a request goes, or that it goes nowhere.
template <typename Planner>
concept planner = requires(Planner& p, std::uint64_t number) {
  { p.allocate(number) } -> std::same_as<std::optional<std::uint64_t>>;
  p.deallocate(number);
};

/// Plays a program until a request finds no place. Returns that step, or nothing when all do.
template <planner Planner>
[[nodiscard]] std::optional<std::size_t> first_refusal(const program& what, Planner& with) {
  std::vector<std::uint64_t> offsets(what.slot_count);
  for (std::size_t i = 0; i < what.steps.size(); ++i) {
    const step& s = what.steps[i];
    if (s.is_free()) {
      with.deallocate(offsets[s.slot]);
      continue;
    }
    const std::optional<std::uint64_t> offset =
        with.allocate(static_cast<std::uint64_t>(s.size_bytes));
    if (!offset) return i;
    offsets[s.slot] = *offset;
  }
  return std::nullopt;
}

struct dry_run_result {
  status code = status::ok;             ///< ok, or why the first refused request was refused.
  std::size_t first_failure_event = 0;  ///< Index into the trace's events, when not ok.
  core::heap_counters counters;         ///< At the end, or right after the refusal.

  [[nodiscard]] bool ok() const noexcept { return code == status::ok; }
};

/// Plays the program in a heap of its own up to its end or its first refusal. Every request asks
/// for `alignment_bytes`; 0 is one unit.
/// Fails: throws bfc::error(invalid_option) as core::heap does.
[[nodiscard]] dry_run_result dry_run(const program& what, const core::heap_options& how,
                                     std::uint64_t alignment_bytes = 0);

}  // namespace bfc::replay
