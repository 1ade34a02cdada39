/// Runs steps on a heap and on the oracle, and compares everything that can be seen.
#pragma once

#include "model/oracle.hpp"
#include "model/step_program.hpp"
#include <bfc/core/heap.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace bfc::model {

/// What disagreed, in words; nothing when all agree.
using disagreement = std::optional<std::string>;

class machine {
 public:
  /// `inspect_every`: how many steps lie between two looks at the whole state. At 1 the offset
  /// chosen under deferred policies is checked as well.
  machine(const core::heap_options& setup, std::uint64_t inspect_every);

  [[nodiscard]] disagreement apply(const step& s);

  /// Frees and settles everything, and expects one free block of the whole capacity.
  [[nodiscard]] disagreement finish();

  [[nodiscard]] std::uint64_t live_blocks() const { return live_.size(); }

 private:
  disagreement carry_out(const step& s);
  disagreement allocate(const step& s);
  disagreement check_place(const core::request& what, const verdict& due, std::uint64_t offset);
  disagreement release(std::size_t nth, core::mark_set marks);
  disagreement expand(const step& s);
  disagreement shrink(const step& s);
  disagreement misuse(const step& s);
  disagreement largest(std::uint64_t alignment);
  disagreement compare_counters() const;
  disagreement inspect();

  core::heap heap_;
  oracle oracle_;
  std::vector<std::uint64_t> live_;  // offsets; what `nth` counts in
  std::uint64_t freed_last_ = 0;
  std::uint64_t sequence_ = 0;
  std::uint64_t inspect_every_;
  std::uint64_t until_inspection_;
  core::coalescing policy_;
  core::snapshot before_;  // of the last inspection
};

struct failure {
  std::size_t step = 0;  ///< Number of the failing step; the program's length: in finish().
  std::string text;
};

/// Runs a whole program, finish() included.
[[nodiscard]] std::optional<failure> run(const program& p, std::uint64_t inspect_every = 1);

}  // namespace bfc::model
