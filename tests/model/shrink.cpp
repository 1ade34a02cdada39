#include "model/shrink.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

namespace bfc::model {
namespace {

class shrinker {
 public:
  shrinker(program p, const std::function<bool(const program&)>& fails, unsigned most_runs)
      : best_(std::move(p)), fails_(fails), runs_left_(most_runs) {}

  program run() {
    bool smaller = true;
    while (smaller && runs_left_ > 0) {
      smaller = leave_steps_out();
      if (simplify_steps()) smaller = true;
    }
    return std::move(best_);
  }

 private:
  bool keep_if_failing(const program& candidate) {
    if (runs_left_ == 0) return false;
    --runs_left_;
    if (!fails_(candidate)) return false;
    best_ = candidate;
    return true;
  }

  /// Tries to drop runs of steps, long ones first. Backwards: late steps depend on early ones.
  bool leave_steps_out() {
    bool smaller = false;
    for (std::size_t length = std::max<std::size_t>(1, best_.steps.size() / 2); length > 0;
         length /= 2) {
      std::size_t end = best_.steps.size();
      while (end > 0) {
        const std::size_t begin = end > length ? end - length : 0;
        program candidate = best_;
        candidate.steps.erase(candidate.steps.begin() + static_cast<std::ptrdiff_t>(begin),
                              candidate.steps.begin() + static_cast<std::ptrdiff_t>(end));
        if (keep_if_failing(candidate)) smaller = true;
        end = begin;
      }
    }
    return smaller;
  }

  template <typename Change>
  bool try_change(std::size_t i, Change change) {
    program candidate = best_;
    change(candidate.steps[i]);
    return !(candidate.steps[i] == best_.steps[i]) && keep_if_failing(candidate);
  }

  bool simplify_steps() {
    bool smaller = false;
    for (std::size_t i = 0; i < best_.steps.size(); ++i) {
      smaller |= try_change(i, [](step& s) { s.tag = 0; });
      smaller |= try_change(i, [](step& s) { s.place = core::placement::low; });
      smaller |= try_change(i, [](step& s) { s.alignment = 0; });
      smaller |= try_change(i, [](step& s) {
        if (s.kind == step_kind::release_with_marks) s = release(s.nth);
        if (s.kind == step_kind::shrink) s.marks = 0;
      });
      smaller |= try_change(i, [](step& s) { s.bytes = std::min<std::uint64_t>(s.bytes, 1); });
      while (try_change(i, [](step& s) { s.bytes /= 2; })) smaller = true;
      while (try_change(i, [](step& s) { s.nth /= 2; })) smaller = true;
    }
    return smaller;
  }

  program best_;
  const std::function<bool(const program&)>& fails_;
  unsigned runs_left_;
};

}  // namespace

program shrink_program(program p, const std::function<bool(const program&)>& fails,
                       unsigned most_runs) {
  return shrinker(std::move(p), fails, most_runs).run();
}

}  // namespace bfc::model
