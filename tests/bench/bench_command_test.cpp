// The bfc-bench command, from its flags to its exit code, with contenders that answer wrongly
// among the real ones: a check that cannot fail proves nothing.
#include "broken_contenders.hpp"
#include "command.hpp"
#include <bfc/base/contract.hpp>

#include <filesystem>
#include <fstream>
#include <new>
#include <set>
#include <sstream>
#include <stdexcept>
#include <string>
#include <unistd.h>
#include <vector>

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

namespace {

using bfc::bench::contender_entry;
using bfc::bench::with_broken_ones;

struct outcome {
  int code = 0;
  std::string out;
  std::string err;

  [[nodiscard]] bool one_line() const { return !err.empty() && err.find('\n') == err.size() - 1; }
};

outcome run(std::vector<std::string> flags,
            const std::vector<contender_entry>& known = with_broken_ones()) {
  flags.insert(flags.begin(), "bfc-bench");
  std::vector<const char*> arguments;
  for (const std::string& each : flags) arguments.push_back(each.c_str());
  std::ostringstream out;
  std::ostringstream err;
  outcome made;
  made.code = bfc::bench::run_command(static_cast<int>(arguments.size()), arguments.data(), known,
                                      out, err);
  made.out = out.str();
  made.err = err.str();
  return made;
}

/// A folder of its own that goes away.
class scratch {
 public:
  scratch()
      : folder_(std::filesystem::temp_directory_path() /
                ("bfc-bench-test-" + std::to_string(getpid()))) {
    std::filesystem::create_directories(folder_);
  }
  ~scratch() { std::filesystem::remove_all(folder_); }
  scratch(const scratch&) = delete;
  scratch& operator=(const scratch&) = delete;

  [[nodiscard]] std::string write(const std::string& name, const std::string& text) const {
    const std::filesystem::path path = folder_ / name;
    std::ofstream(path) << text;
    return path.string();
  }

 private:
  std::filesystem::path folder_;
};

/// Two holes of different size, reuse, and a block that is live at the end.
std::string small_trace() {
  std::ostringstream text;
  int time = 0;
  const auto line = [&](long bytes, int pointer) {
    text << "0." << 100000 + time++ << "\t1\t" << bytes << "\t0x" << pointer << "000\n";
  };
  for (int round = 1; round <= 20; ++round) {
    for (int n = 1; n <= 8; ++n) line(1000 * n + round, n);
    for (const int n : {2, 6, 4, 7}) line(-1, n);
    for (const int n : {2, 4, 6, 7}) line(700 * n, n);
    for (int n = 1; n <= 8; ++n)
      if (round != 20 || n != 5) line(-1, n);
  }
  return text.str();
}

}  // namespace

TEST_CASE("every contender gets a complete row for a bundled trace") {
  const scratch files;
  // The audit build examines the whole pool after every operation: too slow for a real trace.
  const std::string trace =
      bfc::audit_enabled ? files.write("resnet50-train.tsv", small_trace())
                         : std::string(BFC_SOURCE_DIR) + "/examples/traces/resnet50-train.tsv.gz";
  const outcome made =
      run({trace, "--json", "--repeat", "1", "--no-fit"}, bfc::bench::all_contenders());
  INFO(made.err);
  REQUIRE(made.code == 0);
  const auto read = nlohmann::json::parse(made.out);
  std::set<std::string> contenders;
  for (const auto& row : read.at("rows")) {
    CHECK(row.at("trace") == "resnet50-train");
    contenders.insert(row.at("contender"));
    CHECK(row.at("ns_per_op_median").get<double>() > 0);
    CHECK(row.at("ns_per_op_quiet").get<double>() > 0);
    CHECK(row.at("p50_ns").get<double>() <= row.at("p99_ns").get<double>());
    CHECK(row.at("p99_ns").get<double>() <= row.at("p999_ns").get<double>());
    CHECK(row.at("fit_ratio").is_null());
    CHECK(row.at("ratio_to_map").get<double>() > 0);
    CHECK(row.at("ratio_to_floor").get<double>() > 0);
  }
  CHECK(contenders == std::set<std::string>{"bfc-immediate", "bfc-threshold", "bfc-ratio",
                                            "bfc-on-failure", "floor-mutex", "map-bestfit"});
  CHECK(read.at("summary").size() == 6);
  for (const char* key : {"version", "processor", "compiler", "build", "clock_overhead_ns",
                          "loop_ns", "repetitions", "load_average"})
    CHECK(read.at("meta").contains(key));
}

TEST_CASE("rows begin with the documented fields in the documented order") {
  const scratch files;
  const outcome made = run({files.write("small.tsv", small_trace()), "--json", "--repeat", "1",
                            "--contender", "map-bestfit"});
  REQUIRE(made.code == 0);
  const auto read = nlohmann::ordered_json::parse(made.out);
  std::vector<std::string> keys;
  for (const auto& item : read.at("rows").at(0).items()) keys.push_back(item.key());
  REQUIRE(keys.size() >= 7);
  keys.resize(7);
  CHECK(keys == std::vector<std::string>{"trace", "contender", "ns_per_op_median", "p50_ns",
                                         "p99_ns", "p999_ns", "fit_ratio"});
}

TEST_CASE("immediate merging fits exactly as the map does, and a floor has no fit") {
  const scratch files;
  const outcome made = run({files.write("small.tsv", small_trace()), "--json", "--repeat", "1",
                            "--contender", "bfc-immediate,bfc-threshold,map-bestfit,floor-mutex"});
  INFO(made.err);
  REQUIRE(made.code == 0);
  const auto read = nlohmann::json::parse(made.out);
  nlohmann::json fit;
  for (const auto& row : read.at("rows"))
    fit[row.at("contender").get<std::string>()] = row.at("fit_ratio");
  CHECK(fit.at("bfc-immediate") == fit.at("map-bestfit"));
  CHECK(fit.at("map-bestfit").get<double>() >= 1.0);
  CHECK(fit.at("bfc-threshold").get<double>() >= 1.0);
  CHECK(fit.at("floor-mutex").is_null());
}

TEST_CASE("a contender that answers wrongly ends the run with exit code 1 and one line") {
  const scratch files;
  const std::string trace = files.write("small.tsv", small_trace());
  const auto [name, said] = GENERATE(table<std::string, std::string>({
      {"broken-overlap", "overlaps"},
      {"broken-alignment", "not a multiple"},
      {"broken-capacity", "leaves the capacity"},
      {"broken-refusal", "refused"},
      {"broken-free", "not accepted"},
      {"broken-leak", "not one block again"},
  }));
  const outcome made = run({trace, "--json", "--repeat", "1", "--no-fit", "--contender", name});
  CAPTURE(name, made.err);
  CHECK(made.code == 1);
  CHECK(made.one_line());
  CHECK(made.err.find(name) != std::string::npos);
  CHECK(made.err.find(said) != std::string::npos);
  CHECK(made.out.empty());
}

TEST_CASE("a contender that places differently from exact best fit is found out") {
  const scratch files;
  const outcome made = run({files.write("small.tsv", small_trace()), "--repeat", "1", "--no-fit",
                            "--contender", "map-bestfit,broken-placement"});
  INFO(made.err);
  CHECK(made.code == 1);
  CHECK(made.err.find("both promise exact best fit") != std::string::npos);
}

TEST_CASE("heap allocations after warm-up are found out") {
  const outcome made =
      run({"--scale", "--scale-blocks", "50", "--repeat", "1", "--contender", "broken-heap"});
  INFO(made.err);
  CHECK(made.code == 1);
  CHECK(made.err.find("heap allocations after warm-up") != std::string::npos);
}

TEST_CASE("random churn gives a row for each contender, size range and count") {
  const outcome made =
      run({"--scale", "--scale-blocks", "50,200", "--repeat", "2", "--json", "--contender",
           bfc::audit_enabled ? "map-bestfit" : "bfc-threshold,map-bestfit"});
  INFO(made.err);
  REQUIRE(made.code == 0);
  const auto read = nlohmann::json::parse(made.out);
  CHECK(read.at("scale").size() == (bfc::audit_enabled ? 4 : 8));
  for (const auto& row : read.at("scale")) {
    CHECK(row.at("ns_per_op_median").get<double>() > 0);
    CHECK(row.at("extent_ratio").get<double>() >= 1.0);
    CHECK(row.at("growth").is_null() == (row.at("live_blocks") == 50));
    if (row.at("contender") == "bfc-threshold") CHECK(row.at("heap_allocations") == 0);
  }
}

TEST_CASE("two threads give a ratio and shares of the windows") {
  const outcome made =
      run({"--threads", "2", "--milliseconds", "50", "--repeat", "1", "--json", "--contender",
           bfc::audit_enabled ? "map-bestfit,floor-mutex" : "bfc-threshold,floor-mutex"});
  INFO(made.err);
  REQUIRE(made.code == 0);
  const auto read = nlohmann::json::parse(made.out);
  REQUIRE(read.at("threads").size() == 2);
  for (const auto& row : read.at("threads")) {
    CHECK(row.at("threads") == 2);
    CHECK(row.at("windows") == 5);
    CHECK(row.at("ratio").get<double>() > 0);
    CHECK(row.at("least_share").get<double>() <= 0.5);
  }
}

TEST_CASE("blocks that overlap after a run of several threads are found out") {
  const outcome made = run(
      {"--threads", "2", "--milliseconds", "20", "--repeat", "1", "--contender", "broken-threads"});
  INFO(made.err);
  CHECK(made.code == 1);
  CHECK(made.err.find("overlaps") != std::string::npos);
}

TEST_CASE("a mistake in a flag or a file is one line and exit code 2") {
  const scratch files;
  const std::string good = files.write("good.tsv", small_trace());
  const std::string bad = files.write("bad.tsv", "0.000001\t1\tmany\t0x10\n");
  const std::string empty = files.write("empty.tsv", "");
  const std::string cut = files.write("cut.tsv", small_trace() + "0.5");
  const auto flags = GENERATE_COPY(
      std::vector<std::string>{"--no-such-flag"}, std::vector<std::string>{"--threads", "1"},
      std::vector<std::string>{"--threads", "two"}, std::vector<std::string>{good, "--repeat", "0"},
      std::vector<std::string>{good, "--contender", "nobody"},
      std::vector<std::string>{good + ".gone"}, std::vector<std::string>{bad},
      std::vector<std::string>{empty}, std::vector<std::string>{cut});
  const outcome made = run(flags);
  CAPTURE(flags, made.err);
  CHECK(made.code == 2);
  CHECK(made.one_line());
  CHECK(made.out.empty());
}

TEST_CASE("a trace name that is no UTF-8 makes valid JSON all the same") {
  const scratch files;
  const outcome made = run({files.write("n\xff.tsv", small_trace()), "--json", "--repeat", "1",
                            "--no-fit", "--contender", "map-bestfit"});
  INFO(made.err);
  REQUIRE(made.code == 0);
  CHECK(nlohmann::json::parse(made.out).at("rows").at(0).at("trace") == "n\xef\xbf\xbd");
}

TEST_CASE("any exception is one line and exit code 1") {
  const scratch files;
  const std::string trace = files.write("small.tsv", small_trace());
  std::vector<contender_entry> known = bfc::bench::all_contenders();
  known.front().name = "throwing";
  known.front().make = [](const bfc::bench::setup&) -> decltype(known.front().make({})) {
    throw std::bad_alloc();
  };
  const std::vector<std::string> flags{trace, "--no-fit", "--contender", "throwing"};
  const outcome starved = run(flags, known);
  CHECK(starved.code == 1);
  CHECK(starved.err == "bfc-bench: out of host memory\n");
  known.front().make = [](const bfc::bench::setup&) -> decltype(known.front().make({})) {
    throw std::runtime_error("something else");
  };
  const outcome other = run(flags, known);
  CHECK(other.code == 1);
  CHECK(other.err == "bfc-bench: something else\n");
}

TEST_CASE("a result that cannot be written is told, with exit code 1") {
  const scratch files;
  const std::string trace = files.write("small.tsv", small_trace());
  const auto flags = GENERATE_COPY(
      std::vector<std::string>{"--help"}, std::vector<std::string>{"--version"},
      std::vector<std::string>{trace, "--no-fit", "--repeat", "1", "--contender", "map-bestfit"});
  std::vector<const char*> arguments{"bfc-bench"};
  for (const std::string& each : flags) arguments.push_back(each.c_str());
  std::ofstream out("/dev/full");
  std::ostringstream err;
  CHECK(bfc::bench::run_command(static_cast<int>(arguments.size()), arguments.data(),
                                with_broken_ones(), out, err) == 1);
  CHECK(err.str().find("cannot be written to standard output") != std::string::npos);
}

TEST_CASE("a list of names or counts leaves the trace behind it alone") {
  const scratch files;
  const std::string trace = files.write("small.tsv", small_trace());
  const outcome made = run({"--no-fit", "--repeat", "1", "--json", "--scale", "--scale-blocks",
                            "50,60", "--contender", "map-bestfit,floor-mutex", trace});
  INFO(made.err);
  REQUIRE(made.code == 0);
  const auto read = nlohmann::json::parse(made.out);
  CHECK(read.at("rows").size() == 2);
  CHECK(read.at("scale").size() == 8);
}

TEST_CASE("a complaint says what to change") {
  const scratch files;
  const std::string good = files.write("good.tsv", small_trace());
  const std::string huge = files.write("huge.tsv", "0.000001\t1\t2000000000000\t0x10\n");
  std::string text;
  for (int n = 1; n <= 3; ++n)
    text += "0.000001\t1\t9223372036854775807\t0x" + std::to_string(n) + "\n";
  const std::string beyond = files.write("beyond.tsv", text);
  using words = std::vector<std::string>;
  const auto [flags, said] = GENERATE_COPY(table<words, std::string>({
      {words{good, "--scale-blocks", "50"}, "--scale-blocks requires --scale"},
      {words{good, "--milliseconds", "50"}, "--milliseconds requires --threads"},
      {words{good, "--seed", "-1"}, "--seed: '-1' is not a whole number from 0"},
      {words{good, "--json=3"}, "--json takes no value"},
      {words{good, "--contender", "map-bestfit,map-bestfit"}, "'map-bestfit' is named twice"},
      {words{""}, "TRACE: '' cannot be opened"},
      {words{huge}, huge + ": 1.5 times its peak of 1.82 TiB is above 2^32 - 1 units"},
      {words{beyond}, beyond + ": event 1"},
  }));
  const outcome made = run(flags);
  CAPTURE(flags, made.err);
  CHECK(made.code == 2);
  CHECK(made.one_line());
  CHECK(made.err.find(said) != std::string::npos);
}

TEST_CASE("help explains itself with examples") {
  const outcome made = run({"--help"});
  CHECK(made.code == 0);
  CHECK(made.err.empty());
  CHECK(made.out.find("Examples:") != std::string::npos);
  CHECK(made.out.find("ns_per_op_median") != std::string::npos);
}
