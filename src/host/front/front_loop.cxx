#include "host/front/front_loop.hpp"

#include "base/bytes.hpp"
#include "base/scalar.hpp"
#include "host/front/parallel_chunks.hpp"

#include <algorithm>
#include <omp.h>

namespace tessera {

/// Operations of a factorization from which on several threads are worth waking.
constexpr double parallel_cost = 1e7;

template <class T>
FrontLoop<T>::FrontLoop(const FrontPlan &plan) : plan_(plan), tree_(plan, 0, plan.tree.fronts())
{
  top_.resize(plan.top.memory);
  for (const FrontSet &set : plan.subtrees)
    most_memory_ = std::max(most_memory_, set.memory);
}

template <class T>
bool FrontLoop<T>::run(FrontWork<T> &work, double most_work, DirectReport &report)
{
  failed_.store(none);
  work_.store(0);
  most_work_ = most_work < countable ? Offset(most_work) : none;
  bad_.assign(plan_.tree.fronts(), 0);
  // All threads or one: OpenMP ends and begins threads where regions have different numbers of them
  const int threads = tree_.cost() >= parallel_cost ? std::max(1, omp_get_max_threads()) : 1;
  if (int(memory_.size()) < threads)
    memory_.resize(threads);
  const auto memory = [&]() -> ThreadMemory<T> & { return memory_[threads > 1 ? omp_get_thread_num() : 0]; };
  tree_.up(
      threads > 1, [&](Index t) { run_subtree(t, work, memory()); },
      [&](Index s) { run_front(s, work, TreeLoop::operations(plan_, s) >= parallel_front_operations, memory()); });
  const bool complete = !gave_up() && failed_.load() == none;
  if (!complete)
    report = failure();
  return complete;
}

template <class T>
T *FrontLoop<T>::contribution(Index s, ThreadMemory<T> &memory)
{
  const Index up = plan_.tree.parent[s];
  const bool in_top = plan_.subtree[s] < 0 || up < 0 || plan_.subtree[up] < 0;
  return (in_top ? top_.data() : memory.contributions.data()) + plan_.contribution_at[s];
}

template <class T>
DirectReport FrontLoop<T>::failure() const
{
  DirectReport r;
  if (gave_up()) {
    r.status = DirectReport::Cascade;
    return r;
  }
  r.status = DirectReport::Status(failed_.load() & 3);
  const Index s = Index(failed_.load() >> 34), column = Index(failed_.load() >> 2 & 0xffffffff);
  r.failed_row = plan_.tree.perm[plan_.tree.first[s] + std::min(column, plan_.tree.columns(s) - 1)];
  return r;
}

template <class T>
Offset FrontLoop<T>::bytes() const
{
  Offset sum = bytes_of(top_);
  for (const ThreadMemory<T> &memory : memory_)
    sum += bytes_of_all(memory.contributions, memory.work);
  return sum;
}

template <class T>
void FrontLoop<T>::run_subtree(Index subtree, FrontWork<T> &work, ThreadMemory<T> &memory)
{
  if (Offset(memory.contributions.size()) < most_memory_)
    memory.contributions.resize(most_memory_);
  for (Index s : plan_.subtrees[subtree].front)
    run_front(s, work, false, memory);
}

template <class T>
void FrontLoop<T>::run_front(Index s, FrontWork<T> &work, bool parallel, ThreadMemory<T> &memory)
{
  for (Index c = plan_.tree.child_start[s]; c < plan_.tree.child_start[s + 1]; ++c)
    bad_[s] |= bad_[plan_.tree.child[c]];
  if (bad_[s] || !may_begin(s, work))
    return;
  const FrontOutcome outcome = work.factor_front(s, parallel, memory);
  if (outcome.status != DirectReport::Complete)
    fail(s, outcome);
}

/// Counts the work of a front, its delayed columns included. The sum does not depend on the order in which threads
/// come, so neither does what becomes of it.
template <class T>
bool FrontLoop<T>::may_begin(Index s, const FrontWork<T> &work)
{
  if (most_work_ == none)
    return true;
  Index columns = plan_.tree.columns(s);
  for (Index c = plan_.tree.child_start[s]; c < plan_.tree.child_start[s + 1]; ++c)
    columns += work.delayed(plan_.tree.child[c]);
  if (!gave_up())
    work_ += Offset(std::min(plan_.flops_of(columns, columns + plan_.tree.below_rows(s)), countable));
  return !gave_up();
}

/// Of several fronts that failed, the one with the lowest number is reported, so that the report does not depend on the
/// order in which threads come.
template <class T>
void FrontLoop<T>::fail(Index s, const FrontOutcome &outcome)
{
  bad_[s] = 1;
  const Offset what = (Offset(s) << 34) | (Offset(outcome.column) << 2) | outcome.status;
  Offset before = failed_.load();
  while (what < before && !failed_.compare_exchange_weak(before, what)) {
  }
}

template class FrontLoop<double>;
template class FrontLoop<Complex>;

} // namespace tessera
