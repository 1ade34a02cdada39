#include "cli/pool_replay.hpp"

#include <bfc/base/error.hpp>
#include <bfc/replay/parked_thread.hpp>

#include <fmt/format.h>

namespace bfc::cli {
namespace {

// The timed loop's view of a pool. Merging between passes makes each one start from one block.
struct pool_target {
  allocator& pool;

  void* allocate(std::uint64_t bytes) noexcept { return pool.try_allocate(bytes).pointer; }
  void deallocate(void* pointer) noexcept { static_cast<void>(pool.deallocate(pointer)); }
  void reset() noexcept { pool.coalesce(); }
};

// The same with an alignment in every request; apart, so that the usual loop pays nothing for it.
struct aligned_target : pool_target {
  request_options how;

  void* allocate(std::uint64_t bytes) noexcept { return pool.try_allocate(bytes, how).pointer; }
};

request_options aligned_to(std::size_t alignment) {
  request_options how;
  how.alignment = alignment;
  return how;
}

struct held_block {
  void* pointer = nullptr;
  std::uint64_t bytes = 0;
  std::uint32_t number = 0;
};

class checked_pass {
 public:
  checked_pass(const replay::program& what, allocator& pool, std::size_t alignment,
               cuda::device_ops* touch)
      : what_(what),
        pool_(pool),
        how_(aligned_to(alignment)),
        touch_(touch),
        held_(what.slot_count) {}

  pass_report run(const pass_progress& progress) {
    const std::size_t count = what_.steps.size();
    for (std::size_t i = 0; i < count; ++i) {
      const replay::step& s = what_.steps[i];
      const std::size_t event = what_.event_of_step[i];
      if (s.is_free()) {
        free(held_[s.slot], event);
      } else {
        allocate(s, event);
      }
      // With touching, one step can move megabytes; without, a clock each step would dominate.
      if (progress && (touch_ != nullptr || i % 65536 == 0)) progress(i + 1, count);
    }
    report_.statistics = pool_.statistics();
    const std::size_t end = count == 0 ? 0 : what_.event_of_step.back();
    for (const std::uint32_t slot : what_.leftover_slots) free(held_[slot], end);
    pool_.coalesce();
    return std::move(report_);
  }

 private:
  void allocate(const replay::step& s, std::size_t event) {
    held_block& block = held_[s.slot];
    block = {nullptr, static_cast<std::uint64_t>(s.size_bytes), s.block};
    const allocation got = pool_.try_allocate(block.bytes, how_);
    // A size that no address range can hold is a refusal too: nobody's mistake but the trace's.
    if (got.code == status::out_of_memory || got.code == status::invalid_size) {
      if (report_.refused_count++ == 0) report_.first_refused_event = event;
      return;
    }
    require_ok(got.code, "allocating", block, event);
    block.pointer = got.pointer;
    if (touch_ == nullptr) return;
    require_ok(touch_->fill(bytes_of(block), block.bytes, seed_of(block)), "filling", block, event);
    report_.touched_bytes += block.bytes;
  }

  void free(held_block& block, std::size_t event) {
    if (block.pointer == nullptr) return;  // its allocation was refused
    if (touch_ != nullptr) {
      std::uint64_t mismatches = 0;
      require_ok(touch_->check(bytes_of(block), block.bytes, seed_of(block), mismatches),
                 "checking", block, event);
      if (mismatches != 0) note_damage(block, event, mismatches);
    }
    require_ok(pool_.deallocate(block.pointer), "freeing", block, event);
    block.pointer = nullptr;
  }

  void note_damage(const held_block& block, std::size_t event, std::uint64_t words) {
    if (report_.damaged_count++ != 0) return;
    report_.first_damage = fmt::format(
        "block {} of {} bytes at offset {}, checked at event {}: {} of its 8-byte words differ",
        block.number, block.bytes, pool_.reservation_of(block.pointer).offset, event, words);
  }

  void require_ok(status code, const char* doing, const held_block& block,
                  std::size_t event) const {
    if (code == status::ok) return;
    throw error(code,
                fmt::format("{}: event {}: {} block {} of {} bytes failed: {} ({})", what_.name,
                            event, doing, block.number, block.bytes, name(code), message(code)));
  }

  static std::byte* bytes_of(const held_block& block) {
    return static_cast<std::byte*>(block.pointer);
  }
  static std::uint64_t seed_of(const held_block& block) { return std::uint64_t{block.number} + 1; }

  const replay::program& what_;
  allocator& pool_;
  request_options how_;
  cuda::device_ops* touch_;
  std::vector<held_block> held_;
  pass_report report_;
};

}  // namespace

pass_report check_pass(const replay::program& what, allocator& pool, std::size_t alignment,
                       cuda::device_ops* touch, const pass_progress& progress) {
  return checked_pass(what, pool, alignment, touch).run(progress);
}

namespace {

template <typename Target>
replay::timing time_target(const replay::program& what, Target target, std::uint32_t repeat,
                           const pass_progress& progress) {
  replay::timed_replay timer{what, target};
  const std::uint64_t total = std::uint64_t{2} * repeat * what.steps.size();
  std::uint64_t done = 0;
  const auto advance = [&] {
    done += what.steps.size();
    if (progress) progress(done, total);
  };
  timer.warm_up();  // touching, if there was any, has emptied the caches
  for (std::uint32_t i = 0; i < repeat; ++i) {
    timer.time_stretches();
    advance();
  }
  for (std::uint32_t i = 0; i < repeat; ++i) {
    timer.time_each_call();
    advance();
  }
  return timer.result();
}

}  // namespace

replay::timing time_passes(const replay::program& what, allocator& pool, std::size_t alignment,
                           std::uint32_t repeat, const pass_progress& progress) {
  const replay::parked_thread second;
  if (alignment == 0) return time_target(what, pool_target{pool}, repeat, progress);
  return time_target(what, aligned_target{{pool}, aligned_to(alignment)}, repeat, progress);
}

}  // namespace bfc::cli
