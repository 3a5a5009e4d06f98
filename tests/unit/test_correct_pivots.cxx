// Pivots that are corrected after their elimination: the front is then a factor of what it was, with the new pivot.
#include "factor/front/make_plan.hpp"
#include "host/front/solve/correct_pivots.hpp"
#include "host/front/solve/measure_pivots.hpp"

#include "support/random_matrix.hpp"

#include <cmath>
#include <gtest/gtest.h>

using namespace tessera;
using namespace tessera::test;

namespace {

constexpr Index rows = 6, columns = 5, at = 2; ///< of a front; place of the pivot in question

/// A front whose columns are all eliminated: L random, D diagonal but for the pivot in question.
struct Front {
  std::vector<double> a = std::vector<double>(rows * columns, 0.0), d = {3, -2, 5, 7, 1},
                      off = std::vector<double>(columns, 0.0);
  std::vector<Index> row = {10, 11, 12, 13, 14};
  FrontColumns<double> front;

  Front(double d_first, double d_off, double d_second)
  {
    Random random(1);
    for (Index j = 0; j < columns; ++j)
      for (Index i = j; i < rows; ++i)
        a[j * rows + i] = i == j ? 1 : random.between(-2, 2);
    d[at] = d_first;
    off[at] = d_off;
    if (d_off != 0) {
      d[at + 1] = d_second;
      a[at * rows + at + 1] = 0;
    }
    front.a = a.data();
    front.rows = rows;
    front.columns = front.eliminated = columns;
    front.d = d.data();
    front.off = off.data();
    front.row = row.data();
    front.zero = d_first == 0 && d_off == 0;
  }

  double l(Index i, Index j) const { return i < j ? 0 : a[j * rows + i]; }

  /// Entry of L D Lᵀ for rows by their names, 15 for the last.
  double product(Index first, Index second) const
  {
    const auto place = [&](Index name) { return Index(std::find(row.begin(), row.end(), name) - row.begin()); };
    const Index i = place(first), j = place(second);
    double sum = 0;
    for (Index k = 0; k < columns; ++k) {
      sum += l(i, k) * d[k] * l(j, k);
      if (off[k] != 0)
        sum += off[k] * (l(i, k) * l(j, k + 1) + l(i, k + 1) * l(j, k));
    }
    return sum;
  }
};

void expect_same(const Front &found, const Front &expected)
{
  for (Index i = 10; i <= 15; ++i)
    for (Index j = 10; j <= 15; ++j)
      EXPECT_NEAR(found.product(i, j), expected.product(i, j), 1e-12) << i << " " << j;
}

MeasuredPivot<double> measured(double a, double b = 0, double c = 0)
{
  return {a, b, c, 1e-3, 1e-3};
}

TEST(CorrectPivots, SinglePivots)
{
  Front kept(5, 0, 0);
  correct_pivot<Symmetry::Symmetric>(kept.front, at, measured(4));
  EXPECT_EQ(kept.d[at], 5); // the elimination's, which fits its column

  Front zero(5, 0, 0);
  correct_pivot<Symmetry::Symmetric>(zero.front, at, measured(5e-4));
  EXPECT_EQ(zero.front.zero, 1);
  expect_same(zero, Front(0, 0, 0));
  EXPECT_EQ(zero.l(rows - 1, at), 0);

  Front sign(5, 0, 0);
  correct_pivot<Symmetry::Symmetric>(sign.front, at, measured(-2));
  EXPECT_EQ(sign.front.zero, 0);
  expect_same(sign, Front(-2, 0, 0));

  Front found(0, 0, 0);
  correct_pivot<Symmetry::Symmetric>(found.front, at, measured(2));
  EXPECT_EQ(found.front.zero, 0);
  expect_same(found, Front(2, 0, 0));

  Front stays(0, 0, 0);
  correct_pivot<Symmetry::Symmetric>(stays.front, at, measured(0));
  EXPECT_EQ(stays.front.zero, 1);
}

TEST(CorrectPivots, PairsKeepTheirValuesOrGetMeasuredOnes)
{
  Front kept(1, 2, -3);
  correct_pivot<Symmetry::Symmetric>(kept.front, at, measured(1.1, 2, -3));
  expect_same(kept, Front(1, 2, -3));

  Front sign(1, 2, -3);
  correct_pivot<Symmetry::Symmetric>(sign.front, at, measured(4, 2, 3));
  expect_same(sign, Front(4, 2, 3));
  EXPECT_EQ(sign.front.zero, 0);
}

/// Squares of entries of 1e-300 underflow, so that nothing of the pivot seems to be rounding.
TEST(CorrectPivots, ZeroPivotsAreCountedWhereRoundingUnderflows)
{
  const MeasuredPivot<double> first{4.67e-307, 0, 0, 0, 8.9e-16}, second{0, 0, 4.67e-307, 8.9e-16, 0};
  for (const MeasuredPivot<double> &m : {first, second}) {
    Front pair(4.67e-307, 1.74e-306, 0);
    correct_pivot<Symmetry::Symmetric>(pair.front, at, m);
    EXPECT_EQ(pair.front.zero, 1);
    EXPECT_EQ(pair.off[at], 0);
    EXPECT_EQ(pair.d[at], 4.67e-307);
    EXPECT_EQ(pair.d[at + 1], 0);
  }
  Front none(0, 1.74e-306, 0);
  correct_pivot<Symmetry::Symmetric>(none.front, at, {0, 0, 0, 0, 0});
  EXPECT_EQ(none.front.zero, 2);
}

TEST(CorrectPivots, PairsLoseEigenvalues)
{
  Front none(1, 2, -3);
  correct_pivot<Symmetry::Symmetric>(none.front, at, measured(1e-4, -2e-4, 3e-4));
  EXPECT_EQ(none.front.zero, 2);
  EXPECT_EQ(none.off[at], 0);
  for (Index j : {at, at + 1})
    EXPECT_EQ(none.d[j], 0);

  // [4 2; 2 1] and [1 2; 2 4] have one eigenvalue that is not 0
  for (const MeasuredPivot<double> &m : {measured(4, 2, 1), measured(1, 2, 4)}) {
    Front one(4, 2.1, 1.3);
    correct_pivot<Symmetry::Symmetric>(one.front, at, m);
    EXPECT_EQ(one.front.zero, 1);
    EXPECT_EQ(one.d[at], 4);
    EXPECT_EQ(one.off[at], 0);
    EXPECT_EQ(one.d[at + 1], 0);
    expect_same(one, Front(m.a, m.b, m.c));
  }

  // the second diagonal entry is the larger one once both are measured in units of their rounding
  Front scaled(4, 2.1, 1.3);
  correct_pivot<Symmetry::Symmetric>(scaled.front, at, {4, 2, 1, 1, 1e-4});
  EXPECT_EQ(scaled.d[at], 1);
  EXPECT_EQ(scaled.row[at], 13);
  expect_same(scaled, Front(4, 2, 1));
}

/// The front of a complex matrix with the pivot alone.
template <Symmetry S>
struct PairFront {
  std::vector<Complex> a = {1, 0, Complex(0.5, 1), 0, 1, Complex(-1, 0.25)}, d, off;
  std::vector<Index> row = {0, 1};
  FrontColumns<Complex> front;

  PairFront(Complex first, Complex between, Complex second) : d{first, second}, off{between, 0}
  {
    front.a = a.data();
    front.rows = 3;
    front.columns = front.eliminated = 2;
    front.d = d.data();
    front.off = off.data();
    front.row = row.data();
  }

  /// Entry of L D Lᵀ or L D Lᴴ for rows by their names.
  Complex product(Index first, Index second) const
  {
    const auto place = [&](Index name) { return name == 2 ? 2 : row[0] == name ? 0 : 1; };
    const auto l = [&](Index i, Index j) { return i < j ? 0 : a[j * 3 + i]; };
    const Index i = place(first), j = place(second);
    Complex sum = l(i, 0) * d[0] * mirrored<S>(l(j, 0)) + l(i, 1) * d[1] * mirrored<S>(l(j, 1));
    return sum + l(i, 1) * off[0] * mirrored<S>(l(j, 0)) + l(i, 0) * mirrored<S>(off[0]) * mirrored<S>(l(j, 1));
  }
};

template <Symmetry S>
void expect_same(const PairFront<S> &found, const PairFront<S> &expected)
{
  for (Index i = 0; i < 3; ++i)
    for (Index j = 0; j < 3; ++j)
      EXPECT_LE(std::abs(found.product(i, j) - expected.product(i, j)), 1e-12) << i << " " << j;
}

MeasuredPivot<Complex> complex_pair(Complex a, Complex b, Complex c)
{
  return {a, b, c, 1e-3, 1e-3};
}

TEST(CorrectPivots, HermitianPairs)
{
  constexpr Symmetry S = Symmetry::Hermitian;
  const Complex b(1, 2); // [1 b̄; b 5] and [5 b̄; b 1] have one eigenvalue that is not 0
  for (const auto &m : {complex_pair(1, b, 5), complex_pair(5, b, 1)}) {
    PairFront<S> one(1.1, b, 5.1);
    correct_pivot<S>(one.front, 0, m);
    EXPECT_EQ(one.front.zero, 1);
    EXPECT_EQ(one.d[0], 5.0);
    EXPECT_EQ(one.d[1], 0.0);
    expect_same(one, PairFront<S>(m.a, m.b, m.c));
  }
  PairFront<S> sign(1, b, 6), kept(1, b, 6);
  correct_pivot<S>(sign.front, 0, complex_pair(1, b, 4));
  expect_same(sign, PairFront<S>(1, b, 4));
  correct_pivot<S>(kept.front, 0, complex_pair(1.1, b, 6));
  expect_same(kept, PairFront<S>(1, b, 6));
}

/// [1 b̄; b 1] and [1 b; b 1] for b = i have the determinants 0 and 2.
TEST(CorrectPivots, UncertainAreThoseWithSmallDeterminants)
{
  const Complex b(0, 1);
  PairFront<Symmetry::Hermitian> dependent(1, b, 1), regular(1, 1.1 * b, 1);
  PairFront<Symmetry::Symmetric> other(1, b, 1), negative(1, b, -1);
  note_uncertain<Symmetry::Hermitian>(dependent.front, 0, 1, 1, 1e-10);
  EXPECT_EQ(dependent.front.uncertain.size(), 1u);
  note_uncertain<Symmetry::Hermitian>(regular.front, 0, 1, 1, 1e-10);
  EXPECT_EQ(regular.front.uncertain.size(), 0u);
  note_uncertain<Symmetry::Symmetric>(other.front, 0, 1, 1, 1e-10);
  EXPECT_EQ(other.front.uncertain.size(), 0u);
  note_uncertain<Symmetry::Symmetric>(negative.front, 0, 1, 1, 1e-10);
  EXPECT_EQ(negative.front.uncertain.size(), 1u);
}

/// A pair of which a front has another sign gets the entries of the matrix itself, as they are and not mirrored.
template <Symmetry S>
void expect_pair_of_the_matrix()
{
  const Complex b(1.5, 2);
  const Matrix magnitudes{{2, 2, {0, 2, 4}, {0, 1, 0, 1}}, {1, 2.5, 2.5, 1}};
  const std::vector<Complex> values = {1, mirrored<S>(b), 1}; // the upper triangle
  PlanOptions options;
  options.preprocessing = Preprocessing::None;
  options.ordering = Ordering::Natural;
  const PlanResult plan = make_plan(magnitudes, {0, 1, S == Symmetry::Hermitian ? ~Offset(1) : 1, 2}, options);
  FrontStore<Complex> store(plan.plan);
  FrontSolve<Complex, S> solve(plan.plan, store, FactorKind::LDLT);
  FrontColumns<Complex> &front = store.make(0, 2);
  front.eliminated = 2;
  *front.at(0, 0) = *front.at(1, 1) = 1;
  *front.at(1, 0) = 0;
  front.d[0] = 1;
  front.d[1] = 60;
  front.off[0] = b;
  front.off[1] = 0;
  front.row[0] = 0;
  front.row[1] = 1;
  front.uncertain.push_back({0, {1, 1}});
  measure_pivots(plan.plan, store, solve, values.data(), 0);
  EXPECT_EQ(front.zero, 0);
  EXPECT_EQ(front.d[0], 1.0);
  EXPECT_EQ(front.d[1], 1.0);
  EXPECT_EQ(front.off[0], b);
  EXPECT_TRUE(front.uncertain.empty());
}

TEST(CorrectPivots, MeasuredPairsAreThoseOfTheMatrix)
{
  expect_pair_of_the_matrix<Symmetry::Symmetric>();
  expect_pair_of_the_matrix<Symmetry::Hermitian>();
}

TEST(CorrectPivots, ComplexSymmetricPivots)
{
  constexpr Symmetry S = Symmetry::Symmetric;
  const Complex a(0, 1), b(1, 1), c = b * b / a; // rank one
  for (const auto &m : {complex_pair(a, b, c), complex_pair(c, b, a)}) {
    PairFront<S> one(a * 1.1, b, c);
    correct_pivot<S>(one.front, 0, m);
    EXPECT_EQ(one.front.zero, 1);
    EXPECT_EQ(one.d[0], c) << "the larger of the two";
    expect_same(one, PairFront<S>(m.a, m.b, m.c));
  }
  PairFront<S> none(a, b, c), wrong(a, b, 5), kept(a, b, 5);
  correct_pivot<S>(none.front, 0, complex_pair(1e-4, Complex(0, 2e-4), 1e-4));
  EXPECT_EQ(none.front.zero, 2);
  correct_pivot<S>(wrong.front, 0, complex_pair(a, b, -5));
  expect_same(wrong, PairFront<S>(a, b, -5));
  correct_pivot<S>(kept.front, 0, complex_pair(a, b, 5.1));
  expect_same(kept, PairFront<S>(a, b, 5));

  PairFront<S> single(a, 0, 2);
  correct_pivot<S>(single.front, 0, {Complex(0, 1.5), 0, 0, 1e-3, 0});
  EXPECT_EQ(single.d[0], a) << "near enough";
  correct_pivot<S>(single.front, 0, {Complex(0, -1), 0, 0, 1e-3, 0});
  EXPECT_EQ(single.d[0], -a);
  correct_pivot<S>(single.front, 0, {Complex(0, -1e-4), 0, 0, 1e-3, 0});
  EXPECT_EQ(single.front.zero, 1);
}

} // namespace
