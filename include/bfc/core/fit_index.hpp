/// The free blocks, sorted by size and then address: the search structure of exact best fit.
/// Layer: core.
#pragma once

#include <bfc/core/block_table.hpp>
#include <bfc/core/key_tree.hpp>

#include <array>
#include <bit>
#include <cstdint>
#include <string>
#include <vector>

namespace bfc::core {

/// A free block as the index knows it, in units.
struct fit_entry {
  std::uint32_t size = 0;
  std::uint32_t offset = 0;
  block_id id = no_block;
};

/// Sorted set of (size, offset), cut into size classes (one for each size below 128 units, 64
/// an octave above). A bit for each class that is not empty leads to the next one in two steps; a
/// class of one block is kept in place, a larger one is a small B+tree. So with the few free
/// blocks of a real program every operation touches one class and one word of bits, with a million
/// of them it is a short tree descent, and it is exact in either case.
///
/// Complexity: O(log entries) an operation. Thread safety: none. Nothing allocates within what was
/// reserved in the pool of nodes.
class fit_index {
 public:
  static constexpr std::uint32_t classes_per_octave = 64;
  static constexpr std::uint32_t class_count = 27 * classes_per_octave;

  /// The size class of a size. Requires: size > 0.
  [[nodiscard]] static constexpr std::uint32_t class_of(std::uint32_t size) noexcept {
    if (size < classes_per_octave) return size;
    const auto octave = static_cast<std::uint32_t>(std::bit_width(size)) - 7;
    return octave * classes_per_octave + (size >> octave);
  }

  /// A place in the index. It is invalidated by any change.
  struct cursor {
    fit_entry block;  ///< id is no_block past either end.
    std::uint32_t size_class = 0;
    key_tree_pool::position where;  ///< no_node in a class of one.

    explicit operator bool() const noexcept { return block.id != no_block; }
  };

  explicit fit_index(key_tree_pool& nodes) : nodes_(&nodes) {}

  /// Requires: (size, offset) is not in the index; size > 0.
  void insert(fit_entry what) noexcept {
    const std::uint32_t c = class_of(what.size);
    size_class& in = classes_[c];
    if (in.value == no_block) {
      in.key = key_of(what);
      in.value = what.id;
      bits_[c / 64] |= std::uint64_t{1} << (c % 64);
      summary_ |= 1U << (c / 64);
    } else {
      insert_second(in, what);
    }
  }

  /// Requires: (size, offset) is in the index.
  void erase(std::uint32_t size, std::uint32_t offset) noexcept {
    const std::uint32_t c = class_of(size);
    size_class& in = classes_[c];
    if (in.value != in_tree) {
      in.value = no_block;
      bits_[c / 64] &= ~(std::uint64_t{1} << (c % 64));
      if (bits_[c / 64] == 0) summary_ &= ~(1U << (c / 64));
    } else {
      erase_from_tree(in, key_of({size, offset, 0}));
    }
  }

  /// Erases one block and inserts another, in one step where both are their class's only one.
  /// Requires: as for erase and insert.
  void replace(std::uint32_t size, std::uint32_t offset, fit_entry with) noexcept {
    size_class& in = classes_[class_of(size)];
    if (&in == &classes_[class_of(with.size)] && in.value != in_tree) {
      in.key = key_of(with);
      in.value = with.id;
    } else {
      erase(size, offset);
      insert(with);
    }
  }

  /// The smallest block of at least `size`, the lowest of them in address; its id is no_block if
  /// there is none. All of the entry comes from the index: the caller need not wait for the record.
  /// Requires: size > 0.
  [[nodiscard]] fit_entry best_fit(std::uint32_t size) const noexcept {
    const std::uint32_t c = class_of(size);
    const size_class& in = classes_[c];
    const std::uint64_t key = key_of({size, 0, 0});
    if (in.value != in_tree) {
      if (in.value != no_block && in.key >= key) return entry_of(in.key, in.value);
    } else if (const auto found = c < 2 * classes_per_octave ? nodes_->first(in.root)
                                                             : nodes_->lower_bound(in.root, key);
               found.node != key_tree_pool::no_node) {  // A class of one size needs no search.
      const key_tree_pool::entry e = nodes_->at(found);
      return entry_of(e.key, e.value);
    }
    const std::uint32_t larger = next_class(c + 1);
    if (larger == class_count) return {};
    const size_class& there = classes_[larger];
    if (there.value != in_tree) return entry_of(there.key, there.value);
    const key_tree_pool::entry e = nodes_->at(nodes_->first(there.root));
    return entry_of(e.key, e.value);
  }

  /// As best_fit, as a place to walk on from.
  [[nodiscard]] cursor first_at_least(std::uint32_t size) const noexcept;

  /// The block of exactly `size` with the highest address. Requires: there is one.
  [[nodiscard]] cursor last_of_size(std::uint32_t size) const noexcept;

  /// The largest block, the highest of them in address.
  [[nodiscard]] cursor last() const noexcept;

  [[nodiscard]] cursor next(const cursor& here) const noexcept;
  [[nodiscard]] cursor previous(const cursor& here) const noexcept;

  /// Appends a sentence for each structural fault.
  void check(std::vector<std::string>& faults) const;

 private:
  /// `value` of a class that has more than one block.
  static constexpr block_id in_tree = no_block - 1;

  struct size_class {
    std::uint64_t key = 0;      ///< Of the only block.
    block_id value = no_block;  ///< The only block, `in_tree`, or no_block: the class is empty.
    key_tree_pool::node_id root = key_tree_pool::no_node;
  };

  [[nodiscard]] static constexpr std::uint64_t key_of(fit_entry block) noexcept {
    return (std::uint64_t{block.size} << 32) | block.offset;
  }
  [[nodiscard]] static fit_entry entry_of(std::uint64_t key, block_id id) noexcept {
    return {static_cast<std::uint32_t>(key >> 32), static_cast<std::uint32_t>(key), id};
  }
  [[nodiscard]] static cursor at(std::uint32_t c, std::uint64_t key, block_id value) noexcept {
    return {entry_of(key, value), c, {}};
  }
  [[nodiscard]] cursor at(std::uint32_t c, key_tree_pool::position where) const noexcept {
    const key_tree_pool::entry found = nodes_->at(where);
    cursor result = at(c, found.key, found.value);
    result.where = where;
    return result;
  }

  /// The first class from `c` on that is not empty, or class_count.
  [[nodiscard]] std::uint32_t next_class(std::uint32_t c) const noexcept {
    std::uint32_t word = c / 64;
    if (word >= words) return class_count;
    std::uint64_t here = bits_[word] & (~std::uint64_t{0} << (c % 64));
    if (here == 0) {
      const std::uint32_t later = summary_ & ~((2U << word) - 1U);
      if (later == 0) return class_count;
      word = static_cast<std::uint32_t>(std::countr_zero(later));
      here = bits_[word];
    }
    return word * 64 + static_cast<std::uint32_t>(std::countr_zero(here));
  }
  [[nodiscard]] cursor first_from(std::uint32_t c) const noexcept;
  /// The last block of the last class below `c` that is not empty.
  [[nodiscard]] cursor last_below(std::uint32_t c) const noexcept;

  void insert_second(size_class& in, fit_entry what) noexcept;
  void erase_from_tree(size_class& in, std::uint64_t key) noexcept;

  static constexpr std::uint32_t words = class_count / 64;
  static_assert(class_count % 64 == 0 && words < 32);

  key_tree_pool* nodes_;
  std::uint32_t summary_ = 0;                ///< Bit w: bits_[w] is not zero.
  std::array<std::uint64_t, words> bits_{};  ///< Bit c: class c is not empty.
  std::array<size_class, class_count> classes_{};
};

}  // namespace bfc::core
