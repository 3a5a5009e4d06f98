// Static pivoting on a device beside the host's: the same pivots are replaced, by the same numbers, and counted the
// same.
#include "factor/lu/make_lu_plan.hpp"
#include "support/graphs.hpp"
#include "support/larger.hpp"
#include "support/lu_cases.hpp"
#include "support/static_cases.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <utility>

using namespace tessera;
using namespace tessera::test;

namespace {

/// Own columns of a front, and rows below it.
struct Shape {
  Index columns, below;
};

/// Of fronts of a warp, with one and with two panels of a thread block, with one and with many tiles.
const std::vector<Shape> &shapes()
{
  static const std::vector<Shape> list = {{9, 5}, {28, 4}, {32, 0}, {30, 20}, {57, 9}, {60, 200}, {260, 90}};
  return list;
}

/// What a factorization does, and a solution without refinement.
struct Outcome {
  DirectReport report;
  ScaledProduct determinant;
  std::vector<double> x, x_transposed;
};

/// LDLᵀ or LU of a matrix by the host, and by the backend of the program.
class Backends {
public:
  Backends(const Matrix &a, bool lu, const PlanOptions &options = plan(), bool block_triangular = false)
      : matrix_(a), stored_(store_reversed(a)), lu_(lu)
  {
    if (lu) {
      lu_plan_ = make_lu_plan(a, stored_.source, options, block_triangular);
      host_ = make_host_lu(lu_plan_.plan);
      device_ = make_direct_lu(lu_plan_.plan);
    } else {
      plan_ = make_plan(a, stored_.source, options);
      host_ = make_host_direct(plan_.plan, FactorKind::LDLT);
      device_ = make_direct(plan_.plan, FactorKind::LDLT);
    }
  }

  static PlanOptions plan()
  {
    PlanOptions options = one_by_one();
    options.relaxation.zeros = 0;
    return options;
  }

  Index fronts() const { return (lu_ ? lu_plan_.plan.fronts : plan_.plan).tree.fronts(); }

  void set_values(const Matrix &a)
  {
    matrix_ = a;
    stored_.value = store_reversed(a).value;
  }

  Outcome on_host() { return run(*host_, static_pivots); }
  Outcome on_device(const DirectOptions &options = static_pivots) { return run(*device_, options); }

private:
  Outcome run(DirectFactorization &factorization, const DirectOptions &options)
  {
    const Index n = matrix_.pattern.rows;
    const std::vector<double> b = random_vector(n, 5);
    Outcome outcome{factorization.factor(stored_.value.data(), options), {}, std::vector<double>(n, NAN), {}};
    if (outcome.report.status != DirectReport::Complete)
      return outcome;
    outcome.determinant = factorization.determinant();
    factorization.solve(1, b.data(), n, outcome.x.data(), n, {1e-14, 0});
    if (lu_) {
      outcome.x_transposed.assign(n, NAN);
      factorization.solve_transposed(1, b.data(), n, outcome.x_transposed.data(), n, {1e-14, 0});
    }
    return outcome;
  }

  Matrix matrix_;
  Stored stored_;
  const bool lu_;
  PlanResult plan_;
  LuPlanResult lu_plan_;
  std::unique_ptr<DirectFactorization> host_, device_;
};

/// In the maximum norm, over that of x.
double difference(const std::vector<double> &x, const std::vector<double> &y)
{
  double most = 0, norm = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    most = larger(most, std::abs(x[i] - y[i]));
    norm = std::max(norm, std::abs(x[i]));
  }
  return x.empty() ? 0 : most / norm;
}

void expect_same(const Outcome &host, const Outcome &device, double tolerance)
{
  const DirectReport &h = host.report, &d = device.report;
  ASSERT_EQ(h.status, DirectReport::Complete);
  ASSERT_EQ(d.status, DirectReport::Complete) << d.failed_row;
  EXPECT_EQ(d.perturbed, h.perturbed);
  EXPECT_EQ(d.negative, h.negative);
  EXPECT_EQ(d.positive, h.positive);
  EXPECT_EQ(d.one_by_one, h.one_by_one);
  EXPECT_EQ(d.two_by_two, h.two_by_two);
  EXPECT_EQ(d.zero, 0);
  EXPECT_EQ(d.delayed, 0);
  EXPECT_EQ(d.searches, 0);
  EXPECT_LE(difference(host.x, device.x), tolerance);
  EXPECT_LE(difference(host.x_transposed, device.x_transposed), tolerance);
  EXPECT_EQ(device.determinant.exponent, host.determinant.exponent);
  EXPECT_NEAR(device.determinant.mantissa, host.determinant.mantissa, tolerance);
}

/// A front of this shape, whose columns are large on the diagonal and coupled to all others but for eight in every 32:
/// one with next to nothing in it, but for an entry in a row below; a pair without a diagonal; two pairs of columns
/// that are nearly equal; and one with a negative diagonal entry that is next to nothing. Zeros make the columns one
/// front, and a last row, coupled to the rows below, makes these another.
Matrix with_small_pivots(const Shape &shape)
{
  Random random(11);
  const Index last = shape.columns + shape.below, n = shape.below > 0 ? last + 1 : last;
  const auto is_small = [&](Index i) { return i % 32 < 8 && i / 32 * 32 + 8 <= shape.columns; };
  std::vector<Triplet> t;
  for (Index i = 0; i < n; ++i) {
    if (i < shape.columns && is_small(i))
      continue;
    t.push_back({i, i, (i % 3 == 0 ? -1 : 1) * random.between(2, 4)});
    for (Index j = i == last ? shape.columns : 0; j < (i == last ? last : std::min(i, shape.columns)); ++j)
      t.push_back({i, j, is_small(j) ? 0 : random.between(-1, 1) / double(n)});
  }
  for (Index o = 0; o + 8 <= shape.columns; o += 32) {
    const std::vector<Triplet> small = {{o, o, 1e-19},     {o + 2, o + 1, 1},         {o + 3, o + 3, 2},
                                        {o + 4, o + 3, 2}, {o + 4, o + 4, 2 + 1e-13}, {o + 5, o + 5, 1},
                                        {o + 6, o + 5, 1}, {o + 6, o + 6, 1 - 1e-12}, {o + 7, o + 7, -1e-20}};
    t.insert(t.end(), small.begin(), small.end());
    if (shape.below > 0)
      t.push_back({last - 1, o, 1e-4});
  }
  return with_dense_columns(n, shape.columns, t);
}

Matrix scaled_by(Matrix a, double factor)
{
  for (double &x : a.value)
    x *= factor;
  return a;
}

/// The least pivot is relative to the largest entry, also where that is far above what stands in padding.
TEST(StaticBackends, SmallPivotsOfAllFronts)
{
  for (const Shape &shape : shapes())
    for (double factor : {1.0, 0x1p40, 0x1p-40})
      for (bool lu : {false, true}) {
        SCOPED_TRACE(std::to_string(shape.columns) + "+" + std::to_string(shape.below) + (lu ? " LU" : " LDLT"));
        Backends backends(scaled_by(with_small_pivots(shape), factor), lu);
        EXPECT_EQ(backends.fronts(), shape.below > 0 ? 2 : 1);
        const Outcome host = backends.on_host();
        EXPECT_EQ(host.report.perturbed, 4 * ((shape.columns + 24) / 32));
        expect_same(host, backends.on_device(), 1e-6);
      }
}

/// A column without a large entry comes after one that has what is large in its row: else two would be replaced.
TEST(StaticBackends, ColumnsOfLuThatComeLater)
{
  for (const Shape &shape : shapes()) {
    SCOPED_TRACE(std::to_string(shape.columns) + "+" + std::to_string(shape.below));
    Matrix a = with_small_pivots(shape);
    const auto set = [&](Index i, Index j, double x) {
      const auto begin = a.pattern.column.begin(), row = begin + a.pattern.start[i];
      a.value[std::lower_bound(row, begin + a.pattern.start[i + 1], j) - begin] = x;
    };
    for (Index o = 0; o + 8 <= shape.columns; o += 32) {
      set(o + 3, o + 3, 1e-9);
      set(o + 4, o + 3, 1e-15);
      set(o + 3, o + 4, 2);
      set(o + 4, o + 4, 0);
    }
    Backends backends(a, true);
    const Outcome host = backends.on_host();
    EXPECT_EQ(host.report.perturbed, 4 * ((shape.columns + 24) / 32));
    expect_same(host, backends.on_device(), 1e-6);
  }
}

/// Pairs that the matching proposes, of which the last one, by the elimination of the others, has a small determinant
/// or is small: then it is no 2x2 pivot. In which rows what is left of the others is replaced, is the backend's choice.
TEST(StaticBackends, ProposedPairsThatComeToBeSmall)
{
  const double apart = (1 - 1e-9) / 1.4, half = 0.5 * (1 - 2.5e-9);
  const std::vector<Triplet> pairs = {{1, 0, 1}, {3, 2, 1}, {5, 4, 1}};
  const std::vector<Triplet> small = {{4, 0, 0.7}, {5, 1, apart}, {4, 2, 0.7}, {5, 3, apart}},
                             singular = {{4, 2, half}, {4, 3, half}, {5, 2, half}, {5, 3, half}};
  for (const Shape &shape : shapes())
    for (const auto &[coupling, perturbed] : {std::pair{small, 2}, std::pair{singular, 1}}) {
      SCOPED_TRACE(std::to_string(shape.columns) + ", to be replaced: " + std::to_string(perturbed));
      std::vector<Triplet> t = pairs;
      t.insert(t.end(), coupling.begin(), coupling.end());
      for (Index i = 6; i < shape.columns; ++i)
        t.push_back({i, i, 1});
      Backends backends(with_dense_columns(shape.columns, shape.columns, t), false, {});
      for (const Outcome &outcome : {backends.on_host(), backends.on_device()}) {
        EXPECT_EQ(outcome.report.status, DirectReport::Complete);
        EXPECT_EQ(outcome.report.two_by_two, 2);
        EXPECT_EQ(outcome.report.perturbed, perturbed);
        EXPECT_EQ(outcome.report.negative, 3);
      }
    }
}

/// The rank of a front is that of a product of two narrow matrices: as many pivots are replaced as it lacks.
TEST(StaticBackends, SingularFronts)
{
  for (Index n : {12, 24, 32})
    for (bool lu : {false, true}) {
      SCOPED_TRACE(std::to_string(n) + (lu ? " LU" : " LDLT"));
      const Index rank = n / 2;
      const std::vector<double> left = random_vector(n * rank, 7), right = random_vector(n * rank, 8);
      std::vector<Triplet> t;
      for (Index i = 0; i < n; ++i)
        for (Index j = 0; j < n; ++j)
          for (Index k = 0; k < rank; ++k)
            t.push_back({i, j, (k % 2 ? 1 : -1) * left[i * rank + k] * (lu ? right : left)[j * rank + k]});
      Backends backends(assemble(n, n, t), lu);
      const Outcome host = backends.on_host(), device = backends.on_device();
      EXPECT_EQ(host.report.perturbed, n - rank);
      EXPECT_EQ(device.report.perturbed, n - rank);
      EXPECT_EQ(device.report.status, DirectReport::Complete);
    }
}

/// The least pivot is that of the whole matrix with its scale factors, entries outside of diagonal blocks included.
TEST(StaticBackends, LargeEntryBesideDiagonalBlocks)
{
  const Matrix a = assemble(4, 4, {{0, 0, 1}, {1, 1, 1}, {2, 2, -1}, {3, 3, 200}, {3, 1, 1e10}});
  Backends backends(a, true, Backends::plan(), true);
  const Outcome host = backends.on_host();
  EXPECT_EQ(host.report.perturbed, 3);
  expect_same(host, backends.on_device(), 1e-14);
}

/// Values of any size, one after the other: each has a least pivot of its own.
TEST(StaticBackends, ValuesThatChange)
{
  const Matrix a = with_small_pivots({57, 9});
  for (bool lu : {false, true}) {
    Backends backends(a, lu);
    for (double factor : {1.0, 0x1p60, 1.0, 0x1p-60, 1.0, 1.0}) {
      backends.set_values(scaled_by(a, factor));
      expect_same(backends.on_host(), backends.on_device(), 1e-6);
    }
  }
}

/// Scaled and paired by the matching, with fronts that have children.
TEST(StaticBackends, MatchedSystems)
{
  Random random(4);
  std::vector<NamedMatrix> list = lu_cases();
  for (NamedMatrix &m : factor_cases())
    list.push_back(m);
  list.push_back({"kkt", random_kkt(random, 300, 120, 3)});
  for (const NamedMatrix &m : list) {
    if (m.singular)
      continue;
    SCOPED_TRACE(m.name);
    Backends backends(m.matrix, true, {}, true);
    const Outcome host = backends.on_host(), device = backends.on_device();
    EXPECT_EQ(device.report.status, host.report.status);
    EXPECT_EQ(device.report.perturbed, host.report.perturbed);
  }
  for (const NamedMatrix &m : factor_cases()) {
    if (m.singular)
      continue;
    SCOPED_TRACE(m.name);
    Backends backends(m.matrix, false, {});
    const Outcome host = backends.on_host(), device = backends.on_device();
    EXPECT_EQ(device.report.status, host.report.status);
    EXPECT_EQ(device.report.perturbed, host.report.perturbed);
    EXPECT_EQ(device.report.negative, host.report.negative);
  }
}

/// Pivots that the host has found for the default are not those of static pivoting, which has the plan that was given;
/// the default finds them anew.
TEST(StaticBackends, BesideTheDefault)
{
  const Matrix a = without_diagonal(60, 7);
  for (bool lu : {false, true}) {
    Backends backends(a, lu), fresh(a, lu);
    const Outcome expected = fresh.on_device();
    EXPECT_GT(expected.report.perturbed, 30);
    for (int time = 0; time < 2; ++time) {
      const Outcome found = backends.on_device({});
      EXPECT_EQ(found.report.status, DirectReport::Complete);
      EXPECT_GT(found.report.delayed, 0);
      EXPECT_EQ(found.report.perturbed, 0);
      for (int again = 0; again < 2; ++again) {
        const Outcome now = backends.on_device();
        EXPECT_EQ(now.report.delayed, 0);
        EXPECT_EQ(now.report.searches, 0);
        EXPECT_EQ(now.report.perturbed, expected.report.perturbed);
        EXPECT_EQ(std::memcmp(now.x.data(), expected.x.data(), now.x.size() * sizeof(double)), 0);
      }
    }
  }
}

} // namespace
