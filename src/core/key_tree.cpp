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
  const slot* base = n.slots;
  std::uint32_t length = n.count;
  if (length <= 4) {
    std::uint32_t below = 0;
    for (std::uint32_t i = 0; i < 4; ++i) {
      below +=
          static_cast<std::uint32_t>(i < length) & static_cast<std::uint32_t>(base[i].key() < key);
    }
    return below;
  }
  while (length > 1) {
    const std::uint32_t half = length / 2;
    base += half & (0U - static_cast<std::uint32_t>(base[half - 1].key() < key));
    length -= half;
  }
  return static_cast<std::uint32_t>(base - n.slots) + static_cast<std::uint32_t>(base->key() < key);
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
    id = nodes_[id].slots[at].value();
  }
  return id;
}

// Four entries at a time, whatever lies behind the last one: a small node then takes one step, and
// the processor need not guess how many.

void key_tree_pool::move_four(const slot* from, slot* to) noexcept {
  using register_bytes [[gnu::vector_size(16)]] = unsigned char;
  register_bytes part[3];
  static_assert(sizeof part == 4 * sizeof(slot));
  std::memcpy(part, from, sizeof part);
  std::memcpy(static_cast<void*>(to), part, sizeof part);
}

void key_tree_pool::open_gap(node& n, std::uint32_t at) noexcept {
  const std::uint32_t count = n.count++;
  if (count >= fanout - 4) {
    for (std::uint32_t i = count; i > at; --i) n.slots[i] = n.slots[i - 1];
    return;
  }
  std::uint32_t from = at + (count - at) / 4 * 4;
  for (;; from -= 4) {
    move_four(n.slots + from, n.slots + from + 1);
    if (from == at) return;
  }
}

void key_tree_pool::close_gap(node& n, std::uint32_t at) noexcept {
  const std::uint32_t count = --n.count;
  if (count >= fanout - 4) {
    for (std::uint32_t i = at; i < count; ++i) n.slots[i] = n.slots[i + 1];
    return;
  }
  for (std::uint32_t i = at; i < count; i += 4) move_four(n.slots + i + 1, n.slots + i);
}

void key_tree_pool::move_entries(node& from, std::uint32_t first, node& to, std::uint32_t at,
                                 std::uint32_t count) noexcept {
  std::copy(from.slots + first, from.slots + first + count, to.slots + at);
}

key_tree_pool::node_id key_tree_pool::make(entry a, entry b) noexcept {
  const node_id id = take_node(0);
  node& n = nodes_[id];
  if (b.key < a.key) std::swap(a, b);
  n.count = 2;
  n.slots[0].set(a.key, a.value);
  n.slots[1].set(b.key, b.value);
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
      n.slots[at].set(what.key, what.value);
      return;
    }
    const node_id right_id = split(id);
    node& half = nodes_[what.key < nodes_[right_id].slots[0].key() ? id : right_id];
    const std::uint32_t at = rank_of(half, what.key);
    open_gap(half, at);
    half.slots[at].set(what.key, what.value);
    what = {nodes_[right_id].slots[0].key(), right_id};  // Goes into the parent, right behind `id`.
    if (taken.depth == 0) {
      const node_id top = take_node(static_cast<std::uint16_t>(nodes_[id].level + 1));
      node& n = nodes_[top];
      n.count = 2;
      n.slots[0].set(0, id);
      n.slots[1].set(what.key, what.value);
      root = top;
      return;
    }
    id = taken.steps[--taken.depth].node;
  }
}

bool key_tree_pool::rebalance(node_id parent_id, std::uint32_t at) noexcept {
  node& parent = nodes_[parent_id];
  const std::uint32_t left_at = at == 0 ? 0 : at - 1;
  const node_id left_id = parent.slots[left_at].value();
  const node_id right_id = parent.slots[left_at + 1].value();
  node& left = nodes_[left_id];
  node& right = nodes_[right_id];
  // An inner right node's first separator lives in the parent only.
  if (right.level != 0) right.slots[0].set_key(parent.slots[left_at + 1].key());
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
    std::copy_backward(right.slots, right.slots + right.count, right.slots + right.count + moved);
    move_entries(left, new_left, right, 0, moved);
  }
  left.count = static_cast<std::uint16_t>(new_left);
  right.count = static_cast<std::uint16_t>(both - new_left);
  parent.slots[left_at + 1].set_key(right.slots[0].key());
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
    const node_id only = nodes_[root].slots[0].value();
    give_node(root);
    root = only;
    return;
  }
  last = {nodes_[root].slots[0].key(), nodes_[root].slots[0].value()};
  give_node(root);
  root = no_node;
}

key_tree_pool::position key_tree_pool::lower_bound(node_id root, std::uint64_t key) const noexcept {
  node_id id = root;
  while (nodes_[id].level != 0) id = nodes_[id].slots[child_of(nodes_[id], key)].value();
  const std::uint32_t at = rank_of(nodes_[id], key);
  if (at < nodes_[id].count) return {id, at};
  return {nodes_[id].next, 0};
}

key_tree_pool::position key_tree_pool::first(node_id root) const noexcept {
  node_id id = root;
  while (nodes_[id].level != 0) id = nodes_[id].slots[0].value();
  return {id, 0};
}

key_tree_pool::position key_tree_pool::last(node_id root) const noexcept {
  node_id id = root;
  while (nodes_[id].level != 0) id = nodes_[id].slots[nodes_[id].count - 1].value();
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
    if (!first_separator && (n.slots[i].key() < low || n.slots[i].key() > high)) {
      faults.push_back("tree node " + std::to_string(id) + " holds a key outside its range");
    }
    if (i > (n.level != 0 ? 1U : 0U) && n.slots[i].key() <= n.slots[i - 1].key()) {
      faults.push_back("tree node " + std::to_string(id) + " is not in ascending order");
    }
  }
  if (n.level == 0) {
    leaves.push_back(id);
    return;
  }
  for (std::uint32_t i = 0; i < n.count; ++i) {
    if (nodes_[n.slots[i].value()].level + 1 != n.level) {
      faults.push_back("tree node " + std::to_string(id) + " has a child of a wrong level");
      continue;
    }
    check_node(n.slots[i].value(), i == 0 ? low : n.slots[i].key(),
               i + 1 < n.count ? n.slots[i + 1].key() - 1 : high, false, leaves, faults);
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
