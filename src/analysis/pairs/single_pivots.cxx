#include "analysis/pairs/single_pivots.hpp"

#include "analysis/input/diagonal.hpp"
#include "analysis/matching/symmetric_pairs.hpp"
#include "base/permute.hpp"
#include "base/scaled.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace tessera {
namespace {

constexpr Offset few_entries = 1 << 17; ///< of a matrix that one thread goes through
constexpr double single_pivot = 0.25;   ///< a scaled diagonal at least
constexpr double most_growth = 8;       ///< what a single pivot may add to the matrix, over the largest entry of that
constexpr double strong = 0.5;          ///< a matched entry at least, whose scale factors are rounded to powers of two
constexpr double fewest_loose = 1. / 3; ///< pairs of all
constexpr double spread = 0x1p26;       ///< of single pivots: what is eliminated with them keeps half of the digits
constexpr double dominance = 0.5;       ///< sum of magnitudes beside the diagonal of a single pivot, over that
constexpr double most_waiting = 0.75; ///< rows in loose pairs that wait for the other, for each row that need not wait

double largest_magnitude(const Matrix &a, Offset begin, Offset end, Index but)
{
  double largest = 0;
  for (Offset p = begin; p < end; ++p)
    if (a.pattern.column[p] != but)
      largest = std::max(largest, std::abs(a.value[p]));
  return largest;
}

} // namespace

SinglePivots::SinglePivots(const Matrix &symmetric, const std::vector<double> &scale)
    : a_(symmetric), scale_(scale), diagonal_(scale.size()), is_single_(scale.size())
{
  const Pattern &p = a_.pattern;
  double largest = 0;
#pragma omp parallel for schedule(static) reduction(max : largest) if (p.entries() > few_entries)
  for (Index i = 0; i < p.rows; ++i)
    largest = std::max(largest, largest_magnitude(a_, p.start[i], p.start[i + 1], -1));
#pragma omp parallel for schedule(static) if (p.entries() > few_entries)
  for (Index i = 0; i < p.rows; ++i) {
    const double diagonal = diagonal_entry(a_, i), other = largest_magnitude(a_, p.start[i], p.start[i + 1], i);
    diagonal_[i] = scaled(diagonal, scale[i], scale[i]);
    is_single_[i] =
        std::abs(diagonal_[i]) >= single_pivot && other * (other / largest) <= most_growth * std::abs(diagonal);
  }
}

/// visit(column, entry) for each entry of row i that couples it strongly with a single pivot.
template <class Visit>
void SinglePivots::each_beside(Index i, const Visit &visit) const
{
  for (Offset p = a_.pattern.start[i]; p < a_.pattern.start[i + 1]; ++p) {
    const Index j = a_.pattern.column[p];
    if (j == i || !is_single_[j])
      continue;
    const double entry = scaled(a_.value[p], scale_[i], scale_[j]);
    if (std::abs(entry) >= strong)
      visit(j, entry);
  }
}

/// Whether single pivot j gives row i a diagonal, of which those of the other sign leave at least a half.
bool SinglePivots::makes_pivot(Index j, Index i) const
{
  double same = 0, other = 0; // sums of what is subtracted from the diagonal
  each_beside(i, [&](Index k, double entry) {
    ((diagonal_[k] > 0) == (diagonal_[j] > 0) ? same : other) += entry * entry / std::abs(diagonal_[k]);
  });
  return same > 0 && other <= same / 2;
}

std::vector<Index> SinglePivots::without_loose_pairs(const std::vector<Index> &partner) const
{
  std::vector<Index> left = partner;
  Index waiting = 0, single = 0;
#pragma omp parallel for schedule(static) reduction(+ : waiting, single) if (a_.pattern.entries() > few_entries)
  for (Index i = 0; i < a_.pattern.rows; ++i) {
    const Index j = partner[i]; // of which no other row is the partner
    single += is_single_[i];
    if (j == i || is_single_[i] || !is_single_[j] || !makes_pivot(j, i))
      continue;
    left[i] = i;
    left[j] = j;
    ++waiting;
  }
  const bool are_many = waiting >= fewest_loose * count_pairs(partner);
  return are_many && waiting <= most_waiting * single ? left : partner;
}

bool SinglePivots::is_quasi_definite(const std::vector<Index> &partner) const
{
  const Pattern &p = a_.pattern;
  std::vector<bool> is_negative(p.rows);
  for (Index i = 0; i < p.rows; ++i)
    is_negative[i] = diagonal_[i] < 0 || (diagonal_[i] == 0 && diagonal_[partner[i]] > 0);
  bool is = true;
  double largest = 0, least = std::numeric_limits<double>::infinity(); // of single pivots, as they are
#pragma omp parallel for schedule(static) reduction(&& : is) reduction(max : largest) reduction(min : least)           \
    if (p.entries() > few_entries)
  for (Index i = 0; i < p.rows; ++i) {
    if (is_single_[i]) {
      const double diagonal = std::abs(diagonal_entry(a_, i));
      largest = std::max(largest, diagonal);
      least = std::min(least, diagonal);
    }
    double same = 0; // magnitudes of entries in columns of the same sign
    for (Offset q = p.start[i]; q < p.start[i + 1]; ++q) {
      const Index j = p.column[q];
      if (j != i && is_negative[j] == is_negative[i])
        same += std::abs(scaled(a_.value[q], scale_[i], scale_[j]));
    }
    is = is && same <= (is_single_[i] ? dominance : 1) * std::abs(diagonal_[i]);
  }
  return is && largest / spread <= least;
}

bool SinglePivots::spares_fill(const std::vector<Index> &partner, const std::vector<Index> &left) const
{
  const auto neighbours = [this](Index i) {
    return a_.pattern.start[i + 1] - a_.pattern.start[i] - (diagonal_[i] != 0);
  };
  Index loose = 0, large = 0;
  for (Index i = 0; i < a_.pattern.rows; ++i) {
    const Index j = partner[i];
    if (j == left[i] || is_single_[i]) // each loose pair has one row that is none
      continue;
    ++loose;
    large += neighbours(i) + neighbours(j) - 2 >= 2 * std::max<Offset>(neighbours(j), 2); // without each other
  }
  return 2 * large > loose;
}

/// visit(row) for each row that row i may wait for.
template <class Visit>
void SinglePivots::each_awaited(Index i, const std::vector<Index> &partner, const Visit &visit) const
{
  if (partner.empty())
    each_beside(i, [&visit](Index j, double) { visit(j); });
  else if (is_single_[partner[i]])
    visit(partner[i]);
}

/// For each vertex that has to wait the place of the vertex that it waits for, -1 for others.
std::vector<Index> SinglePivots::places_to_wait_for(const CompressedGraph &graph, const std::vector<Index> &place,
                                                    const std::vector<Index> &partner) const
{
  const Index vertices = static_cast<Index>(graph.weight.size());
  const std::vector<Index> vertex_of = vertices_of_rows(graph);
  std::vector<Index> wait(vertices, -1);
  for (Index v = 0; v < vertices; ++v) {
    const Index row = graph.row[graph.row_start[v]];
    if (graph.weight[v] > 1 || is_single_[row])
      continue;
    Index first = vertices;
    each_awaited(row, partner, [&](Index j) {
      if (graph.weight[vertex_of[j]] == 1)
        first = std::min(first, place[vertex_of[j]]);
    });
    if (first < vertices && first > place[v])
      wait[v] = first;
  }
  return wait;
}

std::vector<Index> SinglePivots::put_behind(const CompressedGraph &graph, const std::vector<Index> &perm,
                                            const std::vector<Index> &partner) const
{
  const Index vertices = static_cast<Index>(perm.size());
  const std::vector<Index> wait = places_to_wait_for(graph, inverse_permutation(perm), partner);
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

} // namespace tessera
