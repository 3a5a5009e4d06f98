#ifndef TESSERA_BASE_FIRST_ERROR_HPP
#define TESSERA_BASE_FIRST_ERROR_HPP

#include <atomic>
#include <exception>

namespace tessera {

/// Carries an exception out of a parallel region, which none may leave: OpenMP ends the process. What threads,
/// iterations and tasks do there they do under guard(); who began the region calls rethrow() after it.
class FirstError {
public:
  /// action(), unless an earlier action threw. Keeps what it throws if it is the first to throw.
  template <class Action>
  void guard(const Action &action) noexcept
  {
    if (thrown_.load(std::memory_order_relaxed))
      return;
    try {
      action();
    } catch (...) {
      if (!thrown_.exchange(true))
        error_ = std::current_exception();
    }
  }

  /// Whether an action threw.
  bool any() const { return thrown_.load(std::memory_order_relaxed); }

  /// Throws what was kept, if anything was. To be called when no thread is in guard() any longer.
  void rethrow() const
  {
    if (error_)
      std::rethrow_exception(error_);
  }

private:
  std::atomic<bool> thrown_{false};
  std::exception_ptr error_;
};

} // namespace tessera
#endif
