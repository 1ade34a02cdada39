#include "command.hpp"

#include "machine.hpp"
#include "numbers.hpp"
#include "report.hpp"
#include "verify.hpp"
#include <bfc/base/error.hpp>
#include <bfc/base/version.hpp>
#include <bfc/replay/parked_thread.hpp>
#include <bfc/trace/trace.hpp>

#include <algorithm>
#include <filesystem>
#include <ostream>
#include <string>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

namespace bfc::bench {
namespace {

struct settings {
  std::vector<std::string> traces;
  std::vector<std::string> contenders;
  bool json = false;
  bool scale = false;
  bool no_fit = false;
  unsigned threads = 0;
  int repetitions = 9;
  unsigned milliseconds = 500;
  std::uint64_t seed = 1;
  std::vector<std::uint64_t> scale_blocks;
};

constexpr const char* footer = R"(
Without TRACE, --scale and --threads the traces in examples/traces are used.

Examples:
  bfc-bench                                      the bundled traces, all contenders
  bfc-bench run.tsv.gz --contender bfc-threshold,map-bestfit
  bfc-bench --scale                              random churn of 10^2 to 10^6 live blocks
  bfc-bench --threads 2 --json > threads.json

JSON: {"meta": {...}, "rows": [...], "summary": [...], "scale": [...], "threads": [...]}
  meta     version, processor, compiler, build, clock and its cost, loop_ns (the measuring loop's
           own part of ns_per_op), repetitions, seed
  rows     one for each trace and contender: trace, contender, ns_per_op_median, p50_ns, p99_ns,
           p999_ns, fit_ratio (null: has none, or --no-fit), ns_per_op_quiet, p999_ns_quiet,
           ratio_to_floor, ratio_to_map. Quiet: each stretch or call counts with its fastest pass
  summary  geometric means of the rows by contender; with rows only
  scale    one for each size range, count of live blocks and contender; with --scale only
  threads  one for each contender; with --threads only

Exit codes: 0 done; 1 a contender gave a wrong answer; 2 a wrong flag or file.)";

void declare(CLI::App& app, settings& into, const std::vector<contender_entry>& known) {
  std::vector<std::string> names;
  for (const contender_entry& each : known) names.push_back(each.name);
  app.footer(footer);
  app.set_version_flag(
      "--version", fmt::format("bfc-bench {}.{}.{}", version.major, version.minor, version.patch));
  app.add_option("TRACE", into.traces, "Recorded allocations: 4-column TSV, plain or gzip");
  app.add_flag("--json", into.json, "Write JSON instead of tables");
  app.add_flag("--scale", into.scale, "Measure random churn with more and more live blocks");
  app.add_option("--threads", into.threads, "Measure so many threads on one instance")
      ->check(CLI::Range(2U, 64U));
  app.add_option("--contender", into.contenders,
                 "Only these, separated by commas (default: all; with --threads bfc-threshold, "
                 "floor-mutex, map-bestfit)")
      ->delimiter(',')
      ->check(CLI::IsMember(names));
  app.add_option("--repeat", into.repetitions, "Repetitions behind each median")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  app.add_flag("--no-fit", into.no_fit, "Skip the search for the fit ratio, the longest part");
  app.add_option("--scale-blocks", into.scale_blocks,
                 "Counts of live blocks for --scale (default: 100,1000,10000,100000,1000000)")
      ->delimiter(',')
      ->check(CLI::Range(std::uint64_t{10}, std::uint64_t{2'000'000}));
  app.add_option("--milliseconds", into.milliseconds, "Length of one repetition of --threads")
      ->check(CLI::Range(20U, 60'000U))
      ->capture_default_str();
  app.add_option("--seed", into.seed, "Of the random workloads")->capture_default_str();
}

std::vector<std::string> bundled_traces() {
  const std::filesystem::path folder = std::filesystem::path("examples") / "traces";
  std::vector<std::string> found;
  std::error_code ignored;
  for (const auto& each : std::filesystem::directory_iterator(folder, ignored)) {
    const std::string file = each.path().filename().string();
    if (file.ends_with(".tsv.gz") || (file.ends_with(".tsv") && !file.ends_with(".marks.tsv")))
      found.push_back(each.path().string());
  }
  if (found.empty())
    throw error(status::invalid_input,
                "no TRACE given and no examples/traces here: name a .tsv or .tsv.gz file, or use "
                "--scale or --threads");
  std::sort(found.begin(), found.end());
  return found;
}

std::vector<workload> load(const settings& how) {
  std::vector<workload> made;
  for (const std::string& path : how.traces) {
    const trace::trace recorded = trace::read_tsv(path);
    if (recorded.truncated)
      throw error(status::truncated_input,
                  fmt::format("{}; figures need a whole trace", recorded.warning));
    made.push_back(from_program(replay::translate(recorded), trace_bench_options{}.unit_bytes));
    if (made.back().ops.empty())
      throw error(status::invalid_input,
                  fmt::format("{}: no allocations in it, so there is nothing to measure", path));
  }
  return made;
}

std::vector<contender_entry> choose(const std::vector<contender_entry>& known,
                                    const std::vector<std::string>& wanted) {
  if (wanted.empty()) return known;
  std::vector<contender_entry> chosen;
  for (const contender_entry& each : known)
    if (std::find(wanted.begin(), wanted.end(), each.name) != wanted.end()) chosen.push_back(each);
  return chosen;
}

report measure(settings how, const std::vector<contender_entry>& known) {
  if (how.traces.empty() && !how.scale && how.threads == 0) how.traces = bundled_traces();
  const std::vector<workload> workloads = load(how);
  const std::vector<contender_entry> chosen = choose(known, how.contenders);

  report made;
  made.machine = describe_machine();
  made.clock_step_ns = clock_step_ns();
  made.pinned = pinned().holds();
  made.repetitions = how.repetitions;
  made.seed = how.seed;
  // Without a second thread glibc's mutexes leave their atomics out, and all figures are too good.
  const replay::parked_thread second;
  progress shown(true);

  std::vector<double> loops;
  for (const workload& each : workloads) {
    trace_bench_options options;
    options.repetitions = how.repetitions;
    options.latency_passes = std::min(how.repetitions, options.latency_passes);
    options.with_fit = !how.no_fit;
    trace_result result = bench_trace(chosen, each, options, shown);
    loops.push_back(result.loop_ns);
    made.traces.insert(made.traces.end(), result.rows.begin(), result.rows.end());
  }
  made.loop_ns = geometric_mean(loops);
  if (how.scale) {
    scale_options options;
    options.repetitions = how.repetitions;
    options.seed = how.seed;
    if (!how.scale_blocks.empty()) options.live_blocks = how.scale_blocks;
    made.scale = bench_scale(chosen, options, shown);
  }
  if (how.threads != 0) {
    thread_options options;
    options.thread_count = how.threads;
    options.repetitions = how.repetitions;
    options.run_time = std::chrono::milliseconds(how.milliseconds);
    options.seed = how.seed;
    made.threads = bench_threads(
        how.contenders.empty() ? choose(known, {"bfc-threshold", "floor-mutex", "map-bestfit"})
                               : chosen,
        options, shown);
  }
  return made;
}

}  // namespace

int run_command(int argument_count, const char* const* arguments,
                const std::vector<contender_entry>& known, std::ostream& out, std::ostream& err) {
  CLI::App app("Times allocators on recorded traces and on random churn.", "bfc-bench");
  settings how;
  declare(app, how, known);
  try {
    app.parse(argument_count, arguments);
    const report made = measure(how, known);
    if (how.json) {
      write_json(made, out);
    } else {
      write_tables(made, out);
    }
    return 0;
  } catch (const CLI::Success& asked) {  // --help, --version
    app.exit(asked, out, err);
    return 0;
  } catch (const CLI::Error& mistake) {
    err << "bfc-bench: " << mistake.what() << "; see bfc-bench --help\n";
    return 2;
  } catch (const wrong_answer& finding) {
    err << "bfc-bench: wrong answer: " << finding.what() << '\n';
    return 1;
  } catch (const error& mistake) {
    err << "bfc-bench: " << mistake.what() << '\n';
    return 2;
  }
}

}  // namespace bfc::bench
