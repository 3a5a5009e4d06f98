#include "direct_case.hpp"

#include "support/backward_error.hpp"

#include <algorithm>
#include <cmath>

namespace tessera::fuzz {

using test::DenseOf;
using test::MatrixOf;
using test::StoredOf;

DirectSetup decode_direct(ByteSource &in)
{
  const DirectSetup::Method methods[] = {DirectSetup::LDLT, DirectSetup::LU, DirectSetup::LLT};
  const Preprocessing preprocessings[] = {Preprocessing::Matching, Preprocessing::None, Preprocessing::Equilibrate};
  const Ordering orderings[] = {Ordering::Automatic, Ordering::Natural, Ordering::AMD, Ordering::ND, Ordering::METIS};
  const double thresholds[] = {0.01, 0.5, 0.1, 1e-4, 1e-12};
  DirectSetup s;
  s.method = in.one_of(methods);
  const Index kind = in.below(4);
  s.complex_values = kind >= 2;
  const bool hermitian = s.complex_values && (kind == 3 || s.method == DirectSetup::LLT);
  s.symmetry = hermitian ? Symmetry::Hermitian : Symmetry::Symmetric;
  if (s.method == DirectSetup::LU)
    s.plan = lu_plan_options();
  s.plan.preprocessing = in.one_of(preprocessings);
  if (s.method == DirectSetup::LLT || (s.method == DirectSetup::LU && s.plan.preprocessing != Preprocessing::Matching))
    s.plan.preprocessing = Preprocessing::None;
  s.plan.ordering = in.one_of(orderings);
  s.plan.relaxation = {1 + in.below(40), 0.1};
  s.block_triangular = in.flag();
  s.options.threshold = in.one_of(thresholds);
  s.steps = in.flag() ? 0 : 10;
  return s;
}

template <>
MatrixOf<double> with_values(const DirectSetup &, const Matrix &real)
{
  return {real.pattern, real.value};
}
template <>
MatrixOf<Complex> with_values(const DirectSetup &setup, const Matrix &real)
{
  if (setup.method == DirectSetup::LU)
    return test::with_arguments<Complex>(real);
  return setup.symmetry == Symmetry::Hermitian ? test::with_arguments_of_pairs<Symmetry::Hermitian>(real)
                                               : test::with_arguments_of_pairs<Symmetry::Symmetric>(real);
}

template <>
StoredOf<double> stored_values(const DirectSetup &, const MatrixOf<double> &a)
{
  return test::store_reversed(a);
}
template <>
StoredOf<Complex> stored_values(const DirectSetup &setup, const MatrixOf<Complex> &a)
{
  if (setup.method == DirectSetup::LU)
    return test::store_reversed(a);
  return setup.symmetry == Symmetry::Hermitian ? test::store_upper<Symmetry::Hermitian>(a)
                                               : test::store_upper<Symmetry::Symmetric>(a);
}

DirectPlan::DirectPlan(const DirectSetup &setup, const Matrix &analysed, const std::vector<Offset> &source)
{
  if (setup.method == DirectSetup::LU) {
    unsymmetric = make_lu_plan(analysed, source, setup.plan, setup.block_triangular);
    status = unsymmetric.status;
    faulty_row = unsymmetric.faulty_row;
  } else {
    symmetric = make_plan(analysed, source, setup.plan);
    status = symmetric.status;
    faulty_row = symmetric.faulty_row;
  }
}

template <class T>
std::unique_ptr<DirectFactorizationOf<T>> DirectPlan::make(const DirectSetup &setup, bool keeping) const
{
  if (setup.method == DirectSetup::LU)
    return keeping ? make_keeping_lu<T>(unsymmetric.plan) : make_host_lu<T>(unsymmetric.plan);
  const FactorKind kind = setup.method == DirectSetup::LLT ? FactorKind::LLT : FactorKind::LDLT;
  return keeping ? make_keeping_direct<T>(symmetric.plan, kind, setup.symmetry)
                 : make_host_direct<T>(symmetric.plan, kind, setup.symmetry);
}
template std::unique_ptr<DirectFactorizationOf<double>> DirectPlan::make(const DirectSetup &, bool) const;
template std::unique_ptr<DirectFactorizationOf<Complex>> DirectPlan::make(const DirectSetup &, bool) const;

template <class T>
KnownMatrix<T> know(const DirectSetup &setup, const MatrixOf<T> &a)
{
  KnownMatrix<T> known;
  known.matrix = a;
  double largest = 0;
  for (const T &x : a.value) {
    const double m = magnitude(x);
    largest = std::max(largest, m);
    known.finite = known.finite && is_finite(x);
    known.moderate = known.moderate && (m == 0 || (m >= 1e-100 && m <= 1e100));
    known.narrow = known.narrow && (m == 0 || (m >= 0x1p-10 && m <= 0x1p10));
  }
  known.visible = largest >= 1e-280;
  if (!known.finite)
    return known;
  known.dense = test::extended(a);
  known.reference = setup.has_inertia() ? reference_ldlt(known.dense) : reference_lu(known.dense);
  return known;
}
template KnownMatrix<double> know(const DirectSetup &, const MatrixOf<double> &);
template KnownMatrix<Complex> know(const DirectSetup &, const MatrixOf<Complex> &);

bool same_report(const DirectReport &a, const DirectReport &b)
{
  return a.status == b.status && a.failed_row == b.failed_row && a.one_by_one == b.one_by_one &&
         a.two_by_two == b.two_by_two && a.zero == b.zero && a.negative == b.negative && a.positive == b.positive &&
         a.uncertain == b.uncertain && a.delayed == b.delayed && a.entries == b.entries && a.measured == b.measured &&
         a.bordered == b.bordered && (a.flops == b.flops || (a.again > b.again && a.flops > b.flops)) &&
         a.work == b.work && a.replans == b.replans && a.planned == b.planned &&
         (a.largest == b.largest || (std::isnan(a.largest) && std::isnan(b.largest)));
}

namespace {

std::string text(double x)
{
  char buffer[32];
  std::snprintf(buffer, sizeof buffer, "%g", x);
  return buffer;
}

std::string judge_failure(const DirectSetup &setup, bool finite, bool moderate, const Reference &reference,
                          const DirectReport &report)
{
  switch (report.status) {
  case DirectReport::NonFinite:
    // Without scaling, or with hardly bounded entries of L, a factor of finite numbers may overflow.
    return finite && moderate && setup.careful() ? "a finite matrix is said not to be finite" : "";
  case DirectReport::NotDefinite:
    if (setup.method != DirectSetup::LLT)
      return "LDLT or LU asks for a definite matrix";
    return finite && moderate && reference.regular() && reference.negative == 0 ? "a definite matrix is said not to be"
                                                                                : "";
  case DirectReport::Cascade:
    return setup.options.other_values ? "" : "given up without leave";
  case DirectReport::NotSymmetric:
    return "a matrix is compared with its mirror image unasked";
  case DirectReport::NeedsHost:
    return "the host asks for the host";
  case DirectReport::Complete:
    break;
  }
  return "";
}

std::string judge_pivots(const DirectSetup &setup, Index n, bool scaled, const Reference &reference,
                         const DirectReport &r)
{
  if (r.one_by_one + 2 * r.two_by_two != n)
    return "pivots do not add up to the rows";
  if (r.zero < 0 || r.zero > n || r.uncertain < 0 || r.uncertain > n)
    return "there are more zero or uncertain pivots than rows";
  if (setup.has_inertia() && r.negative + r.zero + r.positive != n)
    return "the inertia does not add up to the rows";
  if (setup.method == DirectSetup::LLT && (r.negative > 0 || r.zero > 0))
    return "a definite matrix has pivots that are not positive";
  const bool semidefinite = setup.method == DirectSetup::LLT && reference.zero > 0; // zeros come out of either sign
  if (!scaled || !setup.careful() || r.uncertain > 0 || !reference.certain() || semidefinite)
    return "";
  if (setup.method == DirectSetup::LU && setup.block_triangular ? (r.zero > 0) != (reference.zero > 0)
                                                                : r.zero != reference.zero)
    return "there are " + std::to_string(r.zero) + " zero pivots for " + std::to_string(reference.zero);
  if (setup.has_inertia() && r.negative != reference.negative)
    return "there are " + std::to_string(r.negative) + " negative eigenvalues for " +
           std::to_string(reference.negative);
  return "";
}

/// Solves with one right-hand side that A x is for a known x, and looks at the error that is reported.
template <class T>
std::string judge_solve(const DirectSetup &setup, const KnownMatrix<T> &known, const DirectReport &report,
                        DirectFactorizationOf<T> &factorization, bool transposed, std::vector<T> &solution)
{
  const MatrixOf<T> a = transposed ? test::transposed(known.matrix) : known.matrix;
  const Index n = a.pattern.rows;
  const std::vector<T> b = test::product(a, test::random_numbers<T>(n, 3));
  if (!std::all_of(b.begin(), b.end(), [](T v) { return is_finite(v); }))
    return "";
  std::vector<T> x(n, T(NAN));
  const RefinementOptions refinement{1e-14, setup.steps};
  const SolveReport solved = transposed ? factorization.solve_transposed(1, b.data(), n, x.data(), n, refinement)
                                        : factorization.solve(1, b.data(), n, x.data(), n, refinement);
  solution.insert(solution.end(), x.begin(), x.end());
  if (solved.steps < 0 || solved.steps > setup.steps)
    return "there are more steps of refinement than asked for";
  DenseOf<Extended<T>> dense = known.dense;
  for (Index i = 0; i < n && transposed; ++i)
    for (Index j = 0; j < n; ++j)
      dense(i, j) = known.dense(j, i);
  const double error = exact_backward_error<T>(dense, x, b);
  if (setup.steps == 0) {
    if (solved.backward_error != -1)
      return "an error is reported that was not asked for";
  } else if (known.visible && !(error <= 2 * solved.backward_error + 1e-15)) {
    return "a backward error of " + text(error) + " is reported as " + text(solved.backward_error);
  } else if (known.moderate && std::isfinite(error) && !(solved.backward_error <= 2 * error + 1e-15)) {
    return "a backward error of " + text(error) + " is reported as " + text(solved.backward_error) + ", which is worse";
  }
  // A solution of a singular system is promised where it is consistent, as this one is but for rounding.
  const bool whole = setup.method != DirectSetup::LU || !setup.block_triangular || report.zero == 0;
  if (known.is_solved(setup) && setup.careful() && report.uncertain == 0 && whole && known.reference.certain() &&
      !(error <= 1e-10))
    return "a backward error of " + text(error);
  return "";
}

} // namespace

template <class T>
std::string judge(const DirectSetup &setup, const KnownMatrix<T> &known, const DirectReport &report,
                  DirectFactorizationOf<T> &factorization, std::vector<T> &solution)
{
  solution.clear();
  if (report.status != DirectReport::Complete)
    return judge_failure(setup, known.finite, known.moderate, known.reference, report);
  if (!known.finite)
    return "a matrix that is not finite is factored";
  if (setup.method == DirectSetup::LLT && known.is_scaled(setup) && known.reference.certain() &&
      known.reference.negative > 0)
    return "an indefinite matrix has L and its transpose as factors";
  std::string wrong = judge_pivots(setup, known.matrix.pattern.rows, known.is_scaled(setup), known.reference, report);
  for (bool transposed : {false, true})
    if (wrong.empty())
      wrong = judge_solve(setup, known, report, factorization, transposed, solution);
  return wrong;
}
template std::string judge(const DirectSetup &, const KnownMatrix<double> &, const DirectReport &,
                           DirectFactorizationOf<double> &, std::vector<double> &);
template std::string judge(const DirectSetup &, const KnownMatrix<Complex> &, const DirectReport &,
                           DirectFactorizationOf<Complex> &, std::vector<Complex> &);

} // namespace tessera::fuzz
