#include "verify.hpp"

#include <bfc/base/checked.hpp>

#include <algorithm>
#include <iterator>
#include <map>
#include <utility>

#include <fmt/format.h>

namespace bfc::bench {
namespace {

/// One contender under examination.
class examination {
 public:
  examination(const contender_entry& entry, const workload& what, const setup& how)
      : entry_(entry),
        what_(what),
        how_(how),
        instance_(entry.make(how)),
        handles_(what.slot_count, refused) {
    base_ = instance_->base();
  }

  std::vector<std::uint64_t> pass() {
    std::vector<std::uint64_t> offsets;
    for (std::size_t n = 0; n < what_.ops.size(); ++n) {
      play(what_.ops[n], n);
      if (!what_.ops[n].is_free()) offsets.push_back(handles_[what_.ops[n].slot] - base_);
    }
    for (const op& each : what_.drain) play(each, what_.ops.size());
    return offsets;
  }

  void check_whole() {
    if (!entry_.reuses) return;
    const op everything{0, how_.capacity_bytes};
    std::uint64_t handle = refused;
    if (instance_->run({&everything, 1}, &handle) != 0 || handle != base_)
      fail(what_.ops.size(), "after freeing all, the capacity is not one block again");
    const op back{0, 0};
    if (instance_->run({&back, 1}, &handle) != 0)
      fail(what_.ops.size(), "the block of the whole capacity cannot be freed");
  }

 private:
  void play(const op& each, std::size_t n) {
    if (each.is_free()) ends_.erase(handles_[each.slot] - base_);
    if (instance_->run({&each, 1}, handles_.data()) != 0)
      fail(n, each.is_free() ? "a free of a live block was not accepted"
                             : fmt::format("{} bytes were refused although they must fit in {}",
                                           each.bytes, how_.capacity_bytes));
    if (each.is_free()) return;

    const std::uint64_t size = align_up(each.bytes, how_.unit_bytes);
    const std::uint64_t begin = handles_[each.slot] - base_;
    const std::uint64_t end = begin + size;
    if (begin % how_.unit_bytes != 0)
      fail(n, fmt::format("offset {} is not a multiple of {}", begin, how_.unit_bytes));
    if (entry_.reuses && (end > how_.capacity_bytes || end < begin))
      fail(n, fmt::format("[{}, {}) leaves the capacity of {}", begin, end, how_.capacity_bytes));
    const auto after = ends_.lower_bound(begin);
    if (after != ends_.end() && after->first < end)
      fail(n, fmt::format("[{}, {}) overlaps the live block at {}", begin, end, after->first));
    if (after != ends_.begin() && std::prev(after)->second > begin)
      fail(n, fmt::format("[{}, {}) overlaps the live block at {}", begin, end,
                          std::prev(after)->first));
    ends_.emplace_hint(after, begin, end);
  }

  [[noreturn]] void fail(std::size_t n, const std::string& rule) const {
    throw wrong_answer(fmt::format("{} on {}, operation {}: {}", entry_.name, what_.name, n, rule));
  }

  const contender_entry& entry_;
  const workload& what_;
  const setup& how_;
  std::unique_ptr<runner> instance_;
  std::vector<std::uint64_t> handles_;
  std::map<std::uint64_t, std::uint64_t> ends_;  ///< Live: offset to end.
  std::uint64_t base_ = 0;
};

}  // namespace

std::vector<std::uint64_t> verify(const contender_entry& entry, const workload& what,
                                  const setup& how) {
  examination examined(entry, what, how);
  std::vector<std::uint64_t> offsets = examined.pass();
  examined.check_whole();
  examined.pass();
  examined.check_whole();
  return offsets;
}

void verify_live(const contender_entry& entry, const setup& how, std::uint64_t base,
                 const std::vector<std::uint64_t>& bytes,
                 const std::vector<std::uint64_t>& handles) {
  std::vector<std::pair<std::uint64_t, std::uint64_t>> blocks;
  for (std::size_t slot = 0; slot < bytes.size(); ++slot)
    if (bytes[slot] != 0)
      blocks.emplace_back(handles[slot] - base, align_up(bytes[slot], how.unit_bytes));
  std::sort(blocks.begin(), blocks.end());
  std::uint64_t end_before = 0;
  for (const auto& [offset, size] : blocks) {
    if (offset < end_before || offset % how.unit_bytes != 0 ||
        (entry.reuses && offset + size > how.capacity_bytes))
      throw wrong_answer(fmt::format(
          "{}: the live block [{}, {}) overlaps another one, is not aligned to {} or leaves the "
          "capacity of {}",
          entry.name, offset, offset + size, how.unit_bytes, how.capacity_bytes));
    end_before = offset + size;
  }
}

}  // namespace bfc::bench
