#include <bfc/base/checked.hpp>
#include <bfc/base/error.hpp>
#include <bfc/replay/trace_summary.hpp>

#include <algorithm>
#include <bit>
#include <map>

namespace bfc::replay {
namespace {

lifetime_percentiles percentiles(std::vector<std::uint64_t>& lifetimes) {
  lifetime_percentiles result{};
  if (lifetimes.empty()) return result;
  std::sort(lifetimes.begin(), lifetimes.end());
  for (std::size_t i = 0; i < result.size(); ++i) {
    // Nearest rank: the shortest lifetime that so many percent of the blocks do not exceed.
    const std::size_t rank = (lifetimes.size() * lifetime_percents[i] + 99) / 100;
    result[i] = lifetimes[rank - 1];
  }
  return result;
}

std::uint64_t distinct_count(std::vector<std::uint64_t> values) {
  std::sort(values.begin(), values.end());
  return static_cast<std::uint64_t>(std::unique(values.begin(), values.end()) - values.begin());
}

void describe_sizes(const trace::trace& what, trace_summary& result) {
  std::vector<std::uint64_t> sizes;
  std::vector<std::uint64_t> threads;
  std::map<std::uint64_t, size_class> classes;
  for (const trace::event& e : what.events) {
    if (threads.empty() || threads.back() != e.thread) threads.push_back(e.thread);
    if (e.is_free()) continue;
    const auto size = static_cast<std::uint64_t>(e.size_bytes);
    const auto sum = checked_add(result.total_bytes, size);
    if (!sum) {
      throw error(status::invalid_input, what.name +
                                             ": its sizes add up to more than 2^64 bytes; "
                                             "is it a recording?");
    }
    result.total_bytes = *sum;
    result.largest_bytes = std::max(result.largest_bytes, size);
    sizes.push_back(size);
    size_class& its = classes[std::bit_floor(size)];
    its.least_bytes = std::bit_floor(size);
    ++its.allocation_count;
    its.total_bytes += size;
  }
  for (const auto& [least, its] : classes) result.sizes.push_back(its);
  result.allocation_count = sizes.size();
  result.distinct_size_count = distinct_count(std::move(sizes));
  result.thread_count = distinct_count(std::move(threads));
}

void describe_lifetimes(const trace::trace& what, trace_summary& result) {
  std::vector<std::size_t> born(what.block_count, 0);
  std::vector<std::uint64_t> in_events;
  std::vector<std::uint64_t> in_us;
  for (std::size_t i = 0; i < what.events.size(); ++i) {
    const trace::event& e = what.events[i];
    if (!e.is_free()) {
      born[e.block] = i;
      continue;
    }
    in_events.push_back(i - born[e.block]);
    in_us.push_back(e.time_us - what.events[born[e.block]].time_us);
  }
  result.free_count = in_events.size();
  result.lifetime_events = percentiles(in_events);
  result.lifetime_us = percentiles(in_us);
}

}  // namespace

trace_summary summarise(const trace::trace& what, std::uint64_t unit_bytes) {
  // Translating first also proves that every block number below is in range.
  const program calls = translate(what);
  trace_summary result;
  result.event_count = what.events.size();
  result.zero_sized_count = calls.zero_sized_count;
  if (what.events.empty()) return result;
  const std::uint64_t start_us = what.events.front().time_us;
  result.duration_us = what.events.back().time_us - start_us;
  describe_sizes(what, result);
  describe_lifetimes(what, result);
  if (calls.steps.empty()) return result;

  result.peak = peak_live(calls, unit_bytes);
  result.peak_event = calls.event_of_step[result.peak.requested_step];
  result.peak_time_us = what.events[result.peak_event].time_us - start_us;
  result.peak_block_event = calls.event_of_step[result.peak.block_step];
  std::vector<std::uint64_t> size_of_slot(calls.slot_count, 0);
  for (const step& s : calls.steps) {
    if (!s.is_free()) size_of_slot[s.slot] = static_cast<std::uint64_t>(s.size_bytes);
  }
  for (const std::uint32_t slot : calls.leftover_slots) result.leaked_bytes += size_of_slot[slot];
  result.leaked_block_count = calls.leftover_slots.size();
  return result;
}

}  // namespace bfc::replay
