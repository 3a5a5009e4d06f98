#ifndef EXAMPLES_LIVE_LINE_HPP
#define EXAMPLES_LIVE_LINE_HPP

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <petscsys.h>
#include <string>
#include <thread>

namespace examples {

/// While it lives, and if stderr is a terminal, keeps a line there that says what the program is doing and for how
/// long; it appears after a second and is wiped at the end. Calls no PETSc and no MPI from its thread.
class LiveLine {
public:
  LiveLine(MPI_Comm comm, std::string phase);
  ~LiveLine();
  LiveLine(const LiveLine &) = delete;
  LiveLine &operator=(const LiveLine &) = delete;

  /// Whether this process shows such lines: it is the first of `comm` and its stderr is a terminal.
  static bool Shown(MPI_Comm comm);

  /// Shows the iteration and residual norm that an iterative method has reached.
  void Progress(PetscInt iteration, PetscReal norm)
  {
    iteration_ = iteration;
    norm_ = norm;
  }

private:
  void Tick();

  const std::string phase_;
  const std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
  std::atomic<PetscInt> iteration_{-1};
  std::atomic<PetscReal> norm_{0};
  std::mutex mutex_;
  std::condition_variable wake_;
  bool done_ = false;
  std::thread ticker_;
};

} // namespace examples
#endif
