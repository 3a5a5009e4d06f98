#ifndef TESSERA_BASE_MEMORY_HPP
#define TESSERA_BASE_MEMORY_HPP

#include <cstddef>
#include <new>
#include <string>

namespace tessera {

/// What would take more memory than it is allowed to was not begun.
class OverBudget : public std::bad_alloc {
public:
  const char *what() const noexcept override { return "more memory than the limit that is set"; }
};

/// The least memory limit of the control groups (versions 1 and 2) that this process is in, directly or by those around
/// them, in bytes; infinity without one. root: what comes before /proc and the mount points in names of files.
double control_group_limit(const std::string &root = "");

/// Memory that each of so many processes of this machine, among them this one, may use, in bytes: an equal share of
/// what machine and control groups have, and no more than the limit of the address space (RLIMIT_AS), which is for each
/// process.
double process_memory(int processes);

/// Whether so many bytes can be allocated now.
bool can_allocate(std::size_t bytes);

} // namespace tessera
#endif
