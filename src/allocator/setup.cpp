// A pool's beginning and end. See allocator.hpp.
#include "registry.hpp"
#include "state.hpp"
#include <bfc/allocator/allocator.hpp>
#include <bfc/base/checked.hpp>
#include <bfc/base/contract.hpp>
#include <bfc/base/error.hpp>
#include <bfc/base/units.hpp>

#include <algorithm>
#include <bit>
#include <iterator>
#include <mutex>
#include <string>
#include <utility>

namespace bfc {

namespace {

[[noreturn]] void refuse(const std::string& text) {
  throw error(status::invalid_option, text);
}

std::string text_of(const char* option, std::uint64_t value) {
  return std::string(option) + " = " + std::to_string(value);
}

void check(const options& o) {
  constexpr std::uint64_t least_unit = 16;
  if (!is_power_of_two(o.unit_bytes) || o.unit_bytes < least_unit || o.unit_bytes > 2 * MiB) {
    refuse(text_of("unit_bytes", o.unit_bytes) + ": must be a power of two from 16 to 2097152");
  }
  if (!is_power_of_two(o.max_alignment) || o.max_alignment > 64 * MiB) {
    refuse(text_of("max_alignment", o.max_alignment) +
           ": must be a power of two up to 67108864 (64 MiB)");
  }
  if (o.max_alignment < o.unit_bytes) {
    refuse(text_of("max_alignment", o.max_alignment) + " is below " +
           text_of("unit_bytes", o.unit_bytes) + ": every block is aligned to the unit");
  }
  if (o.capacity_bytes != 0 && o.capacity_bytes < o.max_alignment) {
    refuse(text_of("capacity_bytes", o.capacity_bytes) + " is below " +
           text_of("max_alignment", o.max_alignment) +
           ": the capacity is a multiple of it; ask for more, or lower max_alignment");
  }
  if (o.capacity_bytes / o.unit_bytes > UINT32_MAX) {
    refuse(text_of("capacity_bytes", o.capacity_bytes) + " is above 4294967295 units of " +
           text_of("unit_bytes", o.unit_bytes) + ": raise unit_bytes");
  }
  if (o.capacity_bytes == 0 && o.least_capacity_bytes < o.max_alignment) {
    refuse(text_of("least_capacity_bytes", o.least_capacity_bytes) + " is below " +
           text_of("max_alignment", o.max_alignment) + ": raise it, or lower max_alignment");
  }
  if (o.unmerged_limit_count == 0) {
    refuse("unmerged_limit_count = 0: must be above 0; to merge at once set coalesce = immediate");
  }
  if (o.unmerged_limit_count > core::unmerged_set::capacity) {
    refuse(text_of("unmerged_limit_count", o.unmerged_limit_count) +
           ": at most 16 blocks can wait");
  }
  if (std::find(std::begin(core::all_coalescing_policies), std::end(core::all_coalescing_policies),
                o.coalesce) == std::end(core::all_coalescing_policies)) {
    refuse(text_of("coalesce", static_cast<std::uint64_t>(o.coalesce)) + ": no such policy");
  }
  if (o.unmerged_limit_count != options{}.unmerged_limit_count &&
      o.coalesce != core::coalescing::threshold) {
    refuse(text_of("unmerged_limit_count", o.unmerged_limit_count) + " contradicts coalesce = " +
           std::string(core::name(o.coalesce)) + ": only coalesce = threshold has that limit");
  }
  if (o.unmerged_limit_bytes != 0 && o.coalesce != core::coalescing::threshold) {
    refuse(text_of("unmerged_limit_bytes", o.unmerged_limit_bytes) + " contradicts coalesce = " +
           std::string(core::name(o.coalesce)) + ": only coalesce = threshold has a limit");
  }
  if (o.capacity_bytes != 0 && o.unmerged_limit_bytes > o.capacity_bytes) {
    refuse(text_of("unmerged_limit_bytes", o.unmerged_limit_bytes) + " is above " +
           text_of("capacity_bytes", o.capacity_bytes) + ": it could never be reached");
  }
  if (!(o.ratio_limit > 0.0 && o.ratio_limit <= 1.0)) {
    refuse("ratio_limit = " + std::to_string(o.ratio_limit) + ": must be above 0 and at most 1");
  }
  if (o.ratio_limit != options{}.ratio_limit && o.coalesce != core::coalescing::ratio) {
    refuse("ratio_limit = " + std::to_string(o.ratio_limit) + " contradicts coalesce = " +
           std::string(core::name(o.coalesce)) + ": only coalesce = ratio has that limit");
  }
  constexpr std::uint32_t most_expected = 1U << 26;
  if (o.expected_blocks > most_expected) {
    refuse(text_of("expected_blocks", o.expected_blocks) + ": at most 67108864 (6 GiB of memory)");
  }
  constexpr std::uint32_t most_history = 1U << 26;
  if (o.history_events > most_history) {
    refuse(text_of("history_events", o.history_events) + ": at most 67108864 (1 GiB of memory)");
  }
}

core::heap_options heap_options_of(const options& o, std::uint64_t capacity_bytes) {
  core::heap_options h;
  h.capacity_bytes = capacity_bytes;
  h.unit_bytes = o.unit_bytes;
  h.policy = o.coalesce;
  h.trigger.unmerged_limit_bytes = o.unmerged_limit_bytes;
  h.trigger.unmerged_limit_count = o.unmerged_limit_count;
  h.trigger.ratio_limit = o.ratio_limit;
  h.expected_blocks = o.expected_blocks;
  return h;
}

std::uint32_t ring_length(std::uint32_t events) {
  return events == 0 ? 0 : std::bit_ceil(std::max<std::uint32_t>(events, 64));
}

/// An automatic capacity takes what is free, and less while the source refuses; one that was named
/// is got whole or not at all.
memory_range reserve(source& from, const options& o) {
  const bool automatic = o.capacity_bytes == 0;
  const std::uint64_t most_units_bytes = UINT32_MAX * std::uint64_t{o.unit_bytes};
  const std::uint64_t free_bytes = automatic ? from.available_bytes() : o.capacity_bytes;
  const std::uint64_t wanted = align_down(std::min(free_bytes, most_units_bytes), o.max_alignment);
  const std::uint64_t least =
      automatic ? align_down(o.least_capacity_bytes, o.max_alignment) : wanted;
  const std::string where(from.name());
  if (wanted < least || wanted == 0) {
    throw error(status::out_of_memory, where + " memory: " + format_size(free_bytes) +
                                           " free, below " +
                                           text_of("least_capacity_bytes", o.least_capacity_bytes) +
                                           "; free some, or lower least_capacity_bytes");
  }
  const backoff_result got =
      reserve_with_backoff(from, wanted, least, o.max_alignment, o.max_alignment);
  if (got.code != status::ok) {
    throw error(got.code, where + " memory: a reservation of " + format_size(wanted) +
                              (automatic ? " down to " + format_size(least) : std::string()) +
                              " was refused (" + std::string(name(got.code)) + ", " +
                              std::to_string(got.attempts) + " attempts); ask for less");
  }
  if (reinterpret_cast<std::uintptr_t>(got.range.base) % o.max_alignment != 0) {
    from.release(got.range);
    throw error(status::driver_error, where + " memory: the reservation's base is not aligned to " +
                                          text_of("max_alignment", o.max_alignment) +
                                          "; lower max_alignment, or mend the source");
  }
  return got.range;
}

}  // namespace

allocator::state::state(std::unique_ptr<source> source, memory_range reserved, const options& how)
    : base(reinterpret_cast<std::uintptr_t>(reserved.base)),
      ring(ring_length(how.history_events),
           static_cast<unsigned>(std::countr_zero(how.unit_bytes))),
      heap(heap_options_of(how, reserved.bytes)),
      configuration(how),
      from(std::move(source)),
      range(reserved),
      driver_calls_at_start(from->driver_calls()) {
  configuration.capacity_bytes = reserved.bytes;
}

allocator::allocator(std::unique_ptr<source> from, const options& how) {
  check(how);
  BFC_EXPECT(from != nullptr, "an allocator needs a source");
  source& given = *from;
  const memory_range range = reserve(given, how);
  try {
    state_ = std::make_shared<state>(std::move(from), range, how);
    add_pool(*state_);
  } catch (...) {
    if (state_) {
      state_->close();
    } else if (from) {
      from->release(range);
    }
    throw;
  }
}

allocator::~allocator() {
  close();
}

/// The source is called without the lock, so that nobody waits for a driver; nobody else calls it
/// any more, for the pool is closed by then.
std::uint64_t allocator::state::close() noexcept {
  std::uint64_t still_live = 0;
  pool_mode was = pool_mode::closed;
  {
    const std::lock_guard guard(lock);
    was = std::exchange(mode, pool_mode::closed);
    if (was != pool_mode::closed) {
      still_live = heap.counters().live_blocks;
      driver_calls_while_open = from->driver_calls() - driver_calls_at_start;
    }
  }
  // In a forked child the reservation is the parent's.
  if (was == pool_mode::open) from->release(range);
  return still_live;
}

std::uint64_t allocator::close() noexcept {
  const std::uint64_t still_live = state_->close();
  remove_pool(*state_);  // Last: fork takes the locks of pools it knows.
  return still_live;
}

std::uint64_t allocator::add_observer(std::shared_ptr<observer> sink) {
  BFC_EXPECT(sink != nullptr, "an observer must exist");
  return state_->observers.add(std::move(sink));
}

void allocator::remove_observer(std::uint64_t handle) {
  state_->observers.remove(handle);
}

std::uint64_t allocator::add_out_of_memory_callback(out_of_memory_callback call) {
  BFC_EXPECT(call != nullptr, "an out-of-memory callback must be callable");
  return state_->out_of_memory_callbacks.add(
      std::make_shared<const out_of_memory_callback>(std::move(call)));
}

void allocator::remove_out_of_memory_callback(std::uint64_t handle) {
  state_->out_of_memory_callbacks.remove(handle);
}

const options& allocator::configuration() const noexcept {
  return state_->configuration;
}
std::size_t allocator::capacity_bytes() const noexcept {
  return state_->heap.capacity_bytes();
}
int allocator::device() const noexcept {
  return state_->from->device();
}

std::uint64_t allocator::driver_calls_after_start() const noexcept {
  const std::lock_guard guard(state_->lock);
  return state_->mode == pool_mode::closed
             ? state_->driver_calls_while_open
             : state_->from->driver_calls() - state_->driver_calls_at_start;
}

}  // namespace bfc
