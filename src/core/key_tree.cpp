#include <bfc/core/key_tree.hpp>

#include <algorithm>

namespace bfc::core {

key_tree_pool::node_id key_tree_pool::take_node(std::uint16_t level) noexcept {
  node_id id = vacant_;
  if (id != no_node) {
    vacant_ = nodes_[id].next;
  } else {
    id = static_cast<node_id>(nodes_.size());
    nodes_.emplace_back();
  }
  node& n = nodes_[id];
  n.count = 0;
  n.level = level;
  n.prev = no_node;
  n.next = no_node;
  return id;
}

void key_tree_pool::give_node(node_id id) noexcept {
  nodes_[id].next = vacant_;
  vacant_ = id;
}

/// Number of keys below `key`. Branchless, for the outcome of a comparison is never predictable;
/// spelt as arithmetic, for GCC turns the conditional operator into a branch here.
std::uint32_t key_tree_pool::rank_of(const node& n, std::uint64_t key) noexcept {
  const std::uint64_t* base = n.key;
  std::uint32_t length = n.count;
  while (length > 1) {
    const std::uint32_t half = length / 2;
    base += half & (0U - static_cast<std::uint32_t>(base[half - 1] < key));
    length -= half;
  }
  return static_cast<std::uint32_t>(base - n.key) + static_cast<std::uint32_t>(*base < key);
}

/// The child in which `key` is or belongs: the last one whose separator is not above it.
std::uint32_t key_tree_pool::child_of(const node& n, std::uint64_t key) noexcept {
  // Keys not above `key` are those below `key` + 1; no key is the largest number there is.
  const std::uint32_t at = rank_of(n, key + 1);
  return at - static_cast<std::uint32_t>(at != 0);
}

key_tree_pool::node_id key_tree_pool::descend(node_id root, std::uint64_t key,
                                              path& taken) const noexcept {
  taken.depth = 0;
  node_id id = root;
  while (nodes_[id].level != 0) {
    const std::uint32_t at = child_of(nodes_[id], key);
    taken.steps[taken.depth++] = {id, at};
    id = nodes_[id].value[at];
  }
  return id;
}

// Shifting a handful of entries: a loop, where std::copy would call memmove twice.

void key_tree_pool::open_gap(node& n, std::uint32_t at) noexcept {
  for (std::uint32_t i = n.count; i > at; --i) {
    n.key[i] = n.key[i - 1];
    n.value[i] = n.value[i - 1];
  }
  ++n.count;
}

void key_tree_pool::close_gap(node& n, std::uint32_t at) noexcept {
  --n.count;
  for (std::uint32_t i = at; i < n.count; ++i) {
    n.key[i] = n.key[i + 1];
    n.value[i] = n.value[i + 1];
  }
}

void key_tree_pool::move_entries(node& from, std::uint32_t first, node& to, std::uint32_t at,
                                 std::uint32_t count) noexcept {
  std::copy(from.key + first, from.key + first + count, to.key + at);
  std::copy(from.value + first, from.value + first + count, to.value + at);
}

key_tree_pool::node_id key_tree_pool::make(entry a, entry b) noexcept {
  const node_id id = take_node(0);
  node& n = nodes_[id];
  if (b.key < a.key) std::swap(a, b);
  n.count = 2;
  n.key[0] = a.key;
  n.value[0] = a.value;
  n.key[1] = b.key;
  n.value[1] = b.value;
  return id;
}

key_tree_pool::node_id key_tree_pool::split(node_id left_id) noexcept {
  const node_id right_id = take_node(nodes_[left_id].level);
  node& left = nodes_[left_id];
  node& right = nodes_[right_id];
  move_entries(left, fanout / 2, right, 0, fanout / 2);
  left.count = fanout / 2;
  right.count = fanout / 2;
  if (left.level == 0) {
    right.next = left.next;
    right.prev = left_id;
    if (left.next != no_node) nodes_[left.next].prev = right_id;
    left.next = right_id;
  }
  return right_id;
}

void key_tree_pool::insert(node_id& root, entry what) noexcept {
  path taken;
  node_id id = descend(root, what.key, taken);
  for (;;) {
    if (nodes_[id].count < fanout) {
      node& n = nodes_[id];
      const std::uint32_t at = rank_of(n, what.key);
      open_gap(n, at);
      n.key[at] = what.key;
      n.value[at] = what.value;
      return;
    }
    const node_id right_id = split(id);
    node& half = nodes_[what.key < nodes_[right_id].key[0] ? id : right_id];
    const std::uint32_t at = rank_of(half, what.key);
    open_gap(half, at);
    half.key[at] = what.key;
    half.value[at] = what.value;
    what = {nodes_[right_id].key[0], right_id};  // Goes into the parent, right behind `id`.
    if (taken.depth == 0) {
      const node_id top = take_node(static_cast<std::uint16_t>(nodes_[id].level + 1));
      node& n = nodes_[top];
      n.count = 2;
      n.key[0] = 0;
      n.value[0] = id;
      n.key[1] = what.key;
      n.value[1] = what.value;
      root = top;
      return;
    }
    id = taken.steps[--taken.depth].node;
  }
}

bool key_tree_pool::rebalance(node_id parent_id, std::uint32_t at) noexcept {
  node& parent = nodes_[parent_id];
  const std::uint32_t left_at = at == 0 ? 0 : at - 1;
  const node_id left_id = parent.value[left_at];
  const node_id right_id = parent.value[left_at + 1];
  node& left = nodes_[left_id];
  node& right = nodes_[right_id];
  // An inner right node's first separator lives in the parent only.
  if (right.level != 0) right.key[0] = parent.key[left_at + 1];
  const std::uint32_t both = std::uint32_t{left.count} + right.count;
  if (both <= join_limit) {
    move_entries(right, 0, left, left.count, right.count);
    left.count = static_cast<std::uint16_t>(both);
    if (left.level == 0) {
      left.next = right.next;
      if (right.next != no_node) nodes_[right.next].prev = left_id;
    }
    give_node(right_id);
    close_gap(parent, left_at + 1);
    return true;
  }
  const std::uint32_t new_left = both / 2;
  if (left.count < new_left) {
    const std::uint32_t moved = new_left - left.count;
    move_entries(right, 0, left, left.count, moved);
    move_entries(right, moved, right, 0, right.count - moved);
  } else {
    const std::uint32_t moved = left.count - new_left;
    std::copy_backward(right.key, right.key + right.count, right.key + right.count + moved);
    std::copy_backward(right.value, right.value + right.count, right.value + right.count + moved);
    move_entries(left, new_left, right, 0, moved);
  }
  left.count = static_cast<std::uint16_t>(new_left);
  right.count = static_cast<std::uint16_t>(both - new_left);
  parent.key[left_at + 1] = right.key[0];
  return false;
}

void key_tree_pool::erase(node_id& root, std::uint64_t key, entry& last) noexcept {
  path taken;
  node_id id = descend(root, key, taken);
  close_gap(nodes_[id], rank_of(nodes_[id], key));
  while (taken.depth > 0 && nodes_[id].count < least_fill) {
    const step up = taken.steps[--taken.depth];
    if (!rebalance(up.node, up.at)) return;
    id = up.node;
  }
  if (id != root || nodes_[root].count > 1) return;
  if (nodes_[root].level != 0) {
    const node_id only = nodes_[root].value[0];
    give_node(root);
    root = only;
    return;
  }
  last = {nodes_[root].key[0], nodes_[root].value[0]};
  give_node(root);
  root = no_node;
}

key_tree_pool::position key_tree_pool::lower_bound(node_id root, std::uint64_t key) const noexcept {
  node_id id = root;
  while (nodes_[id].level != 0) id = nodes_[id].value[child_of(nodes_[id], key)];
  const std::uint32_t at = rank_of(nodes_[id], key);
  if (at < nodes_[id].count) return {id, at};
  return {nodes_[id].next, 0};
}

key_tree_pool::position key_tree_pool::first(node_id root) const noexcept {
  node_id id = root;
  while (nodes_[id].level != 0) id = nodes_[id].value[0];
  return {id, 0};
}

key_tree_pool::position key_tree_pool::last(node_id root) const noexcept {
  node_id id = root;
  while (nodes_[id].level != 0) id = nodes_[id].value[nodes_[id].count - 1];
  return {id, nodes_[id].count - 1U};
}

key_tree_pool::position key_tree_pool::next(position where) const noexcept {
  const node& n = nodes_[where.node];
  if (where.at + 1 < n.count) return {where.node, where.at + 1};
  return {n.next, 0};
}

key_tree_pool::position key_tree_pool::previous(position where) const noexcept {
  if (where.at > 0) return {where.node, where.at - 1};
  const node_id before = nodes_[where.node].prev;
  if (before == no_node) return {};
  return {before, nodes_[before].count - 1U};
}

void key_tree_pool::check_node(node_id id, std::uint64_t low, std::uint64_t high, bool is_root,
                               std::vector<node_id>& leaves,
                               std::vector<std::string>& faults) const {
  const node& n = nodes_[id];
  const std::uint32_t least = is_root ? 2 : least_fill;
  if (n.count < least || n.count > fanout) {
    faults.push_back("tree node " + std::to_string(id) + " holds " + std::to_string(n.count) +
                     " entries");
  }
  for (std::uint32_t i = 0; i < n.count; ++i) {
    const bool first_separator = n.level != 0 && i == 0;
    if (!first_separator && (n.key[i] < low || n.key[i] > high)) {
      faults.push_back("tree node " + std::to_string(id) + " holds a key outside its range");
    }
    if (i > (n.level != 0 ? 1U : 0U) && n.key[i] <= n.key[i - 1]) {
      faults.push_back("tree node " + std::to_string(id) + " is not in ascending order");
    }
  }
  if (n.level == 0) {
    leaves.push_back(id);
    return;
  }
  for (std::uint32_t i = 0; i < n.count; ++i) {
    if (nodes_[n.value[i]].level + 1 != n.level) {
      faults.push_back("tree node " + std::to_string(id) + " has a child of a wrong level");
      continue;
    }
    check_node(n.value[i], i == 0 ? low : n.key[i], i + 1 < n.count ? n.key[i + 1] - 1 : high,
               false, leaves, faults);
  }
}

void key_tree_pool::check(node_id root, std::vector<std::string>& faults) const {
  std::vector<node_id> leaves;
  check_node(root, 0, UINT64_MAX, true, leaves, faults);
  for (std::size_t i = 0; i < leaves.size(); ++i) {
    const node_id before = i == 0 ? no_node : leaves[i - 1];
    const node_id after = i + 1 < leaves.size() ? leaves[i + 1] : no_node;
    if (nodes_[leaves[i]].prev != before || nodes_[leaves[i]].next != after) {
      faults.push_back("leaf links of tree node " + std::to_string(leaves[i]) + " are wrong");
    }
  }
}

}  // namespace bfc::core
