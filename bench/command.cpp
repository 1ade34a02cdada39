#include "command.hpp"

#include "machine.hpp"
#include "numbers.hpp"
#include "report.hpp"
#include "verify.hpp"
#include <bfc/base/error.hpp>
#include <bfc/base/units.hpp>
#include <bfc/base/version.hpp>
#include <bfc/replay/parked_thread.hpp>
#include <bfc/trace/trace.hpp>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <exception>
#include <filesystem>
#include <new>
#include <ostream>
#include <string>
#include <string_view>

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

Exit codes: 0 done; 1 a contender gave a wrong answer, or the result could not be had or written;
2 a wrong flag or file.)";

// The parser's own words, but for a flag with a value, where they are hard to understand.
std::string told(const CLI::Error& mistake) {
  const std::string text = mistake.what();
  const std::size_t at = text.find(" was given a disallowed flag override");
  return at == std::string::npos ? text : "--" + text.substr(0, at) + " takes no value";
}

// Without it -1 is taken for 2^64 - 1.
std::string not_negative(const std::string& text) {
  return text.starts_with('-') ? "'" + text + "' is not a whole number from 0" : std::string();
}

void declare(CLI::App& app, settings& into, const std::vector<contender_entry>& known) {
  std::vector<std::string> names;
  for (const contender_entry& each : known) names.push_back(each.name);
  app.footer(footer);
  app.set_version_flag(
      "--version", fmt::format("bfc-bench {}.{}.{}", version.major, version.minor, version.patch));
  app.add_option("TRACE", into.traces, "Recorded allocations: 4-column TSV, plain or gzip");
  app.add_flag("--json", into.json, "Write JSON instead of tables")->disable_flag_override();
  CLI::Option* const scale =
      app.add_flag("--scale", into.scale, "Measure random churn with more and more live blocks")
          ->disable_flag_override();
  CLI::Option* const threads =
      app.add_option("--threads", into.threads, "Measure so many threads on one instance")
          ->check(CLI::Range(2U, 64U));
  app.add_option("--contender", into.contenders,
                 "Only these, separated by commas (default: all; with --threads bfc-threshold, "
                 "floor-mutex, map-bestfit)")
      ->delimiter(',')
      ->allow_extra_args(false)  // what follows the first word is a TRACE
      ->check(CLI::IsMember(names));
  app.add_option("--repeat", into.repetitions, "Repetitions behind each median")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  app.add_flag("--no-fit", into.no_fit, "Skip the search for the fit ratio, the longest part")
      ->disable_flag_override();
  app.add_option("--scale-blocks", into.scale_blocks,
                 "Counts of live blocks for --scale (default: 100,1000,10000,100000,1000000)")
      ->needs(scale)
      ->delimiter(',')
      ->allow_extra_args(false)
      ->check(CLI::Range(std::uint64_t{10}, std::uint64_t{2'000'000}));
  app.add_option("--milliseconds", into.milliseconds, "Length of one repetition of --threads")
      ->needs(threads)
      ->check(CLI::Range(20U, 60'000U))
      ->capture_default_str();
  app.add_option("--seed", into.seed, "Of the random workloads")
      ->check(CLI::Validator(not_negative, "", "not negative"))
      ->capture_default_str();
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

// Messages about a trace begin with its name; the file is what its user knows.
[[noreturn]] void blame(const std::string& path, const std::string& name, const error& why) {
  std::string_view text = why.what();
  if (text.starts_with(name + ": ")) text.remove_prefix(name.size() + 2);
  throw error(why.code(), fmt::format("{}: {}", path, text));
}

workload load_one(const std::string& path) {
  constexpr std::uint32_t unit_bytes = trace_bench_options{}.unit_bytes;
  // What 1.5 times the peak may be, less what timing_capacity adds to it.
  constexpr std::uint64_t most_bytes = UINT32_MAX * std::uint64_t{unit_bytes} - 128 * MiB;
  if (path.empty()) throw error(status::invalid_option, "TRACE: '' cannot be opened; name a file");
  const trace::trace recorded = trace::read_tsv(path);
  if (recorded.truncated)
    throw error(status::truncated_input,
                fmt::format("{}; figures need a whole trace", recorded.warning));
  workload made;
  try {
    made = from_program(replay::translate(recorded), unit_bytes);
  } catch (const error& why) {
    blame(path, recorded.name, why);
  }
  if (made.ops.empty())
    throw error(status::invalid_input,
                fmt::format("{}: no allocations in it, so there is nothing to measure", path));
  if (made.peak_live_bytes > most_bytes / 3 * 2)
    throw error(status::invalid_input,
                fmt::format("{}: 1.5 times its peak of {} is above 2^32 - 1 units of {} bytes, the "
                            "most that a pool can hold; is it a recording?",
                            path, format_size(made.peak_live_bytes), unit_bytes));
  return made;
}

std::vector<workload> load(const settings& how) {
  std::vector<workload> made;
  for (const std::string& path : how.traces) made.push_back(load_one(path));
  return made;
}

std::vector<contender_entry> choose(const std::vector<contender_entry>& known,
                                    const std::vector<std::string>& wanted) {
  if (wanted.empty()) return known;
  for (auto each = wanted.begin(); each != wanted.end(); ++each)
    if (std::find(wanted.begin(), each, *each) != each)
      throw error(status::invalid_option,
                  fmt::format("--contender: '{}' is named twice; name it once", *each));
  std::vector<contender_entry> chosen;
  for (const contender_entry& each : known)
    if (std::find(wanted.begin(), wanted.end(), each.name) != wanted.end()) chosen.push_back(each);
  return chosen;
}

// A contender that cannot be set up for a trace does not know which file is to blame.
trace_result bench_file(const std::string& path, const std::vector<contender_entry>& chosen,
                        const workload& what, const trace_bench_options& how,
                        cli::progress& shown) {
  try {
    return bench_trace(chosen, what, how, shown);
  } catch (const error& why) {
    blame(path, what.name, why);
  }
}

// Whether all that was written has arrived; says so if not.
int finish(std::ostream& out, std::ostream& err) {
  errno = 0;
  if (out.flush()) return 0;
  err << "bfc-bench: the result cannot be written to standard output";
  if (errno != 0) err << ": " << std::strerror(errno);
  err << '\n';
  return 1;
}

report measure(settings how, const std::vector<contender_entry>& known) {
  if (how.traces.empty() && !how.scale && how.threads == 0) how.traces = bundled_traces();
  const std::vector<contender_entry> chosen = choose(known, how.contenders);
  const std::vector<workload> workloads = load(how);

  report made;
  made.machine = describe_machine();
  made.clock_step_ns = clock_step_ns();
  made.pinned = pinned().holds();
  made.repetitions = how.repetitions;
  made.seed = how.seed;
  // Without a second thread glibc's mutexes leave their atomics out, and all figures are too good.
  const replay::parked_thread second;
  cli::progress shown;

  std::vector<double> loops;
  for (std::size_t n = 0; n < workloads.size(); ++n) {
    trace_bench_options options;
    options.repetitions = how.repetitions;
    options.latency_passes = std::min(how.repetitions, options.latency_passes);
    options.with_fit = !how.no_fit;
    const trace_result result = bench_file(how.traces[n], chosen, workloads[n], options, shown);
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
    return finish(out, err);
  } catch (const CLI::Success& asked) {  // --help, --version
    app.exit(asked, out, err);
    return finish(out, err);
  } catch (const CLI::Error& mistake) {
    err << "bfc-bench: " << told(mistake) << "; see bfc-bench --help\n";
    return 2;
  } catch (const wrong_answer& finding) {
    err << "bfc-bench: wrong answer: " << finding.what() << '\n';
    return 1;
  } catch (const error& mistake) {
    err << "bfc-bench: " << mistake.what() << '\n';
    return 2;
  } catch (const std::bad_alloc&) {
    err << "bfc-bench: out of host memory\n";
    return 1;
  } catch (const std::exception& failure) {
    err << "bfc-bench: " << failure.what() << '\n';
    return 1;
  }
}

}  // namespace bfc::bench
