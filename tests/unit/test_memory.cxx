// Limits of memory: control groups, from made-up trees of files, and the address space.
#include "base/memory.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <sys/resource.h>
#include <unistd.h>

namespace tessera::test {
namespace {

namespace fs = std::filesystem;

/// A folder that stands for the root of the file system.
class FakeRoot {
public:
  FakeRoot() : path_(fs::temp_directory_path() / ("tessera-memory-" + std::to_string(getpid())))
  {
    fs::remove_all(path_);
  }
  ~FakeRoot() { fs::remove_all(path_); }
  FakeRoot(const FakeRoot &) = delete;
  FakeRoot &operator=(const FakeRoot &) = delete;

  FakeRoot &file(const std::string &name, const std::string &text)
  {
    fs::create_directories((path_ / name).parent_path());
    std::ofstream(path_ / name) << text;
    return *this;
  }
  double limit() const { return control_group_limit(path_.string()); }

private:
  fs::path path_;
};

const std::string mounted_v2 = "21 1 0:20 / /proc rw,nosuid - proc proc rw\n"
                               "30 23 0:26 / /sys/fs/cgroup rw,nosuid shared:4 - cgroup2 cgroup2 rw,nsdelegate\n";
const std::string mounted_v1 = "33 32 0:29 / /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu,cpuacct\n"
                               "36 32 0:32 / /sys/fs/cgroup/memory rw shared:9 - cgroup cgroup rw,memory\n";

TEST(ControlGroups, NoneNoLimit)
{
  FakeRoot root;
  EXPECT_TRUE(std::isinf(root.limit()));
  root.file("proc/self/mountinfo", mounted_v2);
  EXPECT_TRUE(std::isinf(root.limit()));
  root.file("proc/self/cgroup", "0::/user.slice\n");
  EXPECT_TRUE(std::isinf(root.limit()));
}

TEST(ControlGroups, LeastOfNestedGroups)
{
  FakeRoot root;
  root.file("proc/self/mountinfo", mounted_v2).file("proc/self/cgroup", "0::/slurm/job_7/step_0\n");
  root.file("sys/fs/cgroup/slurm/job_7/step_0/memory.max", "max\n");
  EXPECT_TRUE(std::isinf(root.limit()));
  root.file("sys/fs/cgroup/slurm/memory.max", "8589934592\n");
  EXPECT_EQ(root.limit(), 8589934592.0);
  root.file("sys/fs/cgroup/slurm/job_7/memory.max", "4294967296\n");
  EXPECT_EQ(root.limit(), 4294967296.0);
  root.file("sys/fs/cgroup/slurm/job_7/step_0/memory.max", "6000000000\n");
  EXPECT_EQ(root.limit(), 4294967296.0) << "of the group around";
  root.file("sys/fs/cgroup/slurm/job_7/step_0/memory.high", "1000000000\n");
  EXPECT_EQ(root.limit(), 1e9);
  root.file("sys/fs/cgroup/memory.max", "2\n").file("sys/fs/cgroup/slurm/job_8/memory.max", "1\n");
  EXPECT_EQ(root.limit(), 2) << "of the mounted group, not of another job";
}

TEST(ControlGroups, ContainerSeesItsOwnGroupAsTheUppermost)
{
  FakeRoot root;
  root.file("proc/self/mountinfo", mounted_v2).file("proc/self/cgroup", "0::/\n");
  root.file("sys/fs/cgroup/memory.max", "1073741824\n");
  EXPECT_EQ(root.limit(), 1073741824.0);
}

TEST(ControlGroups, VersionOne)
{
  FakeRoot root;
  root.file("proc/self/mountinfo", mounted_v1);
  root.file("proc/self/cgroup", "5:cpu,cpuacct:/a/b\n3:memory:/a/b\n1:name=systemd:/c\n");
  root.file("sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n");
  root.file("sys/fs/cgroup/memory/a/b/memory.limit_in_bytes", "5000000000\n");
  EXPECT_EQ(root.limit(), 5e9);
  root.file("sys/fs/cgroup/memory/a/memory.limit_in_bytes", "3000000000\n");
  EXPECT_EQ(root.limit(), 3e9);
  root.file("sys/fs/cgroup/cpu/a/b/memory.limit_in_bytes", "1\n").file("sys/fs/cgroup/memory/a/b/memory.max", "1\n");
  EXPECT_EQ(root.limit(), 3e9) << "other controllers and the other version do not count";
}

/// Without a name space of its own a container has its group mounted in the place of the uppermost one, and reads the
/// whole name of it.
TEST(ControlGroups, VersionOneInAContainer)
{
  FakeRoot root;
  root.file("proc/self/mountinfo", "50 49 0:32 /docker/4f3a /sys/fs/cgroup/memory ro - cgroup cgroup rw,memory\n");
  root.file("proc/self/cgroup", "9:memory:/docker/4f3a/inner\n");
  root.file("sys/fs/cgroup/memory/memory.limit_in_bytes", "700000000\n");
  EXPECT_EQ(root.limit(), 7e8);
  root.file("sys/fs/cgroup/memory/inner/memory.limit_in_bytes", "600000000\n");
  EXPECT_EQ(root.limit(), 6e8);
  root.file("proc/self/cgroup", "9:memory:/elsewhere\n");
  EXPECT_EQ(root.limit(), 7e8);
}

TEST(ControlGroups, BothVersionsAtTheSameTime)
{
  FakeRoot root;
  root.file("proc/self/mountinfo", mounted_v1 + "40 32 0:27 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n");
  root.file("proc/self/cgroup", "3:memory:/a\n0::/b\n");
  root.file("sys/fs/cgroup/memory/a/memory.limit_in_bytes", "2000\n");
  root.file("sys/fs/cgroup/unified/b/memory.max", "3000\n");
  EXPECT_EQ(root.limit(), 2000);
  root.file("sys/fs/cgroup/unified/b/memory.max", "1000\n");
  EXPECT_EQ(root.limit(), 1000);
}

TEST(ProcessMemory, SharesAddUpToTheWhole)
{
  const double all = process_memory(1), machine = double(sysconf(_SC_PHYS_PAGES)) * double(sysconf(_SC_PAGESIZE));
  EXPECT_GT(all, 1e6);
  EXPECT_LE(all, machine);
  EXPECT_LE(all, control_group_limit());
  EXPECT_DOUBLE_EQ(4 * process_memory(4), all);
}

TEST(ProcessMemory, KnowsTheLimitOfTheAddressSpace)
{
#ifdef __SANITIZE_ADDRESS__
  GTEST_SKIP() << "the sanitizer's address space is larger than any limit";
#endif
  rlimit before = {};
  ASSERT_EQ(getrlimit(RLIMIT_AS, &before), 0);
  if (before.rlim_cur != RLIM_INFINITY)
    GTEST_SKIP() << "the address space is limited";
  const double all = process_memory(1);
  rlimit half = before;
  half.rlim_cur = static_cast<rlim_t>(all / 2);
  ASSERT_EQ(setrlimit(RLIMIT_AS, &half), 0);
  const double one = process_memory(1), of_four = process_memory(4);
  ASSERT_EQ(setrlimit(RLIMIT_AS, &before), 0);
  EXPECT_EQ(one, double(half.rlim_cur));
  EXPECT_EQ(of_four, all / 4) << "each process has a limit of its own";
}

} // namespace
} // namespace tessera::test
