#include "factor/bildlt/factorization.hpp"
#include "support/host_factor.hpp"

#include <gtest/gtest.h>

namespace tessera::test {
namespace {

class FactorCopyTest : public testing::TestWithParam<Precision> {
protected:
  const Matrix matrix = shifted_laplacian(7);
  const Analysis analysis = analyze(matrix);
  const std::unique_ptr<BlockFactorization> host = make_host_factorization(analysis, GetParam());

  BlockFactorReport factor(double drop_tolerance)
  {
    FactorOptions options;
    options.drop_tolerance = drop_tolerance;
    return host->factor(matrix.value.data(), Place::Host, options);
  }
};

TEST_P(FactorCopyTest, HoldsAllEntries)
{
  const FactorReport report = factor(1e-3);
  const FactorCopy copy = host->copy();
  EXPECT_EQ(Offset(copy.value.size() + (copy.inverse.size() + copy.d.size()) / 2), report.entries);
  EXPECT_EQ(Index(copy.d.size()), analysis.structure.rows);
}

TEST_P(FactorCopyTest, DifferenceSaysWhere)
{
  factor(1e-3);
  const FactorCopy one = host->copy();
  const BlockStructure &s = analysis.structure;
  EXPECT_EQ(difference(s, one, one), "");
  const auto words = [&](auto change) {
    FactorCopy other = one;
    change(other);
    return difference(s, one, other);
  };
  EXPECT_NE(words([](FactorCopy &x) { x.d.back() *= 2; }).find("pivot"), std::string::npos);
  EXPECT_NE(words([](FactorCopy &x) { x.e.front() += 1; }).find("block 0, entry beside pivot 0"), std::string::npos);
  EXPECT_NE(words([](FactorCopy &x) { x.inverse[0] = -x.inverse[0]; }).find("inverse"), std::string::npos);
  EXPECT_NE(words([](FactorCopy &x) { x.value.back() += 1; }).find("tile with block"), std::string::npos);
  EXPECT_NE(words([](FactorCopy &x) { x.column.back() += 1; }).find("kept column"), std::string::npos);
  EXPECT_NE(words([](FactorCopy &x) { x.first[1] += 1; }).find("number of kept columns"), std::string::npos);
}

TEST_P(FactorCopyTest, DifferenceSeesTheSignOfZero)
{
  factor(0);
  FactorCopy one = host->copy(), other = one;
  one.value.front() = 0.0;
  other.value.front() = -0.0;
  EXPECT_NE(difference(analysis.structure, one, other), "");
}

TEST_P(FactorCopyTest, DifferenceOfReports)
{
  const BlockFactorReport one = factor(0);
  BlockFactorReport other = one;
  EXPECT_EQ(difference(one, other), "");
  ++other.two_by_two;
  EXPECT_NE(difference(one, other).find("2x2 pivots"), std::string::npos);
  other = one;
  ++other.searched;
  EXPECT_NE(difference(one, other).find("searched"), std::string::npos);
  other = one;
  other.growth *= 2;
  EXPECT_NE(difference(one, other).find("growth"), std::string::npos);
  other.status = FactorReport::OverBudget;
  EXPECT_NE(difference(one, other).find("status"), std::string::npos);
}

/// Several vectors at a time have the bits of each by itself, for every number of threads.
TEST_P(FactorCopyTest, ColumnsAreAppliedAsOneByOne)
{
  constexpr Index most = 11;
  const Index n = analysis.structure.rows;
  const Offset r_leading = n + 3, z_leading = n + 1;
  Random random(2);
  std::vector<double> r(most * r_leading), one(n);
  for (double &x : r)
    x = random.between(-1, 1);
  factor(1e-2);
  for (int threads : {1, 3})
    for (Index columns : {1, 2, 8, most})
      for (bool definite : {false, true}) {
        const Threads scope(threads);
        std::vector<double> z(most * z_leading, 7);
        host->apply_to_columns(columns, r.data(), r_leading, Place::Host, z.data(), z_leading, Place::Host, definite);
        for (Index j = 0; j < columns; ++j) {
          host->apply(r.data() + j * r_leading, Place::Host, one.data(), Place::Host, definite);
          EXPECT_TRUE(std::equal(one.begin(), one.end(), z.begin() + j * z_leading)) << "column " << j;
          EXPECT_EQ(z[j * z_leading + n], 7) << "written between the columns";
        }
      }
}

INSTANTIATE_TEST_SUITE_P(Precisions, FactorCopyTest, testing::Values(Precision::Double, Precision::Single),
                         [](const auto &p) { return p.param == Precision::Double ? "double" : "single"; });

} // namespace
} // namespace tessera::test
