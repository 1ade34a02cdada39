#include "trace_text.hpp"
#include <bfc/base/error.hpp>
#include <bfc/trace/trace.hpp>

#include <fcntl.h>

#include <catch2/catch.hpp>

using bfc::test::gzip;
using bfc::test::temporary_file;
using bfc::trace::parse_tsv;
using bfc::trace::read_tsv;
using Catch::Contains;

namespace {

const std::string three =
    "0.000001\t1\t64\t0x10\n"
    "0.000002\t2\t32\t0x20\n"
    "0.000002\t1\t-1\t0x10\n";

// Enough text for several pieces of input, so that records lie across their borders.
std::string long_text() {
  bfc::trace::trace t;
  for (std::uint32_t i = 0; i < 40'000; ++i) {
    t.events.push_back(
        {i, 1 + i % 3, static_cast<std::int64_t>(i * 7919 % 100'000), std::uint64_t{3} * i});
    if (i % 2 == 1) t.events.push_back({i - 1, 1, -1, std::uint64_t{3} * i});
  }
  return bfc::test::print_tsv(t);
}

bool same_events(const bfc::trace::trace& a, const bfc::trace::trace& b) {
  return std::equal(a.events.begin(), a.events.end(), b.events.begin(), b.events.end(),
                    [](const bfc::trace::event& x, const bfc::trace::event& y) {
                      return x.block == y.block && x.thread == y.thread &&
                             x.size_bytes == y.size_bytes && x.time_us == y.time_us;
                    });
}

// Reads a file as if it were piped in.
bfc::trace::trace read_as_stdin(const std::string& path) {
  const int saved = ::dup(0);
  const int file = ::open(path.c_str(), O_RDONLY);
  ::dup2(file, 0);
  ::close(file);
  struct restore {
    int descriptor;
    ~restore() {
      ::dup2(descriptor, 0);
      ::close(descriptor);
    }
  } const at_end{saved};
  return read_tsv("-");
}

template <typename Call>
bfc::error error_of(Call call) {
  try {
    call();
  } catch (const bfc::error& e) {
    return e;
  }
  return {bfc::status::ok, "(nothing was thrown)"};
}

}  // namespace

TEST_CASE("plain, gzip, several gzip members and standard input read alike", "[trace]") {
  const std::string text = long_text();
  const bfc::trace::trace expected = parse_tsv(text, "t");
  REQUIRE(expected.events.size() == 60'000);
  const temporary_file plain(text, ".tsv");
  const temporary_file packed(gzip(text), ".anything");
  const std::size_t middle = text.size() / 2;
  const temporary_file members(gzip(text.substr(0, middle)) + gzip("") + gzip(text.substr(middle)));
  for (const std::string& path : {plain.path(), packed.path(), members.path()}) {
    CHECK(same_events(read_tsv(path), expected));
    CHECK_FALSE(read_tsv(path).truncated);
    CHECK(same_events(read_as_stdin(path), expected));
  }
}

TEST_CASE("a trace is called as its file, without folder and endings", "[trace]") {
  CHECK(parse_tsv(three, "/some/where/run.tsv.gz").name == "run");
  CHECK(parse_tsv(three, "run.tsv").name == "run");
  CHECK(parse_tsv(three, "run.v2").name == "run.v2");
  CHECK(parse_tsv(three, "-").name == "stdin");
}

TEST_CASE("frees name the latest allocation of their pointer", "[trace]") {
  const bfc::trace::trace t = parse_tsv(
      "0.000001\t1\t64\t0x10\n0.000002\t1\t-1\t0x10\n0.000003\t1\t32\t0x10\n0.000004\t1\t-"
      "1\t0x10\n",
      "t");
  REQUIRE(t.events.size() == 4);
  CHECK(t.block_count == 2);
  CHECK(t.events[1].block == 0);
  CHECK(t.events[2].block == 1);
  CHECK(t.events[3].block == 1);
}

TEST_CASE("frees of unknown pointers are counted and skipped", "[trace]") {
  const bfc::trace::trace t =
      parse_tsv("0.000001\t1\t-1\t0x99\n" + three + "0.000002\t1\t-1\t0x10\n", "t");
  CHECK(t.unknown_frees == 2);
  CHECK(same_events(t, parse_tsv(three, "t")));
}

TEST_CASE("null pointers: a failed allocation is counted, a free is nothing", "[trace]") {
  const bfc::trace::trace t = parse_tsv(
      "0.000001\t1\t64\t(nil)\n0.000001\t1\t64\t0x0\n0.000001\t1\t-1\t(nil)\n" + three, "t");
  CHECK(t.failed_allocations == 2);
  CHECK(t.unknown_frees == 0);
  CHECK(same_events(t, parse_tsv(three, "t")));
}

TEST_CASE("a pointer issued again while live ends the older block just before", "[trace]") {
  const bfc::trace::trace t =
      parse_tsv("0.000001\t1\t64\t0x10\n0.000005\t2\t32\t0x10\n0.000006\t1\t-1\t0x10\n", "t");
  CHECK(t.reissued_pointers == 1);
  REQUIRE(t.events.size() == 4);
  CHECK(t.events[1].is_free());
  CHECK(t.events[1].block == 0);
  CHECK(t.events[1].time_us == 5);
  CHECK(t.events[2].block == 1);
  CHECK(t.events[3].block == 1);
}

TEST_CASE("a last line without line feed is dropped, however whole it looks", "[trace]") {
  // Cut at every byte of the last record, up to all of it but the line feed.
  const std::size_t last = three.rfind('\n', three.size() - 2) + 1;
  for (std::size_t end = last + 1; end < three.size(); ++end) {
    CAPTURE(end);
    const bfc::trace::trace t = parse_tsv(three.substr(0, end), "t.tsv");
    CHECK(t.truncated);
    CHECK(t.events.size() == 2);
    CHECK_THAT(t.warning, Contains("t.tsv: truncated after line 2"));
  }
  CHECK_FALSE(parse_tsv(three, "t").truncated);
  CHECK(parse_tsv(three, "t").warning.empty());
}

TEST_CASE("gzip data cut anywhere yields what precedes, and never all of it silently", "[trace]") {
  const std::string text = long_text();
  const std::string packed = gzip(text);
  const std::size_t whole = parse_tsv(text, "t").events.size();
  for (const std::size_t cut : {std::size_t{1}, std::size_t{4}, std::size_t{8}, std::size_t{9},
                                std::size_t{1000}, packed.size() / 2}) {
    const temporary_file file(packed.substr(0, packed.size() - cut), ".gz");
    const bfc::trace::trace t = read_tsv(file.path());
    CHECK(t.truncated);
    CHECK(t.events.size() <= whole);
    CHECK(t.events.size() > 100);
    CHECK_THAT(t.warning, Contains("gzip data ends early"));
  }
  for (const std::size_t kept :
       {std::size_t{2}, std::size_t{9}, std::size_t{10}, std::size_t{12}}) {
    const temporary_file file(packed.substr(0, kept), ".gz");
    CHECK_THAT(error_of([&] { static_cast<void>(read_tsv(file.path())); }).what(),
               Contains("no events"));
  }
}

TEST_CASE("damaged gzip data is an error that blames the damage", "[trace]") {
  const std::string text = long_text();
  const std::string packed = gzip(text);
  // The header's method, the data in several places, the checksum, the length.
  for (const std::size_t at : {std::size_t{2}, packed.size() / 3, packed.size() / 2,
                               packed.size() - 8, packed.size() - 1}) {
    CAPTURE(at);
    std::string damaged = packed;
    damaged[at] = static_cast<char>(damaged[at] ^ 0x55);
    const temporary_file file(damaged, ".gz");
    const bfc::error e = error_of([&] { static_cast<void>(read_tsv(file.path())); });
    CHECK(e.code() == bfc::status::invalid_input);
    CHECK_THAT(e.what(), Contains(file.path()) && Contains("corrupt gzip data"));
  }
}

TEST_CASE("bytes behind the gzip data are refused", "[trace]") {
  const temporary_file file(gzip(three) + "more", ".gz");
  CHECK_THAT(error_of([&] { static_cast<void>(read_tsv(file.path())); }).what(),
             Contains("corrupt gzip data") && Contains("follow its end"));
}

TEST_CASE("a malformed record in sound gzip data is told by its line", "[trace]") {
  const temporary_file file(gzip(three + "x\n" + three), ".gz");
  CHECK_THAT(error_of([&] { static_cast<void>(read_tsv(file.path())); }).what(),
             Contains(file.path() + ": line 4, column 1: expected the time"));
}

TEST_CASE("files that cannot be opened or read are io errors that say why", "[trace]") {
  const bfc::error missing = error_of([] { static_cast<void>(read_tsv("/nonexistent/t.tsv")); });
  CHECK(missing.code() == bfc::status::io_error);
  CHECK_THAT(missing.what(), Contains("/nonexistent/t.tsv: cannot be opened: No such file"));
  const bfc::error folder = error_of([] { static_cast<void>(read_tsv("/tmp")); });
  CHECK(folder.code() == bfc::status::io_error);
  CHECK_THAT(folder.what(), Contains("/tmp: is a folder"));
}

TEST_CASE("a bomb of one endless line is refused after 128 bytes of it", "[trace]") {
  const temporary_file file(gzip(std::string(std::size_t{64} << 20, '0')), ".gz");
  CHECK_THAT(error_of([&] { static_cast<void>(read_tsv(file.path())); }).what(),
             Contains("line 1, column 129: no record is longer"));
}
