#include <bfc/base/contract.hpp>
#include <bfc/replay/dry_run.hpp>

namespace bfc::replay {
namespace {

struct heap_planner {
  core::heap heap;
  std::uint64_t alignment_bytes = 0;
  status last = status::ok;

  std::optional<std::uint64_t> allocate(std::uint64_t bytes) {
    core::request what;
    what.bytes = bytes;
    what.alignment = alignment_bytes;
    const core::placed where = heap.allocate(what);
    last = where.code;
    if (where.code != status::ok) return std::nullopt;
    return where.offset;
  }

  void deallocate(std::uint64_t offset) {
    const core::live_block gone = heap.release(offset);
    BFC_ASSERT(gone.code == status::ok);
    static_cast<void>(gone);
  }
};

}  // namespace

dry_run_result dry_run(const program& what, const core::heap_options& how,
                       std::uint64_t alignment_bytes) {
  heap_planner planner{core::heap(how), alignment_bytes};
  dry_run_result result;
  if (const auto refused = first_refusal(what, planner)) {
    result.code = planner.last;
    result.first_failure_event = what.event_of_step[*refused];
  }
  result.counters = planner.heap.counters();
  return result;
}

}  // namespace bfc::replay
