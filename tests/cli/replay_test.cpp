#include "command.hpp"
#include <bfc/base/contract.hpp>

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

using bfc::test::command_result;
using bfc::test::needs_half_more;
using bfc::test::run_bfc;
using bfc::test::scratch_file;
using Catch::Contains;
using json = nlohmann::ordered_json;

namespace {

const std::vector<std::string> replay_fields{"trace",
                                             "events",
                                             "peak_live_bytes",
                                             "capacity_bytes",
                                             "footprint_bytes",
                                             "ns_per_op_median",
                                             "p50_ns",
                                             "p99_ns",
                                             "p999_ns",
                                             "oom_count",
                                             "coalesce_count",
                                             "driver_calls_after_start",
                                             "peak_live_requested_bytes",
                                             "timer_overhead_ns",
                                             "device",
                                             "device_reason"};

}  // namespace

TEST_CASE("replay prints its fields and no others, on any device", "[cli]") {
  const scratch_file file(needs_half_more);
  for (const std::string device : {"sim", "host"}) {
    const command_result r =
        run_bfc({"replay", "--json", "--device", device, "--capacity", "8M", file.path()});
    CAPTURE(r.err);
    CHECK(r.code == 0);
    CHECK(r.err.empty());
    const json all = json::parse(r.out);
    REQUIRE(all.size() == 1);
    const json& row = all[0];
    CHECK(bfc::test::names_of(row) == replay_fields);
    CHECK(row["trace"] == file.trace_name());
    CHECK(row["events"] == 7);
    CHECK(row["peak_live_bytes"] == 4 * 256'000);
    CHECK(row["capacity_bytes"] == 8 << 20);
    CHECK(row["footprint_bytes"] == 6 * 256'000);
    CHECK(row["oom_count"] == 0);
    CHECK(row["driver_calls_after_start"] == 0);
    CHECK(row["device"] == device);
    CHECK(row["ns_per_op_median"] > 0.0);
    CHECK(row["p50_ns"] <= row["p999_ns"]);
  }
}

TEST_CASE("allocations that find no place are counted, and enough capacity is named", "[cli]") {
  const scratch_file file(needs_half_more);
  const std::string& path = file.path();
  // 4K pages: 1,024,000 is 250 of them, 1,536,000 is 375. Everything but the last block fits.
  const command_result r = run_bfc({"replay", "--json", "--device", "sim", "--capacity", "1024000",
                                    "--coalesce", "immediate", path});
  CHECK(r.code == 1);
  CHECK(r.complained_in_one_line());
  CHECK_THAT(r.err,
             Contains("1 of 5 allocations found no place in 1024000 bytes, the first at event 6") &&
                 Contains("1536000 bytes") && Contains("bfc fit --policy immediate"));
  CHECK(json::parse(r.out)[0]["oom_count"] == 1);
  const command_result enough =
      run_bfc({"replay", "--json", "--device", "sim", "--capacity", "1536000", path});
  CHECK(enough.code == 0);
  CHECK(json::parse(enough.out)[0]["oom_count"] == 0);
}

TEST_CASE("what would have been enough is not searched where that takes long", "[cli]") {
  // The audit build examines the whole pool after every operation: too slow for so many.
  if (bfc::audit_enabled) return;
  std::string text = "0.000000\t1\t8388608\t0x9\n";
  for (int i = 0; i < 75'000; ++i) text += "0.000001\t1\t5000\t0x10\n0.000001\t1\t-1\t0x10\n";
  const scratch_file file(text);
  const command_result r = run_bfc(
      {"replay", "--json", "--device", "sim", "--capacity", "1M", "--repeat", "1", file.path()});
  CHECK(r.code == 1);
  CHECK(r.complained_in_one_line());
  CHECK_THAT(r.err, Contains("found no place") && Contains("takes long to find") &&
                        Contains("bfc fit --policy threshold"));
}

TEST_CASE("above the largest unit --align places blocks without rounding sizes", "[cli]") {
  // Two blocks of 256 bytes: with 32M between their starts, two pages are needed and one is not.
  const scratch_file file("0.000000\t1\t256\t0x10\n0.000001\t1\t256\t0x20\n");
  for (const std::string device : {"sim", "host"}) {
    std::vector<std::string> words{"replay",     "--json", "--device", device, "--align",  "32M",
                                   "--capacity", "64M",    "--repeat", "1",    file.path()};
    const command_result two = run_bfc(words);
    CAPTURE(device, two.err);
    CHECK(two.code == 0);
    const json row = json::parse(two.out)[0];
    CHECK(row["oom_count"] == 0);
    CHECK(row["peak_live_bytes"] == 512);
    CHECK(row["footprint_bytes"] == (32 << 20) + 256);
    words[7] = "32M";
    const command_result one = run_bfc(words);
    CHECK(one.code == 1);
    CHECK(json::parse(one.out)[0]["oom_count"] == 1);
    CHECK_THAT(one.err, Contains("--align 32M"));
  }
}

TEST_CASE("a block without place is left out together with its free", "[cli]") {
  const scratch_file file(
      "0.000000\t1\t1000000\t0x10\n0.000001\t1\t5000000\t0x20\n0.000002\t1\t-1\t0x20\n"
      "0.000003\t1\t-1\t0x10\n");
  const command_result r =
      run_bfc({"replay", "--json", "--device", "sim", "--capacity", "2M", file.path()});
  CHECK(r.code == 1);
  CHECK(json::parse(r.out)[0]["oom_count"] == 1);
  CHECK(json::parse(r.out)[0]["footprint_bytes"] == 1'000'192);
}

TEST_CASE("touching fills and checks every block", "[cli]") {
  const scratch_file file(std::string(needs_half_more) + "0.000007\t1\t13\t0x60\n");
  const command_result r = run_bfc({"replay", "--json", "--device", "host", "--capacity", "8M",
                                    "--touch", "--repeat", "1", file.path()});
  CAPTURE(r.err);
  CHECK(r.code == 0);
  const json row = json::parse(r.out)[0];
  std::vector<std::string> fields = replay_fields;
  fields.insert(fields.end(), {"touched_bytes", "damaged_blocks"});
  CHECK(bfc::test::names_of(row) == fields);
  CHECK(row["touched_bytes"] == 6 * 256'000 + 13);
  CHECK(row["damaged_blocks"] == 0);
}

TEST_CASE("an automatic capacity is what the device has", "[cli]") {
  const scratch_file file(needs_half_more);
  const json row =
      json::parse(run_bfc({"replay", "--json", "--device", "sim", file.path()}).out)[0];
  CHECK(row["capacity_bytes"] > std::uint64_t{128} << 30);
}

TEST_CASE("for people, the device is told on stderr and a table on stdout", "[cli]") {
  const scratch_file one(needs_half_more);
  const scratch_file two(needs_half_more);
  const command_result r =
      run_bfc({"replay", "--device", "sim", "--capacity", "8M", one.path(), two.path()});
  CHECK(r.code == 0);
  CHECK(r.complained_in_one_line());
  CHECK_THAT(r.err, Contains("bfc: device: simulated"));
  CHECK_THAT(r.out, Contains("footprint") && Contains(two.trace_name()) && Contains("1.500"));
}

TEST_CASE("a bundled recording replays under every policy", "[cli]") {
  const std::string path = BFC_SOURCE_DIR "/examples/traces/mobilenetv2-infer.tsv.gz";
  for (const std::string policy : {"immediate", "threshold", "ratio", "on-failure"}) {
    const command_result r = run_bfc({"replay", "--json", "--device", "sim", "--capacity", "1GiB",
                                      "--coalesce", policy, "--repeat", "1", path});
    CHECK(r.code == 0);
    const json row = json::parse(r.out)[0];
    CHECK(row["oom_count"] == 0);
    CHECK(row["driver_calls_after_start"] == 0);
    CHECK(row["footprint_bytes"] >= row["peak_live_bytes"]);
    CHECK((row["coalesce_count"] == 0) == (policy == "immediate"));
  }
}
