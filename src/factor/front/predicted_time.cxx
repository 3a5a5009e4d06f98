#include "factor/front/predicted_time.hpp"

#include "factor/front/device/front_kinds.hpp"

#include <algorithm>

namespace tessera {
namespace {

// Seconds on one core of an AMD EPYC (Zen 5), fitted to complete factorizations by benchmarks/complete_times.
constexpr double front_time = 2.8e-7;
constexpr double column_entry = 3.1e-9;
constexpr double contribution_entry = 1.3e-9;
constexpr double operation = 2.1e-11;

// Seconds on an H200, fitted to factorizations of 52 systems by benchmarks/direct_times.
constexpr double factorization_time = 3.05e-5;
constexpr double warp_front = 8.2e-6, warp_column = 1.3e-7;
constexpr double block_front = 3.0e-6, block_column = 4.2e-7;
constexpr double tile_front = 1.21e-5, tile_panel = 3.11e-5;
constexpr double searched_column = 5.5e-7; ///< of dense matrices, by benchmarks/dense_times
constexpr double lu_share = 1.58;          ///< of the longest way
constexpr double warps_at_a_time = 876;    ///< fronts of warps, and of thread blocks
constexpr double blocks_at_a_time = 128;
constexpr double tile_rate = 3.81e13; ///< operations in tiles, with their padding

// Seconds on an H100, from the launches of two factorizations with thousands of leaves: of a tile of a leaf, of a child
// in a front of kind Block that only adds up, and of what a tile adds up at a time.
constexpr double leaf_tile = 4.5e-5, summed_child = 2.6e-6, summed_in_tile = 2e-6;
constexpr double thread_blocks_at_a_time = 264; ///< of tiles and sums

/// The longest way from a leaf to a root. time: of each front.
double longest_way(const AssemblyTree &tree, const std::vector<double> &time)
{
  std::vector<double> until(tree.fronts(), 0.0);
  double longest = 0;
  for (Index s = 0; s < tree.fronts(); ++s) {
    until[s] += time[s];
    longest = std::max(longest, until[s]);
    if (tree.parent[s] >= 0)
      until[tree.parent[s]] = std::max(until[tree.parent[s]], until[s]);
  }
  return longest;
}

FrontCounts counts_of(const FrontPlan &plan, Index s)
{
  const double columns = plan.tree.columns(s), below = plan.tree.below_rows(s), sides = plan.symmetric ? 1 : 2;
  return {1, sides * columns * (columns + below), sides * below * below, plan.flops_of(columns, columns + below)};
}

Index tiles_of(Index rows)
{
  return round_up(rows, DeviceFront::tile_width) / DeviceFront::tile_width;
}

/// Seconds of a front on a device, by itself.
double time_on_device(FrontKind kind, Index columns)
{
  switch (kind) {
  case FrontKind::Warp:
    return warp_front + warp_column * columns;
  case FrontKind::Block:
    return block_front + block_column * columns;
  default:
    return tile_front + tile_panel * tiles_of(columns);
  }
}

} // namespace

double predicted_front_time(const FrontCounts &counts)
{
  return front_time * counts.fronts + column_entry * counts.columns + contribution_entry * counts.contributions +
         operation * counts.flops;
}

double predicted_host_time(const FrontPlan &plan, int threads)
{
  std::vector<double> time(plan.tree.fronts());
  double all = 0;
  for (Index s = 0; s < plan.tree.fronts(); ++s)
    all += time[s] = predicted_front_time(counts_of(plan, s));
  const double way = longest_way(plan.tree, time);
  return way + (all - way) / std::max(threads, 1);
}

double predicted_device_time(const FrontPlan &plan)
{
  const AssemblyTree &tree = plan.tree;
  const std::vector<FrontKind> kind = front_kinds(tree, usual_block_rows);
  std::vector<double> time(tree.fronts());
  double work = 0;
  for (Index s = 0; s < tree.fronts(); ++s) {
    const Index columns = round_up(tree.columns(s), DeviceFront::tile_width),
                below = round_up(tree.below_rows(s), DeviceFront::tile_width);
    time[s] = (plan.symmetric ? 1 : lu_share) * time_on_device(kind[s], tree.columns(s));
    work += kind[s] == FrontKind::Warp    ? time[s] / warps_at_a_time
            : kind[s] == FrontKind::Block ? time[s] / blocks_at_a_time
                                          : plan.flops_of(columns, columns + below) / tile_rate;
  }
  return factorization_time + longest_way(tree, time) + work;
}

double predicted_leaf_time(const std::vector<FrontShape> &fronts, Index sums, bool symmetric)
{
  const Index sides = symmetric ? 1 : 2;
  double longest = 0, work = sums < Index(fronts.size()) ? double(fronts.size()) * summed_child : 0;
  work /= thread_blocks_at_a_time;
  for (const FrontShape &f : fronts) {
    const Index below = f.rows - f.columns;
    const FrontKind kind = kind_by_rows(f.columns, below, usual_block_rows);
    const double time = (symmetric ? 1 : lu_share) * time_on_device(kind, f.columns);
    const double tiles = double(tiles_of(f.columns) + tiles_of(below));
    longest = std::max(longest, time);
    work += kind == FrontKind::Warp    ? time / warps_at_a_time
            : kind == FrontKind::Block ? time / blocks_at_a_time
                                       : sides * tiles * (tiles + 1) / 2 * leaf_tile / thread_blocks_at_a_time;
  }
  return longest + work + double(sums) * sides * sides * summed_in_tile;
}

// KKT systems of 35 linear programs, 6e3 to 3e9 operations, on an H200 and four cores of its host: analyses took 0.4 to
// 1.6 times of this, searches 0.4 to 2.4, delays of 60 to 5000 fronts 0.9 to 1.4.

double predicted_analysis_time(const FrontPlan &plan)
{
  return 0.002 + 2e-6 * double(plan.tree.rows()) + 2e-7 * double(plan.matrix.entries());
}

double predicted_pivoting_time(const FrontPlan &plan)
{
  return 0.006 + 4e-7 * double(plan.tree.rows()) + plan.flops / 1.5e10;
}

double predicted_delay_time(const FrontPlan &plan)
{
  return 0.002 + 2e-6 * double(plan.tree.fronts()) + 1.5e-9 * double(plan.factor_entries);
}

double most_work_of(const FrontPlan &plan, double expected)
{
  // An analysis takes about as long as so many operations for each entry of the matrix.
  constexpr double most_growth = 2, analysis_of_entry = 1000;
  return most_growth * std::max(expected, plan.flops) + analysis_of_entry * double(plan.matrix.entries());
}

double predicted_search_time(const FrontPlan &plan, const std::vector<Index> &searched)
{
  std::vector<double> time(searched.begin(), searched.end());
  for (double &t : time)
    t *= searched_column;
  return longest_way(plan.tree, time);
}

} // namespace tessera
