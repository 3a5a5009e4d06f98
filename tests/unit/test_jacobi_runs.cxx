// The runs of sweeps that Jacobi-LDLT makes a factor of: how many, from what, with which perturbation.
#include "support/jacobi_solver.hpp"
#include "support/random_matrix.hpp"

#include <cmath>
#include <gtest/gtest.h>

using namespace tessera;
using namespace tessera::test;
using namespace tessera_test;

namespace {

/// Sweeps of one stage, many of which are of use.
JacobiOptions many_sweeps()
{
  JacobiOptions options;
  options.stages = 1;
  options.sweeps = 30;
  options.stall = 1e-3;
  return options;
}

/// Changes the diagonal of a matrix by up to so much of its entries.
void change_diagonal(Matrix &matrix, Random &random, double part = 1e-4)
{
  for (Index i = 0; i < matrix.pattern.rows; ++i)
    for (Offset p = matrix.pattern.start[i]; p < matrix.pattern.start[i + 1]; ++p)
      if (matrix.pattern.column[p] == i)
        matrix.value[p] *= 1 + part * random.uniform();
}

TEST(JacobiRuns, SweepsThatMakeItWorseAreNotKept)
{
  JacobiOptions options;
  options.sweeps = 12;
  options.stall = 0;
  for (double epsilon : {0.1, 0.0}) {
    options.epsilon = epsilon;
    const JacobiSolver jacobi(symmetric_on(random_graph(300, 1500, 3), 0.2, 1), blocks_of(4, 0), options);
    double least = jacobi.report.error[0];
    for (double e : jacobi.report.error)
      least = std::min(least, e);
    EXPECT_EQ(jacobi.report.final_error, least);
    EXPECT_EQ(jacobi.report.epsilon, epsilon);
  }
}

TEST(JacobiRuns, PerturbationIsChosen)
{
  JacobiOptions options;
  const JacobiSolver jacobi(symmetric_on(random_graph(400, 1600, 3), 0.1, 1), blocks_of(6, 0), options);
  ASSERT_FALSE(jacobi.report.tried.empty());
  double least = jacobi.report.tried[0];
  for (double e : jacobi.report.tried)
    least = std::min(least, e);
  EXPECT_LE(jacobi.report.final_error, 1.1 * least);
  const JacobiSolver easy(grid_matrix(3), blocks_of(8, 0), options);
  EXPECT_EQ(easy.report.tried.size(), 1u) << "nothing to perturb, nothing to choose";
  EXPECT_EQ(easy.report.factor.perturbed, 0);
}

TEST(JacobiRuns, WarmStartNeedsFewerSweeps)
{
  JacobiOptions options = many_sweeps();
  Matrix matrix = grid_matrix(0.05);
  JacobiSolver jacobi(matrix, blocks_of(8, 2), options);
  const Index cold = jacobi.report.sweeps;
  const double error = jacobi.report.final_error;
  Random random(3);
  change_diagonal(matrix, random);
  jacobi.again(matrix, options);
  EXPECT_TRUE(jacobi.report.warm);
  EXPECT_LT(jacobi.report.sweeps, cold);
  const Index warm = jacobi.report.sweeps;
  EXPECT_LE(jacobi.report.final_error, 1.1 * error);
  options.warm_start = false;
  jacobi.again(matrix, options);
  EXPECT_FALSE(jacobi.report.warm);
  EXPECT_GT(jacobi.report.sweeps, warm);
  options.warm_start = true; // a matrix far off is not begun from the last factor
  for (double &x : matrix.value)
    x *= -7;
  jacobi.again(matrix, options);
  EXPECT_FALSE(jacobi.report.warm);
}

/// The first setup from a factor watches its sweeps, those that follow it take as many as were of use.
TEST(JacobiRuns, WarmStartsInARowAreMeasuredAtTheirEnd)
{
  JacobiOptions options = many_sweeps();
  Matrix matrix = grid_matrix(0.05);
  JacobiSolver jacobi(matrix, blocks_of(8, 2), options);
  const double error = jacobi.report.final_error;
  Random random(3);
  Index watched = 0;
  for (int time = 0; time < 4; ++time) {
    SCOPED_TRACE(time);
    change_diagonal(matrix, random);
    jacobi.again(matrix, options);
    EXPECT_TRUE(jacobi.report.warm);
    EXPECT_LE(jacobi.report.final_error, 1.1 * error);
    if (time == 0) {
      watched = jacobi.report.sweeps;
      EXPECT_EQ(jacobi.report.error.size(), std::size_t(watched));
    } else {
      EXPECT_EQ(jacobi.report.error.size(), 1u);
      EXPECT_LT(jacobi.report.sweeps, watched);
    }
  }
  for (double &x : matrix.value)
    x *= -7;
  jacobi.again(matrix, options);
  EXPECT_FALSE(jacobi.report.warm) << "the last factor is far off";
}

/// Sweeps of a warm start have one stage, so a level set is final after each.
TEST(JacobiRuns, WarmStartsEndWithTheLastLevelSet)
{
  JacobiOptions options;
  options.epsilon = options.stall = 0;
  options.stages = 2;
  options.sweeps = 60;
  Matrix matrix = grid_matrix(0.05);
  JacobiSolver jacobi(matrix, blocks_of(8, complete_level), options);
  const Index levels = jacobi.analysis.structure.levels.levels();
  EXPECT_EQ(jacobi.report.sweeps, (levels + 1) / 2);
  Random random(3);
  change_diagonal(matrix, random, 0.01);
  jacobi.again(matrix, options);
  EXPECT_TRUE(jacobi.report.warm);
  EXPECT_EQ(jacobi.report.sweeps, levels);
  EXPECT_LT(jacobi.report.final_error, 1e-14);
  const FactorCopy warm = jacobi.factorization->copy();
  options.warm_start = false;
  jacobi.again(matrix, options);
  const FactorCopy cold = jacobi.factorization->copy();
  EXPECT_EQ(warm.value, cold.value);
  EXPECT_EQ(warm.inverse, cold.inverse);
  EXPECT_EQ(warm.d, cold.d);
}

/// A factor from the last one is what was best on the way, be that the last one itself.
TEST(JacobiRuns, WarmSweepsThatMakeItWorseAreUndone)
{
  for (Index kept : {0, 1}) {
    SCOPED_TRACE(kept);
    JacobiOptions options;
    options.epsilon = options.stall = 0;
    options.stages = 2;
    options.sweeps = 60;
    Matrix matrix = grid_matrix();
    const AnalysisOptions analysis_options = blocks_of(kept == 0 ? 4 : 2, complete_level);
    JacobiSolver jacobi(matrix, analysis_options, options), expected(matrix, analysis_options, options);
    Random random(3);
    change_diagonal(matrix, random, kept == 0 ? 1e-3 : 0.1);
    jacobi.again(matrix, options);
    EXPECT_TRUE(jacobi.report.warm);
    ASSERT_EQ(jacobi.report.sweeps, kept + 1) << "the last one made it worse";
    EXPECT_LT(jacobi.report.final_error, jacobi.report.error.back());
    options.sweeps = kept;
    if (kept > 0)
      expected.again(matrix, options);
    const FactorCopy one = jacobi.factorization->copy(), other = expected.factorization->copy();
    EXPECT_EQ(one.value, other.value);
    EXPECT_EQ(one.inverse, other.inverse);
    EXPECT_EQ(one.d, other.d);
  }
}

/// So many sweeps that their stages are as many as the level sets.
TEST(JacobiRuns, StagesThatAddUpToTheLevelSetsGiveTheFactorByLevels)
{
  const Matrix matrix = grid_matrix();
  const AnalysisOptions analysis_options = blocks_of(6, 1);
  const Index levels = analyze(matrix, analysis_options).structure.levels.levels();
  ASSERT_GT(levels, 6);
  JacobiOptions options;
  options.epsilon = 0;
  options.stages = 1;
  options.sweeps = levels;
  options.watch = false;
  const JacobiSolver jacobi(matrix, analysis_options, options);
  const FactorCopy expected = jacobi.factorization->copy();
  for (Index stages : {2, 3, levels - 1, levels, levels + 5}) {
    SCOPED_TRACE(stages);
    options.stages = stages;
    options.sweeps = (levels + stages - 1) / stages;
    const JacobiSolver staged(matrix, analysis_options, options);
    const FactorCopy copy = staged.factorization->copy();
    EXPECT_EQ(copy.value, expected.value);
    EXPECT_EQ(copy.inverse, expected.inverse);
    EXPECT_EQ(copy.d, expected.d);
    options.watch = true;
    options.stall = 0;
    options.sweeps = 99;
    const JacobiSolver ended(matrix, analysis_options, options);
    EXPECT_LE(ended.report.sweeps, (levels + stages - 1) / stages) << "ends when nothing is left to do";
    options.watch = false;
  }
}

/// What a run finds in the memory of a factor makes no difference.
TEST(JacobiRuns, RunsDoNotDependOnWhatWasBefore)
{
  const Matrix matrix = symmetric_on(random_graph(400, 1600, 3), 0.1, 1);
  for (Index stages : {1, 2, 8}) {
    JacobiOptions options;
    options.stages = stages;
    options.warm_start = false;
    options.epsilon = 0.1;
    JacobiSolver jacobi(matrix, blocks_of(6, 0), options);
    const std::vector<double> error = jacobi.report.error;
    options.epsilon = 0.03;
    jacobi.again(matrix, options);
    options.epsilon = 0.1;
    jacobi.again(matrix, options);
    EXPECT_EQ(jacobi.report.error, error);
  }
}

/// A later setup with the perturbation of the first does as many sweeps as brought most there.
TEST(JacobiRuns, SweepsOfNoUseAreNotDoneAgain)
{
  JacobiOptions options;
  options.stages = 1;
  options.sweeps = 30;
  options.warm_start = false;
  Matrix matrix = grid_matrix();
  JacobiSolver jacobi(matrix, blocks_of(8, 0), options);
  const JacobiReport first = jacobi.report;
  ASSERT_TRUE(first.stalled);
  jacobi.again(matrix, options);
  EXPECT_LT(jacobi.report.sweeps, first.sweeps);
  EXPECT_EQ(jacobi.report.error.size(), 1u);
  EXPECT_EQ(jacobi.report.final_error, first.error[jacobi.report.sweeps - 1]);
  EXPECT_LE(jacobi.report.final_error, 1.1 * first.final_error);
  for (Index i = 0; i < 196; ++i) // a matrix for which that is not good enough is swept as long as it helps
    for (Offset p = matrix.pattern.start[i]; p < matrix.pattern.start[i + 1]; ++p)
      matrix.value[p] += matrix.pattern.column[p] == i ? -1.5 : 0;
  jacobi.again(matrix, options);
  EXPECT_GT(jacobi.report.error.size(), 1u);
}

/// While blocks may be pushed back every sweep computes all of them.
TEST(JacobiRuns, BlocksThatASweepLeavesOutWouldNotChange)
{
  const Matrix matrix = grid_matrix();
  for (auto [epsilon, stages] : {std::pair(0.0, 1), std::pair(0.1, 1), std::pair(0.0, 2), std::pair(0.1, 3)}) {
    JacobiOptions options;
    options.epsilon = epsilon;
    options.stages = stages;
    options.stall = 0;
    options.sweeps = 7;
    const AnalysisOptions analysis_options = blocks_of(6, 1);
    JacobiSolver some(matrix, analysis_options, options);
    options.outer_levels = options.sweeps;
    options.failure = 0; // none is
    JacobiSolver all(matrix, analysis_options, options);
    EXPECT_EQ(all.report.pushed, 0);
    some.report.error.resize(all.report.error.size(), some.report.error.back()); // may end when nothing is left to do
    EXPECT_EQ(some.report.error, all.report.error);
    EXPECT_EQ(some.report.factor.perturbed, all.report.factor.perturbed);
    const FactorCopy one = some.factorization->copy(), other = all.factorization->copy();
    EXPECT_EQ(one.value, other.value);
    EXPECT_EQ(one.inverse, other.inverse);
    EXPECT_EQ(one.d, other.d);
    EXPECT_EQ(one.e, other.e);
  }
}

/// Rows of more columns than products are summed of at once, and as many stages as make the factor exact.
TEST(JacobiRuns, ErrorsOfLongRowsAreMeasured)
{
  JacobiOptions options;
  options.stages = 32;
  const JacobiSolver jacobi(dense_symmetric(700, 7), blocks_of(32, 0), options);
  EXPECT_LT(jacobi.report.final_error, 1e-12);
}

TEST(JacobiRuns, GrowthIsThatOfDiagonalTiles)
{
  const std::vector<Triplet> triplets = {{0, 0, 1}, {0, 1, 0.5}, {1, 0, 0.5}, {1, 1, 1}};
  const JacobiSolver jacobi(assemble(2, 2, triplets), blocks_of(1, 0), JacobiOptions());
  EXPECT_EQ(jacobi.report.norm, 1.5);
  EXPECT_EQ(jacobi.report.factor.growth, 1 / 1.5);
}

} // namespace
