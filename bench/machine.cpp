#include "machine.hpp"

#include <bfc/base/contract.hpp>
#include <bfc/replay/tick_clock.hpp>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <gnu/libc-version.h>
#include <iterator>
#include <set>
#include <sys/utsname.h>
#include <thread>

#include <fmt/format.h>

namespace bfc::bench {
namespace {

std::string processor_name() {
  std::ifstream facts("/proc/cpuinfo");
  for (std::string line; std::getline(facts, line);)
    if (line.rfind("model name", 0) == 0)
      if (const auto colon = line.find(": "); colon != std::string::npos)
        return line.substr(colon + 2);
  return "unknown";
}

std::string build_kind() {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  return "sanitizer: not for figures";
#elif !defined(__OPTIMIZE__)
  return "not optimised: not for figures";
#else
  if (audit_enabled) return "audit: not for figures";
  if (assertions_enabled) return "with assertions: not for figures";
  return "release";
#endif
}

}  // namespace

machine_facts describe_machine() {
  machine_facts facts;
  facts.processor = processor_name();
  facts.core_count = usable_cores();
  utsname system{};
  if (uname(&system) == 0) facts.system = fmt::format("{} {}", system.sysname, system.release);
  facts.libc = fmt::format("glibc {}", gnu_get_libc_version());
#if defined(__clang__)
  facts.compiler =
      fmt::format("clang {}.{}.{}", __clang_major__, __clang_minor__, __clang_patchlevel__);
#else
  facts.compiler = fmt::format("gcc {}.{}.{}", __GNUC__, __GNUC_MINOR__, __GNUC_PATCHLEVEL__);
#endif
  facts.build = build_kind();
  double load = 0;
  if (getloadavg(&load, 1) == 1) facts.load_average = load;
  return facts;
}

double clock_step_ns() {
  std::set<std::uint64_t> readings{0};
  for (int n = 0; n < 10'000; ++n) {
    const std::uint64_t begin = replay::tick_clock::begin();
    readings.insert(replay::tick_clock::end() - begin);
  }
  std::uint64_t least = ~std::uint64_t{0};
  for (auto at = std::next(readings.begin()); at != readings.end(); ++at)
    least = std::min(least, *at - *std::prev(at));
  return static_cast<double>(least) * replay::tick_clock::ns_per_tick();
}

pinned::pinned() noexcept {
  pin_to(sched_getcpu());
}

pinned::pinned(unsigned n) noexcept {
  cpu_set_t allowed;
  if (sched_getaffinity(0, sizeof allowed, &allowed) != 0) return;
  const auto count = static_cast<unsigned>(CPU_COUNT(&allowed));
  if (count == 0) return;
  unsigned left = n % count;
  for (int core = 0; core < CPU_SETSIZE; ++core)
    if (CPU_ISSET(static_cast<std::size_t>(core), &allowed) && left-- == 0) {
      pin_to(core);
      return;
    }
}

pinned::~pinned() {
  if (holds_) sched_setaffinity(0, sizeof before_, &before_);
}

void pinned::pin_to(int core) noexcept {
  if (core < 0 || sched_getaffinity(0, sizeof before_, &before_) != 0) return;
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(static_cast<std::size_t>(core), &one);
  holds_ = sched_setaffinity(0, sizeof one, &one) == 0;
}

unsigned usable_cores() noexcept {
  cpu_set_t allowed;
  if (sched_getaffinity(0, sizeof allowed, &allowed) != 0)
    return std::thread::hardware_concurrency();
  return static_cast<unsigned>(CPU_COUNT(&allowed));
}

}  // namespace bfc::bench
