/// What a benchmark needs of an allocator, and one warm instance of one. Part of: bench.
#pragma once

#include "workload.hpp"
#include <bfc/replay/tick_clock.hpp>

#include <concepts>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>

namespace bfc::bench {

/// The answer to a request that found no place, and the mark of a slot that holds no block.
inline constexpr std::uint64_t refused = ~std::uint64_t{0};

/// How an instance is set up, the same for every contender.
struct setup {
  std::uint64_t capacity_bytes = 0;  ///< Multiple of the unit.
  std::uint32_t unit_bytes = 256;    ///< Sizes are rounded up to it.
};

/// The whole interface. `allocate` answers an address, or `refused`; `deallocate` whether it was
/// accepted. Both are called millions of times from one loop that is the same for everyone.
template <class T>
concept contender = std::constructible_from<T, const setup&> &&
    requires(T& allocator, std::uint64_t bytes, std::uint64_t where) {
  { allocator.allocate(bytes) }
  noexcept->std::same_as<std::uint64_t>;
  { allocator.deallocate(where) }
  noexcept->std::same_as<bool>;
  { allocator.base() }
  noexcept->std::same_as<std::uint64_t>;
};

/// One instance, run over stretches of operations. The virtual call is paid once a stretch, so
/// that inside the timed loop everyone costs one direct call an operation.
///
/// `handles` has an entry for every slot of the workload. Each function returns the number of
/// operations that failed.
class runner {
 public:
  virtual ~runner() = default;

  virtual std::uint64_t run(std::span<const op> ops, std::uint64_t* handles) noexcept = 0;

  /// The same with a time stamp around each call; `ticks` has an entry for every operation.
  virtual std::uint64_t run_each(std::span<const op> ops, std::uint64_t* handles,
                                 std::uint32_t* ticks) noexcept = 0;

  /// Stops at the first refusal. Returns whether all of it found a place.
  virtual bool fits(std::span<const op> ops, std::uint64_t* handles) noexcept = 0;

  /// For each operation: frees the slot's block where it holds one, else allocates there.
  virtual std::uint64_t toggle(std::span<const op> ops, std::uint64_t* handles) noexcept = 0;

  [[nodiscard]] virtual std::uint64_t base() noexcept = 0;
};

template <contender T>
class runner_of final : public runner {
 public:
  explicit runner_of(const setup& how) : allocator_(how) {}

  std::uint64_t run(std::span<const op> ops, std::uint64_t* handles) noexcept override {
    std::uint64_t failures = 0;
    for (const op& each : ops) {
      if (!each.is_free()) {
        const std::uint64_t where = allocator_.allocate(each.bytes);
        handles[each.slot] = where;
        failures += where == refused;
      } else {
        failures += !allocator_.deallocate(handles[each.slot]);
      }
    }
    return failures;
  }

  std::uint64_t run_each(std::span<const op> ops, std::uint64_t* handles,
                         std::uint32_t* ticks) noexcept override {
    std::uint64_t failures = 0;
    for (const op& each : ops) {
      std::uint64_t& handle = handles[each.slot];
      const std::uint64_t given = handle;
      std::uint64_t begin = 0;
      std::uint64_t end = 0;
      if (!each.is_free()) {
        begin = replay::tick_clock::begin();
        const std::uint64_t where = allocator_.allocate(each.bytes);
        end = replay::tick_clock::end();
        handle = where;
        failures += where == refused;
      } else {
        begin = replay::tick_clock::begin();
        const bool taken = allocator_.deallocate(given);
        end = replay::tick_clock::end();
        failures += !taken;
      }
      *ticks++ = static_cast<std::uint32_t>(end - begin);
    }
    return failures;
  }

  bool fits(std::span<const op> ops, std::uint64_t* handles) noexcept override {
    for (const op& each : ops) {
      if (each.is_free()) {
        if (!allocator_.deallocate(handles[each.slot])) return false;
      } else {
        handles[each.slot] = allocator_.allocate(each.bytes);
        if (handles[each.slot] == refused) return false;
      }
    }
    return true;
  }

  std::uint64_t toggle(std::span<const op> ops, std::uint64_t* handles) noexcept override {
    std::uint64_t failures = 0;
    for (const op& each : ops) {
      std::uint64_t& handle = handles[each.slot];
      if (handle == refused) {
        handle = allocator_.allocate(each.bytes);
        failures += handle == refused;
      } else {
        failures += !allocator_.deallocate(handle);
        handle = refused;
      }
    }
    return failures;
  }

  [[nodiscard]] std::uint64_t base() noexcept override { return allocator_.base(); }

 private:
  T allocator_;
};

/// What a contender is known as, and what may be expected of it.
struct contender_entry {
  std::string name;
  std::function<std::unique_ptr<runner>(const setup&)> make;
  /// Whether it gives memory out again and stays within its capacity. A floor does neither; it
  /// has no fit ratio.
  bool reuses = true;
  /// Whether it must place every block exactly where every other such contender does.
  bool canonical = false;
  /// Whether its heap allocations after warm-up are an error.
  bool heap_free = false;
};

template <contender T>
[[nodiscard]] auto maker() {
  return [](const setup& how) -> std::unique_ptr<runner> {
    return std::make_unique<runner_of<T>>(how);
  };
}

}  // namespace bfc::bench
