#include "thread_bench.hpp"

#include "machine.hpp"
#include "numbers.hpp"
#include "verify.hpp"
#include <bfc/base/checked.hpp>
#include <bfc/base/units.hpp>
#include <bfc/replay/tick_clock.hpp>

#include <algorithm>
#include <atomic>
#include <sys/resource.h>
#include <thread>
#include <time.h>

#include <fmt/format.h>

namespace bfc::bench {
namespace {

using replay::tick_clock;

/// Operations between two looks at the clock.
constexpr std::size_t batch_ops = 64;

/// What the system says of the calling thread.
struct thread_usage {
  std::uint64_t cpu_ns = 0;
  long preemptions = 0;  ///< Involuntary context switches.
  long sleeps = 0;       ///< Voluntary ones: waits for a lock.

  static thread_usage now() noexcept {
    thread_usage made;
    timespec cpu{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &cpu);
    made.cpu_ns = static_cast<std::uint64_t>(cpu.tv_sec) * 1'000'000'000 +
                  static_cast<std::uint64_t>(cpu.tv_nsec);
    rusage facts{};
    getrusage(RUSAGE_THREAD, &facts);
    made.preemptions = facts.ru_nivcsw;
    made.sleeps = facts.ru_nvcsw;
    return made;
  }
};

/// One thread's part in one run. Only that thread writes it, until it is joined.
struct alignas(128) participant {
  std::vector<op> toggles;
  std::vector<std::uint64_t> handles;
  std::vector<std::uint64_t> ops_in_window;
  std::vector<bool> disturbed;
  std::uint64_t failures = 0;
  std::size_t next = 0;  ///< Where in its toggles the run ended.

  /// Bytes by slot, 0 where no block lives: the last toggle of a slot says how large it is.
  [[nodiscard]] std::vector<std::uint64_t> live_bytes() const {
    std::vector<std::uint64_t> bytes(handles.size(), 0);
    for (std::size_t back = 1; back <= toggles.size(); ++back) {
      const op& each = toggles[(next + toggles.size() - back) % toggles.size()];
      if (bytes[each.slot] == 0 && handles[each.slot] != refused) bytes[each.slot] = each.bytes;
    }
    return bytes;
  }
};

struct run_result {
  double ns_per_op = 0;
  std::uint64_t undisturbed_windows = 0;
  std::uint64_t undisturbed_ops = 0;
  std::vector<double> least_share;  ///< By window.
  std::vector<bool> disturbed;      ///< By window.
};

class crew {
 public:
  crew(runner& instance, std::vector<participant>& members, std::size_t windows)
      : instance_(instance), members_(members), windows_(windows) {
    const std::chrono::duration<double, std::nano> window = fairness_window;
    window_ticks_ = static_cast<std::uint64_t>(window.count() / tick_clock::ns_per_tick());
  }

  run_result run() {
    std::vector<std::thread> threads;
    for (std::size_t n = 0; n < members_.size(); ++n)
      threads.emplace_back([this, n] { work(members_[n], static_cast<unsigned>(n)); });
    while (ready_.load() != members_.size()) std::this_thread::yield();
    start_ticks_ = tick_clock::begin();
    go_.store(true, std::memory_order_release);
    for (std::thread& each : threads) each.join();
    return summarise();
  }

 private:
  void work(participant& me, unsigned number) {
    const pinned to_own_core(number);
    me.ops_in_window.assign(windows_, 0);
    me.disturbed.assign(windows_, false);
    const std::span<const op> toggles = me.toggles;
    // Once round, so that half of the slots hold a block and everything is warm.
    me.failures += instance_.toggle(toggles, me.handles.data());
    ready_.fetch_add(1);
    while (!go_.load(std::memory_order_acquire)) {
    }
    thread_usage before = thread_usage::now();
    std::size_t window = 0;
    for (;;) {
      me.failures += instance_.toggle(toggles.subspan(me.next, batch_ops), me.handles.data());
      me.next = (me.next + batch_ops) % toggles.size();
      const std::size_t now = (tick_clock::begin() - start_ticks_) / window_ticks_;
      if (now != window) {
        const thread_usage after = thread_usage::now();
        const std::size_t end = std::min(now, windows_);
        if (was_disturbed(before, after, now - window))
          std::fill(me.disturbed.begin() + static_cast<std::ptrdiff_t>(window),
                    me.disturbed.begin() + static_cast<std::ptrdiff_t>(end), true);
        before = after;
        window = now;
        if (window >= windows_) break;
      }
      me.ops_in_window[window] += batch_ops;
    }
  }

  /// A thread that was switched out against its will, or that had less processor time than passed
  /// although it never slept. A sleep is a wait for the lock: the contender's doing.
  static bool was_disturbed(const thread_usage& before, const thread_usage& after,
                            std::size_t windows) {
    if (after.preemptions != before.preemptions) return true;
    const std::chrono::duration<double, std::nano> wall = fairness_window * windows;
    const auto cpu = static_cast<double>(after.cpu_ns - before.cpu_ns);
    return after.sleeps == before.sleeps && cpu < 0.95 * wall.count();
  }

  run_result summarise() {
    run_result made;
    std::uint64_t total = 0;
    for (std::size_t w = 0; w < windows_; ++w) {
      std::uint64_t sum = 0;
      std::uint64_t least = ~std::uint64_t{0};
      bool disturbed = false;
      for (const participant& each : members_) {
        sum += each.ops_in_window[w];
        least = std::min(least, each.ops_in_window[w]);
        disturbed = disturbed || each.disturbed[w];
      }
      total += sum;
      if (!disturbed) {
        ++made.undisturbed_windows;
        made.undisturbed_ops += sum;
      }
      made.least_share.push_back(sum == 0 ? 0
                                          : static_cast<double>(least) / static_cast<double>(sum));
      made.disturbed.push_back(disturbed);
    }
    const double ticks = static_cast<double>(window_ticks_) * static_cast<double>(windows_);
    made.ns_per_op =
        ticks * tick_clock::ns_per_tick() / static_cast<double>(std::max<std::uint64_t>(total, 1));
    return made;
  }

  runner& instance_;
  std::vector<participant>& members_;
  std::size_t windows_;
  std::uint64_t window_ticks_ = 1;
  std::uint64_t start_ticks_ = 0;  ///< Written before go_ is raised.
  std::atomic<std::size_t> ready_{0};
  std::atomic<bool> go_{false};
};

/// One contender's warm instance.
class measured {
 public:
  measured(const contender_entry& entry, const thread_options& how)
      : entry_(entry), how_(how), instance_(entry.make(room(how))), base_(instance_->base()) {}

  run_result run(unsigned thread_count) {
    std::vector<participant> members(thread_count);
    // Half of the slots are live on average.
    const auto slots = static_cast<std::uint32_t>(2 * how_.live_blocks / thread_count);
    for (unsigned n = 0; n < thread_count; ++n) {
      members[n].toggles = make_toggles(slots, 1024 * batch_ops, how_.sizes, how_.seed + n);
      members[n].handles.assign(slots, refused);
    }
    const auto windows = static_cast<std::size_t>(how_.run_time / fairness_window);
    const run_result made = crew(*instance_, members, std::max<std::size_t>(windows, 1)).run();
    finish(members);
    return made;
  }

 private:
  /// Enough for every slot of every thread at once.
  static setup room(const thread_options& how) {
    return {align_up(2 * how.live_blocks * how.sizes.most_bytes + 64 * MiB, 2 * MiB), 256};
  }

  /// No two threads may hold the same memory. Then everything is freed.
  void finish(std::vector<participant>& members) {
    std::vector<std::uint64_t> bytes;
    std::vector<std::uint64_t> handles;
    std::uint64_t failures = 0;
    for (participant& each : members) {
      const std::vector<std::uint64_t> own = each.live_bytes();
      bytes.insert(bytes.end(), own.begin(), own.end());
      handles.insert(handles.end(), each.handles.begin(), each.handles.end());
      failures += each.failures;
    }
    verify_live(entry_, room(how_), base_, bytes, handles);
    for (participant& each : members)
      for (std::uint32_t slot = 0; slot < each.handles.size(); ++slot) {
        if (each.handles[slot] == refused) continue;
        const op toggle{slot, 1};
        failures += instance_->toggle({&toggle, 1}, each.handles.data());
      }
    if (failures != 0)
      throw wrong_answer(fmt::format("{} with {} threads: {} failed operations", entry_.name,
                                     members.size(), failures));
  }

  const contender_entry& entry_;
  const thread_options& how_;
  std::unique_ptr<runner> instance_;
  std::uint64_t base_;
};

/// Windows per operation where nobody was disturbed. Nothing where there was no such window.
std::optional<double> undisturbed(const std::vector<run_result>& runs) {
  double windows = 0;
  double ops = 0;
  for (const run_result& each : runs) {
    windows += static_cast<double>(each.undisturbed_windows);
    ops += static_cast<double>(each.undisturbed_ops);
  }
  return quotient(windows, ops);
}

thread_row summarise(const std::string& name, unsigned threads, const std::vector<run_result>& one,
                     const std::vector<run_result>& all) {
  thread_row row;
  row.contender = name;
  row.threads = threads;
  std::vector<double> one_ns;
  std::vector<double> all_ns;
  for (const run_result& each : one) one_ns.push_back(each.ns_per_op);
  for (const run_result& each : all) all_ns.push_back(each.ns_per_op);
  row.one_thread_ns = median(one_ns);
  row.all_threads_ns = median(all_ns);
  row.ratio = row.all_threads_ns / row.one_thread_ns;
  row.worst_ratio = *std::max_element(all_ns.begin(), all_ns.end()) / row.one_thread_ns;
  row.ratio_undisturbed = quotient(undisturbed(all), undisturbed(one));

  const double fair = 0.8 / threads;
  std::vector<double> shares;
  for (const run_result& each : all)
    for (std::size_t w = 0; w < each.least_share.size(); ++w) {
      const double share = each.least_share[w];
      shares.push_back(share);
      row.least_share = std::min(row.least_share, share);
      row.unfair_windows += share < fair;
      row.disturbed_windows += each.disturbed[w];
      if (each.disturbed[w]) continue;
      row.unfair_undisturbed_windows += share < fair;
      row.least_share_undisturbed = std::min(row.least_share_undisturbed, share);
    }
  row.windows = shares.size();
  row.median_share = median(shares);
  return row;
}

}  // namespace

std::vector<thread_row> bench_threads(const std::vector<contender_entry>& contenders,
                                      const thread_options& how, cli::progress& shown) {
  std::vector<measured> instances;
  instances.reserve(contenders.size());
  for (const contender_entry& each : contenders) instances.emplace_back(each, how);
  std::vector<std::vector<run_result>> one(contenders.size());
  std::vector<std::vector<run_result>> all(contenders.size());
  shown.begin(fmt::format("{} threads", how.thread_count), "runs",
              contenders.size() * static_cast<std::uint64_t>(how.repetitions));
  for (int pass = 0; pass < how.repetitions; ++pass)
    for (std::size_t n = 0; n < instances.size(); ++n) {
      one[n].push_back(instances[n].run(1));
      all[n].push_back(instances[n].run(how.thread_count));
      shown.step();
    }
  std::vector<thread_row> rows;
  for (std::size_t n = 0; n < contenders.size(); ++n)
    rows.push_back(summarise(contenders[n].name, how.thread_count, one[n], all[n]));
  return rows;
}

}  // namespace bfc::bench
