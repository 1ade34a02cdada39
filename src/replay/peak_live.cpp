#include <bfc/base/checked.hpp>
#include <bfc/base/contract.hpp>
#include <bfc/base/error.hpp>
#include <bfc/replay/peak_live.hpp>

namespace bfc::replay {

live_peak peak_live(const program& what, std::uint64_t unit_bytes) {
  BFC_EXPECT(is_power_of_two(unit_bytes), "the unit is a power of two");
  live_peak peak;
  std::uint64_t requested = 0;
  std::uint64_t rounded = 0;
  std::uint64_t blocks = 0;
  std::vector<std::uint64_t> size_of_slot(what.slot_count, 0);
  const auto raise = [](std::uint64_t& highest, std::size_t& where, std::uint64_t now,
                        std::size_t step) {
    if (now <= highest) return;
    highest = now;
    where = step;
  };
  for (std::size_t i = 0; i < what.steps.size(); ++i) {
    const step& s = what.steps[i];
    std::uint64_t& size = size_of_slot[s.slot];
    if (s.is_free()) {
      requested -= size;
      rounded -= align_up(size, unit_bytes);
      --blocks;
      continue;
    }
    size = static_cast<std::uint64_t>(s.size_bytes);
    const auto taken = checked_align_up(size, unit_bytes);
    const auto sum = taken ? checked_add(rounded, *taken) : std::nullopt;
    if (!sum) {
      throw error(status::invalid_input, what.name + ": event " +
                                             std::to_string(what.event_of_step[i]) +
                                             ": more than 2^64 bytes are live; is it a recording?");
    }
    requested += size;
    rounded = *sum;
    ++blocks;
    raise(peak.requested_bytes, peak.requested_step, requested, i);
    raise(peak.rounded_bytes, peak.rounded_step, rounded, i);
    raise(peak.block_count, peak.block_step, blocks, i);
  }
  return peak;
}

}  // namespace bfc::replay
