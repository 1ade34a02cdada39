// The CUDA source over a table of runtime calls. Layer: cuda, private.
#pragma once

#include "runtime_calls.hpp"
#include <bfc/source/source.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <sys/types.h>
#include <vector>

namespace bfc::cuda {

/// Makes the device of the scope the thread's, and afterwards the one before it again.
class device_scope {
 public:
  device_scope(const runtime_calls& calls, int ordinal) noexcept;
  device_scope(const device_scope&) = delete;
  device_scope& operator=(const device_scope&) = delete;
  ~device_scope();

  [[nodiscard]] runtime_code code() const noexcept { return code_; }

 private:
  const runtime_calls& calls_;
  int before_ = -1;  ///< -1: nothing to go back to.
  runtime_code code_ = runtime_success;
};

class device_memory final : public bfc::source {
 public:
  /// Requires: `calls` outlives the source.
  /// Fails: throws bfc::error(unavailable) with the driver's reason and the remedy.
  device_memory(const runtime_calls& calls, int ordinal);
  device_memory(const device_memory&) = delete;
  device_memory& operator=(const device_memory&) = delete;
  ~device_memory() override;

  std::string_view name() const noexcept override { return "cuda"; }
  int device() const noexcept override { return ordinal_; }
  bool host_accessible() const noexcept override { return false; }
  bool survives_fork() const noexcept override { return false; }
  std::size_t available_bytes() noexcept override;
  range_result reserve(std::size_t bytes, std::size_t alignment) noexcept override;
  status release(memory_range range) noexcept override;
  std::uint64_t driver_calls() const noexcept override { return driver_calls_; }

 private:
  struct held_range {
    memory_range lent;
    void* allocated;  ///< What the driver returned: at or before lent.base.
  };

  bool forked() const noexcept;
  status allocate(std::size_t bytes, void*& base) noexcept;
  status free(void* base) noexcept;

  const runtime_calls& calls_;
  int ordinal_;
  pid_t owner_;
  std::vector<held_range> held_;
  std::uint64_t driver_calls_ = 0;
};

}  // namespace bfc::cuda
