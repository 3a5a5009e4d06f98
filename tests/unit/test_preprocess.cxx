#include "analysis/preprocess.hpp"

#include "support/random_matrix.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

using namespace tessera;
using namespace tessera::test;

namespace {

/// Steps that were run.
std::vector<AnalysisStep> steps(const std::vector<StepTime> &times)
{
  std::vector<AnalysisStep> list;
  for (const StepTime &time : times)
    list.push_back(time.step);
  return list;
}

bool is_power_of_two(double x)
{
  int exponent;
  return std::frexp(x, &exponent) == 0.5;
}

double entry(const Matrix &a, Index i, Index j)
{
  for (Offset p = a.pattern.start[i]; p < a.pattern.start[i + 1]; ++p)
    if (a.pattern.column[p] == j)
      return a.value[p];
  return 0;
}

TEST(PreprocessSymmetric, ScalesAndPairsByTheMatching)
{
  Random random(1);
  const Matrix a = random_kkt(random, 60, 25, 3);
  const Index n = a.pattern.rows;
  std::vector<StepTime> times;
  StepClock clock(times, nullptr);
  const SymmetricPreprocessing x = preprocess_symmetric(a, Preprocessing::Matching, true, clock);
  EXPECT_EQ(steps(times), (std::vector<AnalysisStep>{AnalysisStep::Matching, AnalysisStep::Pairs}));
  ASSERT_EQ(x.status, MatrixStatus::usable);
  EXPECT_EQ(x.structural_rank, n);
  Index paired = 0;
  for (Index i = 0; i < n; ++i) {
    EXPECT_TRUE(is_power_of_two(x.scale[i]));
    EXPECT_EQ(x.partner[x.partner[i]], i);
    paired += x.partner[i] != i;
    for (Offset p = a.pattern.start[i]; p < a.pattern.start[i + 1]; ++p)
      EXPECT_LE(std::abs(x.scale[i] * a.value[p] * x.scale[a.pattern.column[p]]), 2.001);
  }
  EXPECT_EQ(2 * x.pairs, paired);
  EXPECT_GT(x.pairs, 0); // the constraints have no diagonal

  times.clear();
  const SymmetricPreprocessing single = preprocess_symmetric(a, Preprocessing::Matching, false, clock);
  EXPECT_EQ(steps(times), std::vector<AnalysisStep>{AnalysisStep::Matching});
  EXPECT_EQ(single.scale, x.scale);
  EXPECT_EQ(single.pairs, 0);
  for (Index i = 0; i < n; ++i)
    EXPECT_EQ(single.partner[i], i);
}

TEST(PreprocessSymmetric, EquilibratesOrDoesNothing)
{
  Random random(2);
  const Matrix a = random_kkt(random, 60, 25, 3);
  std::vector<StepTime> times;
  StepClock clock(times, nullptr);
  const SymmetricPreprocessing scaled = preprocess_symmetric(a, Preprocessing::Equilibrate, true, clock);
  EXPECT_EQ(steps(times), std::vector<AnalysisStep>{AnalysisStep::Equilibration});
  const SymmetricPreprocessing none = preprocess_symmetric(a, Preprocessing::None, true, clock);
  EXPECT_EQ(times.size(), 1u);
  for (Index i = 0; i < a.pattern.rows; ++i) {
    EXPECT_TRUE(is_power_of_two(scaled.scale[i]));
    double largest = 0;
    for (Offset p = a.pattern.start[i]; p < a.pattern.start[i + 1]; ++p)
      largest = std::max(largest, std::abs(scaled.scale[i] * a.value[p] * scaled.scale[a.pattern.column[p]]));
    EXPECT_GT(largest, 0.4);
    EXPECT_LT(largest, 2.2);
    EXPECT_EQ(none.scale[i], 1);
    for (const SymmetricPreprocessing *x : {&scaled, &none}) {
      EXPECT_EQ(x->partner[i], i);
      EXPECT_EQ(x->structural_rank, -1);
    }
  }
}

TEST(PreprocessUnsymmetric, PutsTheMatchingOnTheDiagonal)
{
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    Random random(seed);
    const Index n = 5 + random.below(60);
    const Matrix a = random_matrix(random, n, 3 * n, seed % 2 ? Values::uniform : Values::small_whole, false);
    std::vector<StepTime> times;
    StepClock clock(times, nullptr);
    const UnsymmetricPreprocessing x = preprocess_unsymmetric(a, clock);
    ASSERT_EQ(x.status, MatrixStatus::usable);
    std::vector<Index> sorted = x.column;
    std::sort(sorted.begin(), sorted.end());
    for (Index j = 0; j < n; ++j)
      ASSERT_EQ(sorted[j], j);
    Index rank = 0;
    for (Index i = 0; i < n; ++i) {
      EXPECT_TRUE(is_power_of_two(x.row_scale[i]) && is_power_of_two(x.col_scale[i]));
      const auto scaled = [&](Index j, double value) { return std::abs(x.row_scale[i] * value * x.col_scale[j]); };
      for (Offset p = a.pattern.start[i]; p < a.pattern.start[i + 1]; ++p)
        EXPECT_LE(scaled(a.pattern.column[p], a.value[p]), 2.001);
      if (const double matched = entry(a, i, x.column[i]); matched != 0) {
        ++rank;
        EXPECT_GE(scaled(x.column[i], matched), 0.499);
      }
    }
    EXPECT_EQ(rank, x.structural_rank);
  }
}

TEST(PreprocessUnsymmetric, CompletesThePermutationOfASingularMatrix)
{
  // rows 1 and 2 have only column 0; column 1 is empty
  const Matrix a = assemble(4, 4, {{0, 2, 1}, {1, 0, 1}, {2, 0, 2}, {3, 3, 1}});
  std::vector<StepTime> times;
  StepClock clock(times, nullptr);
  const UnsymmetricPreprocessing x = preprocess_unsymmetric(a, clock);
  EXPECT_EQ(x.structural_rank, 3);
  EXPECT_TRUE(x.column == (std::vector<Index>{2, 1, 0, 3}) || x.column == (std::vector<Index>{2, 0, 1, 3}));
}

TEST(Preprocess, ReportsTheRowThatIsNotFinite)
{
  const Matrix a = assemble(3, 3, {{0, 0, 1}, {1, 1, std::numeric_limits<double>::infinity()}, {2, 2, 1}});
  std::vector<StepTime> times;
  StepClock clock(times, nullptr);
  for (const Preprocessing how : {Preprocessing::Matching, Preprocessing::Equilibrate}) {
    const SymmetricPreprocessing x = preprocess_symmetric(a, how, true, clock);
    EXPECT_EQ(x.status, MatrixStatus::not_finite);
    EXPECT_EQ(x.faulty_row, 1);
  }
  const UnsymmetricPreprocessing y = preprocess_unsymmetric(a, clock);
  EXPECT_EQ(y.status, MatrixStatus::not_finite);
  EXPECT_EQ(y.faulty_row, 1);
}

} // namespace
