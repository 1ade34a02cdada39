/// Sorted sets of 64-bit keys in a shared pool of B+tree nodes. Layer: core.
#pragma once

#include <bfc/base/table_memory.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

namespace bfc::core {

/// Many small B+trees over one pool of nodes. A tree is named by its root; it holds two keys or
/// more (a set of one is kept by its owner, without a node). Every node but a root holds at
/// least 8 of its 20 entries, which bounds the pool by `nodes_for`.
///
/// A node is four cache lines and holds 20 keys, so that the free blocks of a real program's size
/// class lie in one node, and a million of them are four steps away.
///
/// Complexity: every operation O(log keys). Thread safety: none. Within what `reserve` prepared
/// nothing allocates.
class key_tree_pool {
 public:
  using node_id = std::uint32_t;
  static constexpr node_id no_node = UINT32_MAX;
  static constexpr std::uint32_t fanout = 20;

  struct entry {
    std::uint64_t key = 0;
    std::uint32_t value = 0;
  };

  /// A place in a tree; `node` is no_node past its ends.
  struct position {
    node_id node = no_node;
    std::uint32_t at = 0;
  };

  /// An upper bound of the nodes that `keys` keys in at most `trees` trees can occupy.
  [[nodiscard]] static constexpr std::size_t nodes_for(std::size_t keys,
                                                       std::size_t trees) noexcept {
    // Nodes that are no roots hold at least 8: keys / 8 leaves, an eighth of that above them, ...
    const std::size_t roots = trees < keys / 2 ? trees : keys / 2;
    return keys / 7 + roots + 16;
  }

  /// Prepares for `count` nodes in all. Fails: throws std::bad_alloc, nothing changed.
  void reserve(std::size_t count) { nodes_.reserve(count); }

  /// A new tree of two different keys. Returns its root.
  node_id make(entry a, entry b) noexcept;

  /// Adds a key that is not in the tree. `root` may change.
  void insert(node_id& root, entry what) noexcept;

  /// Removes a key that is in the tree. When one key is left, the tree is gone, `root` is no_node
  /// and `last` is that key.
  void erase(node_id& root, std::uint64_t key, entry& last) noexcept;

  /// The first place whose key is at least `key`, or past the end.
  [[nodiscard]] position lower_bound(node_id root, std::uint64_t key) const noexcept;
  [[nodiscard]] position first(node_id root) const noexcept;
  [[nodiscard]] position last(node_id root) const noexcept;
  [[nodiscard]] position next(position where) const noexcept;
  [[nodiscard]] position previous(position where) const noexcept;

  [[nodiscard]] entry at(position where) const noexcept {
    const node& n = nodes_[where.node];
    return {n.slots[where.at].key(), n.slots[where.at].value()};
  }

  /// Appends a sentence for each structural fault: fill, order, separators, leaf links.
  void check(node_id root, std::vector<std::string>& faults) const;

  [[nodiscard]] std::size_t memory_bytes() const noexcept {
    return nodes_.capacity() * sizeof(node);
  }

 private:
  /// An entry without padding. Leaf: the caller's. Inner: the value is a child, and no key below
  /// child i + 1 is in that slot's key; the first slot's key is unused.
  class slot {
   public:
    [[nodiscard]] std::uint64_t key() const noexcept {
      std::uint64_t result = 0;
      std::memcpy(&result, words_, sizeof result);
      return result;
    }
    [[nodiscard]] std::uint32_t value() const noexcept { return words_[2]; }
    void set_key(std::uint64_t key) noexcept { std::memcpy(words_, &key, sizeof key); }
    void set(std::uint64_t key, std::uint32_t value) noexcept {
      set_key(key);
      words_[2] = value;
    }

   private:
    std::uint32_t words_[3] = {};
  };

  /// Keys beside their values, so that a set of up to four is one cache line.
  struct alignas(64) node {
    std::uint16_t count = 0;
    std::uint16_t level = 0;  ///< 0 is a leaf.
    node_id prev = no_node;   ///< Leaves only: neighbours in key order. Vacant: next vacant.
    node_id next = no_node;
    std::uint32_t unused = 0;
    slot slots[fanout];
  };
  static_assert(sizeof(node) == 256);
  /// Below half, so that a tree that keeps its size does not split and join all the time.
  static constexpr std::uint32_t least_fill = 8;
  static constexpr std::uint32_t join_limit = fanout - 2;
  static constexpr int max_depth = 12;  ///< 2 · 10^11 keys.

  struct step {
    node_id node;
    std::uint32_t at;
  };
  /// From the root's choice down to the leaf; the leaf's own position is not part of it. Steps
  /// beyond the depth are not initialised.
  struct path {
    step steps[max_depth];
    int depth;
  };

  node_id take_node(std::uint16_t level) noexcept;
  void give_node(node_id id) noexcept;
  [[nodiscard]] node_id descend(node_id root, std::uint64_t key, path& taken) const noexcept;
  [[nodiscard]] static std::uint32_t child_of(const node& n, std::uint64_t key) noexcept;
  [[nodiscard]] static std::uint32_t rank_of(const node& n, std::uint64_t key) noexcept;
  static void move_four(const slot* from, slot* to) noexcept;
  static void open_gap(node& n, std::uint32_t at) noexcept;
  static void close_gap(node& n, std::uint32_t at) noexcept;
  static void move_entries(node& from, std::uint32_t first, node& to, std::uint32_t at,
                           std::uint32_t count) noexcept;
  node_id split(node_id left) noexcept;
  /// Refills child `at` of `parent` from a sibling. Returns whether two children became one.
  bool rebalance(node_id parent, std::uint32_t at) noexcept;
  void check_node(node_id id, std::uint64_t low, std::uint64_t high, bool is_root,
                  std::vector<node_id>& leaves, std::vector<std::string>& faults) const;

  table<node> nodes_;
  node_id vacant_ = no_node;
};

}  // namespace bfc::core
