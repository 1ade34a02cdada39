// What is wrong with a pointer. Off every hot path. See allocator.hpp.
#include "registry.hpp"
#include "state.hpp"
#include <bfc/allocator/allocator.hpp>

#include <mutex>
#include <string>

namespace bfc {

/// Sharpens the heap's verdict with the history: an address whose last event is a free was freed
/// twice, whatever has become of the memory since.
status allocator::state::classify(const void* pointer, status found) const noexcept {
  if (found != status::not_allocated && found != status::interior_pointer) return found;
  const auto last = ring.last_at(offset_of(pointer), sequence);
  return last && last->kind == event_kind::deallocate ? status::double_free : found;
}

namespace {

std::string hexadecimal(const void* pointer) {
  static constexpr char digits[] = "0123456789abcdef";
  std::string text;
  auto rest = reinterpret_cast<std::uintptr_t>(pointer);
  do {
    text.insert(text.begin(), digits[rest % 16]);
    rest /= 16;
  } while (rest != 0);
  return "0x" + text;
}

std::string lies_in(std::uint64_t offset, const core::block_info& around) {
  const bool live = around.state == core::block_state::live;
  return "offset " + std::to_string(offset) + " lies in the " + (live ? "live" : "free") +
         " block at offset " + std::to_string(around.offset) + " of " +
         std::to_string(around.size_bytes) + " bytes" +
         (live ? ", asked for as " + std::to_string(around.requested_bytes) : std::string());
}

}  // namespace

pointer_report allocator::explain(const void* pointer) const {
  const state& s = *state_;
  pointer_report report;
  core::tag_id freed_tag = core::tag_id::none;
  std::string where;
  // Other pools and tag names have locks that come before ours: see registry.cpp.
  const bool in_some_pool = is_in_any_pool(pointer);
  {
    const std::lock_guard guard(state_->lock);
    if (s.mode != pool_mode::open) {
      report.code = s.refusal();
    } else if (!s.contains(pointer)) {
      report.code = in_some_pool ? status::wrong_pool : status::foreign_pointer;
    } else {
      const std::uint64_t offset = s.offset_of(pointer);
      const core::block_info around = s.heap.block_around(offset);
      report.block_offset = around.offset;
      report.block_bytes = around.requested_bytes;
      report.code = s.classify(pointer, s.heap.find_live(offset).code);
      where = lies_in(offset, around);
      if (report.code == status::double_free) {
        const auto freed = s.ring.last_at(offset, s.sequence);
        report.freed_by_event = freed->sequence;
        report.freed_by_thread = freed->thread;
        freed_tag = freed->tag;
        where += "; freed by event " + std::to_string(freed->sequence) + " of " +
                 std::to_string(s.sequence) + " on thread " + std::to_string(freed->thread);
      }
    }
  }
  if (freed_tag != core::tag_id::none) where += ", tag '" + tag_name(freed_tag) + "'";
  report.text = "pointer " + hexadecimal(pointer) + " of pool '" + s.configuration.name +
                "': " + std::string(message(report.code));
  if (!where.empty()) report.text += " (" + where + ")";
  return report;
}

}  // namespace bfc
