#include "live_line.hpp"

#include <cstdio>
#include <unistd.h>

namespace examples {

bool LiveLine::Shown(MPI_Comm comm)
{
  PetscMPIInt rank = 0;
  MPI_Comm_rank(comm, &rank);
  return rank == 0 && isatty(STDERR_FILENO);
}

LiveLine::LiveLine(MPI_Comm comm, std::string phase) : phase_(std::move(phase))
{
  if (Shown(comm))
    ticker_ = std::thread(&LiveLine::Tick, this);
}

LiveLine::~LiveLine()
{
  if (!ticker_.joinable())
    return;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    done_ = true;
  }
  wake_.notify_one();
  ticker_.join();
}

void LiveLine::Tick()
{
  bool shown = false;
  std::unique_lock<std::mutex> lock(mutex_);
  while (!wake_.wait_for(lock, std::chrono::milliseconds(shown ? 200 : 1000), [this] { return done_; })) {
    const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - begin_;
    std::fprintf(stderr, "\r\033[K%s: %.1f s", phase_.c_str(), elapsed.count());
    if (iteration_ >= 0)
      std::fprintf(stderr, ", iteration %lld, residual norm %.2e", static_cast<long long>(iteration_), norm_.load());
    std::fflush(stderr);
    shown = true;
  }
  if (shown)
    std::fprintf(stderr, "\r\033[K");
}

} // namespace examples
