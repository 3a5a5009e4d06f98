#include "checks.hpp"
#include "decode_matrix.hpp"
#include "factor/bildlt/factorization.hpp"
#include "factor/jldlt/factorization.hpp"
#include "factor_apply.hpp"
#include "reference.hpp"
#include "support/backward_error.hpp"
#include "support/random_matrix.hpp"

#include <cmath>
#include <cstring>

namespace tessera::fuzz {
namespace {

AnalysisOptions decode_analysis(ByteSource &in)
{
  const Preprocessing preprocessings[] = {Preprocessing::Matching, Preprocessing::None, Preprocessing::Equilibrate};
  const BlockStrategy strategies[] = {BlockStrategy::SN, BlockStrategy::BR, BlockStrategy::RB, BlockStrategy::RBR,
                                      BlockStrategy::Grid};
  const Ordering orderings[] = {Ordering::Automatic, Ordering::Natural, Ordering::AMD,  Ordering::ND,
                                Ordering::METIS,     Ordering::RCM,     Ordering::Color};
  const Index levels[] = {automatic_level, complete_level, 0, 1, 2};
  AnalysisOptions options;
  options.preprocessing = in.one_of(preprocessings);
  options.blocking.strategy = in.one_of(strategies);
  options.blocking.ordering = in.one_of(orderings);
  options.blocking.max_rows = 1 + in.below(32);
  options.fill_level = in.one_of(levels);
  return options;
}

FactorOptions decode_factor(ByteSource &in)
{
  const Pivoting pivotings[] = {Pivoting::rook, Pivoting::bunch_kaufman, Pivoting::none};
  const double perturbations[] = {1.4e-14, 1e-6, 0, 1e-2, 1e-300};
  const double tolerances[] = {0, 0, 1e-3, 0.1, 1};
  const double ratios[] = {0, 0, 1, 0.1, 3};
  const Offset entries[] = {0, 0, 0, 40};
  FactorOptions options;
  options.pivoting = in.one_of(pivotings);
  options.perturbation = in.one_of(perturbations);
  options.drop_tolerance = in.one_of(tolerances);
  options.fill_ratio = in.one_of(ratios);
  options.max_entries = in.one_of(entries);
  return options;
}

JacobiOptions decode_jacobi(ByteSource &in)
{
  const Pivoting pivotings[] = {Pivoting::rook, Pivoting::bunch_kaufman, Pivoting::none, Pivoting::full};
  const double epsilons[] = {automatic_epsilon, 1e-6, 0.1, 1e-12, 1};
  JacobiOptions options;
  options.pivoting = in.one_of(pivotings);
  options.sweeps = 1 + in.below(30);
  options.stages = 1 + in.below(30);
  options.epsilon = in.one_of(epsilons);
  options.outer_levels = in.below(4);
  options.warm_start = in.flag();
  options.watch = !in.flag();
  return options;
}

template <class Factorization>
std::vector<double> apply(Factorization &factorization, const std::vector<double> &r, bool definite)
{
  std::vector<double> z(r.size(), NAN);
  factorization.apply(r.data(), Place::Host, z.data(), Place::Host, definite);
  return z;
}

bool same_bits(const std::vector<double> &x, const std::vector<double> &y)
{
  return x.size() == y.size() && (x.empty() || std::memcmp(x.data(), y.data(), x.size() * sizeof(double)) == 0);
}

/// Of copies of one structure, which pushed back blocks make another one than that of the analysis.
bool same_copies(const FactorCopy &x, const FactorCopy &y)
{
  return same_bits(x.inverse, y.inverse) && same_bits(x.d, y.d) && same_bits(x.e, y.e) && same_bits(x.value, y.value) &&
         x.first == y.first && x.column == y.column;
}

struct Known {
  Matrix matrix;
  test::Stored stored;
  bool finite = true;
  bool moderate = true; ///< magnitudes between 1e-100 and 1e100

  explicit Known(const Matrix &a) : matrix(a), stored(test::store_reversed(a))
  {
    for (double x : a.value) {
      finite = finite && std::isfinite(x);
      moderate = moderate && (x == 0 || (std::abs(x) >= 1e-100 && std::abs(x) <= 1e100));
    }
  }
};

std::string judge_refusal(const Known &known, const Analysis &analysis)
{
  if (analysis.status != AnalysisStatus::NonFinite)
    return "the analysis fails";
  const Pattern &p = known.matrix.pattern;
  if (analysis.faulty_row >= 0 && analysis.faulty_row < p.rows)
    for (Offset k = p.start[analysis.faulty_row]; k < p.start[analysis.faulty_row + 1]; ++k)
      if (!std::isfinite(known.matrix.value[k]))
        return "";
  return "the analysis refuses row " + std::to_string(analysis.faulty_row);
}

std::string judge_sums(const Known &known, const FactorReport &r)
{
  const Index n = known.matrix.pattern.rows;
  if (r.status != FactorReport::Complete)
    return "";
  if (!known.finite)
    return "a matrix that is not finite is factored";
  if (r.one_by_one + 2 * r.two_by_two != n || r.negative + r.positive + r.zero != n)
    return "pivots do not add up to the rows";
  if (r.zero < 0 || r.perturbed < 0 || r.perturbed > n || r.entries < 0)
    return "counts make no sense";
  return r.growth >= 0 ? "" : "there is no growth";
}

bool is_finite(const FactorCopy &copy)
{
  for (const std::vector<double> *numbers : {&copy.inverse, &copy.d, &copy.e, &copy.value})
    for (double x : *numbers)
      if (!std::isfinite(x))
        return false;
  return true;
}

/// Applications have to be those of the factor as it is, up to rounding.
std::string judge_application(const Analysis &analysis, const FactorCopy &copy, const std::vector<double> &r,
                              const std::vector<double> &z)
{
  const Application exact = apply_exactly(analysis, copy, r);
  const long double unit = 1e-13L * static_cast<long double>(r.size() + 4);
  bool in_range = exact.most < 1e300L; // and inverses of pivots do not underflow
  for (const std::vector<double> *pivots : {&copy.d, &copy.e})
    for (double x : *pivots)
      in_range = in_range && std::abs(x) < 1e290;
  if (!in_range)
    return "";
  for (std::size_t i = 0; i < r.size(); ++i)
    if (!(std::abs(z[i] - exact.value[i]) <= unit * exact.bound[i] + 1e-290L))
      return "an application is not that of the factor";
  return "";
}

/// A complete factor without perturbed pivots is one of A, as far as its own numbers let it.
std::string judge_complete(const Known &known, const Analysis &analysis, const FactorReport &report,
                           const FactorCopy &copy, const std::vector<double> &z, const std::vector<double> &r)
{
  const test::Dense dense = test::dense_of(known.matrix);
  const Reference reference = reference_ldlt(dense);
  if (!known.moderate || analysis.scale.empty() || !reference.regular() || reference.smallest < 1e-5)
    return "";
  long double norm = 0;
  for (Index i = 0; i < dense.n; ++i)
    for (Index j = 0; j < dense.n; ++j)
      norm = std::max(norm, std::abs(dense(i, j)) * analysis.scale[i] * analysis.scale[j]);
  if (!(stability(analysis, copy) <= 1e4L * norm))
    return "";
  if (report.negative != reference.negative)
    return "there are " + std::to_string(report.negative) + " negative pivots for " +
           std::to_string(reference.negative);
  test::Dense scaled = dense;
  std::vector<double> right(r), left(z);
  for (Index i = 0; i < dense.n; ++i) {
    for (Index j = 0; j < dense.n; ++j)
      scaled(i, j) *= static_cast<long double>(analysis.scale[i]) * analysis.scale[j];
    right[i] *= analysis.scale[i];
    left[i] /= analysis.scale[i];
  }
  const double error = exact_backward_error<double>(scaled, left, right);
  return error <= 1e-9 ? "" : "a complete factor has a backward error of " + std::to_string(error);
}

bool same_report(const FactorReport &a, const FactorReport &b)
{
  return difference(a, b).empty() && a.growth == b.growth;
}

} // namespace

std::string check_block(const std::uint8_t *data, std::size_t size)
{
  ByteSource in(data, size);
  AnalysisOptions analysis_options = decode_analysis(in);
  analysis_options.pairs_apart = true; // as PCBILDLT has it
  const FactorOptions options = decode_factor(in);
  const Precision precision = in.below(4) == 3 ? Precision::Single : Precision::Double;
  const MatrixSequence sequence = decode_matrices(in, true, 3);
  const Known first(sequence.matrix(0));
  const Analysis analysis = analyze_matrix(first.matrix, first.stored.source, analysis_options);
  if (analysis.status != AnalysisStatus::Ok)
    return judge_refusal(first, analysis);
  const auto factorization = make_host_factorization(analysis, precision);
  const std::vector<double> r = test::random_vector(first.matrix.pattern.rows, 3);
  for (std::size_t k = 0; k < sequence.values.size(); ++k) {
    const Known known(sequence.matrix(k));
    const FactorReport report = factorization->factor(known.stored.value.data(), Place::Host, options);
    std::string wrong = judge_sums(known, report);
    if (known.finite && known.moderate && report.status == FactorReport::NonFinite && k == 0 &&
        options.perturbation >= 1e-14 && analysis_options.preprocessing != Preprocessing::None)
      wrong = "a finite matrix is said not to be finite";
    const auto other = make_host_factorization(analysis, precision);
    if (wrong.empty() && !same_report(report, other->factor(known.stored.value.data(), Place::Host, options)))
      wrong = "a second factorization has another report";
    if (!wrong.empty() || report.status != FactorReport::Complete)
      return wrong;
    const std::vector<double> z = apply(*factorization, r, false);
    const FactorCopy copy = factorization->copy();
    if (!same_bits(z, apply(*other, r, false)) || !same_bits(apply(*factorization, r, true), apply(*other, r, true)) ||
        !same_copies(copy, other->copy()))
      return "a second factorization is another one";
    if (!is_finite(copy))
      return "a factor that is not finite is said to be complete";
    wrong = judge_application(analysis, copy, r, z);
    const bool complete = analysis.fill_level == complete_level && options.drop_tolerance == 0 &&
                          options.fill_ratio == 0 && precision == Precision::Double;
    if (wrong.empty() && complete && report.perturbed == 0 && report.zero == 0)
      wrong = judge_complete(known, analysis, report, copy, z, r);
    if (!wrong.empty())
      return wrong;
  }
  return "";
}

std::string check_jacobi(const std::uint8_t *data, std::size_t size)
{
  ByteSource in(data, size);
  const AnalysisOptions analysis_options = decode_analysis(in);
  const JacobiOptions options = decode_jacobi(in);
  const MatrixSequence sequence = decode_matrices(in, true, 3);
  const Known first(sequence.matrix(0));
  const Analysis analysis = analyze_matrix(first.matrix, first.stored.source, analysis_options);
  if (analysis.status != AnalysisStatus::Ok)
    return judge_refusal(first, analysis);
  const auto one = make_host_jacobi(analysis), other = make_host_jacobi(analysis);
  const std::vector<double> r = test::random_vector(first.matrix.pattern.rows, 3);
  for (std::size_t k = 0; k < sequence.values.size(); ++k) {
    const Known known(sequence.matrix(k));
    const JacobiReport report = one->factor(known.stored.value.data(), Place::Host, options),
                       second = other->factor(known.stored.value.data(), Place::Host, options);
    std::string wrong = judge_sums(known, report.factor);
    if (wrong.empty() && (!same_report(report.factor, second.factor) || report.sweeps != second.sweeps ||
                          !same_bits(report.error, second.error) || report.warm != second.warm))
      wrong = "a second factorization has another report";
    if (wrong.empty() && (report.sweeps < 0 || report.sweeps > options.sweeps))
      wrong = "there are more sweeps than asked for";
    if (!wrong.empty())
      return wrong;
    if (report.factor.status != FactorReport::Complete)
      continue;
    const std::vector<double> z = apply(*one, r, false);
    const FactorCopy copy = one->copy();
    if (!same_bits(z, apply(*other, r, false)) || !same_copies(copy, other->copy()))
      return "a second factorization is another one";
    if (options.outer_levels == 0) // else the copy is of another structure
      wrong = judge_application(analysis, copy, r, z);
    if (!wrong.empty())
      return wrong;
    for (JacobiFactorization *f : {one.get(), other.get()})
      f->set_apply_sweeps(3);
    if (!same_bits(apply(*one, r, false), apply(*other, r, false)))
      return "sweeps of a second application are others";
    for (JacobiFactorization *f : {one.get(), other.get()})
      f->set_apply_sweeps(0);
  }
  return "";
}

} // namespace tessera::fuzz
