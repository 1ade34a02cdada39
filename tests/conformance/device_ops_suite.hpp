// What the operations on memory must do, asked of host and device memory alike.
#pragma once

#include <bfc/source/source.hpp>

namespace bfc::test {

/// Catch2 assertions; reserves what it needs from `where`.
void check_device_ops(bfc::source& where);

}  // namespace bfc::test
