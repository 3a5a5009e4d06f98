#include "checks.hpp"
#include "decode_matrix.hpp"
#include "direct_case.hpp"

#include <cmath>
#include <cstring>

namespace tessera::fuzz {
namespace {

template <class T>
bool same_bits(const std::vector<T> &x, const std::vector<T> &y)
{
  return x.size() == y.size() && (x.empty() || std::memcmp(x.data(), y.data(), x.size() * sizeof(T)) == 0);
}

template <class T>
bool has_fault(const test::MatrixOf<T> &a, Index row)
{
  for (Offset p = a.pattern.start[row]; p < a.pattern.start[row + 1]; ++p)
    if (!is_finite(magnitude(a.value[p])))
      return true;
  return false;
}

/// A refusal has to name a row that has a number that is not finite.
template <class T>
std::string judge_refusal(const test::MatrixOf<T> &a, const DirectPlan &plan)
{
  if (plan.status != AnalysisStatus::NonFinite)
    return "the analysis fails";
  if (plan.faulty_row < 0 || plan.faulty_row >= a.pattern.rows || !has_fault(a, plan.faulty_row))
    return "the analysis refuses row " + std::to_string(plan.faulty_row);
  return "";
}

/// Factors values of which one is not finite; it has to be found.
template <class T>
std::string poison(const DirectSetup &setup, test::StoredOf<T> stored, DirectFactorizationOf<T> &factorization)
{
  if (stored.value.empty())
    return "";
  stored.value[stored.value.size() / 2] = T(NAN);
  const DirectReport report = factorization.factor(stored.value.data(), setup.options);
  return report.status == DirectReport::NonFinite && report.failed_row >= 0 ? "" : "a NaN is not seen";
}

template <class T>
std::string check(const DirectSetup &setup, const Matrix &real)
{
  const KnownMatrix<T> known = know(setup, with_values<T>(setup, real));
  const test::StoredOf<T> stored = stored_values(setup, known.matrix);
  const Matrix analysed = test::analysed_values(known.matrix);
  const DirectPlan plan(setup, analysed, stored.source);
  if (plan.status != AnalysisStatus::Ok)
    return judge_refusal(known.matrix, plan);
  const auto factorization = plan.make<T>(setup, false);
  std::vector<T> first, second;
  const DirectReport report = factorization->factor(stored.value.data(), setup.options);
  std::string wrong = judge(setup, known, report, *factorization, first);
  if (wrong.empty())
    wrong = poison(setup, stored, *factorization);
  if (!wrong.empty())
    return wrong;
  const DirectReport again = factorization->factor(stored.value.data(), setup.options);
  if (!same_report(report, again) || !judge(setup, known, again, *factorization, second).empty() ||
      !same_bits(first, second))
    return "a second factorization is another one";
  const DirectPlan other_plan(setup, analysed, stored.source);
  const auto other = other_plan.make<T>(setup, false);
  const DirectReport other_report = other->factor(stored.value.data(), setup.options);
  if (!same_report(report, other_report) || report.again != other_report.again ||
      !judge(setup, known, other_report, *other, second).empty() || !same_bits(first, second))
    return "a second analysis is another one";
  return "";
}

/// Factors a sequence with kept pivots, or renewed scale factors; `solutions` are those of all.
template <class T>
std::string follow(const DirectSetup &setup, const MatrixSequence &sequence, std::vector<T> &solutions)
{
  solutions.clear();
  std::unique_ptr<DirectPlan> plan;
  std::unique_ptr<DirectFactorizationOf<T>> factorization;
  bool narrow = true; // so far: scale factors may be those of the matrices before
  for (std::size_t k = 0; k < sequence.values.size(); ++k) {
    KnownMatrix<T> known = know(setup, with_values<T>(setup, sequence.matrix(k)));
    narrow = known.narrow = narrow && known.narrow;
    const test::StoredOf<T> stored = stored_values(setup, known.matrix);
    if (!plan) {
      plan = std::make_unique<DirectPlan>(setup, test::analysed_values(known.matrix), stored.source);
      if (plan->status != AnalysisStatus::Ok)
        return judge_refusal(known.matrix, *plan);
      factorization = plan->make<T>(setup, true);
    }
    std::vector<T> solution;
    const DirectReport report = factorization->factor(stored.value.data(), setup.options);
    const std::string wrong = judge(setup, known, report, *factorization, solution);
    if (!wrong.empty())
      return "matrix " + std::to_string(k) + ": " + wrong;
    solutions.insert(solutions.end(), solution.begin(), solution.end());
  }
  return "";
}

template <class T>
std::string check_sequence(const DirectSetup &setup, const MatrixSequence &sequence)
{
  std::vector<T> first, second;
  const std::string wrong = follow(setup, sequence, first);
  if (!wrong.empty())
    return wrong;
  return follow(setup, sequence, second).empty() && same_bits(first, second) ? "" : "a second run is another one";
}

} // namespace

std::string check_direct(const std::uint8_t *data, std::size_t size)
{
  ByteSource in(data, size);
  const DirectSetup setup = decode_direct(in);
  const MatrixSequence sequence = decode_matrices(in, setup.method != DirectSetup::LU, 1);
  return setup.complex_values ? check<Complex>(setup, sequence.matrix(0)) : check<double>(setup, sequence.matrix(0));
}

std::string check_kept(const std::uint8_t *data, std::size_t size)
{
  ByteSource in(data, size);
  DirectSetup setup = decode_direct(in);
  setup.options.other_values = in.flag();
  setup.options.keep_pivots = !setup.options.other_values || in.flag();
  const MatrixSequence sequence = decode_matrices(in, setup.method != DirectSetup::LU, 6);
  return setup.complex_values ? check_sequence<Complex>(setup, sequence) : check_sequence<double>(setup, sequence);
}

} // namespace tessera::fuzz
