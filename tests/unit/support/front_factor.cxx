#include "support/front_factor.hpp"

#include "base/scaled.hpp"
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

/// The columns of W in a random order, and what J has in each of them. A column of plus and one of minus beside it, at
/// an even place, become two that J exchanges.
struct OrderedPanel {
  Block w;
  std::vector<double> sign;   ///< 0 for a pivot of 0
  std::vector<Index> partner; ///< the column that J puts in this one's place

  OrderedPanel(Block in_order, const std::vector<double> &signs, Random &random)
      : w(in_order.rows, in_order.rows), sign(signs.size()), partner(signs.size())
  {
    const Index n = w.rows;
    std::vector<Index> order(n);
    std::iota(order.begin(), order.end(), 0);
    for (Index k = n - 1; k > 0; --k)
      std::swap(order[k], order[random.below(k + 1)]);
    for (Index c = 0; c < n; ++c) {
      std::copy_n(in_order.column(order[c]), n, w.column(c));
      sign[c] = signs[order[c]];
      partner[c] = c;
    }
    for (Index c = 0; c + 1 < n; c += 2)
      if (sign[c] > 0 && sign[c + 1] < 0)
        exchange(c);
  }

private:
  void exchange(Index c)
  {
    for (Index i = 0; i < w.rows; ++i) {
      const double x = w(i, c), y = w(i, c + 1);
      w(i, c) = (x + y) * std::sqrt(0.5);
      w(i, c + 1) = (x - y) * std::sqrt(0.5);
    }
    sign[c + 1] = 1;
    std::swap(partner[c], partner[c + 1]);
  }
};

/// One panel: W and R to the factor, what J is, and what is left of the front.
void factor_panel(Block &a, const DeviceFront &f, Index p, Random &random, FrontFactor &to)
{
  const Index c0 = p * f.width(), w = std::min(f.width(), f.columns - c0), rows = a.rows, left = rows - c0 - w;
  std::vector<double> signs(w);
  Block in_order = eliminate(a, c0, w, signs), v(left, w);
  OrderedPanel ordered(std::move(in_order), signs, random);
  for (Index c = 0; c < w; ++c)
    for (Index k = 0; k < w; ++k)
      for (Index i = 0; i < left; ++i)
        v(i, c) += a(c0 + w + i, c0 + k) * ordered.w(k, c);
  double *const panel = to.factor.data() + f.factor_begin + f.panel_offset(p);
  /// Entry (i, c) of the panel
  const auto stored = [&](Index i, Index c) -> double & {
    const Index t = DeviceFront::tile_width;
    return panel[f.kind == FrontKind::Tiles ? i / t * f.stored(p) + DeviceFront::entry_of_tile(i % t, c)
                                            : Offset(c) * f.leading(p) + i];
  };
  const auto place = [&](Index i) { return (i < f.columns ? i : i - f.columns + f.columns_padded) - c0; };
  for (Index c = 0; c < w; ++c) {
    const double j = ordered.sign[c];
    const double *const own = v.column(c), *const other = v.column(ordered.partner[c]);
    for (Index i = 0; i < w; ++i)
      stored(i, c) = ordered.w(i, c);
    for (Index i = 0; i < left; ++i)
      stored(place(c0 + w + i), c) = j * other[i];
    const Index word = f.sign_begin + (c0 + c) / 32;
    const std::uint32_t bit = 1u << (c0 + c) % 32;
    to.live[word] |= j != 0 ? bit : 0;
    to.negative[word] |= j < 0 ? bit : 0;
    to.swapped[word] |= ordered.partner[c] != c ? bit : 0;
    for (Index k = 0; k < left; ++k) {
      double *const rest = a.column(c0 + w + k) + c0 + w;
      const double x = j * other[k];
      for (Index i = 0; i < left; ++i)
        rest[i] -= own[i] * x;
    }
  }
  for (Index c = w; f.kind == FrontKind::Tiles && c < f.kept_columns(p); ++c)
    stored(c, c) = 1; // what it is for padding does not matter
}

} // namespace

FrontFactor factor_fronts(const FrontPlan &plan, const DevicePlan &fronts, const std::vector<double> &values)
{
  FrontFactor result;
  result.factor.assign(fronts.factor_numbers, 0.0);
  result.live.assign(fronts.words, 0);
  result.negative.assign(fronts.words, 0);
  result.swapped.assign(fronts.words, 0);
  std::vector<Block> handed;
  Random random(5);
  for (const DeviceFront &f : fronts.front) {
    const Index s = fronts.origin[&f - fronts.front.data()];
    if (s < 0) // only adds up
      continue;
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
