#ifndef TESSERA_HOST_FRONT_TREE_LOOP_HPP
#define TESSERA_HOST_FRONT_TREE_LOOP_HPP

#include "base/first_error.hpp"
#include "factor/front/front_plan.hpp"

#include <atomic>
#include <omp.h>
#include <vector>

namespace tessera {

/// Goes through fronts of a plan by the threads of a team: a subtree by one thread, each front above the subtrees by
/// any. The work on a front may begin tasks and wait for them: threads that find no other front help with these.
class TreeLoop {
public:
  /// For the fronts begin .. end - 1, whole trees of the plan's forest.
  TreeLoop(const FrontPlan &plan, Index begin, Index end);

  /// Operations that front s of a plan takes, about.
  static double operations(const FrontPlan &plan, Index s)
  {
    const double rows = double(plan.rows_of(s));
    return plan.tree.columns(s) * rows * rows;
  }
  /// Those of all fronts, with what small ones take besides.
  double cost() const { return cost_; }

  /// Children before parents: subtree(t) for subtree t of the plan, front(s) for a front s above. parallel: by all
  /// threads, else by the caller's. Throws the first exception of either.
  template <class Subtree, class Front>
  void up(bool parallel, const Subtree &subtree, const Front &front)
  {
    for (Index s : top_)
      waits_[s - begin_].store(plan_.tree.child_start[s + 1] - plan_.tree.child_start[s], std::memory_order_relaxed);
    FirstError error;
    const auto run = [&](const Task &task) {
      for (Index i = task.begin; i < task.end; ++i)
        error.guard([&] { climb(start_[i], subtree, front); });
    };
    if (!parallel) {
      for (const Task &task : tasks_)
        run(task);
    } else {
#pragma omp parallel
#pragma omp single
      for (const Task &task : tasks_) {
#pragma omp task default(none) firstprivate(task) shared(run)
        run(task);
      }
    }
    error.rethrow();
  }

  /// Likewise, parents before children.
  template <class Subtree, class Front>
  void down(bool parallel, const Subtree &subtree, const Front &front)
  {
    FirstError error;
    const auto run_front = [&](Index s) { error.guard([&] { front(s); }); };
    const auto run_task = [&](const Task &task) {
      for (Index i = task.begin; i < task.end; ++i)
        if (plan_.subtree[start_[i]] >= 0)
          error.guard([&] { subtree(plan_.subtree[start_[i]]); });
    };
    if (!parallel) {
      for (auto s = top_.rbegin(); s != top_.rend(); ++s)
        run_front(*s);
      for (const Task &task : tasks_)
        run_task(task);
    } else {
#pragma omp parallel
#pragma omp single
      begin_below(-1, run_task, run_front);
    }
    error.rethrow();
  }

private:
  /// Some of the starts that have the same parent.
  struct Task {
    Index parent; ///< or -1
    Index begin, end;
    double cost;
  };

  /// Of what has this parent, in branch_start_ and tasks_start_.
  Index place_below(Index parent) const
  {
    return parent < 0 ? 0 : 1 + place_of_top_[parent - begin_];
  }
  void find_starts(std::vector<double> &cost);
  void cut_into_tasks(const std::vector<double> &cost);

  template <class Subtree, class Front>
  void climb(Index s, const Subtree &subtree, const Front &front)
  {
    if (plan_.subtree[s] >= 0)
      subtree(plan_.subtree[s]);
    else
      front(s);
    for (Index up = plan_.tree.parent[s]; up >= 0; up = plan_.tree.parent[up]) {
      if (waits_[up - begin_].fetch_sub(1, std::memory_order_acq_rel) > 1)
        return;
      front(up);
    }
  }

  /// Begins tasks for what comes below front s, or, for -1, below nothing. Returns the front of the top that is left
  /// for the caller, the one with most below it, or -1: so a path of fronts is a loop, and tasks in tasks are few.
  template <class RunTask, class RunFront>
  Index begin_below(Index s, const RunTask &run_task, const RunFront &run_front)
  {
    const Index place = place_below(s);
    const Index first = branch_start_[place], end = branch_start_[place + 1];
    const Index left = s < 0 || first == end ? end : end - 1;
    for (Index i = first; i < left; ++i) {
      const Index branch = branch_[i];
#pragma omp task default(none) firstprivate(branch) shared(run_task, run_front)
      for (Index t = branch; t >= 0; t = begin_below(t, run_task, run_front))
        run_front(t);
    }
    for (Index i = tasks_start_[place]; i < tasks_start_[place + 1]; ++i) {
      const Task task = tasks_[tasks_below_[i]];
#pragma omp task default(none) firstprivate(task) shared(run_task)
      run_task(task);
    }
    return left < end ? branch_[left] : -1;
  }

  const FrontPlan &plan_;
  const Index begin_, end_;
  double cost_ = 0;
  std::vector<Index> top_;                ///< fronts above the subtrees, in postorder
  std::vector<Index> place_of_top_;       ///< [fronts] of each in top_, or -1
  std::vector<Index> start_;              ///< roots of subtrees, and fronts above them without children
  std::vector<Task> tasks_;               ///< that the starts are cut into, the longest first
  std::vector<Index> branch_start_;       ///< [1 + top + 1] see branch_
  std::vector<Index> branch_;             ///< the fronts of the top by their parent: those without one first; of those
                                          ///< with the same parent the one with most below it is the last
  std::vector<Index> tasks_start_;        ///< [1 + top + 1] see tasks_below_
  std::vector<Index> tasks_below_;        ///< tasks by their parent likewise
  std::vector<std::atomic<Index>> waits_; ///< [fronts] children of a front of the top that are not done
};

} // namespace tessera
#endif
