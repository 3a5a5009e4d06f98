#include "support/front_factor.hpp"

#include "analysis/matching/scaling.hpp"
#include "support/random_matrix.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace tessera::test {
namespace {

/// Column-major; both triangles of symmetric ones.
struct Block {
  Index rows = 0;
  std::vector<double> a;

  Block(Index r, Index columns) : rows(r), a(std::size_t(r) * columns, 0.0) {}
  double &operator()(Index i, Index j) { return a[std::size_t(j) * rows + i]; }
  double *column(Index j) { return a.data() + std::size_t(j) * rows; }
};

/// Entries of A in front s, and what its children hand on.
Block gather(const FrontPlan &plan, Index s, const std::vector<double> &values, std::vector<Block> &handed)
{
  const AssemblyTree &tree = plan.tree;
  const Index own = tree.columns(s), rows = own + tree.below_rows(s);
  Block f(rows, rows);
  for (Offset p = plan.entries.start[s]; p < plan.entries.start[s + 1]; ++p) {
    const Index i = plan.entries.row[p], j = plan.entries.column[p];
    const Index row = i < own ? tree.first[s] + i : tree.below[tree.below_start[s] + i - own];
    const double x = scaled(values[plan.entries.source[p]], plan.scale[row], plan.scale[tree.first[s] + j]);
    f(i, j) += x;
    if (i != j)
      f(j, i) += x;
  }
  for (Index c = tree.child_start[s]; c < tree.child_start[s + 1]; ++c) {
    const Index child = tree.child[c];
    const Index *to = tree.to_parent.data() + tree.below_start[child];
    Block &from = handed[child];
    for (Index j = 0; j < from.rows; ++j)
      for (Index i = 0; i < from.rows; ++i)
        f(to[i], to[j]) += from(i, j);
    from = Block(0, 0);
  }
  return f;
}

/// W with Wᵀ A W = J for the w rows and columns of A from c0 on; A = L D Lᵀ without pivoting.
Block eliminate(Block &a, Index c0, Index w, std::vector<double> &sign)
{
  Block l(w, w), inverse(w, w), result(w, w);
  std::vector<double> d(w);
  for (Index j = 0; j < w; ++j)
    for (Index i = j; i < w; ++i) {
      double x = a(c0 + i, c0 + j);
      for (Index k = 0; k < j; ++k)
        x -= l(i, k) * d[k] * l(j, k);
      if (i == j)
        d[j] = x;
      l(i, j) = i == j ? 1 : d[j] == 0 ? 0 : x / d[j];
    }
  for (Index j = 0; j < w; ++j)
    for (Index i = j; i < w; ++i) { // L⁻¹
      double x = i == j;
      for (Index k = j; k < i; ++k)
        x -= l(i, k) * inverse(k, j);
      inverse(i, j) = x;
    }
  for (Index k = 0; k < w; ++k) {
    sign[k] = d[k] > 0 ? 1 : d[k] < 0 ? -1 : 0;
    for (Index i = 0; i < w; ++i)
      result(i, k) = inverse(k, i) / (d[k] == 0 ? 1 : std::sqrt(std::abs(d[k])));
  }
  return result;
}

/// One panel: W and R to the factor, signs, and what is left of the front.
void factor_panel(Block &a, const DeviceFront &f, Index p, Random &random, FrontFactor &to)
{
  const Index c0 = p * f.width(), w = std::min(f.width(), f.columns - c0), rows = a.rows, left = rows - c0 - w;
  std::vector<double> sign(w);
  Block ordered = eliminate(a, c0, w, sign), r(left, w);
  std::vector<Index> order(w);
  std::iota(order.begin(), order.end(), 0);
  for (Index k = w - 1; k > 0; --k)
    std::swap(order[k], order[random.below(k + 1)]);
  double *const panel = to.factor.data() + f.factor_begin + f.panel_offset(p);
  const auto place = [&](Index i) { return (i < f.columns ? i : i - f.columns + f.columns_padded) - c0; };
  for (Index c = 0; c < w; ++c) {
    const double *column = ordered.column(order[c]);
    const double j = sign[order[c]];
    double *const rc = r.column(c), *const stored = panel + Offset(c) * f.leading(p);
    for (Index k = 0; k < w; ++k)
      for (Index i = 0; i < left; ++i)
        rc[i] += a(c0 + w + i, c0 + k) * column[k] * j;
    for (Index i = 0; i < w; ++i)
      stored[i] = column[i];
    for (Index i = 0; i < left; ++i)
      stored[place(c0 + w + i)] = rc[i];
    const std::uint32_t bit = 1u << (c0 + c) % 32;
    to.live[f.sign_begin + (c0 + c) / 32] |= j != 0 ? bit : 0;
    to.negative[f.sign_begin + (c0 + c) / 32] |= j < 0 ? bit : 0;
    for (Index k = 0; k < left; ++k) {
      double *const rest = a.column(c0 + w + k) + c0 + w;
      const double x = j * rc[k];
      for (Index i = 0; i < left; ++i)
        rest[i] -= rc[i] * x;
    }
  }
  for (Index c = w; f.kind == FrontKind::Tiles && c < f.width(); ++c)
    panel[Offset(c) * f.leading(p) + c] = 1; // what it is for padding does not matter
}

} // namespace

FrontFactor factor_fronts(const FrontPlan &plan, const DevicePlan &fronts, const std::vector<double> &values)
{
  FrontFactor result;
  result.factor.assign(fronts.factor_numbers, 0.0);
  result.live.assign(fronts.words, 0);
  result.negative.assign(fronts.words, 0);
  std::vector<Block> handed;
  Random random(5);
  for (Index s = 0; s < plan.tree.fronts(); ++s) {
    const DeviceFront &f = fronts.front[s];
    Block a = gather(plan, s, values, handed);
    for (Index p = 0; p < f.panels(); ++p)
      factor_panel(a, f, p, random, result);
    Block rest(f.below, f.below);
    for (Index j = 0; j < f.below; ++j)
      std::copy_n(a.column(f.columns + j) + f.columns, f.below, rest.column(j));
    handed.push_back(std::move(rest));
  }
  return result;
}

} // namespace tessera::test
