#include "device_memory.hpp"

#include <bfc/base/checked.hpp>
#include <bfc/base/error.hpp>
#include <bfc/base/units.hpp>

#include <algorithm>
#include <new>
#include <string>
#include <unistd.h>

namespace bfc::cuda {
namespace {

// What cudaMalloc promises. It usually gives more; when it does not, the rest comes from asking
// for more and beginning later.
constexpr std::size_t promised_alignment = 256;

constexpr std::size_t least_margin_bytes = 256 * MiB;

[[noreturn]] void refuse(const std::string& fact, const std::string& remedy) {
  throw error(status::unavailable, fact + "; " + remedy);
}

std::byte* aligned(void* allocated, std::size_t alignment) noexcept {
  const auto address = reinterpret_cast<std::uintptr_t>(allocated);
  return static_cast<std::byte*>(allocated) + (align_up(address, alignment) - address);
}

}  // namespace

device_scope::device_scope(const runtime_calls& calls, int ordinal) noexcept : calls_(calls) {
  int current = -1;
  code_ = calls_.current_device(&current);
  if (code_ == runtime_success && current != ordinal) {
    code_ = calls_.use_device(ordinal);
    if (code_ == runtime_success) before_ = current;
  }
  if (code_ != runtime_success) calls_.forget_error();
}

device_scope::~device_scope() {
  if (before_ >= 0 && calls_.use_device(before_) != runtime_success) calls_.forget_error();
}

device_memory::device_memory(const runtime_calls& calls, int ordinal)
    : calls_(calls), ordinal_(ordinal), owner_(::getpid()) {
  int count = 0;
  const runtime_code answer = calls_.device_count(&count);
  const std::string remedy = "install or update the NVIDIA driver, or use the host's memory";
  if (answer != runtime_success) {
    calls_.forget_error();
    refuse(std::string("no CUDA device: ") + calls_.text(answer), remedy);
  }
  if (count <= 0) refuse("no CUDA device: the driver reports none", remedy);
  if (ordinal < 0 || ordinal >= count) {
    refuse("no CUDA device " + std::to_string(ordinal) + ": the driver reports " +
               std::to_string(count) + (count == 1 ? " device" : " devices"),
           count == 1 ? "the only ordinal is 0"
                      : "use an ordinal from 0 to " + std::to_string(count - 1));
  }
  // A device that is counted can still refuse to work (held exclusively, or broken): ask now,
  // where the reason can be told.
  std::size_t free_bytes = 0;
  std::size_t total_bytes = 0;
  const device_scope scope(calls_, ordinal_);
  runtime_code working = scope.code();
  if (working == runtime_success) {
    ++driver_calls_;
    working = calls_.memory_info(&free_bytes, &total_bytes);
    if (working != runtime_success) calls_.forget_error();
  }
  if (working != runtime_success) {
    refuse("CUDA device " + std::to_string(ordinal_) + " does not answer: " + calls_.text(working),
           "see who holds it with nvidia-smi, or use another device or the host's memory");
  }
}

device_memory::~device_memory() {
  while (!held_.empty()) {
    if (release(held_.back().lent) == status::forked) return;  // the parent's, not ours
  }
}

// A cold path: a system call is affordable, and needs no handler that outlives the source.
bool device_memory::forked() const noexcept {
  return ::getpid() != owner_;
}

std::size_t device_memory::available_bytes() noexcept {
  if (forked() || calls_.going_down()) return 0;
  const device_scope scope(calls_, ordinal_);
  if (scope.code() != runtime_success) return 0;
  std::size_t free_bytes = 0;
  std::size_t total_bytes = 0;
  ++driver_calls_;
  if (calls_.memory_info(&free_bytes, &total_bytes) != runtime_success) {
    calls_.forget_error();
    return 0;
  }
  const std::size_t margin = std::max(free_bytes / 32, least_margin_bytes);
  return free_bytes - std::min(free_bytes, margin);
}

status device_memory::allocate(std::size_t bytes, void*& base) noexcept {
  ++driver_calls_;
  base = nullptr;
  const runtime_code answer = calls_.allocate(&base, bytes);
  if (answer == runtime_success) return status::ok;
  calls_.forget_error();
  base = nullptr;
  return answer == runtime_memory_allocation ? status::out_of_memory : status::driver_error;
}

status device_memory::free(void* base) noexcept {
  ++driver_calls_;
  const runtime_code answer = calls_.free(base);
  // An unloading driver has taken the memory back already.
  if (answer == runtime_success || answer == runtime_unloading) return status::ok;
  calls_.forget_error();
  return status::driver_error;
}

range_result device_memory::reserve(std::size_t bytes, std::size_t alignment) noexcept {
  if (!is_power_of_two(alignment)) return {status::invalid_alignment, {}};
  if (bytes == 0) return {status::invalid_size, {}};
  if (forked()) return {status::forked, {}};
  if (calls_.going_down()) return {status::unavailable, {}};
  const std::size_t spare = alignment > promised_alignment ? alignment - promised_alignment : 0;
  const auto with_spare = checked_add(bytes, spare);
  if (!with_spare) return {status::invalid_size, {}};
  try {
    held_.reserve(held_.size() + 1);
  } catch (const std::bad_alloc&) {
    return {status::host_memory, {}};
  }

  const device_scope scope(calls_, ordinal_);
  if (scope.code() != runtime_success) return {status::driver_error, {}};
  void* allocated = nullptr;
  status code = allocate(bytes, allocated);
  if (code == status::ok && aligned(allocated, alignment) != allocated) {
    // Given back first: two of them might not fit beside each other.
    code = free(allocated);
    if (code == status::ok) code = allocate(*with_spare, allocated);
  }
  if (code != status::ok) return {code, {}};
  const memory_range lent{aligned(allocated, alignment), bytes};
  held_.push_back({lent, allocated});
  return {status::ok, lent};
}

status device_memory::release(memory_range range) noexcept {
  const auto found = std::find_if(held_.begin(), held_.end(), [&](const held_range& held) {
    return held.lent.base == range.base && held.lent.bytes == range.bytes;
  });
  if (found == held_.end()) return status::foreign_pointer;
  if (forked()) return status::forked;
  void* const allocated = found->allocated;
  held_.erase(found);
  if (calls_.going_down()) return status::ok;  // the driver takes everything back by itself
  const device_scope scope(calls_, ordinal_);
  if (scope.code() == runtime_unloading) return status::ok;
  return scope.code() == runtime_success ? free(allocated) : status::driver_error;
}

}  // namespace bfc::cuda
