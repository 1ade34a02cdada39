#include <bfc/core/fit_index.hpp>

namespace bfc::core {

static_assert(fit_index::class_of(63) == 63 && fit_index::class_of(64) == 64);
static_assert(fit_index::class_of(127) == 127 && fit_index::class_of(128) == 128);
static_assert(fit_index::class_of(129) == 128 && fit_index::class_of(130) == 129);
static_assert(fit_index::class_of(UINT32_MAX) == fit_index::class_count - 1);

void fit_index::insert_second(size_class& in, fit_entry what) noexcept {
  const key_tree_pool::entry added{key_of(what), what.id};
  if (in.value == in_tree) {
    nodes_->insert(in.root, added);
  } else {
    in.root = nodes_->make({in.key, in.value}, added);
    in.value = in_tree;
  }
}

void fit_index::erase_from_tree(size_class& in, std::uint64_t key) noexcept {
  key_tree_pool::entry last;
  nodes_->erase(in.root, key, last);
  if (in.root == key_tree_pool::no_node) {
    in.key = last.key;
    in.value = last.value;
  }
}

fit_index::cursor fit_index::first_at_least(std::uint32_t size) const noexcept {
  const std::uint32_t c = class_of(size);
  const size_class& in = classes_[c];
  const std::uint64_t key = key_of({size, 0, 0});
  if (in.value == in_tree) {
    const auto found = nodes_->lower_bound(in.root, key);
    if (found.node != key_tree_pool::no_node) return at(c, found);
  } else if (in.value != no_block && in.key >= key) {
    return at(c, in.key, in.value);
  }
  return first_from(c + 1);
}

fit_index::cursor fit_index::first_from(std::uint32_t c) const noexcept {
  const std::uint32_t found = next_class(c);
  if (found == class_count) return {};
  const size_class& in = classes_[found];
  return in.value == in_tree ? at(found, nodes_->first(in.root)) : at(found, in.key, in.value);
}

fit_index::cursor fit_index::last_below(std::uint32_t c) const noexcept {
  if (c == 0) return {};
  std::uint32_t word = (c - 1) / 64;
  std::uint64_t here = bits_[word] & (~std::uint64_t{0} >> (63 - (c - 1) % 64));
  if (here == 0) {
    const std::uint32_t earlier = summary_ & ((1U << word) - 1U);
    if (earlier == 0) return {};
    word = static_cast<std::uint32_t>(std::bit_width(earlier)) - 1;
    here = bits_[word];
  }
  const std::uint32_t found = word * 64 + static_cast<std::uint32_t>(std::bit_width(here)) - 1;
  const size_class& in = classes_[found];
  return in.value == in_tree ? at(found, nodes_->last(in.root)) : at(found, in.key, in.value);
}

fit_index::cursor fit_index::last() const noexcept {
  return last_below(class_count);
}

fit_index::cursor fit_index::last_of_size(std::uint32_t size) const noexcept {
  const cursor above = size == UINT32_MAX ? cursor{} : first_at_least(size + 1);
  return above ? previous(above) : last();
}

fit_index::cursor fit_index::next(const cursor& here) const noexcept {
  if (here.where.node != key_tree_pool::no_node) {
    const auto after = nodes_->next(here.where);
    if (after.node != key_tree_pool::no_node) return at(here.size_class, after);
  }
  return first_from(here.size_class + 1);
}

fit_index::cursor fit_index::previous(const cursor& here) const noexcept {
  if (here.where.node != key_tree_pool::no_node) {
    const auto before = nodes_->previous(here.where);
    if (before.node != key_tree_pool::no_node) return at(here.size_class, before);
  }
  return last_below(here.size_class);
}

void fit_index::check(std::vector<std::string>& faults) const {
  for (std::uint32_t word = 0; word < words; ++word) {
    if (((summary_ >> word) & 1) != static_cast<std::uint32_t>(bits_[word] != 0)) {
      faults.push_back("summary bit " + std::to_string(word) + " of the fit index is wrong");
    }
  }
  for (std::uint32_t c = 0; c < class_count; ++c) {
    const size_class& in = classes_[c];
    if (((bits_[c / 64] >> (c % 64)) & 1) != static_cast<std::uint64_t>(in.value != no_block)) {
      faults.push_back("bit of size class " + std::to_string(c) + " is wrong");
    }
    if (in.value == in_tree) nodes_->check(in.root, faults);
  }
  for (cursor here = first_from(0); here; here = next(here)) {
    if (class_of(here.block.size) != here.size_class) {
      faults.push_back("a block of " + std::to_string(here.block.size) +
                       " units is in size class " + std::to_string(here.size_class));
    }
  }
}

}  // namespace bfc::core
