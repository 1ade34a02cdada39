#include "command.hpp"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

using bfc::test::command_result;
using bfc::test::needs_half_more;
using bfc::test::run_bfc;
using bfc::test::scratch_file;
using json = nlohmann::ordered_json;

TEST_CASE("info prints its fields and no others, one object a trace", "[cli]") {
  const scratch_file one(needs_half_more);
  const scratch_file other(needs_half_more);
  const command_result r = run_bfc({"info", "--json", one.path(), other.path()});
  CHECK(r.code == 0);
  CHECK(r.err.empty());
  const json all = json::parse(r.out);
  REQUIRE(all.size() == 2);
  CHECK(all[1]["trace"] == other.trace_name());
  const json& info = all[0];
  CHECK(bfc::test::names_of(info) == std::vector<std::string>{"trace",
                                                              "events",
                                                              "allocations",
                                                              "frees",
                                                              "threads",
                                                              "duration_us",
                                                              "total_bytes",
                                                              "largest_bytes",
                                                              "distinct_sizes",
                                                              "zero_sized_allocations",
                                                              "size_histogram",
                                                              "peak_live_bytes",
                                                              "peak_event",
                                                              "peak_time_us",
                                                              "peak_live_blocks",
                                                              "peak_blocks_event",
                                                              "lifetime_events",
                                                              "lifetime_us",
                                                              "leaked_blocks",
                                                              "leaked_bytes",
                                                              "unknown_frees",
                                                              "failed_allocations",
                                                              "reissued_pointers",
                                                              "truncated"});
  CHECK(info["trace"] == one.trace_name());
  CHECK(info["events"] == 7);
  CHECK(info["allocations"] == 5);
  CHECK(info["frees"] == 2);
  CHECK(info["threads"] == 2);
  CHECK(info["peak_live_bytes"] == 4 * 256'000);
  CHECK(info["peak_event"] == 3);
  CHECK(info["peak_live_blocks"] == 4);
  CHECK(info["distinct_sizes"] == 2);
  CHECK(info["leaked_blocks"] == 3);
  CHECK(info["size_histogram"] ==
        json::parse(R"([{"least_bytes": 131072, "allocations": 4, "bytes": 1024000},
                        {"least_bytes": 262144, "allocations": 1, "bytes": 512000}])"));
  CHECK(info["lifetime_events"]["max"] == 4);
  CHECK(info["truncated"] == false);
}

TEST_CASE("standard input is read as a file is", "[cli]") {
  const scratch_file file(needs_half_more);
  json by_name = json::parse(run_bfc({"info", "--json", file.path()}).out)[0];
  json piped = json::parse(run_bfc({"info", "--json", "-"}, file.path()).out)[0];
  CHECK(piped["trace"] == "stdin");
  piped["trace"] = by_name["trace"];
  CHECK(piped == by_name);
}

TEST_CASE("a bundled recording has the figures it was published with", "[cli]") {
  const command_result r =
      run_bfc({"info", "--json", BFC_SOURCE_DIR "/examples/traces/mobilenetv2-infer.tsv.gz"});
  CHECK(r.code == 0);
  const json info = json::parse(r.out)[0];
  CHECK(info["trace"] == "mobilenetv2-infer");
  CHECK(info["events"] == 46348);
  CHECK(info["allocations"] == 23174);
  CHECK(info["distinct_sizes"] == 60);
  CHECK(info["peak_live_bytes"] == 63131584);
  CHECK(info["peak_live_blocks"] == 321);
  CHECK(info["total_bytes"] == 26584375632);
  CHECK(info["largest_bytes"] == 19267584);
  CHECK(info["leaked_blocks"] == 0);
}

TEST_CASE("info for people shows the histogram as bars, without trailing blanks", "[cli]") {
  const scratch_file file(needs_half_more);
  const command_result r = run_bfc({"info", file.path()});
  CHECK(r.code == 0);
  CHECK_THAT(r.out, Catch::Contains("  " + std::string(40, '#') + "\n") &&
                        Catch::Contains("  " + std::string(10, '#') + "\n") &&
                        Catch::Contains("7 events"));
  CHECK_THAT(r.out, !Catch::Contains(" \n"));
}
