#ifndef TESSERA_FACTOR_JLDLT_RUNS_HPP
#define TESSERA_FACTOR_JLDLT_RUNS_HPP

// The runs of sweeps that JacobiFactor (factor/jldlt/factor.hpp, which includes this) makes a factor of: from U = 0 or
// from the last factor, and with which perturbation.

#include "factor/jldlt/factor.hpp"

namespace tessera {

constexpr Index trial_sweeps = 3; ///< by which perturbations are compared
constexpr double nearly = 1.1;    ///< times the least error: as good, if it is had at a lower price
constexpr double worse = 2;       ///< times the error of the first factor: then the perturbation is chosen again

/// A run from U = 0. Starts with the order that the analysis gave the blocks.
template <class Backend>
void JacobiFactor<Backend>::start(const JacobiOptions &options, JacobiReport &report)
{
  report.error.clear();
  report.final_error = std::numeric_limits<double>::infinity();
  report.sweeps = 0;
  if (reordered_) {
    index_ = IndexArrays<Backend>(backend_, first_order_);
    make_plan(first_order_, stages_, options.max_bytes);
  }
  report.pushed = 0;
  reordered_ = false;
}

/// Tries one perturbation after the other, from large to small, for some sweeps each; the run of the last one tried is
/// the factor that stands. Smaller ones are left out once nothing is perturbed. Of those whose errors are nearly least
/// the smallest is chosen: it changes the matrix least.
template <class Backend>
double JacobiFactor<Backend>::choose_epsilon(const JacobiOptions &options, JacobiReport &report)
{
  constexpr double candidates[] = {0.1, 0.03, 0.01, 1e-3, 1e-6};
  double least = std::numeric_limits<double>::infinity(), chosen = candidates[0];
  JacobiOptions trial = options;
  trial.watch = true;
  for (double epsilon : candidates) {
    start(options, report);
    sweeps(trial, epsilon, 0, std::min(options.sweeps, trial_sweeps), report);
    report.epsilons.push_back(epsilon);
    report.tried.push_back(report.final_error);
    least = std::min(least, report.final_error);
    if (sum_blocks(view()).pivots.perturbed == 0)
      break;
  }
  for (std::size_t i = 0; i < report.tried.size(); ++i)
    if (report.tried[i] <= nearly * least)
      chosen = report.epsilons[i];
  return chosen;
}

/// How many sweeps brought most of what they all did.
inline Index count_useful(const JacobiReport &report)
{
  Index n = 1;
  for (double error : report.error) {
    if (error <= nearly * report.final_error)
      break;
    ++n;
  }
  return n;
}

/// The first n sweeps of a run whose error is measured at its end only. False if it is not good enough.
template <class Backend>
bool JacobiFactor<Backend>::sweep_unwatched(const JacobiOptions &options, double epsilon, Index n, JacobiReport &report)
{
  JacobiOptions unwatched = options;
  unwatched.watch = false;
  sweeps(unwatched, epsilon, 0, std::min(options.sweeps, n), report);
  report.final_error = measure().error;
  report.error.push_back(report.final_error);
  return report.final_error <= worse * chosen_error_;
}

/// A factor that begins with the last one, if that is nearer to the matrix than a first sweep was. If the last one
/// began so too, it takes as many sweeps as brought most then, and its error is measured at the end only.
template <class Backend>
bool JacobiFactor<Backend>::factor_warm(const JacobiOptions &options, JacobiReport &report)
{
  if (!known_ || !options.warm_start || (options.epsilon >= 0 && options.epsilon != epsilon_))
    return false;
  report.epsilon = epsilon_;
  if (useful_warm_sweeps_ > 0 && options.watch) {
    report.warm = true;
    if (sweep_unwatched(options, last_epsilon_, useful_warm_sweeps_, report))
      return true;
    useful_warm_sweeps_ = 0;
    return false;
  }
  const double error = measure().error;
  if (!(error < first_error_))
    return false;
  report.warm = true;
  report.final_error = error;
  sweeps(options, last_epsilon_, 0, options.sweeps, report);
  useful_warm_sweeps_ = options.watch ? count_useful(report) : 0;
  return options.epsilon >= 0 || report.final_error <= worse * chosen_error_;
}

/// A factor from U = 0 with the perturbation of the last one and as many sweeps as brought most of it then, whose error
/// is measured at the end only. False if it is not good enough.
template <class Backend>
bool JacobiFactor<Backend>::factor_as_before(const JacobiOptions &options, JacobiReport &report)
{
  if (useful_sweeps_ == 0 || !options.watch || (options.epsilon >= 0 && options.epsilon != epsilon_))
    return false;
  report.warm = false;
  report.epsilon = epsilon_;
  start(options, report);
  return sweep_unwatched(options, epsilon_, useful_sweeps_, report);
}

/// A factor from U = 0, its perturbation chosen unless it is given.
template <class Backend>
void JacobiFactor<Backend>::factor_cold(const JacobiOptions &options, JacobiReport &report)
{
  report.warm = false;
  epsilon_ = options.epsilon >= 0 ? options.epsilon : choose_epsilon(options, report);
  report.epsilon = epsilon_;
  if (!report.epsilons.empty() && report.epsilons.back() == epsilon_) {
    if (!report.stalled)
      sweeps(options, epsilon_, trial_sweeps, options.sweeps, report);
  } else {
    start(options, report);
    sweeps(options, epsilon_, 0, options.sweeps, report);
  }
  if (options.watch) {
    first_error_ = report.error[0];
    chosen_error_ = report.final_error;
    useful_sweeps_ = count_useful(report);
    useful_warm_sweeps_ = 0;
  }
}

template <class Backend>
JacobiReport JacobiFactor<Backend>::factor(const ValuesView &values, const JacobiOptions &options)
{
  JacobiReport report;
  if (stages_ != options.stages) {
    stages_ = options.stages;
    make_plan(reordered_ ? order() : first_order_, stages_, options.max_bytes);
    known_ = false;
    useful_sweeps_ = useful_warm_sweeps_ = 0;
  }
  gather(values);
  report.norm = norm_;
  if (!(report.norm <= std::numeric_limits<double>::max())) {
    report.factor.status = FactorReport::NonFinite;
    known_ = false;
    useful_sweeps_ = useful_warm_sweeps_ = 0;
    return report;
  }
  if (!factor_warm(options, report) && !factor_as_before(options, report))
    factor_cold(options, report);
  const JacobiSums sum = sums_of_factor_ ? *sums_of_factor_ : sum_blocks(view());
  FactorReport &f = report.factor;
  f.add_pivots(sum.pivots);
  f.growth = report.norm > 0 ? sum.largest / report.norm : 0;
  f.entries = entries();
  if (sum.nonfinite > 0 || (options.watch && !(report.final_error < std::numeric_limits<double>::infinity())))
    f.status = FactorReport::NonFinite;
  known_ = f.status == FactorReport::Complete && options.watch;
  useful_sweeps_ = f.status == FactorReport::Complete ? useful_sweeps_ : 0;
  last_epsilon_ = report.last_epsilon;
  return report;
}

} // namespace tessera
#endif
