#include "base/memory.hpp"

#include <algorithm>
#include <fstream>
#include <limits>
#include <sstream>
#include <sys/resource.h>
#include <unistd.h>
#include <vector>

namespace tessera {
namespace {

constexpr double no_limit = std::numeric_limits<double>::infinity();

/// The number that a file of a control group holds; no limit if there is no such file or it holds "max".
double read_limit(const std::string &file)
{
  std::ifstream in(file);
  double bytes = 0;
  return in >> bytes ? bytes : no_limit;
}

/// A hierarchy of control groups, as /proc/self/mountinfo names it.
struct Mount {
  std::string root, point; ///< the group that is mounted, and where
  bool unified = false;    ///< version 2
};

/// Those that limit memory.
std::vector<Mount> find_mounts(const std::string &root)
{
  std::vector<Mount> mounts;
  std::ifstream in(root + "/proc/self/mountinfo");
  for (std::string line; std::getline(in, line);) {
    std::istringstream words(line);
    std::string word, type, source, options;
    Mount mount;
    words >> word >> word >> word >> mount.root >> mount.point;
    while (words >> word && word != "-") // optional fields end with it
      ;
    words >> type >> source >> options;
    mount.unified = type == "cgroup2";
    if (mount.unified || (type == "cgroup" && ("," + options + ",").find(",memory,") != std::string::npos))
      mounts.push_back(mount);
  }
  return mounts;
}

/// The group of this process in the hierarchy of version 2, or in that of version 1 for memory. Empty if it has none.
std::string find_group(const std::string &root, bool unified)
{
  std::ifstream in(root + "/proc/self/cgroup");
  for (std::string line; std::getline(in, line);) { // hierarchy:controllers:group
    const std::size_t first = line.find(':'), second = line.find(':', first + 1);
    if (first == std::string::npos || second == std::string::npos)
      continue;
    const std::string controllers = line.substr(first + 1, second - first - 1);
    if (unified ? controllers.empty() : ("," + controllers + ",").find(",memory,") != std::string::npos)
      return line.substr(second + 1);
  }
  return "";
}

/// The least limit of a group and those around it, up to the one that is mounted.
double limit_in(const std::string &root, const Mount &mount)
{
  std::string group = find_group(root, mount.unified);
  if (mount.root != "/") { // a container sees its own group only, mounted as if it were the uppermost
    const bool inside = (group + "/").compare(0, mount.root.size() + 1, mount.root + "/") == 0;
    group = inside ? group.substr(mount.root.size()) : "";
  }
  double limit = no_limit;
  for (;; group.erase(group.rfind('/'))) {
    std::string folder = root;
    folder.append(mount.point).append(group).append("/");
    if (mount.unified)
      limit = std::min({limit, read_limit(folder + "memory.max"), read_limit(folder + "memory.high")});
    else
      limit = std::min(limit, read_limit(folder + "memory.limit_in_bytes"));
    if (group.rfind('/') == std::string::npos)
      return limit;
  }
}

} // namespace

double control_group_limit(const std::string &root)
{
  double limit = no_limit;
  for (const Mount &mount : find_mounts(root))
    limit = std::min(limit, limit_in(root, mount));
  return limit;
}

double process_memory(int processes)
{
  const double machine = double(sysconf(_SC_PHYS_PAGES)) * double(sysconf(_SC_PAGESIZE));
  const double share = std::min(machine, control_group_limit()) / std::max(processes, 1);
  rlimit space = {};
  if (getrlimit(RLIMIT_AS, &space) != 0 || space.rlim_cur == RLIM_INFINITY)
    return share;
  return std::min(share, double(space.rlim_cur));
}

bool can_allocate(std::size_t bytes)
{
  void *volatile trial = ::operator new(bytes, std::nothrow); // volatile, or a compiler may leave it out
  const bool can = trial != nullptr;
  ::operator delete(trial);
  return can;
}

} // namespace tessera
