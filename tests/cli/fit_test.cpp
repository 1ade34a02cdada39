#include "command.hpp"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

using bfc::test::command_result;
using bfc::test::needs_half_more;
using bfc::test::run_bfc;
using bfc::test::scratch_file;
using Catch::Contains;
using json = nlohmann::ordered_json;

TEST_CASE("fit prints its fields and no others, for all policies in order", "[cli]") {
  const scratch_file file(needs_half_more);
  const command_result r = run_bfc({"fit", "--json", file.path()});
  CHECK(r.code == 0);
  CHECK(r.err.empty());
  const json all = json::parse(r.out);
  REQUIRE(all.size() == 1);
  CHECK(bfc::test::names_of(all[0]) == std::vector<std::string>{"trace", "peak_live_bytes",
                                                                "policies",
                                                                "peak_live_requested_bytes"});
  CHECK(all[0]["trace"] == file.trace_name());
  CHECK(all[0]["peak_live_bytes"] == 4 * 256'000);
  std::vector<std::string> policies;
  for (const json& row : all[0]["policies"]) {
    CHECK(bfc::test::names_of(row) ==
          std::vector<std::string>{"name", "safe_capacity_bytes", "fit_ratio", "first_fit_ratio"});
    policies.push_back(row["name"]);
    CHECK(row["safe_capacity_bytes"] == 6 * 256'000);
    CHECK(row["fit_ratio"] == 1.5);
    CHECK(row["first_fit_ratio"] == 1.5);
  }
  CHECK(policies == std::vector<std::string>{"immediate", "threshold", "ratio", "on-failure"});
}

TEST_CASE("fit takes some policies by name, in the order given", "[cli]") {
  const scratch_file file(needs_half_more);
  const json all =
      json::parse(run_bfc({"fit", "--json", "--policy", "on-failure,immediate", file.path()}).out);
  REQUIRE(all[0]["policies"].size() == 2);
  CHECK(all[0]["policies"][0]["name"] == "on-failure");
  CHECK(all[0]["policies"][1]["name"] == "immediate");
}

TEST_CASE("sizes are rounded to --align before the peak is taken", "[cli]") {
  const scratch_file file(needs_half_more);
  const json fit = json::parse(
      run_bfc({"fit", "--json", "--policy", "immediate", "--align", "64K", file.path()}).out)[0];
  CHECK(fit["peak_live_bytes"] == 4 * 262'144);
  CHECK(fit["peak_live_requested_bytes"] == 4 * 256'000);
}

TEST_CASE("above the largest unit --align is asked for with each request", "[cli]") {
  // In units of 4 MiB: 1.5 and 2, so with whole units only the second begins at 2 and ends at 4.
  const scratch_file file("0.000000\t1\t6291456\t0x10\n0.000001\t1\t8388608\t0x20\n");
  const json fit = json::parse(
      run_bfc({"fit", "--json", "--policy", "immediate", "--align", "4M", file.path()}).out)[0];
  CHECK(fit["peak_live_bytes"] == 14 << 20);
  CHECK(fit["policies"][0]["fit_ratio"].get<double>() == Approx(16.0 / 14).margin(0.001));
  const json plain =
      json::parse(run_bfc({"fit", "--json", "--policy", "immediate", file.path()}).out)[0];
  CHECK(plain["policies"][0]["fit_ratio"] == 1.0);
}

TEST_CASE("a trace that 1.5 times its peak cannot hold has null ratios", "[cli]") {
  // In units, peak 16: sixteen 1s, every second one freed; four 2s end at 24. Then of the 1s every
  // fourth place stays, and two of the 2s: no hole is above 3, and two 4s end at 30.
  std::string text;
  const auto line = [&text](int units, int pointer) {
    const std::string size = units < 0 ? "-1" : std::to_string(256'000 * units);
    text += "0.000000\t1\t" + size + "\t0x" + std::to_string(pointer) + "\n";
  };
  for (int i = 1; i <= 16; ++i) line(1, i);
  for (int i = 1; i <= 16; i += 2) line(-1, i);
  for (int i = 21; i <= 24; ++i) line(2, i);
  for (int i = 2; i <= 16; i += 4) line(-1, i);
  line(-1, 22);
  line(-1, 24);
  line(4, 31);
  line(4, 32);
  const scratch_file file(text);
  const json fit =
      json::parse(run_bfc({"fit", "--json", "--policy", "immediate", file.path()}).out)[0];
  CHECK(fit["policies"][0]["safe_capacity_bytes"].is_null());
  CHECK(fit["policies"][0]["fit_ratio"].is_null());
  CHECK_THAT(run_bfc({"fit", "--policy", "immediate", file.path()}).out, Contains("> 1.5"));
}

TEST_CASE("several traces are summed up by their geometric mean", "[cli]") {
  const scratch_file one(needs_half_more);
  const scratch_file snug("0.000000\t1\t256000\t0x10\n");
  const command_result r = run_bfc({"fit", "--policy", "immediate", one.path(), snug.path()});
  CHECK(r.code == 0);
  CHECK_THAT(r.out, Contains("geometric mean") && Contains("1.225"));  // sqrt(1.5 x 1.0)
}
