/// Exact best fit as one writes it from the standard library: a map of the free blocks by address
/// for merging, a set of them by size for finding, and a hash table of the live ones. Merges at
/// every free; of equally large blocks the lowest address is taken.
#include "contenders.hpp"
#include <bfc/base/checked.hpp>

#include <iterator>
#include <map>
#include <mutex>
#include <set>
#include <unordered_map>
#include <utility>

namespace bfc::bench {
namespace {

class map_bestfit {
 public:
  explicit map_bestfit(const setup& how) : unit_bytes_(how.unit_bytes) {
    by_address_.emplace(0, how.capacity_bytes);
    by_size_.emplace(how.capacity_bytes, 0);
  }

  [[gnu::noinline]] std::uint64_t allocate(std::uint64_t bytes) noexcept {
    const std::uint64_t size = align_up(bytes, unit_bytes_);
    const std::scoped_lock hold(mutex_);
    const auto found = by_size_.lower_bound({size, 0});
    if (found == by_size_.end()) return refused;
    const auto [hole_size, offset] = *found;
    by_size_.erase(found);
    const auto behind = by_address_.erase(by_address_.find(offset));
    if (hole_size > size) {
      by_address_.emplace_hint(behind, offset + size, hole_size - size);
      by_size_.emplace(hole_size - size, offset + size);
    }
    live_.emplace(offset, size);
    return offset;
  }

  [[gnu::noinline]] bool deallocate(std::uint64_t where) noexcept {
    const std::scoped_lock hold(mutex_);
    const auto block = live_.find(where);
    if (block == live_.end()) return false;
    std::uint64_t offset = where;
    std::uint64_t size = block->second;
    live_.erase(block);

    auto next = by_address_.lower_bound(offset);
    if (next != by_address_.end() && next->first == offset + size) {
      size += next->second;
      by_size_.erase({next->second, next->first});
      next = by_address_.erase(next);
    }
    if (next != by_address_.begin()) {
      const auto before = std::prev(next);
      if (before->first + before->second == offset) {
        by_size_.erase({before->second, before->first});
        before->second += size;
        by_size_.emplace(before->second, before->first);
        return true;
      }
    }
    by_address_.emplace_hint(next, offset, size);
    by_size_.emplace(size, offset);
    return true;
  }

  [[nodiscard]] std::uint64_t base() const noexcept { return 0; }

 private:
  std::mutex mutex_;
  std::uint64_t unit_bytes_;
  std::map<std::uint64_t, std::uint64_t> by_address_;          ///< Free: offset to size.
  std::set<std::pair<std::uint64_t, std::uint64_t>> by_size_;  ///< Free: size, offset.
  std::unordered_map<std::uint64_t, std::uint64_t> live_;      ///< Offset to size.
};

}  // namespace

contender_entry make_map_bestfit() {
  return {"map-bestfit", maker<map_bestfit>(), true, true, false};
}

}  // namespace bfc::bench
