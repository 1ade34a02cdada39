#include <bfc/base/error.hpp>
#include <bfc/replay/program.hpp>

namespace bfc::replay {
namespace {

enum class life : std::uint8_t { unborn, live, empty, dead };

[[noreturn]] void refuse(const trace::trace& from, std::size_t event, const char* rule) {
  throw error(status::invalid_input, from.name + ": event " + std::to_string(event) + ": " + rule);
}

}  // namespace

program translate(const trace::trace& from) {
  if (from.events.size() >= UINT32_MAX || from.block_count >= UINT32_MAX) {
    throw error(status::invalid_input, from.name + ": more than 2^32 - 1 events; replay a part");
  }
  program result;
  result.name = from.name;
  result.steps.reserve(from.events.size());
  result.event_of_step.reserve(from.events.size());

  // Blocks are numbered anew, without the empty ones, so that handles lie densely.
  std::vector<life> lives(from.block_count, life::unborn);
  std::vector<std::uint32_t> number(from.block_count, 0);
  std::vector<std::uint32_t> old_number;
  std::vector<std::uint32_t> slot(from.block_count, 0);
  std::vector<std::uint32_t> free_slots;
  for (std::size_t i = 0; i < from.events.size(); ++i) {
    const trace::event& e = from.events[i];
    if (e.block >= from.block_count) refuse(from, i, "its block number is not below block_count");
    life& state = lives[e.block];
    if (e.is_free()) {
      if (state == life::empty) {
        state = life::dead;
        continue;
      }
      if (state != life::live) refuse(from, i, "it frees a block that is not live");
      state = life::dead;
      free_slots.push_back(slot[e.block]);
    } else {
      if (state != life::unborn) refuse(from, i, "it allocates a block number a second time");
      if (e.size_bytes == 0) {
        state = life::empty;
        ++result.zero_sized_count;
        continue;
      }
      state = life::live;
      number[e.block] = result.block_count++;
      old_number.push_back(e.block);
      if (free_slots.empty()) {
        slot[e.block] = result.slot_count++;
      } else {
        slot[e.block] = free_slots.back();
        free_slots.pop_back();
      }
    }
    result.steps.push_back({e.size_bytes, number[e.block], slot[e.block]});
    result.event_of_step.push_back(static_cast<std::uint32_t>(i));
  }
  for (std::uint32_t block = 0; block < result.block_count; ++block) {
    if (lives[old_number[block]] != life::live) continue;
    result.leftover_blocks.push_back(block);
    result.leftover_slots.push_back(slot[old_number[block]]);
  }
  return result;
}

}  // namespace bfc::replay
