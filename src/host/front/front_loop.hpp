#ifndef TESSERA_HOST_FRONT_FRONT_LOOP_HPP
#define TESSERA_HOST_FRONT_FRONT_LOOP_HPP

#include "base/task_loop.hpp"
#include "host/front/tree_loop.hpp"

#include <atomic>

namespace tessera {

/// What a thread has for its fronts.
template <class T>
struct ThreadMemory {
  Buffer<T> contributions;
  std::vector<T> work;
};

/// What became of a front.
struct FrontOutcome {
  DirectReport::Status status = DirectReport::Complete;
  Index column = 0; ///< that failed
};

/// What a factorization does with a front.
template <class T>
class FrontWork {
public:
  /// Gathers front s and eliminates its columns.
  virtual FrontOutcome factor_front(Index s, bool parallel, ThreadMemory<T> &memory) = 0;
  /// Columns that front s has handed to its parent.
  virtual Index delayed(Index s) const = 0;

protected:
  ~FrontWork() = default;
};

/// Runs through the fronts of a plan, children before parents, see TreeLoop. T: of what fronts contribute.
template <class T>
class FrontLoop {
public:
  explicit FrontLoop(const FrontPlan &plan);

  /// Nothing begins any longer when the work of all fronts comes to more than most_work: see
  /// DirectOptions::most_work. A front does not begin either when a descendant failed. Returns whether all are done;
  /// else `report` says why not.
  bool run(FrontWork<T> &work, double most_work, DirectReport &report);

  /// Where front s has its contribution. memory: of the thread that works on its subtree.
  T *contribution(Index s, ThreadMemory<T> &memory);

  Offset bytes() const;

private:
  static constexpr Offset none = INT64_MAX;
  static constexpr double countable = 1LL << 53; ///< work beyond which no bound is kept

  void run_subtree(Index subtree, FrontWork<T> &work, ThreadMemory<T> &memory);
  void run_front(Index s, FrontWork<T> &work, bool parallel, ThreadMemory<T> &memory);
  DirectReport failure() const; ///< of a run that is not complete
  bool may_begin(Index s, const FrontWork<T> &work);
  void fail(Index s, const FrontOutcome &outcome);
  bool gave_up() const { return work_.load() > most_work_; }

  const FrontPlan &plan_;
  TreeLoop tree_;
  Buffer<T> top_;                       ///< contributions to fronts of the top
  std::vector<ThreadMemory<T>> memory_; ///< [threads]
  Offset most_memory_ = 0;
  std::vector<std::uint8_t> bad_; ///< [fronts] 1: failed, or a descendant did
  std::atomic<Offset> failed_{none};
  Offset most_work_ = none;
  std::atomic<Offset> work_{0}; ///< of the fronts that have begun, if it is bounded
};

} // namespace tessera
#endif
