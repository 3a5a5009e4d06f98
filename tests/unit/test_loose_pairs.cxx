#include "analysis/ordering/ordering.hpp"
#include "analysis/pairs/compress_and_order.hpp"
#include "analysis/pairs/single_pivots.hpp"
#include "base/permute.hpp"
#include "support/network.hpp"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <numeric>

namespace {

using namespace tessera;
using namespace tessera::test;

std::vector<Triplet> upper_triangle(const Matrix &a)
{
  std::vector<Triplet> upper;
  for (Index i = 0; i < a.pattern.rows; ++i)
    for (Offset p = a.pattern.start[i]; p < a.pattern.start[i + 1]; ++p)
      if (a.pattern.column[p] >= i)
        upper.push_back({i, a.pattern.column[p], a.value[p]});
  return upper;
}

std::vector<double> ones(const Matrix &a)
{
  return std::vector<double>(a.pattern.rows, 1);
}

std::vector<Index> left_by(const Matrix &a, const std::vector<double> &scale, const std::vector<Index> &partner)
{
  return SinglePivots(a, scale).without_loose_pairs(partner);
}

std::vector<Index> put_behind(const Matrix &a, const std::vector<double> &scale, const CompressedGraph &graph,
                              const std::vector<Index> &perm)
{
  return SinglePivots(a, scale).put_behind(graph, perm);
}

/// Rows 0 and 1 are a pair; row 2 meets row 1, and row 3 nothing.
std::vector<Index> left_of(double d0, double d1, double d2, double coupling)
{
  const Matrix a = symmetric(4, {{0, 0, d0}, {0, 1, 1}, {1, 1, d1}, {1, 2, coupling}, {2, 2, d2}, {3, 3, 1}});
  return left_by(a, ones(a), {1, 0, 2, 3});
}

TEST(LoosePairs, OneLargeDiagonalIsEnough)
{
  const std::vector<Index> pair = {1, 0, 2, 3}, none = {0, 1, 2, 3};
  EXPECT_EQ(left_of(0.25, 0, 1, 1), none);
  EXPECT_EQ(left_of(-0.25, 0, -1, 1), none);
  EXPECT_EQ(left_of(0.24, 0, 1, 1), pair) << "two small ones";
  EXPECT_EQ(left_of(0.24, 0.24, 1, 1), pair);
}

TEST(LoosePairs, PivotsOfTheOtherSignMayTakeHalf)
{
  const std::vector<Index> pair = {1, 0, 2, 3}, none = {0, 1, 2, 3};
  EXPECT_EQ(left_of(1, 0, -1, 1), pair) << "1 - 1";
  EXPECT_EQ(left_of(1, 0, -1, 0.75), pair);
  EXPECT_EQ(left_of(1, 0, -1, 0.7), none);
  EXPECT_EQ(left_of(1, 0, -0.24, 1), none) << "no single pivot";
}

/// A pivot would add the square of what is beside it over itself, of the matrix as it is.
TEST(LoosePairs, PivotsThatAddMuchAreNone)
{
  const std::vector<Index> pair = {1, 0, 2, 3}, none = {0, 1, 2, 3};
  const Matrix a = symmetric(4, {{0, 0, 0x1p-10}, {0, 1, 0x1p-3}, {2, 2, 1}, {3, 3, 1}});
  EXPECT_EQ(left_by(a, {0x1p5, 0x1p-2, 1, 1}, pair), pair) << "2^-6 over 2^-10 is 16";
  const Matrix b = symmetric(4, {{0, 0, 0x1p-10}, {0, 1, 0x1p-4}, {2, 2, 1}, {3, 3, 1}});
  EXPECT_EQ(left_by(b, {0x1p5, 0x1p-1, 1, 1}, pair), none) << "2^-8 over 2^-10 is 4";
}

/// Scale factors are those of the rows and of the columns.
TEST(LoosePairs, IsScaled)
{
  const Matrix a = symmetric(3, {{0, 0, 4}, {0, 1, 16}, {2, 2, 1}});
  const std::vector<Index> partner = {1, 0, 2};
  EXPECT_EQ(left_by(a, {0.5, 0.125, 1}, partner), (std::vector<Index>{0, 1, 2}));
  EXPECT_EQ(left_by(a, {0.125, 0.5, 1}, partner), partner);
}

/// [I I; I 0] with `free` more rows I.
Matrix coupled(Index constraints, Index free)
{
  std::vector<Triplet> upper;
  for (Index i = 0; i < constraints; ++i) {
    upper.push_back({i, i, 1});
    upper.push_back({i, constraints + free + i, 1});
  }
  for (Index i = constraints; i < constraints + free; ++i)
    upper.push_back({i, i, 1});
  return symmetric(2 * constraints + free, upper);
}

TEST(LoosePairs, AllStayWhereMostWouldWait)
{
  for (Index free : {0, 3, 4, 10}) {
    const Matrix a = coupled(12, free);
    std::vector<Index> partner(a.pattern.rows);
    std::iota(partner.begin(), partner.end(), 0);
    const std::vector<Index> none = partner;
    for (Index i = 0; i < 12; ++i)
      std::swap(partner[i], partner[12 + free + i]);
    EXPECT_EQ(left_by(a, ones(a), partner), free < 4 ? partner : none) << free;
  }
}

TEST(LoosePairs, AllStayWhereFewAreLoose)
{
  for (Index loose = 1; loose <= 6; ++loose) {
    const Index pairs = 12, variables = pairs + 20;
    std::vector<Triplet> upper;
    std::vector<Index> partner(variables + pairs), expected;
    std::iota(partner.begin(), partner.end(), 0);
    for (Index i = 0; i < variables; ++i) {
      upper.push_back({i, i, i < pairs - loose ? 0.1 : 1});
      if (i < pairs) {
        upper.push_back({i, variables + i, 1});
        std::swap(partner[i], partner[variables + i]);
      }
    }
    expected = partner;
    for (Index i = pairs - loose; loose >= 4 && i < pairs; ++i)
      std::swap(expected[i], expected[variables + i]);
    const Matrix a = symmetric(variables + pairs, upper);
    EXPECT_EQ(left_by(a, ones(a), partner), expected) << loose;
  }
}

CompressedGraph uncompressed(const Matrix &a)
{
  std::vector<Index> alone(a.pattern.rows);
  std::iota(alone.begin(), alone.end(), 0);
  return compress(a.pattern, alone);
}

TEST(LoosePairs, RowsWaitForTheFirstPivot)
{
  // rows 3 and 4 have no diagonal; row 4 meets row 2 weakly
  const Matrix a =
      symmetric(5, {{0, 0, 1}, {1, 1, 1}, {2, 2, 1}, {0, 3, 1}, {1, 3, 1}, {0, 4, 1}, {2, 4, 0.4}, {3, 4, 1}});
  const CompressedGraph graph = uncompressed(a);
  const auto order = [&](const std::vector<Index> &perm) { return put_behind(a, ones(a), graph, perm); };
  EXPECT_EQ(order({4, 3, 2, 1, 0}), (std::vector<Index>{2, 1, 3, 0, 4}));
  EXPECT_EQ(order({4, 3, 0, 1, 2}), (std::vector<Index>{0, 4, 3, 1, 2}));
  EXPECT_EQ(order({1, 3, 2, 0, 4}), std::vector<Index>()) << "nobody has to wait";
  EXPECT_EQ(put_behind(a, {1, 1, 1, 1, 0.25}, graph, {4, 0, 3, 1, 2}), std::vector<Index>())
      << "scaled, row 4 has no pivot to wait for";
}

/// A quasi-definite matrix needs its partner, not any pivot: two rows behind one pivot are not independent.
TEST(LoosePairs, RowsWaitForTheirPartner)
{
  const Matrix a =
      symmetric(5, {{0, 0, 1}, {1, 1, 1}, {2, 2, 1}, {0, 3, 1}, {1, 3, 1}, {0, 4, 1}, {2, 4, 0.4}, {3, 4, 1}});
  const std::vector<double> scale = ones(a);
  const SinglePivots single(a, scale);
  const CompressedGraph graph = uncompressed(a);
  const std::vector<Index> partner = {4, 3, 2, 1, 0};
  EXPECT_EQ(single.put_behind(graph, {4, 3, 2, 1, 0}, partner), (std::vector<Index>{2, 1, 3, 0, 4}));
  EXPECT_EQ(single.put_behind(graph, {4, 3, 0, 1, 2}, partner), (std::vector<Index>{0, 4, 1, 3, 2}));
  EXPECT_EQ(single.put_behind(graph, {0, 3, 1, 2, 4}, partner), (std::vector<Index>{0, 1, 3, 2, 4}));
  EXPECT_EQ(single.put_behind(graph, {1, 3, 2, 0, 4}, partner), std::vector<Index>()) << "nobody has to wait";
  EXPECT_EQ(single.put_behind(graph, {4, 3, 2, 1, 0}, {0, 1, 2, 4, 3}), std::vector<Index>()) << "no pivot beside them";
}

/// [H Bᵀ; B -C] of four rows, 0 and 3 a pair. h01, h02: of H; c: of C.
bool is_quasi_definite(double h0, double h01, double h02, double c)
{
  const Matrix a =
      symmetric(4, {{0, 0, h0}, {0, 1, h01}, {0, 2, h02}, {1, 1, 1}, {2, 2, 1}, {0, 3, 1}, {1, 3, 1}, {3, 3, -c}});
  const std::vector<double> scale = ones(a);
  return SinglePivots(a, scale).is_quasi_definite({3, 1, 2, 0});
}

TEST(LoosePairs, QuasiDefiniteMatrices)
{
  EXPECT_TRUE(is_quasi_definite(1, 0, 0, 0));
  EXPECT_TRUE(is_quasi_definite(1, 0.25, -0.25, 0)) << "half of a single pivot is beside it";
  EXPECT_FALSE(is_quasi_definite(1, 0.25, -0.26, 0));
  EXPECT_TRUE(is_quasi_definite(1, 0, 0, 1)) << "a diagonal of the other sign";
  EXPECT_FALSE(is_quasi_definite(1, 0, 0, -0.125)) << "of the same: the constraint meets a row of its sign";
  EXPECT_TRUE(is_quasi_definite(0.125, 0.0625, -0.0625, 0)) << "no single pivot, but dominant";
  EXPECT_FALSE(is_quasi_definite(0.125, 0.0625, -0.07, 0));
  EXPECT_FALSE(is_quasi_definite(-1, 0, 0, 0)) << "rows 1 and 3 have one sign";
}

/// Single pivots that are far apart, but are not as scaled, with a constraint for each.
TEST(LoosePairs, QuasiDefiniteMatricesHavePivotsOfOneSize)
{
  for (int exponent : {26, 27}) {
    const double large = std::ldexp(1, exponent);
    const Matrix a = symmetric(4, {{0, 0, 1}, {1, 1, large}, {0, 2, 1}, {1, 3, large}});
    const std::vector<double> scale = {1, std::sqrt(1 / large), 1, std::sqrt(1 / large)};
    EXPECT_EQ(SinglePivots(a, scale).is_quasi_definite({2, 3, 0, 1}), exponent == 26) << exponent;
  }
}

/// The constraint of a pair has so many variables, and that of the pair is in so many constraints.
bool spares_fill(Index variables, Index constraints)
{
  std::vector<Triplet> upper;
  std::vector<Index> partner(variables + constraints), left(variables + constraints);
  std::iota(partner.begin(), partner.end(), 0);
  std::iota(left.begin(), left.end(), 0);
  std::swap(partner[0], partner[variables]);
  for (Index i = 0; i < variables; ++i) {
    upper.push_back({i, i, 1});
    upper.push_back({i, variables, 1});
  }
  for (Index k = 1; k < constraints; ++k)
    upper.push_back({0, variables + k, 1});
  const Matrix a = symmetric(variables + constraints, upper);
  const std::vector<double> scale = ones(a);
  return SinglePivots(a, scale).spares_fill(partner, left);
}

TEST(LoosePairs, SpareFillWherePairsMeetTwiceAsMany)
{
  EXPECT_TRUE(spares_fill(5, 1)) << "four other variables, and the pivot meets one constraint";
  EXPECT_FALSE(spares_fill(4, 1)) << "three";
  EXPECT_TRUE(spares_fill(4, 2)) << "three other variables and another constraint, beside two";
  EXPECT_FALSE(spares_fill(3, 2));
  EXPECT_TRUE(spares_fill(6, 4)) << "five other variables and three constraints, beside four";
  EXPECT_FALSE(spares_fill(5, 4));
}

/// Rows in pairs wait for nothing, and nobody waits for them.
TEST(LoosePairs, PairsStayInPlace)
{
  const Matrix a = symmetric(4, {{0, 0, 1}, {0, 1, 1}, {0, 2, 1}, {2, 3, 1}, {3, 3, 1}});
  const CompressedGraph graph = compress(a.pattern, {1, 0, 2, 3});
  EXPECT_EQ(put_behind(a, ones(a), graph, {1, 0, 2}), (std::vector<Index>{0, 2, 1})) << "row 2 waits for row 3";
  EXPECT_EQ(put_behind(a, ones(a), compress(a.pattern, {1, 0, 3, 2}), {1, 0}), std::vector<Index>());
}

TEST(LoosePairs, OfRandomSystems)
{
  Random random(7);
  for (int trial = 0; trial < 50; ++trial) {
    const Index variables = 20 + random.below(60), constraints = variables / 2;
    Matrix a = random_kkt(random, variables, constraints, 3);
    std::vector<StepTime> times;
    StepClock clock(times, nullptr);
    const SymmetricPreprocessing ready = preprocess_symmetric(a, Preprocessing::Matching, true, clock);
    const std::vector<Index> left = left_by(a, ready.scale, ready.partner);
    for (Index i = 0; i < a.pattern.rows; ++i)
      EXPECT_TRUE(left[i] == ready.partner[i] || (left[i] == i && left[ready.partner[i]] == ready.partner[i]));
    const CompressedGraph graph = compress(a.pattern, left);
    std::vector<Index> perm(graph.weight.size());
    std::iota(perm.rbegin(), perm.rend(), 0);
    const std::vector<Index> moved = put_behind(a, ready.scale, graph, perm);
    if (moved.empty())
      continue;
    EXPECT_TRUE(std::is_permutation(moved.begin(), moved.end(), perm.begin()));
    EXPECT_EQ(put_behind(a, ready.scale, graph, moved), std::vector<Index>()) << "nobody has to wait any more";
  }
}

/// What compress_and_order returns, with the orders that it asked for, each of a graph of so many vertices.
struct Ordered {
  SymmetricPreprocessing ready;
  OrderedGraph ordered;
  std::vector<std::size_t> asked;
};

template <class Order>
Ordered order_network(const Matrix &a, PairsApart apart, const Order &order)
{
  std::vector<StepTime> times;
  StepClock clock(times, nullptr);
  Ordered result{preprocess_symmetric(a, Preprocessing::Matching, true, clock), {}, {}};
  result.ordered = compress_and_order(a, result.ready, apart, clock, [&](const CompressedGraph &graph) {
    result.asked.push_back(graph.weight.size());
    return order(graph);
  });
  return result;
}

Symbolic least_fill(const CompressedGraph &graph)
{
  return order_and_count(graph.pattern, graph.weight, Ordering::ND);
}

TEST(LoosePairs, TakeFewerOperations)
{
  const Matrix a = network(30);
  const Ordered pairs = order_network(a, PairsApart::None, least_fill),
                loose = order_network(a, PairsApart::Loose, least_fill);
  EXPECT_EQ(pairs.ready.pairs, 899) << "every constraint";
  EXPECT_EQ(loose.ready.pairs, 0);
  EXPECT_EQ(loose.asked, std::vector<std::size_t>{std::size_t(a.pattern.rows)});
  EXPECT_LE(loose.ordered.symbolic.size.flops, 0.7 * pairs.ordered.symbolic.size.flops);
  const std::vector<double> &scale = loose.ready.scale;
  EXPECT_TRUE(put_behind(a, scale, loose.ordered.graph, loose.ordered.symbolic.perm).empty());
}

/// A factorization that cannot delay: pairs are apart in a quasi-definite matrix alone.
TEST(LoosePairs, ApartInQuasiDefiniteMatrices)
{
  const Matrix a = network(30);
  const Ordered apart = order_network(a, PairsApart::QuasiDefinite, least_fill);
  EXPECT_EQ(apart.ready.pairs, 0);
  EXPECT_LE(apart.ordered.symbolic.size.flops,
            0.7 * order_network(a, PairsApart::None, least_fill).ordered.symbolic.size.flops);

  // behind their partners, which the matching has
  std::vector<StepTime> times;
  StepClock clock(times, nullptr);
  const SymmetricPreprocessing all = preprocess_symmetric(a, Preprocessing::Matching, true, clock);
  const std::vector<Index> place = inverse_permutation(apart.ordered.symbolic.perm);
  for (Index i = 0; i < a.pattern.rows; ++i)
    if (all.partner[i] < i) {
      EXPECT_LT(place[all.partner[i]], place[i]) << i;
    }

  std::vector<Triplet> upper = upper_triangle(a);
  upper.push_back({0, 1, 0.75});
  const Matrix b = symmetric(a.pattern.rows, upper);
  EXPECT_EQ(order_network(b, PairsApart::QuasiDefinite, least_fill).ready.pairs, 899) << "not dominant";
  EXPECT_EQ(order_network(b, PairsApart::Loose, least_fill).ready.pairs, 0);
}

/// An order by which all constraints would come first, and which is a bad one once they wait. It is said to take a
/// third of what it does.
Symbolic constraints_first(const CompressedGraph &graph)
{
  std::vector<Index> perm(graph.weight.size());
  std::iota(perm.rbegin(), perm.rend(), 0);
  Symbolic symbolic = analyze(graph.pattern, graph.weight, perm);
  symbolic.size.flops /= 3;
  return symbolic;
}

TEST(LoosePairs, PairsWhereTheyTakeFewerOperations)
{
  const Matrix a = network(12);
  const Ordered pairs = order_network(a, PairsApart::Loose, [&](const CompressedGraph &graph) {
    return Index(graph.weight.size()) < a.pattern.rows ? least_fill(graph) : constraints_first(graph);
  });
  EXPECT_EQ(pairs.asked.size(), 2u);
  EXPECT_EQ(pairs.ready.pairs, 143);
  EXPECT_EQ(pairs.ordered.graph.weight.size(), pairs.asked[1]);
  EXPECT_EQ(pairs.ordered.symbolic.perm.size(), pairs.asked[1]);
}

/// What failed for the pairs does not replace the order without them.
TEST(LoosePairs, AnOrderingOfPairsThatFails)
{
  const Matrix a = network(12);
  const Ordered loose = order_network(a, PairsApart::Loose, [&](const CompressedGraph &graph) {
    return Index(graph.weight.size()) < a.pattern.rows ? Symbolic() : constraints_first(graph);
  });
  EXPECT_EQ(loose.asked.size(), 2u);
  EXPECT_EQ(loose.ready.pairs, 0);
  EXPECT_EQ(loose.ordered.symbolic.perm.size(), loose.asked[0]);
}

TEST(LoosePairs, StayInDenseMatrices)
{
  const Matrix a = network(3); // 12 edges and 8 nodes, 56 entries of 400
  const std::vector<Triplet> upper = upper_triangle(a);
  for (Index added : {21, 22}) { // among the edges, and too small to matter
    std::vector<Triplet> with_more = upper;
    for (Index i = 0; i < 12; ++i)
      for (Index j = i + 1; j < 12 && Index(with_more.size()) < Index(upper.size()) + added; ++j)
        with_more.push_back({i, j, 1e-6});
    const Matrix b = symmetric(a.pattern.rows, with_more);
    EXPECT_EQ(order_network(b, PairsApart::Loose, least_fill).ready.pairs, 4 * b.pattern.entries() < 400 ? 0 : 8)
        << added;
    EXPECT_EQ(4 * b.pattern.entries() < 400, added == 21) << b.pattern.entries();
  }
}

TEST(LoosePairs, AnOrderingThatFails)
{
  const Ordered none = order_network(network(4), PairsApart::Loose, [](const CompressedGraph &) { return Symbolic(); });
  EXPECT_TRUE(none.ordered.symbolic.empty());
  EXPECT_EQ(none.asked.size(), 1u);
}

} // namespace
