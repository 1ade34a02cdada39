#include <bfc/core/validator.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

namespace bfc::core {
namespace {

/// (offset, size): what an index entry and a block have in common.
using piece = std::pair<std::uint64_t, std::uint64_t>;

std::string at(std::uint64_t offset) {
  return "offset " + std::to_string(offset);
}

std::string describe(const piece& p) {
  return at(p.first) + " of " + std::to_string(p.second) + " bytes";
}

/// One validation. Nothing here is derived with the heap's own code: round-up, sums and sets are
/// written out again, so that one mistake cannot hide on both sides.
class check {
 public:
  explicit check(const snapshot& state) : state_(state) {}

  std::vector<violation> run() {
    tiling();
    granularity();
    counters();
    membership(4, "hole", state_.hole_index,
               [](const block_info& b) { return b.marks == mark_set::none && !b.unmerged; });
    membership(4, "unmerged", state_.unmerged,
               [](const block_info& b) { return b.marks == mark_set::none && b.unmerged; });
    membership(5, "pending", state_.pending_index,
               [](const block_info& b) { return b.marks != mark_set::none; });
    order("hole", state_.hole_index);
    order("pending", state_.pending_index);
    neighbours();
    footprint();
    requested_sizes();
    for (const std::string& fault : state_.structural_faults) report(11, fault);
    return std::move(found_);
  }

 private:
  void report(int invariant, std::string text) {
    found_.push_back(violation{invariant, std::move(text)});
  }

  static bool mergeable(const block_info& lower, const block_info& upper) {
    return lower.state == block_state::free && upper.state == block_state::free &&
           lower.marks == upper.marks;
  }

  void tiling() {
    std::uint64_t reached = 0;
    for (const block_info& b : state_.blocks) {
      if (b.offset > reached) {
        report(1,
               "a gap of " + std::to_string(b.offset - reached) + " bytes before " + at(b.offset));
      } else if (b.offset < reached) {
        report(1, "the block at " + at(b.offset) +
                      " overlaps or precedes its predecessor, which "
                      "ends at " +
                      std::to_string(reached));
      }
      if (b.size_bytes > UINT64_MAX - b.offset) {
        report(1, "the block at " + at(b.offset) + " ends beyond the address space");
        return;
      }
      reached = b.offset + b.size_bytes;
    }
    if (reached != state_.capacity_bytes) {
      report(1, "the blocks end at " + std::to_string(reached) + ", not at the capacity of " +
                    std::to_string(state_.capacity_bytes));
    }
  }

  void granularity() {
    if (state_.unit_bytes == 0) {
      report(2, "the unit is 0 bytes");
      return;
    }
    for (const block_info& b : state_.blocks) {
      if (b.size_bytes == 0 || b.size_bytes % state_.unit_bytes != 0) {
        report(2, "the block at " + describe({b.offset, b.size_bytes}) +
                      " is no positive multiple of the unit of " +
                      std::to_string(state_.unit_bytes));
      }
    }
  }

  void counter(const char* what, std::uint64_t counted, std::uint64_t summed) {
    if (counted == summed) return;
    report(3, std::string(what) + " is counted as " + std::to_string(counted) + " but sums to " +
                  std::to_string(summed));
  }

  void counters() {
    std::uint64_t live_bytes = 0;
    std::uint64_t requested = 0;
    std::uint64_t live = 0;
    std::uint64_t unmerged_bytes = 0;
    for (const block_info& b : state_.blocks) {
      if (b.state == block_state::free) {
        unmerged_bytes += b.unmerged ? b.size_bytes : 0;
        continue;
      }
      live_bytes += b.size_bytes;
      requested += b.requested_bytes;
      ++live;
    }
    counter("live_bytes", state_.live_bytes, live_bytes);
    counter("live_requested_bytes", state_.live_requested_bytes, requested);
    counter("live_blocks", state_.live_blocks, live);
    counter("free_blocks", state_.free_blocks, state_.blocks.size() - live);
    counter("unmerged_bytes", state_.unmerged_bytes, unmerged_bytes);
  }

  template <typename Belongs>
  void membership(int invariant, const char* which, const std::vector<index_entry>& index,
                  Belongs belongs) {
    std::vector<piece> expected;
    for (const block_info& b : state_.blocks) {
      if (b.state == block_state::free && belongs(b)) {
        expected.emplace_back(b.offset, b.size_bytes);
      }
    }
    std::vector<piece> listed;
    listed.reserve(index.size());
    for (const index_entry& e : index) listed.emplace_back(e.offset, e.size_bytes);
    std::sort(expected.begin(), expected.end());
    std::sort(listed.begin(), listed.end());
    const std::string name = std::string("the ") + which + " index ";
    compare(invariant, expected, listed, name + "lacks ", name + "lists in excess ",
            [](const piece& p) { return describe(p); });
  }

  void order(const char* which, const std::vector<index_entry>& index) {
    for (std::size_t i = 1; i < index.size(); ++i) {
      const index_entry& a = index[i - 1];
      const index_entry& b = index[i];
      // Equal entries are a matter of 4 and 5: each block once.
      if (std::pair(b.size_bytes, b.offset) < std::pair(a.size_bytes, a.offset)) {
        report(6, std::string("the ") + which + " index has " + describe({b.offset, b.size_bytes}) +
                      " after " + describe({a.offset, a.size_bytes}));
      }
    }
  }

  void neighbours() {
    for (std::size_t i = 1; i < state_.blocks.size(); ++i) {
      const block_info& lower = state_.blocks[i - 1];
      const block_info& upper = state_.blocks[i];
      if (mergeable(lower, upper) && !lower.unmerged && !upper.unmerged) {
        report(7, "the free blocks at " + at(lower.offset) + " and " + at(upper.offset) +
                      " are neighbours, but neither is unmerged");
      }
    }
    for (const block_info& b : state_.blocks) {
      if (!b.unmerged) continue;
      if (b.state == block_state::free && b.marks != mark_set::none) {
        report(7, "the unmerged block at " + at(b.offset) + " has marks");
      }
      if (state_.policy == coalescing::immediate) {
        report(8, "an unmerged block at " + at(b.offset) + " under immediate coalescing");
      }
    }
  }

  void footprint() {
    if (state_.footprint_bytes > state_.capacity_bytes) {
      report(9, "the footprint of " + std::to_string(state_.footprint_bytes) +
                    " exceeds the capacity of " + std::to_string(state_.capacity_bytes));
    }
    for (const block_info& b : state_.blocks) {
      if (b.state == block_state::live && b.offset + b.size_bytes > state_.footprint_bytes) {
        report(9, "the live block at " + describe({b.offset, b.size_bytes}) +
                      " ends above the footprint of " + std::to_string(state_.footprint_bytes));
      }
    }
  }

  void requested_sizes() {
    const std::uint64_t unit = state_.unit_bytes;
    if (unit == 0) return;
    for (const block_info& b : state_.blocks) {
      if (b.state != block_state::live) continue;
      // Exactly one multiple of the unit lies in [requested, requested + unit).
      const bool rounds_up = b.requested_bytes > 0 && b.requested_bytes <= b.size_bytes &&
                             b.size_bytes - b.requested_bytes < unit;
      if (!rounds_up) {
        report(10, "the live block at " + describe({b.offset, b.size_bytes}) + " was asked for " +
                       std::to_string(b.requested_bytes) + " bytes");
      }
    }
  }

  /// Reports what only one of two sorted lists has, counting repetitions.
  template <typename T, typename Describe>
  void compare(int invariant, const std::vector<T>& expected, const std::vector<T>& listed,
               const std::string& lacks, const std::string& excess, Describe describe_one) {
    auto e = expected.begin();
    auto l = listed.begin();
    while (e != expected.end() || l != listed.end()) {
      if (l == listed.end() || (e != expected.end() && *e < *l)) {
        report(invariant, lacks + describe_one(*e++));
      } else if (e == expected.end() || *l < *e) {
        report(invariant, excess + describe_one(*l++));
      } else {
        ++e;
        ++l;
      }
    }
  }

  const snapshot& state_;
  std::vector<violation> found_;
};

}  // namespace

std::vector<violation> validate(const snapshot& state) {
  return check(state).run();
}

}  // namespace bfc::core
