// The B+tree of the fit index against a standard map.
#include "support/seed.hpp"
#include <bfc/core/key_tree.hpp>

#include <algorithm>
#include <cstdint>
#include <map>
#include <random>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

namespace {

using bfc::core::key_tree_pool;

/// A tree and what it should hold.
class checked_tree {
 public:
  explicit checked_tree(std::size_t most_keys) {
    pool_.reserve(key_tree_pool::nodes_for(most_keys, 1));
  }

  void insert(std::uint64_t key, std::uint32_t value) {
    model_.emplace(key, value);
    if (model_.size() == 2) {
      root_ = pool_.make({model_.begin()->first, model_.begin()->second},
                         {model_.rbegin()->first, model_.rbegin()->second});
    } else if (model_.size() > 2) {
      pool_.insert(root_, {key, value});
    }
  }

  void erase(std::uint64_t key) {
    model_.erase(key);
    if (model_.empty()) return;
    key_tree_pool::entry last;
    pool_.erase(root_, key, last);
    if (model_.size() == 1) {
      CHECK(root_ == key_tree_pool::no_node);
      CHECK(last.key == model_.begin()->first);
      CHECK(last.value == model_.begin()->second);
    }
  }

  void check() const {
    if (model_.size() < 2) return;
    std::vector<std::string> faults;
    pool_.check(root_, faults);
    CHECK(faults.empty());
    auto expected = model_.begin();
    for (auto at = pool_.first(root_); at.node != key_tree_pool::no_node; at = pool_.next(at)) {
      REQUIRE(expected != model_.end());
      REQUIRE(pool_.at(at).key == expected->first);
      REQUIRE(pool_.at(at).value == expected->second);
      ++expected;
    }
    CHECK(expected == model_.end());
    CHECK(pool_.at(pool_.last(root_)).key == model_.rbegin()->first);
  }

  void check_lower_bound(std::uint64_t key) const {
    if (model_.size() < 2) return;
    const auto expected = model_.lower_bound(key);
    const auto found = pool_.lower_bound(root_, key);
    REQUIRE((found.node == key_tree_pool::no_node) == (expected == model_.end()));
    if (expected != model_.end()) REQUIRE(pool_.at(found).key == expected->first);
  }

  [[nodiscard]] const std::map<std::uint64_t, std::uint32_t>& model() const { return model_; }

 private:
  key_tree_pool pool_;
  key_tree_pool::node_id root_ = key_tree_pool::no_node;
  std::map<std::uint64_t, std::uint32_t> model_;
};

}  // namespace

TEST_CASE(
    "a tree of every size up to three levels is filled and emptied at either end and inside") {
  for (std::uint32_t count = 2; count <= 500; count += count < 70 ? 1 : 43) {
    for (int order = 0; order < 3; ++order) {
      CAPTURE(count, order);
      checked_tree tree(count);
      std::vector<std::uint64_t> keys;
      for (std::uint32_t i = 0; i < count; ++i) keys.push_back((std::uint64_t{i} + 1) << 20);
      if (order == 1) std::reverse(keys.begin(), keys.end());
      if (order == 2) std::shuffle(keys.begin(), keys.end(), std::mt19937(count));
      for (const std::uint64_t key : keys) tree.insert(key, static_cast<std::uint32_t>(key >> 20));
      tree.check();
      for (std::uint32_t i = 0; i <= count; ++i) {
        tree.check_lower_bound((std::uint64_t{i} << 20) + 1);
        tree.check_lower_bound((std::uint64_t{i} + 1) << 20);
      }
      for (std::uint32_t i = 0; i < count; ++i) {
        tree.erase(keys[i]);
        if (i % 5 == 0) tree.check();
      }
      CHECK(tree.model().empty());
    }
  }
}

TEST_CASE("a tree agrees with a map over random insertions and removals") {
  const std::uint64_t seed = bfc::test::announce_seed("key tree");
  std::mt19937_64 random(seed);
  for (const std::uint64_t range : {24ULL, 60ULL, 700ULL, 1ULL << 60}) {
    checked_tree tree(3000);
    for (int step = 0; step < 6000; ++step) {
      const std::uint64_t key = 1 + random() % range;
      const bool grow = tree.model().size() < (step / 1500 % 2 == 0 ? 2500U : 3U);
      if (grow && tree.model().count(key) == 0) {
        tree.insert(key, static_cast<std::uint32_t>(step));
      } else if (!tree.model().empty()) {
        auto victim = tree.model().lower_bound(key);
        if (victim == tree.model().end()) victim = tree.model().begin();
        tree.erase(std::uint64_t{victim->first});
      }
      tree.check_lower_bound(1 + random() % range);
      if (step % 97 == 0) tree.check();
    }
  }
}
