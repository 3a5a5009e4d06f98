#include "host/front/solve/refinement.hpp"

#include "base/bytes.hpp"
#include "base/compensated_sum.hpp"
#include "factor/front/flexible_gmres.hpp"
#include "host/front/parallel_chunks.hpp"
#include "host/front/solve/krylov_vectors.hpp"

#include <algorithm>
#include <cmath>
#include <new>

namespace tessera {
namespace {

template <class T>
double largest(const T *x, Index n)
{
  double most = 0;
  for (Index i = 0; i < n; ++i)
    most = is_finite(x[i]) ? std::max(most, magnitude(x[i])) : INFINITY;
  return most;
}

/// The scaled backward error ||r|| / (||A|| ||x|| + ||b||) from its norms, where ||A|| = norm 2^exponent; none of the
/// products on the way overflows or underflows. Infinite where one of them is: then nothing is known.
double scaled_error(double r, double norm, int exponent, double x, double b)
{
  if (r == 0)
    return 0;
  if (!std::isfinite(r) || !std::isfinite(norm) || !std::isfinite(x) || !std::isfinite(b))
    return INFINITY;
  int of_r = 0, of_norm = 0, of_x = 0;
  const double quotient = std::frexp(norm, &of_norm) / std::frexp(r, &of_r) * std::frexp(x, &of_x);
  const double inverse = std::ldexp(quotient, of_norm - of_r + of_x + exponent) + b / r;
  return inverse > 0 ? 1 / inverse : INFINITY;
}

} // namespace

template <class T>
double Refinement<T>::largest_row_sum(double factor) const
{
  const Pattern &a = matrix_;
  double norm = 0;
#pragma omp parallel for schedule(static) reduction(max : norm) if (a.entries() > parallel_numbers)
  for (Index i = 0; i < a.rows; ++i) {
    double sum = 0;
    for (Offset p = a.start[i]; p < a.start[i + 1]; ++p)
      sum += factor * magnitude(value_[p]);
    norm = std::max(norm, sum);
  }
  return norm;
}

template <class T>
Index Refinement<T>::set_values(const T *values)
{
  const Pattern &a = matrix_;
  value_.resize(a.entries());
  Index bad = a.rows;
#pragma omp parallel for schedule(static) reduction(min : bad) if (a.entries() > parallel_numbers)
  for (Index i = 0; i < a.rows; ++i) {
    for (Offset p = a.start[i]; p < a.start[i + 1]; ++p) {
      value_[p] = entry_at(values, source_[p]);
      if (symmetry_ == Symmetry::Hermitian && a.column[p] == i)
        value_[p] = on_diagonal<Symmetry::Hermitian>(value_[p]);
    }
    for (Offset p = a.start[i]; p < a.start[i + 1] && bad > i; ++p)
      if (!is_finite(value_[p]))
        bad = i;
  }
  if (bad < a.rows)
    return bad;
  norm_ = largest_row_sum(1);
  norm_exponent_ = std::isfinite(norm_) ? 0 : sum_exponent;
  if (norm_exponent_ > 0)
    norm_ = largest_row_sum(std::ldexp(1.0, -sum_exponent));
  return -1;
}

/// Computes b - A x. Plain sums would be off by more than the target in rows with very many entries, and refinement
/// would stop at what they make of it.
template <class T>
MeasuredSolution Refinement<T>::residual(const T *b, const T *x)
{
  const Pattern &a = matrix_;
  residual_.resize(a.rows);
  double singular_within = 0;
#pragma omp parallel for schedule(static) reduction(max : singular_within) if (a.entries() > parallel_numbers)
  for (Index i = 0; i < a.rows; ++i) {
    CompensatedSumOf<T> sum;
    double magnitudes = 0;
    for (Offset p = a.start[i]; p < a.start[i + 1]; ++p) {
      const T factor = x[a.column[p]];
      sum.add_product(-value_[p], factor);
      magnitudes += magnitude(value_[p]) * magnitude(factor);
    }
    singular_within = std::max(singular_within, part_of_magnitudes(magnitude(sum.value()), magnitudes));
    sum.add(b[i]);
    residual_[i] = sum.value();
  }
  const double size = largest(x, a.rows);
  return {scaled_error(largest(residual_.data(), a.rows), norm_, norm_exponent_, size, largest(b, a.rows)),
          size > 0 ? singular_within : -1};
}

/// y = A x.
template <class T>
void Refinement<T>::multiply(const T *x, T *y) const
{
  const Pattern &a = matrix_;
#pragma omp parallel for schedule(static) if (a.entries() > parallel_numbers)
  for (Index i = 0; i < a.rows; ++i) {
    T sum = 0;
    for (Offset p = a.start[i]; p < a.start[i + 1]; ++p)
      sum += product(value_[p], x[a.column[p]]);
    y[i] = sum;
  }
}

template <class T>
SolveReport Refinement<T>::run(Index columns, const T *b, Offset b_leading, T *x, Offset x_leading,
                               const RefinementOptions &options)
{
  SolveReport report;
  for (Index j = 0; j < columns && options.most > 0; ++j)
    improve(b + j * b_leading, x + j * x_leading, options, report);
  return report;
}

/// Improves x, a solution of A x = b. Raises what the report says.
template <class T>
void Refinement<T>::improve(const T *b, T *x, const RefinementOptions &options, SolveReport &report)
{
  MeasuredSolution best = residual(b, x);
  Index steps = refine(b, x, options, best);
  if (best.error > options.target && std::isfinite(best.error) && steps < options.most)
    steps += correct(b, x, options, options.most - steps, best);
  report.singular.take(best);
  report.backward_error = std::max(report.backward_error, best.error);
  report.steps = std::max(report.steps, steps);
}

/// Iterative refinement. best: of x. Returns the steps.
template <class T>
Index Refinement<T>::refine(const T *b, T *x, const RefinementOptions &options, MeasuredSolution &best)
{
  const Index n = matrix_.rows;
  Index steps = 0;
  correction_.resize(n);
  while (best.error > options.target && steps < options.most) {
    solve_(residual_.data(), correction_.data());
    better_.assign(x, x + n);
    for (Index i = 0; i < n; ++i)
      better_[i] += correction_[i];
    const MeasuredSolution now = residual(b, better_.data());
    ++steps;
    if (!(now.error < best.error))
      break;
    std::copy(better_.begin(), better_.end(), x);
    const bool slow = now.error > best.error / 2;
    best = now;
    if (slow)
      break;
  }
  return steps;
}

/// FGMRES for the residual. best: of x. Returns the steps, none where there is no memory for them.
template <class T>
Index Refinement<T>::correct(const T *b, T *x, const RefinementOptions &options, Index most, MeasuredSolution &best)
{
  const Index n = matrix_.rows;
  residual(b, x);
  const double square = std::abs(inner_product(n, residual_.data(), residual_.data()));
  if (!is_good_square(square))
    return 0;
  const double norm = std::sqrt(square);
  better_.assign(x, x + n);
  Index steps = 0;
  try {
    KrylovVectors<T> vectors(
        residual_, norm, solve_, [this](const T *from, T *to) { multiply(from, to); }, better_);
    steps = flexible_gmres<T>(vectors, norm, wanted_residual(norm, best.error, options.target), most);
  } catch (const std::bad_alloc &) {
    return 0; // the solution is as it was
  }
  const MeasuredSolution now = residual(b, better_.data());
  if (now.error < best.error) {
    std::copy(better_.begin(), better_.end(), x);
    best = now;
  }
  return steps;
}

template <class T>
Offset Refinement<T>::bytes() const
{
  return bytes_of_all(value_, residual_, correction_, better_);
}

template class Refinement<double>;
template class Refinement<Complex>;

} // namespace tessera
