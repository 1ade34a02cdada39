#include "fuzz/targets.hpp"
#include "model/machine.hpp"
#include "model/step_program.hpp"

namespace bfc::fuzz {

std::string check_steps(std::span<const std::uint8_t> input) {
  const model::program p = model::decode(input);
  const auto found = model::run(p);
  if (!found) return {};
  return "step " + std::to_string(found->step) + ": " + found->text + "\n" + model::to_source(p);
}

}  // namespace bfc::fuzz
