// What differs between two factors of Jacobi-LDLT, in words.
#include "factor/jldlt/difference.hpp"
#include "support/jacobi_solver.hpp"

#include <gtest/gtest.h>

using namespace tessera;
using namespace tessera::test;

namespace {

TEST(JacobiDifference, OfFactors)
{
  JacobiSolver jacobi(grid_matrix(), blocks_of(6, 1), JacobiOptions());
  const FactorCopy one = jacobi.factorization->copy();
  EXPECT_EQ(difference(one, one), "");
  const auto words = [&](auto change) {
    FactorCopy other = one;
    change(other);
    return difference(one, other);
  };
  EXPECT_EQ(words([](FactorCopy &x) { x.d[3] = -x.d[3]; }).find("pivots 3: "), 0u);
  EXPECT_EQ(words([](FactorCopy &x) { x.e[5] += 1; }).find("entries beside pivots 5: "), 0u);
  EXPECT_EQ(words([](FactorCopy &x) { x.inverse[0] *= 2; }).find("entries of inverses"), 0u);
  EXPECT_EQ(words([](FactorCopy &x) { x.value[1] *= 1 + 1e-15; }).find("entries above the diagonal tiles 1: "), 0u);
  EXPECT_EQ(words([](FactorCopy &x) { x.column[0] += 1; }).find("kept columns 0: "), 0u);
  EXPECT_EQ(words([](FactorCopy &x) { x.first[1] += 1; }).find("ends of tiles 1: "), 0u);
  EXPECT_EQ(words([](FactorCopy &x) { x.value.pop_back(); }).find("number of entries above"), 0u);
}

TEST(JacobiDifference, OfReports)
{
  const JacobiSolver jacobi(grid_matrix(), blocks_of(6, 0), JacobiOptions());
  const JacobiReport &one = jacobi.report;
  EXPECT_EQ(difference(one, one), "");
  const auto words = [&](auto change) {
    JacobiReport other = one;
    change(other);
    return difference(one, other);
  };
  EXPECT_EQ(words([](JacobiReport &x) { ++x.factor.negative; }).find("negative eigenvalues"), 0u);
  EXPECT_EQ(words([](JacobiReport &x) { x.norm *= 2; }).find("norm: "), 0u);
  EXPECT_EQ(words([](JacobiReport &x) { x.epsilon *= 2; }).find("perturbation: "), 0u);
  EXPECT_EQ(words([](JacobiReport &x) { x.last_epsilon *= 2; }).find("perturbation of the last sweep: "), 0u);
  EXPECT_EQ(words([](JacobiReport &x) { x.final_error *= 2; }).find("reconstruction error: "), 0u);
  EXPECT_EQ(words([](JacobiReport &x) { ++x.sweeps; }).find("sweeps: "), 0u);
  EXPECT_EQ(words([](JacobiReport &x) { ++x.pushed; }).find("blocks pushed back: "), 0u);
  EXPECT_EQ(words([](JacobiReport &x) { x.warm = !x.warm; }).find("begun with the last factor: "), 0u);
  EXPECT_EQ(words([](JacobiReport &x) { x.stalled = !x.stalled; }).find("ended early: "), 0u);
  EXPECT_EQ(words([](JacobiReport &x) { x.error.back() *= 2; }).find("errors of sweeps "), 0u);
  EXPECT_EQ(words([](JacobiReport &x) { x.error.push_back(1); }).find("number of errors of sweeps: "), 0u);
  EXPECT_EQ(words([](JacobiReport &x) { x.factor.status = FactorReport::NonFinite; }).find("status: "), 0u);
}

} // namespace
