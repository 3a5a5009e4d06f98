#include "analysis/pairs/compress_and_order.hpp"

#include "analysis/matching/symmetric_pairs.hpp"
#include "analysis/pairs/single_pivots.hpp"

#include <optional>
#include <utility>

namespace tessera {
namespace {

constexpr double looked_at = 1.5; ///< operations by rows that wait, over those without: from there on pairs are tried

/// Whether no order of a graph takes much fewer operations than another.
bool is_dense(const Pattern &graph)
{
  return 4. * double(graph.entries()) >= double(graph.rows) * double(graph.rows);
}

/// The pairs that are left.
std::vector<Index> left_pairs(const SinglePivots &single, const std::vector<Index> &partner, PairsApart apart)
{
  std::vector<Index> left = single.without_loose_pairs(partner);
  const bool fails = apart == PairsApart::QuasiDefinite && left != partner &&
                     !(single.spares_fill(partner, left) && single.is_quasi_definite(partner));
  return fails ? partner : left;
}

/// Orders a graph without loose pairs. Where the rows that wait for others take half as many operations again, the
/// graph with all pairs, too, which replaces it where that takes fewer. Returns whether it does not.
bool order_waiting(const Matrix &symmetric, const SinglePivots &single, const std::vector<Index> &all_pairs,
                   PairsApart apart, const std::function<Symbolic(const CompressedGraph &)> &order,
                   OrderedGraph &result)
{
  result.symbolic = order(result.graph);
  if (result.symbolic.empty())
    return true;
  const double flops = result.symbolic.size.flops;
  const std::vector<Index> moved = single.put_behind(result.graph, result.symbolic.perm,
                                                     apart == PairsApart::Loose ? std::vector<Index>() : all_pairs);
  if (moved.empty())
    return true;
  result.symbolic = analyze(result.graph.pattern, result.graph.weight, moved);
  if (result.symbolic.size.flops <= looked_at * flops)
    return true;
  OrderedGraph paired{compress(symmetric.pattern, all_pairs), {}};
  paired.symbolic = order(paired.graph);
  if (paired.symbolic.empty() || paired.symbolic.size.flops > result.symbolic.size.flops)
    return true;
  result = std::move(paired);
  return false;
}

bool may_be_apart(const Matrix &symmetric, const SymmetricPreprocessing &ready, PairsApart apart)
{
  return apart != PairsApart::None && ready.pairs > 0 && !is_dense(symmetric.pattern);
}

} // namespace

bool leaves_pairs_apart(const Matrix &symmetric, const SymmetricPreprocessing &ready, PairsApart apart)
{
  return may_be_apart(symmetric, ready, apart) &&
         left_pairs(SinglePivots(symmetric, ready.scale), ready.partner, apart) != ready.partner;
}

OrderedGraph compress_and_order(const Matrix &symmetric, SymmetricPreprocessing &ready, PairsApart apart,
                                StepClock &clock, const std::function<Symbolic(const CompressedGraph &)> &order)
{
  std::optional<SinglePivots> single;
  std::vector<Index> partner = ready.partner;
  CompressedGraph graph = clock.run(AnalysisStep::Compression, [&] {
    if (may_be_apart(symmetric, ready, apart)) {
      single.emplace(symmetric, ready.scale);
      partner = left_pairs(*single, partner, apart);
    }
    return compress(symmetric.pattern, partner);
  });
  OrderedGraph result{std::move(graph), {}};
  if (partner == ready.partner) {
    result.symbolic = clock.run(AnalysisStep::Ordering, [&] { return order(result.graph); });
    return result;
  }
  const bool are_left_out = clock.run(
      AnalysisStep::Ordering, [&] { return order_waiting(symmetric, *single, ready.partner, apart, order, result); });
  if (are_left_out) {
    ready.partner = std::move(partner);
    ready.pairs = count_pairs(ready.partner);
  }
  return result;
}

} // namespace tessera
