#include "support/block_factor_form.hpp"
#include "support/factor_cases.hpp"
#include "support/graphs.hpp"
#include "support/threads.hpp"

#include <cmath>
#include <gtest/gtest.h>

using namespace tessera;
using namespace tessera::test;
using namespace tessera_test;

namespace {

constexpr Pivoting pivotings[] = {Pivoting::none, Pivoting::bunch_kaufman, Pivoting::rook};

FactorOptions with_pivoting(Pivoting pivoting)
{
  FactorOptions options;
  options.pivoting = pivoting;
  return options;
}

template <class T>
void expect_factor(const Matrix &matrix, const AnalysisOptions &analysis, const FactorOptions &options)
{
  Factored<T> x(matrix, analysis, options);
  ASSERT_EQ(x.analysis.status, AnalysisStatus::Ok);
  ASSERT_EQ(x.report.status, FactorReport::Complete);
  const DenseFactor dense = dense_factor(x.analysis.structure, x.factor);
  expect_form(x, dense);
  expect_product(x, dense, matrix, options.perturbation);
}

TEST(CompleteFactor, MultipliesToTheMatrix)
{
  for (const auto &[name, matrix, singular] : factor_cases())
    for (const Index max_rows : {2, 3, 4, 5, 8, 11, 16, 17, 31, 32})
      for (const Pivoting pivoting : pivotings) {
        SCOPED_TRACE(name + ", blocks of " + std::to_string(max_rows) + ", pivoting " + std::to_string(int(pivoting)));
        expect_factor<double>(matrix, with_blocks(max_rows), with_pivoting(pivoting));
        expect_factor<float>(matrix, with_blocks(max_rows), with_pivoting(pivoting));
      }
}

TEST(CompleteFactor, InEveryOrderingAndBlocking)
{
  for (const auto &[name, matrix, singular] : factor_cases())
    for (const Preprocessing preprocessing : {Preprocessing::Matching, Preprocessing::Equilibrate, Preprocessing::None})
      for (const BlockStrategy strategy : {BlockStrategy::SN, BlockStrategy::BR, BlockStrategy::RB, BlockStrategy::RBR})
        for (const Ordering ordering :
             {Ordering::Natural, Ordering::ND, Ordering::METIS, Ordering::RCM, Ordering::Color}) {
          SCOPED_TRACE(name + ", preprocessing " + std::to_string(int(preprocessing)) + ", strategy " +
                       std::to_string(int(strategy)) + ", ordering " + std::to_string(int(ordering)));
          AnalysisOptions options = with_blocks(8, preprocessing);
          options.blocking.strategy = strategy;
          options.blocking.ordering = ordering;
          expect_factor<double>(matrix, options, with_pivoting(Pivoting::rook));
        }
}

TEST(CompleteFactor, HasTheInertiaOfTheMatrix)
{
  for (const auto &[name, matrix, singular] : factor_cases()) {
    if (singular)
      continue;
    Offset negative = 0;
    for (const long double value : eigenvalues(dense_of(matrix)))
      negative += value < 0;
    for (const Index max_rows : {2, 6, 32})
      for (const Pivoting pivoting : pivotings) {
        SCOPED_TRACE(name + ", blocks of " + std::to_string(max_rows) + ", pivoting " + std::to_string(int(pivoting)));
        Factored<double> x(matrix, with_blocks(max_rows), with_pivoting(pivoting));
        ASSERT_EQ(x.report.perturbed, 0);
        EXPECT_EQ(x.report.negative, negative);
        EXPECT_EQ(x.report.positive, matrix.pattern.rows - negative);
      }
  }
}

TEST(CompleteFactor, SingularMatrixHasOneSmallPivot)
{
  const Matrix matrix = laplacian(grid_graph(7, 6, 1), 0);
  for (const Pivoting pivoting : pivotings) {
    Factored<double> x(matrix, with_blocks(8), with_pivoting(pivoting));
    EXPECT_EQ(x.report.perturbed, 1);
    EXPECT_EQ(x.report.zero, 0);
  }
  // Whole numbers that are eliminated without rounding: a path, whose pivots are all 1 in its own order
  AnalysisOptions options = with_blocks(4, Preprocessing::None);
  options.blocking.ordering = Ordering::Natural;
  std::vector<std::pair<Index, Index>> path;
  for (Index i = 0; i + 1 < 20; ++i)
    path.push_back({i, i + 1});
  FactorOptions exact = with_pivoting(Pivoting::none);
  exact.perturbation = 0;
  Factored<double> x(laplacian(graph_of(20, path), 0), options, exact);
  EXPECT_EQ(x.report.status, FactorReport::Complete);
  EXPECT_EQ(x.report.zero, 1);
  EXPECT_EQ(x.report.perturbed, 0);
  EXPECT_EQ(x.report.positive, 19);
}

TEST(CompleteFactor, ZeroMatrixHasZeroPivots)
{
  Factored<double> x(assemble(4, 4, {{0, 0, 0}, {1, 2, 0}, {2, 1, 0}}), with_blocks(8), {});
  EXPECT_EQ(x.report.status, FactorReport::Complete);
  EXPECT_EQ(x.report.zero, 4);
  EXPECT_EQ(x.report.perturbed, 0);
}

TEST(CompleteFactor, SamePivotsAtEveryScale)
{
  for (const auto &[name, matrix, singular] : factor_cases())
    for (const Preprocessing preprocessing : {Preprocessing::Matching, Preprocessing::Equilibrate, Preprocessing::None})
      for (const Pivoting pivoting : pivotings) {
        SCOPED_TRACE(name);
        Factored<double> x(matrix, with_blocks(8, preprocessing), with_pivoting(pivoting));
        for (const int exponent : {-66, 66}) {
          Matrix copy = matrix;
          for (double &v : copy.value)
            v = std::ldexp(v, exponent);
          Factored<double> y(copy, with_blocks(8, preprocessing), with_pivoting(pivoting));
          EXPECT_EQ(y.report.one_by_one, x.report.one_by_one);
          EXPECT_EQ(y.report.perturbed, x.report.perturbed);
          EXPECT_EQ(y.report.zero, x.report.zero);
          EXPECT_EQ(y.report.negative, x.report.negative);
          EXPECT_EQ(y.analysis.structure.perm, x.analysis.structure.perm);
          EXPECT_EQ(y.factor.inverse, x.factor.inverse);
        }
      }
}

/// Dense blocks of four rows in their own order: diagonal entries 4, but for the first one, beside entries 1.
Matrix blocks_with_first_entries(const std::vector<double> &first)
{
  std::vector<Triplet> t;
  for (Index b = 0; b < Index(first.size()); ++b)
    for (Index i = 0; i < 4; ++i)
      for (Index j = 0; j < 4; ++j)
        t.push_back({4 * b + i, 4 * b + j, i != j ? 1 : i == 0 ? first[b] : 4});
  return assemble(4 * Index(first.size()), 4 * Index(first.size()), t);
}

/// L in the first column of a block is the inverse of its first entry.
TEST(CompleteFactor, SearchesPivotsOnlyWhereTheGivenOrderIsBad)
{
  AnalysisOptions options = with_blocks(4, Preprocessing::None);
  options.blocking.ordering = Ordering::Natural;
  const Matrix matrix = blocks_with_first_entries({4, 1e-3, 0.126, 0, 0.124, -4});
  const auto searched = [&](Pivoting pivoting, double perturbation) {
    FactorOptions factor = with_pivoting(pivoting);
    factor.perturbation = perturbation;
    Factored<double> x(matrix, options, factor);
    EXPECT_EQ(x.analysis.structure.blocks(), 6);
    EXPECT_EQ(x.report.status, FactorReport::Complete);
    EXPECT_EQ(x.report.perturbed > 0, pivoting == Pivoting::none && perturbation > 0);
    return x.report.searched;
  };
  EXPECT_EQ(searched(Pivoting::rook, 1e-14), 3);
  EXPECT_EQ(searched(Pivoting::rook, 0.04), 4); // of 4: 0.126 is below it
  EXPECT_EQ(searched(Pivoting::bunch_kaufman, 1e-14), 6);
  EXPECT_EQ(searched(Pivoting::none, 1e-14), 0);
}

/// Without a diagonal the given order is good because of the pairs that the matching proposes.
TEST(CompleteFactor, ProposedPairsNeedNoSearch)
{
  const Matrix matrix = without_diagonal(30, 3);
  const Factored<double> x(matrix, with_blocks(2), with_pivoting(Pivoting::rook));
  EXPECT_EQ(x.analysis.structure.blocks(), 30);
  EXPECT_EQ(x.report.two_by_two, 30);
  EXPECT_EQ(x.report.searched, 0);
}

template <class T>
void expect_refactorization_is_fresh()
{
  const Pattern graph = random_graph(80, 160, 4);
  const Matrix first = symmetric_on(graph, 4, 1), second = symmetric_on(graph, 4, 2);
  AnalysisOptions analysis = with_blocks(7, Preprocessing::None); // no scale factors, which follow the values
  FactorOptions options, dropping;
  dropping.drop_tolerance = 0.1;
  Factored<T> x(first, analysis, options), y(second, analysis, options);
  const std::string of_first = bits(x.analysis.structure, x.factor);
  EXPECT_NE(of_first, bits(y.analysis.structure, y.factor));
  x.again(second, dropping);
  x.again(second, options);
  EXPECT_EQ(bits(x.analysis.structure, x.factor), bits(y.analysis.structure, y.factor));
  x.again(first, options); // both are alive
  EXPECT_EQ(bits(x.analysis.structure, x.factor), of_first);
  EXPECT_EQ(y.report.entries, x.report.entries);
}

TEST(Refactorization, EqualsAFreshFactor)
{
  expect_refactorization_is_fresh<double>();
  expect_refactorization_is_fresh<float>();
}

/// Matrices with enough work for several threads: panels of several pieces, and levels with many blocks.
std::vector<NamedMatrix> large_cases()
{
  return {{"random", symmetric_on(random_graph(1600, 5600, 2), 0.5, 1)},
          {"grid", laplacian(grid_graph(60, 55, 1), -0.3)},
          {"arrow", symmetric_on(arrow_graph(9000), 3, 4)}};
}

template <class T>
void expect_same_bits(const Matrix &matrix, double tolerance)
{
  FactorOptions options;
  options.drop_tolerance = tolerance;
  Factored<T> x(matrix, with_blocks(32), options);
  ASSERT_EQ(x.report.status, FactorReport::Complete);
  const std::string first = bits(x.analysis.structure, x.factor);
  const FactorReport report = x.report;
  for (const int threads : {1, 2, 3, 4, 1}) {
    const Threads scope(threads);
    x.again(matrix, options);
    EXPECT_TRUE(bits(x.analysis.structure, x.factor) == first) << threads << " threads";
    EXPECT_EQ(x.report.growth, report.growth);
    EXPECT_EQ(x.report.negative, report.negative);
    EXPECT_EQ(x.report.entries, report.entries);
  }
}

TEST(Threads, SameBitsForEveryNumber)
{
  for (const auto &[name, matrix, singular] : large_cases()) {
    SCOPED_TRACE(name);
    expect_same_bits<double>(matrix, 0);
    expect_same_bits<float>(matrix, 1e-3);
  }
}

} // namespace
