#include "factor_apply.hpp"

#include <algorithm>
#include <cmath>

namespace tessera::fuzz {
namespace {

/// The parts of a factor, in its own order of the rows.
class Parts {
public:
  Parts(const BlockStructure &structure, const FactorCopy &factor) : s_(structure), f_(factor)
  {
    Offset inverse = 0, value = 0;
    for (Index b = 0; b < s_.blocks(); ++b) {
      const Index k = s_.block_rows(b);
      inverse_at_.push_back(inverse);
      value_at_.push_back(value);
      inverse += Offset(k) * k;
      value += kept(b) * Offset(k);
      column_at_.push_back(column_at_.empty() ? 0 : column_at_.back() + kept(b - 1));
    }
  }

  /// Entry of L⁻¹ P of a block: row in pivot order, column in that of the block.
  long double inverse(Index b, Index row, Index column) const
  {
    return f_.inverse[inverse_at_[b] + Offset(column) * s_.block_rows(b) + row];
  }

  /// Calls action(row, column, value) for the entries of U above the diagonal tile of block row b.
  template <class Action>
  void each_above(Index b, const Action &action) const
  {
    const Index k = s_.block_rows(b);
    for (Offset t = s_.tiles.upper.start[b]; t < s_.tiles.upper.start[b + 1]; ++t)
      for (Index c = f_.first[t + b]; c < f_.first[t + b + 1]; ++c)
        for (Index r = 0; r < k; ++r)
          action(s_.block_start[b] + r, s_.block_start[s_.tiles.upper.column[t]] + f_.column[column_at_[b] + c],
                 static_cast<long double>(f_.value[value_at_[b] + Offset(c) * k + r]));
  }

private:
  Offset kept(Index b) const { return f_.first[s_.tiles.upper.start[b + 1] + b]; }

  const BlockStructure &s_;
  const FactorCopy &f_;
  std::vector<Offset> inverse_at_, value_at_, column_at_; ///< [blocks]
};

/// Vectors of values and of the bounds of their magnitudes.
struct Pair {
  std::vector<long double> value, bound;

  long double most() const { return bound.empty() ? 0 : *std::max_element(bound.begin(), bound.end()); }
};

/// x = D⁻¹ x, in pivot order; zero pivots give zeros.
void divide(const FactorCopy &f, Pair &x)
{
  const std::size_t n = f.d.size();
  for (std::size_t i = 0; i < n; ++i) {
    const long double a = f.d[i], e = f.e[i];
    if (e == 0) {
      x.value[i] = a == 0 ? 0 : x.value[i] / a;
      x.bound[i] = a == 0 ? 0 : x.bound[i] / std::abs(a);
      continue;
    }
    const long double c = f.d[i + 1], determinant = a * c - e * e;
    const long double norm = std::max(std::abs(a), std::abs(c)) + std::abs(e);
    const long double condition = norm * norm / std::abs(determinant);
    const long double p = x.value[i], q = x.value[i + 1], bound = x.bound[i] + x.bound[i + 1];
    x.value[i] = (c * p - e * q) / determinant;
    x.value[i + 1] = (a * q - e * p) / determinant;
    x.bound[i] = x.bound[i + 1] = bound * condition * norm / std::abs(determinant);
    ++i;
  }
}

/// Multiplies a block of x by L⁻¹ P, or by its transpose.
void multiply_block(const Parts &parts, const BlockStructure &s, Index b, bool transposed, Pair &x)
{
  const Index k = s.block_rows(b), at = s.block_start[b];
  std::vector<long double> value(k), bound(k);
  for (Index i = 0; i < k; ++i)
    for (Index j = 0; j < k; ++j) {
      const long double m = transposed ? parts.inverse(b, j, i) : parts.inverse(b, i, j);
      value[i] += m * x.value[at + j];
      bound[i] += std::abs(m) * x.bound[at + j];
    }
  std::copy(value.begin(), value.end(), x.value.begin() + at);
  std::copy(bound.begin(), bound.end(), x.bound.begin() + at);
}

} // namespace

Application apply_exactly(const Analysis &analysis, const FactorCopy &factor, const std::vector<double> &r)
{
  const BlockStructure &s = analysis.structure;
  const Parts parts(s, factor);
  Pair x{std::vector<long double>(s.rows), std::vector<long double>(s.rows)};
  for (Index i = 0; i < s.rows; ++i) {
    x.value[i] = static_cast<long double>(r[s.perm[i]]) * analysis.scale[s.perm[i]];
    x.bound[i] = std::abs(x.value[i]);
  }
  Application result{std::vector<long double>(s.rows), std::vector<long double>(s.rows)};
  for (Index b = 0; b < s.blocks(); ++b) {
    multiply_block(parts, s, b, false, x);
    parts.each_above(b, [&](Index i, Index j, long double u) {
      x.value[j] -= u * x.value[i];
      x.bound[j] += std::abs(u) * x.bound[i];
    });
  }
  result.most = x.most();
  divide(factor, x);
  result.most = std::max(result.most, x.most());
  for (Index b = s.blocks(); b-- > 0;) {
    parts.each_above(b, [&](Index i, Index j, long double u) {
      x.value[i] -= u * x.value[j];
      x.bound[i] += std::abs(u) * x.bound[j];
    });
    multiply_block(parts, s, b, true, x);
  }
  result.most = std::max(result.most, x.most());
  for (Index i = 0; i < s.rows; ++i) {
    result.value[s.perm[i]] = x.value[i] * analysis.scale[s.perm[i]];
    result.bound[s.perm[i]] = x.bound[i] * analysis.scale[s.perm[i]];
    result.most = std::max(result.most, result.bound[s.perm[i]]);
  }
  return result;
}

long double stability(const Analysis &analysis, const FactorCopy &factor)
{
  const BlockStructure &s = analysis.structure;
  const Parts parts(s, factor);
  test::Dense u(s.rows), d(s.rows);
  for (Index i = 0; i < s.rows; ++i) {
    d(i, i) = std::abs(factor.d[i]);
    if (factor.e[i] != 0)
      d(i, i + 1) = d(i + 1, i) = std::abs(factor.e[i]);
  }
  for (Index b = 0; b < s.blocks(); ++b) {
    const Index k = s.block_rows(b), at = s.block_start[b];
    test::Dense m(k);
    for (Index i = 0; i < k; ++i)
      for (Index j = 0; j < k; ++j)
        m(i, j) = parts.inverse(b, i, j);
    const test::Dense l = test::inverse(m);
    for (Index i = 0; i < k; ++i)
      for (Index j = 0; j < k; ++j)
        u(at + i, at + j) = std::abs(l(j, i));
    parts.each_above(b, [&](Index i, Index j, long double x) { u(i, j) = std::abs(x); });
  }
  return largest(multiply(multiply(transpose(u), d), u));
}

} // namespace tessera::fuzz
