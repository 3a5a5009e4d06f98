#ifndef TESSERA_TEST_BLOCK_FACTOR_FORM_HPP
#define TESSERA_TEST_BLOCK_FACTOR_FORM_HPP

#include "support/factor_cases.hpp"

#include <cmath>
#include <gtest/gtest.h>
#include <type_traits>
#include <vector>

namespace tessera::test {

/// What a factor may differ by from its definition, relative to the numbers that are added up.
template <class T>
constexpr long double rounding = std::is_same_v<T, float> ? 1e-5L : 1e-12L;

inline Dense absolute(Dense x)
{
  for (long double &v : x.a)
    v = std::fabs(v);
  return x;
}

/// D is block diagonal with 1x1 and 2x2 blocks inside the tiles, M = L⁻¹ P with L unit lower triangular, and the counts
/// of the report are those of D.
template <class T>
void expect_form(const Factored<T> &x, const DenseFactor &dense)
{
  const BlockStructure &s = x.analysis.structure;
  const FactorReport &report = x.report;
  EXPECT_EQ(report.one_by_one + 2 * report.two_by_two, s.rows);
  EXPECT_EQ(report.negative + report.positive + report.zero, s.rows);
  Offset two_by_two = 0, zero = 0;
  for (Index b = 0; b < s.blocks(); ++b) {
    EXPECT_EQ(x.factor.e[s.block_start[b + 1] - 1], 0);
    std::vector<bool> used(s.rows, false); // columns of M that earlier pivots have
    for (Index i = s.block_start[b]; i < s.block_start[b + 1]; ++i) {
      const bool pair = x.factor.e[i] != 0;
      two_by_two += pair;
      zero += !pair && (i == 0 || x.factor.e[i - 1] == 0) && x.factor.d[i] == 0;
      Index fresh = 0;
      for (Index j = 0; j < s.rows; ++j)
        if (dense.m(i, j) != 0 && !used[j]) {
          EXPECT_EQ(dense.m(i, j), 1);
          used[j] = true;
          ++fresh;
        }
      EXPECT_EQ(fresh, 1);
    }
  }
  EXPECT_EQ(two_by_two, report.two_by_two);
  EXPECT_EQ(zero, report.zero);
}

/// UᵀDU is the scaled and permuted matrix, but for rounding and for perturbed pivots.
template <class T>
void expect_product(const Factored<T> &x, const DenseFactor &dense, const Matrix &matrix, double perturbation)
{
  const Dense a = scaled_and_permuted(matrix, x.analysis);
  const Dense ut = transpose(dense.u);
  const Dense product = multiply(multiply(ut, dense.d), dense.u);
  const Dense size = multiply(multiply(absolute(ut), absolute(dense.d)), absolute(dense.u));
  const long double perturbed = x.report.perturbed > 0 ? 2.1L * perturbation * largest(a) : 0;
  EXPECT_LE(largest_difference(product, a), rounding<T> * largest(size) + perturbed);
}

} // namespace tessera::test
#endif
