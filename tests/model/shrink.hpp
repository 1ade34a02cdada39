/// Makes a failing program small, so that its print is a test case. Delta debugging
/// (Zeller and Hildebrandt 2002) over the steps, then simpler numbers within them.
#pragma once

#include "model/step_program.hpp"

#include <functional>

namespace bfc::model {

/// Returns a program that still fails, from which no single step can be left out (unless
/// `most_runs` of the predicate were used up first). Requires: `fails(p)`.
[[nodiscard]] program shrink_program(program p, const std::function<bool(const program&)>& fails,
                                     unsigned most_runs = 20000);

}  // namespace bfc::model
