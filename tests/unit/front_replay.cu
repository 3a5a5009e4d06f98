// Factorizations of the direct solver in device memory, done again and again, so that their launches are replayed.
// Needs a GPU.
#include "cuda/front/block/block_fronts.cuh"
#include "cuda/runtime/device_array.cuh"
#include "cuda/runtime/device_limits.hpp"
#include "factor/front/device/front_kinds.hpp"
#include "factor/front/direct_factorization.hpp"
#include "factor/front/make_plan.hpp"
#include "support/factor_cases.hpp"
#include "support/graphs.hpp"
#include "support/random_matrix.hpp"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <set>

using namespace tessera;
using namespace tessera::test;
using namespace tessera_test;

namespace {

/// What is the same when a factorization is: a solution without refinement, and numbers of its report.
struct Outcome {
  DirectReport::Status status;
  Index failed_row;
  Offset negative, positive, two_by_two, uncertain, perturbed;
  double norm, largest, determinant;
  std::vector<double> x;

  bool operator==(const Outcome &o) const
  {
    return status == o.status && failed_row == o.failed_row && negative == o.negative && positive == o.positive &&
           two_by_two == o.two_by_two && uncertain == o.uncertain && perturbed == o.perturbed && norm == o.norm &&
           largest == o.largest && determinant == o.determinant && x == o.x;
  }
};

/// A factorization in device memory of matrices that the caller stores in reverse.
class Repeated {
public:
  Repeated(const Matrix &a, FactorKind kind)
      : stored_(store_reversed(a)), plan_(make_plan(a, stored_.source, {}).plan),
        right_(random_vector(a.pattern.rows, 5), nullptr),
        x_(a.pattern.rows, nullptr), values_{{Offset(stored_.value.size()), nullptr},
                                             {Offset(stored_.value.size()), nullptr}},
        factorization_(make_cuda_direct(plan_, kind))
  {
  }

  const FrontPlan &plan() const { return plan_; }
  Offset reports() { return factorization_->take_copies().reports; }

  /// Factors with these values, which lie in the same place three times, so that launches are replayed, and then in
  /// another one.
  DirectReport factor(const Matrix &a, const DirectOptions &options = {})
  {
    const DeviceArray<double> &values = values_[runs_++ / 3 % 2];
    const std::vector<double> on_host = store_reversed(a).value;
    check(cudaMemcpy(values.data(), on_host.data(), values.bytes(), cudaMemcpyHostToDevice), "copying to the device");
    return factorization_->factor(values.data(), options);
  }

  /// The same, and solves.
  Outcome run(const Matrix &a, const DirectOptions &options = {})
  {
    const DirectReport r = factor(a, options);
    return {r.status,     r.failed_row,
            r.negative,   r.positive,
            r.two_by_two, r.uncertain,
            r.perturbed,  factorization_->norm(),
            r.largest,    factorization_->determinant().mantissa,
            solve()};
  }

  std::vector<double> solve()
  {
    const Index n = plan_.matrix.rows;
    std::vector<double> x(n, NAN);
    factorization_->solve(1, right_.data(), n, x_.data(), n, {1e-14, 0});
    check(cudaMemcpy(x.data(), x_.data(), x_.bytes(), cudaMemcpyDeviceToHost), "copying to the host");
    return x;
  }

private:
  Stored stored_;
  FrontPlan plan_;
  DeviceArray<double> right_, x_, values_[2];
  std::unique_ptr<DirectFactorization> factorization_;
  int runs_ = 0;
};

struct Case {
  std::string name;
  Matrix matrix;
};

std::vector<Case> cases()
{
  return {{"grid 16", laplacian(grid_graph(16, 16, 16), 0.5)},
          {"chain", laplacian(grid_graph(2000, 1, 1), 0.5)},
          {"one row", laplacian(graph_of(1, {}), 0.5)}};
}

/// The matrix with other values.
Matrix changed(Matrix a)
{
  for (double &x : a.value)
    x *= std::abs(x) > 1 ? 3 : 0.7;
  return a;
}

/// The matrix with an entry in this row, and in no row before, that is not finite.
Matrix broken(Matrix a, Index row, double bad)
{
  a.value[a.pattern.start[row + 1] - 1] = bad;
  return a;
}

/// What plans count on that are made without a device.
TEST(FrontReplay, UsualBlockRowsAreThoseOfAnH100)
{
  if (device_limits().block_shared != 227 << 10)
    GTEST_SKIP() << "a device with other shared memory";
  EXPECT_EQ(most_block_rows(), usual_block_rows);
}

TEST(FrontReplay, HasAllKindsOfFronts)
{
  std::set<FrontKind> kinds;
  for (const Case &c : cases()) {
    const Repeated repeated(c.matrix, FactorKind::LDLT);
    const DevicePlan fronts = make_device_plan(repeated.plan(), most_block_rows());
    for (const DeviceFront &f : fronts.front)
      kinds.insert(f.kind);
  }
  EXPECT_EQ(kinds.size(), 3u);
}

TEST(FrontReplay, SameBitsWithOldAndNewValues)
{
  for (const Case &c : cases())
    for (FactorKind kind : {FactorKind::LDLT, FactorKind::LLT}) {
      SCOPED_TRACE(c.name);
      const Matrix other = changed(c.matrix);
      Repeated repeated(c.matrix, kind);
      const Outcome first = repeated.run(c.matrix), of_other = Repeated(c.matrix, kind).run(other);
      EXPECT_EQ(first.status, DirectReport::Complete);
      EXPECT_FALSE(first == of_other);
      for (int time = 2; time < 8; ++time) {
        EXPECT_TRUE(repeated.run(c.matrix) == first) << "time " << time;
        EXPECT_TRUE(repeated.run(other) == of_other) << "time " << time << ", other values";
      }
    }
}

TEST(FrontReplay, OptionsMayChange)
{
  const Matrix a = laplacian(grid_graph(16, 16, 16), 0.5);
  DirectOptions doubtful;
  doubtful.zero = 0.02; // so that pivots are uncertain that are of the size of their masses
  doubtful.uncertain = uncertain_factor * doubtful.zero;
  Repeated repeated(a, FactorKind::LDLT);
  const Outcome expected = repeated.run(a);
  const Outcome uncertain = Repeated(a, FactorKind::LDLT).run(a, doubtful);
  EXPECT_EQ(expected.uncertain, 0);
  EXPECT_GT(uncertain.uncertain, 0);
  for (int time = 0; time < 4; ++time) {
    EXPECT_TRUE(repeated.run(a) == expected) << time;
    EXPECT_TRUE(repeated.run(a) == expected) << time;
    EXPECT_TRUE(repeated.run(a, doubtful) == uncertain) << time;
    EXPECT_TRUE(repeated.run(a, doubtful) == uncertain) << time;
    EXPECT_TRUE(repeated.run(a, doubtful) == uncertain) << time;
  }
}

TEST(FrontReplay, ValuesThatAreNotFinite)
{
  const Matrix a = laplacian(grid_graph(16, 16, 16), 0.5);
  const Index n = a.pattern.rows;
  for (FactorKind kind : {FactorKind::LDLT, FactorKind::LLT}) {
    Repeated repeated(a, kind);
    EXPECT_EQ(Repeated(a, kind).factor(broken(a, 7, NAN)).status, DirectReport::NonFinite) << "the first time";
    const Outcome expected = repeated.run(a);
    for (Index row : {0, 1234, n - 1})
      for (double bad : {double(NAN), double(INFINITY), -double(INFINITY)}) {
        for (int time = 0; time < 3; ++time) {
          const Outcome failed = repeated.run(broken(a, row, bad));
          EXPECT_EQ(failed.status, DirectReport::NonFinite);
          EXPECT_EQ(failed.failed_row, row);
          EXPECT_EQ(failed.norm, INFINITY);
          EXPECT_TRUE(failed.x == expected.x) << "the factor before stays";
        }
        EXPECT_TRUE(repeated.run(a) == expected);
      }
  }
}

TEST(FrontReplay, TheFirstPivotThatIsNotPositive)
{
  Matrix a = laplacian(graph_of(4000, {}), 0.5); // diagonal
  a.value[17] = a.value[3000] = -1;
  Repeated repeated(a, FactorKind::LLT);
  const std::vector<Index> &perm = repeated.plan().tree.perm;
  const Index first = *std::find_if(perm.begin(), perm.end(), [](Index row) { return row == 17 || row == 3000; });
  for (int time = 0; time < 4; ++time) {
    const DirectReport report = repeated.factor(a);
    EXPECT_EQ(report.status, DirectReport::NotDefinite);
    EXPECT_EQ(report.failed_row, first);
  }
}

/// A singular matrix with values of two sizes: each has a pivot that is replaced, by a number that goes with its size.
/// In between a regular one without.
TEST(FrontReplay, StaticPivoting)
{
  const Matrix a = laplacian(grid_graph(16, 16, 16), 0), regular = laplacian(grid_graph(16, 16, 16), 0.5);
  Matrix large = a;
  for (double &x : large.value)
    x *= 0x1p50;
  Repeated repeated(a, FactorKind::LDLT);
  const Outcome expected = repeated.run(regular), with_static = Repeated(a, FactorKind::LDLT).run(a, {0}),
                of_large = Repeated(a, FactorKind::LDLT).run(large, {0});
  EXPECT_EQ(expected.perturbed, 0);
  for (const Outcome &o : {with_static, of_large}) {
    EXPECT_EQ(o.status, DirectReport::Complete);
    EXPECT_EQ(o.perturbed, 1);
    EXPECT_EQ(o.negative + o.positive, a.pattern.rows);
  }
  for (int time = 0; time < 9; ++time) {
    EXPECT_TRUE(repeated.run(a, {0}) == with_static) << time;
    EXPECT_TRUE(repeated.run(large, {0}) == of_large) << time;
    if (time % 4 == 3) {
      EXPECT_TRUE(repeated.run(regular) == expected) << time;
    }
  }
}

/// LLᵀ has no pivots to choose.
TEST(FrontReplay, StaticPivotingLeavesDefiniteOnes)
{
  const Matrix a = laplacian(grid_graph(6, 6, 6), 0.5);
  Repeated repeated(a, FactorKind::LLT);
  const Outcome expected = repeated.run(a);
  EXPECT_TRUE(repeated.run(a, {0}) == expected);
  EXPECT_EQ(repeated.factor(broken(a, a.pattern.rows - 1, -1), {0}).status, DirectReport::NotDefinite);
}

TEST(FrontReplay, OneReportAFactorization)
{
  const Matrix a = laplacian(grid_graph(6, 6, 6), 0.5);
  Repeated repeated(a, FactorKind::LDLT);
  for (int time = 0; time < 4; ++time) {
    repeated.run(a);
    EXPECT_EQ(repeated.reports(), 128); // as docs/direct.md says
  }
}

} // namespace
