#ifndef TESSERA_FACTOR_FRONT_PREDICTED_TIME_HPP
#define TESSERA_FACTOR_FRONT_PREDICTED_TIME_HPP

#include "analysis/symbolic/merge_leaves.hpp"
#include "factor/front/front_plan.hpp"

namespace tessera {

/// Seconds that an LDLᵀ factorization of fronts with these counts takes on one core of an AMD EPYC (Zen 5), where
/// nothing is delayed: each front, each entry of the own columns and of contributions, and each operation, in times
/// that were measured (benchmarks/complete_times). Another core takes a multiple of it.
double predicted_front_time(const FrontCounts &counts);

/// The same of a plan, for LU too, on so many cores, which share what is not on the longest way from a leaf to a root.
double predicted_host_time(const FrontPlan &plan, int threads);

/// Seconds that a factorization of a plan with its own pivots takes on an NVIDIA H200: what every factorization takes,
/// the longest way from a leaf to a root, and the work of all fronts, by kinds, in times that were fitted to measured
/// ones (benchmarks/direct_times; see docs/notes/direct-gpu.md).
double predicted_device_time(const FrontPlan &plan);

/// What searches for pivots among the columns of a panel add to it, on the longest way from a leaf to a root. searched:
/// [fronts] how many of a front's columns were in such panels.
double predicted_search_time(const FrontPlan &plan, const std::vector<Index> &searched);

/// Seconds that a few cores of a host take to analyse the matrix of a symmetric plan, and to bring the plan to a
/// device; to search all its pivots, where its scale factors go with the values; and to make another plan with delayed
/// columns and try it.
double predicted_analysis_time(const FrontPlan &plan);
double predicted_pivoting_time(const FrontPlan &plan);
double predicted_delay_time(const FrontPlan &plan);

/// Work of a factorization on the host, see DirectReport, from which on a new analysis is the better way. expected:
/// what the analysis led to.
double most_work_of(const FrontPlan &plan, double expected);

/// Seconds on an H100 that fronts without children take, which have the same parent, and this one, of kind Tiles, to
/// add up so many sums of them, or all of them where there are as many.
double predicted_leaf_time(const std::vector<FrontShape> &fronts, Index sums, bool symmetric);

} // namespace tessera
#endif
