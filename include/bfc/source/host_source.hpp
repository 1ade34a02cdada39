/// Host memory as a reservation: really mapped, committed page by page as it is touched.
/// Layer: source.
#pragma once

#include <bfc/source/source.hpp>

namespace bfc {

/// mmap with MAP_NORESERVE; available_bytes() is the kernel's MemAvailable, or the cgroup's limit
/// where that is less. A forked child gets its own copy.
[[nodiscard]] std::unique_ptr<source> make_host_source();

}  // namespace bfc
