/// Counts the process's calls of operator new. Linking counting_new.cpp replaces the operators;
/// they are in a file of their own so that no compiler sees through them and takes malloc for new.
#pragma once

#include <cstdint>

namespace bfc::test {

[[nodiscard]] std::uint64_t operator_new_calls() noexcept;

}  // namespace bfc::test
