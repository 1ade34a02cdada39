/// The library as its users get it: the facade with lock, history and statistics, every option at
/// its default but for what the workload asks of all contenders alike, once per coalescing policy.
#include "contenders.hpp"
#include <bfc/allocator/allocator.hpp>
#include <bfc/base/contract.hpp>
#include <bfc/source/simulated_source.hpp>

#include <algorithm>
#include <string>

namespace bfc::bench {
namespace {

std::unique_ptr<source> make_source(const setup& how) {
  simulated_options device;
  device.device_bytes = how.capacity_bytes + 2 * options{}.max_alignment;
  return make_simulated_source(device);
}

options make_options(const setup& how, core::coalescing policy) {
  options made;
  made.capacity_bytes = how.capacity_bytes;
  made.unit_bytes = how.unit_bytes;
  made.coalesce = policy;
  made.least_capacity_bytes = std::min(made.least_capacity_bytes, how.capacity_bytes);
  // A capacity is rounded down to max_alignment. The fit search asks for capacities in between.
  while (how.capacity_bytes % made.max_alignment != 0 && made.max_alignment > made.unit_bytes)
    made.max_alignment /= 2;
  return made;
}

template <core::coalescing policy>
class bfc_pool {
 public:
  explicit bfc_pool(const setup& how) : pool_(make_source(how), make_options(how, policy)) {}

  std::uint64_t allocate(std::uint64_t bytes) noexcept {
    const allocation made = pool_.try_allocate(bytes);
    return made ? reinterpret_cast<std::uintptr_t>(made.pointer) : refused;
  }

  bool deallocate(std::uint64_t where) noexcept {
    // NOLINTNEXTLINE(performance-no-int-to-ptr): handles are integers for every contender.
    return pool_.deallocate(reinterpret_cast<void*>(where)) == status::ok;
  }

  /// The simulated reservation's first byte: where an empty pool puts its first block.
  [[nodiscard]] std::uint64_t base() noexcept {
    if (base_ == refused) {
      const std::uint64_t probe = allocate(1);
      // NOLINTNEXTLINE(performance-no-int-to-ptr)
      const reservation_view view = pool_.reservation_of(reinterpret_cast<void*>(probe));
      base_ = reinterpret_cast<std::uintptr_t>(view.base);
      deallocate(probe);
    }
    return base_;
  }

 private:
  allocator pool_;
  std::uint64_t base_ = refused;
};

template <core::coalescing policy>
contender_entry entry() {
  std::string called = "bfc-" + std::string(core::name(policy));
  std::replace(called.begin(), called.end(), '_', '-');
  // The audit build copies the whole pool after every operation, onto the heap.
  const bool heap_free = !audit_enabled;
  return {called, maker<bfc_pool<policy>>(), true, policy == core::coalescing::immediate,
          heap_free};
}

}  // namespace

std::vector<contender_entry> make_bfc_pools() {
  using core::coalescing;
  return {entry<coalescing::immediate>(), entry<coalescing::threshold>(),
          entry<coalescing::ratio>(), entry<coalescing::on_failure>()};
}

}  // namespace bfc::bench
