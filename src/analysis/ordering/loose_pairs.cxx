#include "analysis/ordering/loose_pairs.hpp"

#include "analysis/input/diagonal.hpp"
#include "base/permute.hpp"
#include "base/scaled.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace tessera {
namespace {

constexpr double most_growth = 8;       ///< what a single pivot may add to the matrix, over the largest entry of that
constexpr double strong = 0.5;          ///< a matched entry at least, whose scale factors are rounded to powers of two
constexpr double fewest_loose = 1. / 3; ///< pairs of all
constexpr double most_waiting = 0.75; ///< rows in loose pairs that wait for the other, for each row that need not wait
constexpr double looked_at = 1.25; ///< operations by rows that wait, over those without: from there on pairs are tried

double largest_magnitude(const Matrix &a, Offset begin, Offset end, Index but)
{
  double largest = 0;
  for (Offset p = begin; p < end; ++p)
    if (a.pattern.column[p] != but)
      largest = std::max(largest, std::abs(a.value[p]));
  return largest;
}

/// A matrix whose entries are scaled as they are read, and which of its rows are single pivots.
class ScaledMatrix {
public:
  ScaledMatrix(const Matrix &a, const std::vector<double> &scale)
      : a_(a), scale_(scale), diagonal_(scale.size()), is_single_(scale.size())
  {
    const double largest = largest_magnitude(a, 0, a.pattern.entries(), -1);
    for (Index i = 0; i < a.pattern.rows; ++i) {
      const double diagonal = diagonal_entry(a, i),
                   other = largest_magnitude(a, a.pattern.start[i], a.pattern.start[i + 1], i);
      diagonal_[i] = scaled(diagonal, scale[i], scale[i]);
      is_single_[i] =
          std::abs(diagonal_[i]) >= single_pivot && other * (other / largest) <= most_growth * std::abs(diagonal);
    }
  }

  bool is_single_pivot(Index i) const { return is_single_[i]; }

  /// visit(column, entry) for each entry of row i that couples it strongly with a single pivot.
  template <class Visit>
  void each_pivot(Index i, const Visit &visit) const
  {
    for (Offset p = a_.pattern.start[i]; p < a_.pattern.start[i + 1]; ++p) {
      const Index j = a_.pattern.column[p];
      if (j == i || !is_single_pivot(j))
        continue;
      const double entry = scaled(a_.value[p], scale_[i], scale_[j]);
      if (std::abs(entry) >= strong)
        visit(j, entry);
    }
  }

  /// Whether single pivot j gives row i a diagonal, of which those of the other sign leave at least a half.
  bool makes_pivot(Index j, Index i) const
  {
    double same = 0, other = 0; // sums of what is subtracted from the diagonal
    each_pivot(i, [&](Index k, double entry) {
      ((diagonal_[k] > 0) == (diagonal_[j] > 0) ? same : other) += entry * entry / std::abs(diagonal_[k]);
    });
    return same > 0 && other <= same / 2;
  }

private:
  const Matrix &a_;
  const std::vector<double> &scale_;
  std::vector<double> diagonal_; ///< scaled
  std::vector<bool> is_single_;
};

Index count_pairs(const std::vector<Index> &partner)
{
  Index pairs = 0;
  for (Index i = 0; i < static_cast<Index>(partner.size()); ++i)
    pairs += partner[i] > i;
  return pairs;
}

/// Numbers each vertex that has to wait by the place of the vertex that it waits for, others by -1.
std::vector<Index> places_to_wait_for(const ScaledMatrix &a, const CompressedGraph &graph,
                                      const std::vector<Index> &place)
{
  const Index vertices = static_cast<Index>(graph.weight.size());
  std::vector<Index> vertex_of(graph.row.size()), wait(vertices, -1);
  for (Index v = 0; v < vertices; ++v)
    for (Index r = graph.row_start[v]; r < graph.row_start[v + 1]; ++r)
      vertex_of[graph.row[r]] = v;
  for (Index v = 0; v < vertices; ++v) {
    const Index row = graph.row[graph.row_start[v]];
    if (graph.weight[v] > 1 || a.is_single_pivot(row))
      continue;
    Index first = vertices;
    a.each_pivot(row, [&](Index j, double) {
      if (graph.weight[vertex_of[j]] == 1)
        first = std::min(first, place[vertex_of[j]]);
    });
    if (first < vertices && first > place[v])
      wait[v] = first;
  }
  return wait;
}

} // namespace

std::vector<Index> without_loose_pairs(const Matrix &symmetric, const std::vector<double> &scale,
                                       const std::vector<Index> &partner)
{
  const ScaledMatrix a(symmetric, scale);
  std::vector<Index> left = partner;
  Index waiting = 0, single = 0;
  for (Index i = 0; i < symmetric.pattern.rows; ++i) {
    const Index j = partner[i];
    single += a.is_single_pivot(i);
    if (j == i || a.is_single_pivot(i) || !a.is_single_pivot(j) || !a.makes_pivot(j, i))
      continue;
    left[i] = i;
    left[j] = j;
    ++waiting;
  }
  const Index pairs = count_pairs(partner);
  const bool are_many = pairs - count_pairs(left) >= fewest_loose * pairs;
  return are_many && waiting <= most_waiting * single ? left : partner;
}

std::vector<Index> put_behind_pivots(const Matrix &symmetric, const std::vector<double> &scale,
                                     const CompressedGraph &graph, const std::vector<Index> &perm)
{
  const Index vertices = static_cast<Index>(perm.size());
  const std::vector<Index> wait = places_to_wait_for(ScaledMatrix(symmetric, scale), graph, inverse_permutation(perm));
  // Those that wait for a place, in the order of their own ones: a list for each place.
  std::vector<Index> first(vertices, -1), next(vertices, -1);
  bool moves = false;
  for (Index k = vertices - 1; k >= 0; --k)
    if (const Index v = perm[k]; wait[v] >= 0) {
      next[v] = std::exchange(first[wait[v]], v);
      moves = true;
    }
  if (!moves)
    return {};
  std::vector<Index> moved;
  moved.reserve(vertices);
  for (Index k = 0; k < vertices; ++k) {
    if (wait[perm[k]] < 0)
      moved.push_back(perm[k]);
    for (Index v = first[k]; v >= 0; v = next[v])
      moved.push_back(v);
  }
  return moved;
}

OrderedGraph compress_and_order(const Matrix &symmetric, SymmetricPreprocessing &ready, bool loose, StepClock &clock,
                                const std::function<Symbolic(const CompressedGraph &)> &order)
{
  std::vector<Index> partner = loose ? without_loose_pairs(symmetric, ready.scale, ready.partner) : ready.partner;
  const bool are_fewer = partner != ready.partner;
  OrderedGraph result;
  result.graph = clock.run(AnalysisStep::Compression, [&] { return compress(symmetric.pattern, partner); });
  clock.run(AnalysisStep::Ordering, [&] {
    result.symbolic = order(result.graph);
    if (!are_fewer || result.symbolic.empty())
      return;
    const double flops = result.symbolic.size.flops;
    const std::vector<Index> moved = put_behind_pivots(symmetric, ready.scale, result.graph, result.symbolic.perm);
    if (!moved.empty())
      result.symbolic = analyze(result.graph.pattern, result.graph.weight, moved);
    if (result.symbolic.size.flops > looked_at * flops) {
      OrderedGraph paired{compress(symmetric.pattern, ready.partner), {}};
      paired.symbolic = order(paired.graph);
      if (!paired.symbolic.empty() && paired.symbolic.size.flops <= result.symbolic.size.flops) {
        result = std::move(paired);
        return;
      }
    }
    ready.partner = std::move(partner);
    ready.pairs = count_pairs(ready.partner);
  });
  return result;
}

} // namespace tessera
