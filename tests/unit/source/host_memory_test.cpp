#include <filesystem>
#include <fstream>
#include <source/host_memory.hpp>
#include <string>
#include <unistd.h>

#include <catch2/catch.hpp>

namespace {

namespace fs = std::filesystem;

/// A folder that looks like the root of some machine, gone with the object.
class machine {
 public:
  machine() {
    static int number = 0;
    root_ = fs::temp_directory_path() /
            ("bfc-machine-" + std::to_string(::getpid()) + "-" + std::to_string(number++));
  }
  machine(const machine&) = delete;
  machine& operator=(const machine&) = delete;
  ~machine() { fs::remove_all(root_); }

  machine& with(const std::string& path, const std::string& text) {
    const fs::path file = root_ / path;
    fs::create_directories(file.parent_path());
    std::ofstream(file) << text;
    return *this;
  }
  [[nodiscard]] std::uint64_t available() const {
    return bfc::detail::host_available_bytes(root_.string());
  }

 private:
  fs::path root_;
};

constexpr const char* thousand_kib =
    "MemTotal:        4000 kB\nMemFree:          200 kB\nMemAvailable:    1000 kB\n";

}  // namespace

TEST_CASE("without control groups the kernel's estimate counts") {
  machine m;
  m.with("proc/meminfo", thousand_kib);
  CHECK(m.available() == 1000 * 1024);
}

TEST_CASE("a kernel without an estimate is taken at its free memory, an unknown machine at 0") {
  machine old;
  old.with("proc/meminfo", "MemTotal: 4000 kB\nMemFree: 200 kB\n");
  CHECK(old.available() == 200 * 1024);
  const machine unknown;
  CHECK(unknown.available() == 0);
}

TEST_CASE("a version 2 group's limit less its usage counts where it is smaller") {
  machine m;
  m.with("proc/meminfo", thousand_kib)
      .with("proc/self/cgroup", "0::/job\n")
      .with("sys/fs/cgroup/job/memory.max", "500000\n")
      .with("sys/fs/cgroup/job/memory.current", "100000\n");
  CHECK(m.available() == 400000);

  SECTION("page cache that nobody uses does not count as usage") {
    m.with("sys/fs/cgroup/job/memory.stat", "anon 70000\ninactive_file 30000\nactive_file 1\n");
    CHECK(m.available() == 430000);
  }
  SECTION("no limit is no limit") {
    m.with("sys/fs/cgroup/job/memory.max", "max\n");
    CHECK(m.available() == 1000 * 1024);
  }
  SECTION("a higher limit than the machine's memory changes nothing") {
    m.with("sys/fs/cgroup/job/memory.max", "99999999999\n");
    CHECK(m.available() == 1000 * 1024);
  }
  SECTION("a group over its limit has nothing left") {
    m.with("sys/fs/cgroup/job/memory.current", "600000\n");
    CHECK(m.available() == 0);
  }
}

TEST_CASE("the tightest ancestor of a group decides") {
  machine m;
  m.with("proc/meminfo", thousand_kib)
      .with("proc/self/cgroup", "0::/user/job/step\n")
      .with("sys/fs/cgroup/user/memory.max", "300000\n")
      .with("sys/fs/cgroup/user/memory.current", "0\n")
      .with("sys/fs/cgroup/user/job/step/memory.max", "900000\n")
      .with("sys/fs/cgroup/user/job/step/memory.current", "0\n");
  CHECK(m.available() == 300000);
}

TEST_CASE("in a container whose group path is another namespace's, the mount's root is the group") {
  machine m;
  m.with("proc/meminfo", thousand_kib)
      .with("proc/self/cgroup", "0::/../outside/4711\n")
      .with("sys/fs/cgroup/memory.max", "250000\n")
      .with("sys/fs/cgroup/memory.current", "50000\n");
  CHECK(m.available() == 200000);
}

TEST_CASE("a version 1 group's limit less its usage counts likewise") {
  machine m;
  m.with("proc/meminfo", thousand_kib)
      .with("proc/self/cgroup", "5:cpu,cpuacct:/job\n4:hugetlb,memory:/job\n0::/\n")
      .with("sys/fs/cgroup/memory/job/memory.limit_in_bytes", "500000\n")
      .with("sys/fs/cgroup/memory/job/memory.usage_in_bytes", "200000\n")
      .with("sys/fs/cgroup/memory/job/memory.stat", "inactive_file 1\ntotal_inactive_file 50000\n")
      .with("sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n")
      .with("sys/fs/cgroup/memory/memory.usage_in_bytes", "200000\n");
  CHECK(m.available() == 350000);
}

TEST_CASE("files that make no sense are no limit") {
  machine m;
  m.with("proc/meminfo", thousand_kib)
      .with("proc/self/cgroup", "nonsense\n:\n0:\n0::job\n")
      .with("sys/fs/cgroup/memory.max", "")
      .with("sys/fs/cgroup/memory.current", "-5\n");
  CHECK(m.available() == 1000 * 1024);
}

TEST_CASE("this machine has some memory left") {
  CHECK(bfc::detail::host_available_bytes() > 1024 * 1024);
}
