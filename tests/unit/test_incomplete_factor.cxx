#include "support/block_factor_form.hpp"
#include "support/factor_cases.hpp"
#include "support/graphs.hpp"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <limits>

using namespace tessera;
using namespace tessera::test;
using namespace tessera_test;

namespace {

/// The tile (b, j) of a dense matrix as far as the structure has it, 0 elsewhere.
Dense restricted(const BlockStructure &s, const Dense &x)
{
  Dense y(x.n);
  for (Index b = 0; b < s.blocks(); ++b) {
    auto copy = [&](Index j) {
      for (Index r = s.block_start[b]; r < s.block_start[b + 1]; ++r)
        for (Index c = s.block_start[j]; c < s.block_start[j + 1]; ++c)
          y(r, c) = x(r, c);
    };
    copy(b);
    for (Offset t = s.tiles.upper.start[b]; t < s.tiles.upper.start[b + 1]; ++t)
      copy(s.tiles.upper.column[t]);
  }
  return y;
}

/// Computes the factor once more from its definition (thesis Alg. 9), taking from it only what pivoting and dropping
/// chose: D = M C Mᵀ for every diagonal tile C of the Schur complement, and U = D⁻¹ M C to the right of it, where a
/// column is kept if an entry is larger than the tolerance times the norm of its row.
template <class T>
void expect_definition(Factored<T> &x, const Matrix &matrix, double tolerance)
{
  const BlockStructure &s = x.analysis.structure;
  const DenseFactor dense = dense_factor(s, x.factor);
  Dense c = restricted(s, scaled_and_permuted(matrix, x.analysis));
  for (Index b = 0; b < s.blocks(); ++b) {
    const Index begin = s.block_start[b], end = s.block_start[b + 1];
    // the block row of C - sum UᵀDU, and U of it
    Dense rest = c;
    for (Index k = 0; k < begin; ++k)
      for (Index l = std::max(k - 1, 0); l < std::min(k + 2, begin); ++l)
        if (dense.d(k, l) != 0)
          for (Index r = begin; r < end; ++r)
            if (dense.u(k, r) != 0)
              for (Index j = begin; j < s.rows; ++j)
                rest(r, j) -= dense.u(k, r) * dense.d(k, l) * dense.u(l, j);
    rest = restricted(s, rest);
    Dense m(end - begin), d(end - begin), diagonal(end - begin);
    for (Index r = begin; r < end; ++r)
      for (Index j = begin; j < end; ++j) {
        m(r - begin, j - begin) = dense.m(r, j);
        d(r - begin, j - begin) = dense.d(r, j);
        diagonal(r - begin, j - begin) = rest(r, j);
      }
    const long double size = largest(absolute(m)) * largest(absolute(m)) * largest(diagonal) * (end - begin);
    EXPECT_LE(largest_difference(multiply(multiply(m, diagonal), transpose(m)), d), rounding<T> * size + 1e-30L);
    const Dense scaled = multiply(inverse(d), m);
    std::vector<std::vector<long double>> u(end - begin, std::vector<long double>(s.rows, 0));
    std::vector<long double> norm(end - begin, 1);
    for (Index r = 0; r < end - begin; ++r) {
      for (Index j = end; j < s.rows; ++j) {
        for (Index i = 0; i < end - begin; ++i)
          u[r][j] += scaled(r, i) * rest(begin + i, j);
        norm[r] += u[r][j] * u[r][j];
      }
    }
    long double largest_u = 0;
    for (const auto &row : u)
      for (const long double v : row)
        largest_u = std::max(largest_u, std::fabs(v));
    for (Index j = end; j < s.rows; ++j) {
      long double score = 0;
      bool kept = false;
      for (Index r = 0; r < end - begin; ++r) {
        score = std::max(score, std::fabs(u[r][j]) / std::sqrt(norm[r]));
        kept |= dense.u(begin + r, j) != 0;
      }
      if (std::fabs(score - tolerance) <= 1e-5L * tolerance + 1e-11L)
        continue; // either is right
      EXPECT_EQ(kept, score > tolerance) << "row " << begin << " column " << j << " score " << double(score);
      for (Index r = 0; r < end - begin && kept; ++r)
        EXPECT_NEAR(double(dense.u(begin + r, j)), double(u[r][j]), double(rounding<T> * (1 + largest_u)));
    }
  }
}

/// Quasi-definite and definite matrices, which have a factor whatever is dropped.
std::vector<NamedMatrix> stable_cases()
{
  return {{"laplacian", laplacian(grid_graph(8, 7, 1), 0.5)},
          {"random", symmetric_on(random_graph(70, 150, 4), 6, 2)},
          {"indefinite", symmetric_on(random_graph(60, 120, 8), 0, 5)},
          {"arrow", symmetric_on(arrow_graph(40), 3, 7)},
          {"dense", symmetric_on(random_graph(40, 4000, 1), 9, 3)}};
}

TEST(IncompleteFactor, KeepsTheColumnsAboveTheTolerance)
{
  for (const auto &[name, matrix, singular] : stable_cases())
    for (const double tolerance : {0.0, 1e-3, 1e-2, 0.1, 0.5})
      for (const Index max_rows : {3, 8, 20}) {
        SCOPED_TRACE(name + ", tolerance " + std::to_string(tolerance) + ", blocks of " + std::to_string(max_rows));
        FactorOptions options;
        options.drop_tolerance = tolerance;
        Factored<double> x(matrix, with_blocks(max_rows), options);
        ASSERT_EQ(x.report.status, FactorReport::Complete);
        ASSERT_EQ(x.report.perturbed, 0);
        expect_definition(x, matrix, tolerance);
        Factored<float> y(matrix, with_blocks(max_rows), options);
        expect_definition(y, matrix, tolerance);
      }
}

TEST(IncompleteFactor, WithoutToleranceKeepsNoZeroColumns)
{
  for (const auto &[name, matrix, singular] : stable_cases()) {
    SCOPED_TRACE(name);
    Factored<double> x(matrix, with_blocks(12), {});
    const StructureView s = view_of(x.analysis.structure);
    const FactorView<double> f = x.factor.view();
    Offset entries = 0;
    for (Index b = 0; b < x.analysis.structure.blocks(); ++b) {
      const Index k = s.block_rows(b);
      entries += Offset(k) * f.kept(s, b) + k * (k + 1) / 2;
      for (Index c = 0; c < f.kept(s, b); ++c) {
        bool nonzero = false;
        for (Index r = 0; r < k; ++r)
          nonzero |= f.value[b][Offset(c) * k + r] != 0;
        EXPECT_TRUE(nonzero);
      }
    }
    EXPECT_EQ(x.report.entries, entries);
  }
}

/// Scores are floats, which are 0 below 1e-45.
TEST(IncompleteFactor, WithoutToleranceDropsNoSmallEntry)
{
  for (const double entry : {1e-40, -1e-46, 1e-46, -1e-100, 1e-140, 0.0})
    for (const double ratio : {0.0, 10.0}) {
      SCOPED_TRACE(std::to_string(ratio) + " " + std::to_string(std::log10(std::abs(entry))));
      const SmallEntry c = small_entry(entry);
      FactorOptions options;
      options.perturbation = 0;
      options.fill_ratio = ratio;
      const Factored<double> x(c.matrix, c.analysis, options);
      ASSERT_EQ(x.report.status, FactorReport::Complete);
      ASSERT_EQ(x.analysis.structure.blocks(), 3);
      EXPECT_EQ(x.report.zero, entry == 0);
      EXPECT_EQ(x.report.negative, entry < 0 ? 3 : 2);
    }
}

TEST(IncompleteFactor, LevelsOfFill)
{
  for (const auto &[name, matrix, singular] : stable_cases())
    for (const Index level : {0, 1, 2})
      for (const double tolerance : {0.0, 0.05}) {
        SCOPED_TRACE(name + ", level " + std::to_string(level));
        AnalysisOptions analysis = with_blocks(4);
        analysis.fill_level = level;
        FactorOptions options;
        options.drop_tolerance = tolerance;
        Factored<double> x(matrix, analysis, options);
        const BlockStructure &s = x.analysis.structure;
        // the tiles by the definition of the level, from the tiles of the matrix
        Blocking blocking{s.perm, s.block_start};
        std::vector<Index> identity(s.blocks());
        for (Index b = 0; b < s.blocks(); ++b)
          identity[b] = b;
        const auto levels = naive_levels(block_graph(matrix.pattern, blocking), identity);
        for (Index i = 0; i < s.blocks(); ++i)
          for (Index j = i + 1; j < s.blocks(); ++j) {
            const Index *begin = s.tiles.upper.column.data() + s.tiles.upper.start[i];
            const Index *end = s.tiles.upper.column.data() + s.tiles.upper.start[i + 1];
            EXPECT_EQ(std::binary_search(begin, end, j), levels[i][j] <= level);
          }
        ASSERT_EQ(x.report.perturbed, 0);
        expect_definition(x, matrix, tolerance);
      }
}

TEST(IncompleteFactor, StopsAtTheMostEntries)
{
  for (const auto &[name, matrix, singular] : stable_cases()) {
    SCOPED_TRACE(name);
    FactorOptions options;
    Factored<double> x(matrix, with_blocks(5), options);
    const Offset entries = x.report.entries;
    options.max_entries = entries;
    x.again(matrix, options);
    EXPECT_EQ(x.report.status, FactorReport::Complete);
    for (const Offset fewer : {entries - 1, entries / 2, Offset(1)}) {
      options.max_entries = fewer;
      x.again(matrix, options);
      EXPECT_EQ(x.report.status, FactorReport::OverBudget);
    }
    options.max_entries = 0;
    x.again(matrix, options);
    EXPECT_EQ(x.report.status, FactorReport::Complete);
    EXPECT_EQ(x.report.entries, entries);
  }
}

TEST(IncompleteFactor, NotFinite)
{
  Matrix matrix = symmetric_on(random_graph(50, 90, 3), 2, 1);
  Factored<double> x(matrix, with_blocks(6), {});
  const std::string before = bits(x.analysis.structure, x.factor);
  for (const double bad : {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()})
    for (const Offset p : {Offset(0), matrix.pattern.entries() / 2, matrix.pattern.entries() - 1}) {
      Matrix other = matrix;
      other.value[p] = bad;
      Index i = 0; // its mirror image
      while (matrix.pattern.start[i + 1] <= p)
        ++i;
      const Index j = matrix.pattern.column[p];
      for (Offset q = matrix.pattern.start[j]; q < matrix.pattern.start[j + 1]; ++q)
        if (matrix.pattern.column[q] == i)
          other.value[q] = bad;
      x.again(other, {});
      EXPECT_EQ(x.report.status, FactorReport::NonFinite);
    }
  x.again(matrix, {});
  EXPECT_EQ(x.report.status, FactorReport::Complete);
  EXPECT_EQ(bits(x.analysis.structure, x.factor), before);
}

/// A chain of blocks of two rows: the first has the pivots `tiny`, so that what is right of it is about 1 / tiny.
Matrix tiny_pivots(double tiny)
{
  std::vector<Triplet> triplets;
  for (Index i = 0; i < 4; ++i)
    triplets.push_back({i, i, i < 2 ? tiny : 1});
  for (Index i = 0; i < 2; ++i) {
    triplets.push_back({i, i + 2, 1});
    triplets.push_back({i + 2, i, 1});
  }
  return assemble(4, 4, triplets);
}

TEST(IncompleteFactor, Overflow)
{
  AnalysisOptions analysis = with_blocks(2, Preprocessing::None);
  analysis.blocking.ordering = Ordering::Natural;
  analysis.blocking.strategy = BlockStrategy::RB;
  FactorOptions options;
  options.perturbation = 0;
  const Matrix matrix = tiny_pivots(1e-45);
  Factored<double> x(matrix, analysis, options);
  EXPECT_EQ(x.report.status, FactorReport::Complete);
  Factored<float> y(matrix, analysis, options); // 1e45 is no single-precision number
  EXPECT_EQ(y.report.status, FactorReport::NonFinite);
  Factored<double> z(tiny_pivots(1e-310), analysis, options); // its inverse is none in double precision: a zero pivot
  EXPECT_EQ(z.report.status, FactorReport::Complete);
  EXPECT_EQ(z.report.zero, 2);
  options.perturbation = 1e-6;
  y.again(matrix, options);
  EXPECT_EQ(y.report.status, FactorReport::Complete);
  EXPECT_EQ(y.report.perturbed, 2);
}

/// A factor is complete only if its inverse is finite, and can be squared, relative to the matrix.
TEST(IncompleteFactor, InverseOverflows)
{
  for (const OverflowCase &c : overflow_cases()) {
    SCOPED_TRACE(c.name);
    Factored<double> x(c.matrix, c.analysis, c.factor);
    EXPECT_EQ(x.report.status, c.status);
    if (x.report.status != FactorReport::Complete)
      continue;
    for (double v : x.factor.inverse)
      EXPECT_TRUE(std::isfinite(v));
    EXPECT_EQ(x.report.zero, c.factor.perturbation == 0 ? 1 : 0);
  }
}

} // namespace
