#include "command.hpp"
#include <bfc/base/version.hpp>

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

using bfc::test::command_result;
using bfc::test::needs_half_more;
using bfc::test::run_bfc;
using bfc::test::scratch_file;
using Catch::Contains;

TEST_CASE("the version is that of the headers", "[cli]") {
  const command_result r = run_bfc({"--version"});
  CHECK(r.code == 0);
  CHECK(r.out == "bfc " + std::to_string(bfc::version.major) + "." +
                     std::to_string(bfc::version.minor) + "." + std::to_string(bfc::version.patch) +
                     "\n");
  CHECK(r.err.empty());
  for (const std::string command : {"replay", "fit", "info"}) {
    CHECK(run_bfc({command, "--version"}).out == r.out);
  }
}

TEST_CASE("a trace name that is no UTF-8 makes valid JSON all the same", "[cli]") {
  const scratch_file file(needs_half_more, "-\xff.tsv");
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"info", "--json", file.path()},
        {"fit", "--json", "--policy", "immediate", file.path()},
        {"replay", "--json", "--device", "sim", "--capacity", "8M", file.path()}}) {
    const command_result r = run_bfc(words);
    CAPTURE(words[0], r.err);
    CHECK(r.code == 0);
    CHECK_THAT(nlohmann::json::parse(r.out)[0].at("trace").get<std::string>(),
               Contains("-\xef\xbf\xbd"));
  }
}

TEST_CASE("skipped frees are noted for people, not in JSON", "[cli]") {
  const scratch_file file("0.000000\t1\t256\t0x10\n0.000001\t1\t-1\t0x99\n");
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"fit", "--policy", "immediate", file.path()},
        {"replay", "--device", "sim", "--capacity", "8M", file.path()}}) {
    CHECK_THAT(run_bfc(words).err,
               Contains("note: " + file.trace_name() + ": 1 free of unknown pointers skipped\n"));
    std::vector<std::string> more = words;
    more.push_back("--json");
    CHECK(run_bfc(more).err.empty());
  }
}

TEST_CASE("help is printed in every way it is asked for, with examples for each command", "[cli]") {
  for (const std::string command : {"replay", "fit", "info"}) {
    const command_result by_flag = run_bfc({command, "--help"});
    CHECK(by_flag.code == 0);
    CHECK_THAT(by_flag.out, Contains("Examples:\n  bfc " + command));
    CHECK(run_bfc({"help", command}).out == by_flag.out);
  }
  const command_result whole = run_bfc({"help"});
  CHECK(whole.code == 0);
  CHECK(whole.out == run_bfc({"--help"}).out);
  CHECK_THAT(whole.out, Contains("replay") && Contains("Exit codes"));
}

TEST_CASE("every wrong flag, size or file is told in one line, with exit code 2", "[cli]") {
  const scratch_file good(needs_half_more);
  const scratch_file bad("0.000001\t1\tx\t0x10\n");
  const scratch_file crlf("0.000001\t1\t8\t0x10\r\n");
  const scratch_file empty;
  const scratch_file huge("0.000001\t1\t2000000000000\t0x10\n");
  const std::string& t = good.path();
  struct mistake {
    std::vector<std::string> words;
    std::string told;
  };
  const std::vector<mistake> mistakes{
      {{}, "no command given"},
      {{"frobnicate"}, "frobnicate"},
      {{"--frobnicate"}, "--frobnicate"},
      {{"help", "frobnicate"}, "frobnicate"},
      {{"replay"}, "TRACE is required; see bfc replay --help"},
      {{"fit"}, "TRACE is required; see bfc fit --help"},
      {{"info"}, "TRACE is required; see bfc info --help"},
      {{"replay", t, "--frobnicate"}, "--frobnicate; see bfc replay --help"},
      {{"info", t, "--capacity", "1G"}, "--capacity"},
      {{"replay", "/nonexistent.tsv"}, "/nonexistent.tsv: cannot be opened"},
      {{"fit", "/nonexistent.tsv"}, "/nonexistent.tsv: cannot be opened"},
      {{"info", "/nonexistent.tsv"}, "/nonexistent.tsv: cannot be opened"},
      {{"info", "/tmp"}, "/tmp: is a folder"},
      {{"info", bad.path()}, "line 1, column 12: a size is"},
      {{"replay", t, bad.path()}, "line 1, column 12: a size is"},
      {{"info", empty.path()}, "no events"},
      {{"info", "-", "-"}, "standard input (-) can be read only once"},
      {{"replay", t, "--device", "gpu"}, "--device: gpu not in {auto,host,sim,cuda}"},
      {{"replay", t, "--capacity", "12Q"}, "--capacity: size \"12Q\""},
      {{"replay", t, "--capacity", "-1"}, "--capacity"},
      {{"replay", t, "--capacity", "0"}, "--capacity: '0'"},
      {{"replay", t, "--capacity", "1.5.1K"}, "--capacity"},
      {{"replay", t, "--capacity", "99999999T"}, "--capacity"},
      {{"replay", t, "--capacity", "500T"},
       "--capacity: '500T' is above 2^32 - 1 units of --align 256"},
      {{"fit", huge.path()}, "is above 2^32 - 1 units of --align 256; raise --align"},
      {{"replay", t, "--capacity", "1M", "--capacity", "2M"}, "--capacity"},
      {{"replay", t, "--capacity"}, "--capacity"},
      {{"replay", t, "--align", "8"}, "--align: '8' is not a power of two from 16"},
      {{"replay", t, "--align", "300"}, "--align: '300'"},
      {{"replay", t, "--align", "128M"}, "--align: '128M' is not a power of two from 16 to 64MiB"},
      {{"fit", huge.path(), "--align", "4M"}, "above 2^32 - 1 units of 256 bytes; try --align 2M"},
      {{"replay", t, "--capacity", "512"}, "that can be reserved, 4096 bytes; give at least 4K"},
      {{"replay", t, "--capacity", "8M", "--align", "64M"}, "at least 64M, or lower --align"},
      {{"replay", t, "--touch=3"}, "--touch takes no value; see bfc replay --help"},
      {{"info", t, "--json=1"}, "--json takes no value"},
      {{"info", ""}, "'' cannot be opened"},
      {{"info", crlf.path()}, "without carriage return; convert with tr -d '\\r'"},
      {{"fit", t, "--align", "0"}, "--align: '0'"},
      {{"replay", t, "--coalesce", "never"}, "--coalesce: 'never' is not one of immediate, "},
      {{"replay", t, "--repeat", "0"}, "--repeat"},
      {{"replay", t, "--repeat", "x"}, "--repeat"},
      {{"replay", t, "--device", "sim", "--touch"}, "--touch contradicts --device sim"},
      {{"fit", t, "--policy", "never"}, "--policy: 'never' is not one of immediate, "},
      {{"fit", t, "--policy", "all,ratio"}, "'all' cannot be combined"},
      {{"fit", t, "--policy", "ratio,ratio"}, "'ratio' is named twice"},
      {{"fit", t, "--policy", "ratio,"}, "--policy: ''"},
  };
  for (const mistake& m : mistakes) {
    const command_result r = run_bfc(m.words);
    CAPTURE(m.words, r.err);
    CHECK(r.code == 2);
    CHECK(r.out.empty());
    CHECK(r.complained_in_one_line());
    CHECK_THAT(r.err, Contains(m.told));
  }
}

TEST_CASE("a truncated trace is read with a warning, and exit code 3 unless tolerated", "[cli]") {
  const scratch_file cut(std::string(needs_half_more) + "0.000007\t1\t-1\t0x5");
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"info", "--json", cut.path()},
        {"fit", "--json", "--policy", "immediate", cut.path()},
        {"replay", "--json", "--device", "sim", "--capacity", "8M", cut.path()}}) {
    const command_result strict = run_bfc(words);
    CHECK(strict.code == 3);
    CHECK(strict.complained_in_one_line());
    CHECK_THAT(strict.err, Contains("warning: " + cut.path() + ": truncated after line 7"));
    CHECK_THAT(strict.out, Contains(cut.trace_name()));
    std::vector<std::string> more = words;
    more.push_back("--tolerant");
    const command_result tolerant = run_bfc(more);
    CHECK(tolerant.code == 0);
    CHECK(tolerant.complained_in_one_line());
  }
}

TEST_CASE("a result that cannot be written is told, with exit code 1", "[cli]") {
  const scratch_file good(needs_half_more);
  for (const std::vector<std::string>& words : {std::vector<std::string>{"info", good.path()},
                                                {"fit", "--json", good.path()},
                                                {"help"},
                                                {"--version"}}) {
    const command_result r = run_bfc(words, "/dev/null", "/dev/full");
    CHECK(r.code == 1);
    CHECK(r.complained_in_one_line());
    CHECK_THAT(r.err, Contains("cannot be written to standard output"));
  }
}
