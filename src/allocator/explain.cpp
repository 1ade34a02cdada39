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

pointer_report allocator::explain(const void* pointer) const {
  const state& s = *state_;
  pointer_report report;
  const bool in_some_pool = is_in_any_pool(pointer);  // Never inside our lock: see registry.cpp.
  const std::lock_guard guard(state_->lock);
  const std::string who = "pointer 0x" +
                          [&] {
                            static constexpr char digits[] = "0123456789abcdef";
                            std::string text;
                            for (auto rest = reinterpret_cast<std::uintptr_t>(pointer);
                                 rest != 0 || text.empty(); rest /= 16) {
                              text.insert(text.begin(), digits[rest % 16]);
                            }
                            return text;
                          }() +
                          " of pool '" + s.configuration.name + "': ";
  if (s.mode != pool_mode::open) {
    report.code = s.refusal();
    report.text = who + std::string(message(report.code));
    return report;
  }
  if (!s.contains(pointer)) {
    report.code = in_some_pool ? status::wrong_pool : status::foreign_pointer;
    report.text = who + std::string(message(report.code));
    return report;
  }
  const std::uint64_t offset = s.offset_of(pointer);
  const core::block_info around = s.heap.block_around(offset);
  report.block_offset = around.offset;
  report.block_bytes = around.requested_bytes;
  report.code = s.classify(pointer, s.heap.find_live(offset).code);
  const std::string lies = "offset " + std::to_string(offset) + " lies in the " +
                           (around.state == core::block_state::live ? "live" : "free") +
                           " block at offset " + std::to_string(around.offset) + " of " +
                           std::to_string(around.size_bytes) + " bytes" +
                           (around.state == core::block_state::live
                                ? ", asked for as " + std::to_string(around.requested_bytes)
                                : std::string());
  report.text = who + std::string(message(report.code)) + " (" + lies;
  if (report.code == status::double_free) {
    const auto freed = s.ring.last_at(offset, s.sequence);
    report.freed_by_event = freed->sequence;
    report.freed_by_thread = freed->thread;
    report.text += "; freed by event " + std::to_string(freed->sequence) + " of " +
                   std::to_string(s.sequence) + " on thread " + std::to_string(freed->thread);
    if (freed->tag != core::tag_id::none) report.text += ", tag '" + tag_name(freed->tag) + "'";
  }
  report.text += ")";
  return report;
}

}  // namespace bfc
