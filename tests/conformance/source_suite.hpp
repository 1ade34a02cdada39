// What every source must do, asked of each of them alike.
#pragma once

#include <bfc/source/source.hpp>

#include <functional>
#include <memory>

namespace bfc::test {

using source_factory = std::function<std::unique_ptr<bfc::source>()>;

/// Catch2 assertions and sections; call it as the whole body of a test case.
void check_source_contract(const source_factory& make);

}  // namespace bfc::test
