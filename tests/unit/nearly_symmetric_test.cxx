#include "analysis/input/symmetric_input.hpp"
#include "support/factor_cases.hpp"
#include "support/random_matrix.hpp"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <limits>
#include <string>

namespace {

using namespace tessera;
using namespace tessera::test;

constexpr double largest_double = std::numeric_limits<double>::max();

/// A symmetric matrix of extreme values, whose rows may be graded as well.
Matrix extreme_matrix(Random &random)
{
  const Index n = 1 + random.below(60);
  Matrix a = random_matrix(random, n, n + random.below(5 * n), Values::uniform, true);
  std::vector<double> scale(n, 1);
  if (random.below(3) == 0)
    for (double &s : scale)
      s = std::exp2(random.between(-200, 200));
  const bool tame = random.below(2); // else most of what it comes to overflows
  for (Index i = 0; i < n; ++i)
    for (Offset p = a.pattern.start[i]; p < a.pattern.start[i + 1] && a.pattern.column[p] <= i; ++p) {
      const Index j = a.pattern.column[p];
      const double value = (tame ? a.value[p] : extreme_value(random)) * scale[i] * scale[j];
      const auto row = a.pattern.column.begin() + a.pattern.start[j],
                 end = a.pattern.column.begin() + a.pattern.start[j + 1];
      a.value[p] = a.value[std::lower_bound(row, end, i) - a.pattern.column.begin()] =
          std::clamp(value, -largest_double, largest_double);
    }
  return a;
}

/// What a caller might store of a symmetric matrix: entries below the diagonal, and their mirror images, differ within
/// the tolerance, and of some pairs that count as zeros one is missing.
class Assembled {
public:
  Assembled(Random &random, const Matrix &exact) : pattern_(exact.pattern), kept_(exact.pattern.entries(), true)
  {
    const std::vector<double> tolerance = tolerances(exact);
    visit([&](Index i, Index j, Offset p, Offset mirror) {
      if (std::fabs(exact.value[p]) <= std::max(tolerance[i], tolerance[j]) && random.below(2))
        kept_[random.below(2) ? p : mirror] = false;
    });
  }

  /// Rows with the values of `exact`, which has the pattern of the first one.
  Matrix store(Random &random, const Matrix &exact) const
  {
    std::vector<double> value = exact.value;
    const std::vector<double> tolerance = tolerances(exact);
    visit([&](Index i, Index j, Offset p, Offset mirror) {
      const double other = value[p] + random.between(-1, 1) * std::max(tolerance[i], tolerance[j]);
      if (kept_[p] && kept_[mirror] && std::isfinite(other) && random.below(3) > 0)
        value[p] = other;
    });
    std::vector<Triplet> triplets;
    for (Index i = 0; i < pattern_.rows; ++i)
      for (Offset p = pattern_.start[i]; p < pattern_.start[i + 1]; ++p)
        if (kept_[p])
          triplets.push_back({i, pattern_.column[p], value[p]});
    return assemble(pattern_.rows, pattern_.rows, triplets);
  }

private:
  /// visit(i, j, entry, mirror image) for the entries below the diagonal.
  template <class Visit>
  void visit(Visit visit) const
  {
    std::vector<Offset> next(pattern_.start.begin(), pattern_.start.end() - 1); // rows come to the columns in order
    for (Index i = 0; i < pattern_.rows; ++i)
      for (Offset p = pattern_.start[i]; p < pattern_.start[i + 1]; ++p) {
        const Index j = pattern_.column[p];
        while (pattern_.column[next[j]] < i)
          ++next[j];
        if (j < i)
          visit(i, j, p, next[j]);
      }
  }

  /// What the entries of each row may differ by, whatever becomes of those that are small beside their row or column.
  static std::vector<double> tolerances(const Matrix &a)
  {
    const Pattern &pattern = a.pattern;
    std::vector<double> largest(pattern.rows, 0), tolerance(pattern.rows, 0);
    for (Index i = 0; i < pattern.rows; ++i)
      for (Offset p = pattern.start[i]; p < pattern.start[i + 1]; ++p)
        largest[i] = std::max(largest[i], std::fabs(a.value[p]));
    for (Index i = 0; i < pattern.rows; ++i)
      for (Offset p = pattern.start[i]; p < pattern.start[i + 1]; ++p)
        if (std::fabs(a.value[p]) >= 1e-8 * std::max(largest[i], largest[pattern.column[p]]))
          tolerance[i] = std::max(tolerance[i], 0.9e-10 * std::fabs(a.value[p]));
    return tolerance;
  }

  Pattern pattern_;
  std::vector<char> kept_;
};

SymmetricInput read(const Matrix &stored)
{
  return read_full(stored.pattern.rows, stored.pattern.start.data(), stored.pattern.column.data(), stored.value.data(),
                   true);
}

AnalysisOptions random_analysis_options(Random &random)
{
  AnalysisOptions options;
  const Preprocessing steps[] = {Preprocessing::Matching, Preprocessing::Matching, Preprocessing::Equilibrate,
                                 Preprocessing::None};
  const Index rows[] = {1, 4, 32};
  options.preprocessing = steps[random.below(4)];
  options.blocking.max_rows = rows[random.below(3)];
  options.fill_level = random.below(5) - 2;
  return options;
}

FactorOptions random_factor_options(Random &random)
{
  const Pivoting pivotings[] = {Pivoting::none, Pivoting::bunch_kaufman, Pivoting::rook, Pivoting::full};
  FactorOptions options;
  options.pivoting = pivotings[random.below(4)];
  options.drop_tolerance = random.below(2) ? 0 : 1e-3;
  options.fill_ratio = random.below(3) ? 0 : 1.5;
  return options;
}

/// A factor of values in the caller's order.
struct Result {
  FactorReport report;
  std::string bits;

  Result(const Analysis &analysis, const std::vector<double> &value, const FactorOptions &options)
  {
    HostBlockFactor<double> factor(analysis.structure);
    report = factor_on_host(analysis.structure, make_host_schedule(analysis.structure), value.data(), options, factor);
    if (report.status != FactorReport::Complete)
      return;
    bits = tessera::test::bits(analysis.structure, factor);
    for (const double x : factor.d)
      EXPECT_TRUE(std::isfinite(x)) << "in a factor that is said to be complete";
  }
};

/// From what a caller stores to the factor: what is read is symmetric to the last bit, and two setups, the second with
/// other values, are those of the exactly symmetric matrix, or both fail.
TEST(NearlySymmetric, FactorsAreThoseOfTheUpperTriangle)
{
  Random random(22);
  Index different = 0, complete = 0;
  for (int trial = 0; trial < 1500; ++trial) {
    SCOPED_TRACE(trial);
    Matrix exact = extreme_matrix(random);
    const Assembled assembled(random, exact);
    Matrix stored = assembled.store(random, exact);
    const SymmetricInput input = read(stored);
    ASSERT_EQ(input.status, SymmetricInput::Ok);
    different += stored.value != exact.value;
    EXPECT_EQ(input.matrix.pattern.start, exact.pattern.start);
    EXPECT_EQ(input.matrix.pattern.column, exact.pattern.column);
    EXPECT_EQ(input.matrix.value, exact.value);
    if (HasFailure())
      return;

    const AnalysisOptions options = random_analysis_options(random);
    const SymmetricInput twin = read(exact);
    const Analysis analysis = analyze_matrix(input.matrix, input.source, options);
    const Analysis of_twin = analyze_matrix(twin.matrix, twin.source, options);
    ASSERT_EQ(analysis.status, AnalysisStatus::Ok);
    EXPECT_EQ(analysis.structure.perm, of_twin.structure.perm);
    EXPECT_EQ(analysis.scale, of_twin.scale);
    for (int setup = 0; setup < 2; ++setup) {
      const FactorOptions factor_options = random_factor_options(random);
      const Result result(analysis, stored.value, factor_options), expected(of_twin, exact.value, factor_options);
      EXPECT_EQ(result.report.status, expected.report.status);
      EXPECT_EQ(result.bits, expected.bits);
      complete += result.report.status == FactorReport::Complete;
      for (double &value : exact.value)
        value *= 0.75;
      stored = assembled.store(random, exact);
    }
    if (HasFailure())
      return;
  }
  EXPECT_GT(different, 1000);
  EXPECT_GT(complete, 1500);
}

} // namespace
