// The throwing allocation and its report. See allocator.hpp and out_of_memory.hpp.
#include "state.hpp"
#include <bfc/allocator/allocator.hpp>
#include <bfc/base/checked.hpp>
#include <bfc/base/units.hpp>

#include <mutex>
#include <utility>

namespace bfc {

const char* name(shortage why) noexcept {
  switch (why) {
    case shortage::larger_than_reservation:
      return "larger than the reservation";
    case shortage::true_shortage:
      return "true shortage";
    case shortage::alignment:
      return "alignment";
    case shortage::fragmentation:
      return "external fragmentation";
  }
  return "unknown";
}

namespace {

std::string exact(std::uint64_t bytes) {
  return format_size(bytes) + " (" + std::to_string(bytes) + " bytes)";
}

std::string remedy(const out_of_memory_report& r) {
  switch (r.why) {
    case shortage::larger_than_reservation:
      return "raise capacity_bytes above " + exact(r.rounded_bytes) + ", or split the request";
    case shortage::true_shortage:
      return "free " + exact(r.rounded_bytes - r.free_bytes) + " more, or raise capacity_bytes";
    case shortage::alignment:
      return "ask for less alignment than " + exact(r.alignment) + ", or for at most " +
             exact(r.largest_aligned_bytes);
    case shortage::fragmentation:
      return "free blocks between holes, or ask for at most " + exact(r.largest_aligned_bytes);
  }
  return {};
}

shortage verdict(const out_of_memory_report& r) {
  if (r.rounded_bytes > r.capacity_bytes) return shortage::larger_than_reservation;
  if (r.rounded_bytes > r.free_bytes) return shortage::true_shortage;
  if (r.rounded_bytes <= r.largest_free_bytes) return shortage::alignment;
  return shortage::fragmentation;
}

}  // namespace

std::string out_of_memory_report::text() const {
  return "bfc: out of memory in pool '" + pool + "': " + bfc::name(why) + "\n" +
         "  request:   " + exact(requested_bytes) + ", rounded to " +
         std::to_string(rounded_bytes) + " bytes, alignment " + std::to_string(alignment) +
         (tag == core::tag_id::none ? "" : ", tag '" + tag_name(tag) + "'") + "\n" +
         "  memory:    " + exact(live_bytes) + " live, " + exact(free_bytes) + " free of " +
         exact(capacity_bytes) + "\n" + "  in a piece: " + exact(largest_free_bytes) +
         " largest, " + exact(largest_aligned_bytes) + " at this alignment\n" +
         "  remedy:    " + remedy(*this);
}

out_of_memory::out_of_memory(out_of_memory_report report)
    : report_(std::move(report)), text_(report_.text()) {}

out_of_memory_report allocator::state::report_locked(std::size_t bytes, const request_options& how,
                                                     core::tag_id tag) const noexcept {
  out_of_memory_report r;
  r.requested_bytes = bytes;
  r.rounded_bytes = checked_align_up(bytes, heap.unit_bytes()).value_or(UINT64_MAX);
  r.alignment = how.alignment == 0 ? heap.unit_bytes() : how.alignment;
  r.tag = tag;
  r.capacity_bytes = heap.capacity_bytes();
  r.live_bytes = heap.counters().live_bytes;
  r.live_requested_bytes = heap.counters().live_requested_bytes;
  r.free_bytes = heap.free_bytes();
  r.largest_free_bytes = heap.largest_available();
  r.largest_aligned_bytes = heap.largest_available(r.alignment);
  r.event = sequence;
  r.why = verdict(r);
  return r;
}

namespace {

/// While it lives, the thread is inside out-of-memory callbacks: a request that fails there is
/// refused without calling them again.
class callback_scope {
 public:
  callback_scope() noexcept { this_thread_context().in_callback = true; }
  ~callback_scope() { this_thread_context().in_callback = false; }
  callback_scope(const callback_scope&) = delete;
  callback_scope& operator=(const callback_scope&) = delete;
};

}  // namespace

bool allocator::state::call_out_of_memory_callbacks(const out_of_memory_report& report) const {
  if (this_thread_context().in_callback) return false;
  const callback_scope scope;
  const auto list = out_of_memory_callbacks.current();
  bool freed = false;
  for (const auto& [handle, call] : *list) freed = (*call)(report) || freed;
  return freed;
}

void* allocator::allocate(std::size_t bytes, const request_options& how) {
  if (bytes == 0) return nullptr;
  state& s = *state_;
  const core::tag_id tag = how.use_current_tag ? current_tag() : how.tag;
  // A callback that frees and takes again could go on for ever.
  constexpr int most_rounds = 16;
  for (int round = 0;; ++round) {
    event told;
    out_of_memory_report report;
    s.lock.lock();
    const allocation got = s.allocate_locked(bytes, how, tag, &told);
    // The figures belong to the refusal, so they are taken before anyone can change them.
    if (got.code == status::out_of_memory) report = s.report_locked(bytes, how, tag);
    s.lock.unlock();
    if (!s.observers.empty()) s.tell(told);
    if (got) return got.pointer;
    if (got.code != status::out_of_memory) {
      throw error(got.code, "allocate(" + std::to_string(bytes) + ", alignment " +
                                std::to_string(how.alignment) + ") in pool '" +
                                s.configuration.name + "': " + std::string(message(got.code)));
    }
    report.pool = s.configuration.name;
    if (!s.call_out_of_memory_callbacks(report) || round == most_rounds) {
      throw out_of_memory(std::move(report));
    }
  }
}

}  // namespace bfc
