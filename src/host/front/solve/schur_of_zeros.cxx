#include "host/front/solve/schur_of_zeros.hpp"

#include "host/front/blas.hpp"
#include "host/front/measured_rounding.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

namespace tessera {
namespace {

bool all_finite(const std::vector<double> &x)
{
  return std::all_of(x.begin(), x.end(), [](double y) { return std::isfinite(y); });
}

/// Those of a symmetric matrix with what may be rounding of its diagonal.
MeasuredZeros measure(std::vector<double> a, const std::vector<double> &rounding)
{
  // Where squares underflow nothing is said to be rounding.
  static constexpr double least = std::numeric_limits<double>::denorm_min();
  constexpr double most = 0x1p400;
  const std::size_t m = rounding.size();
  std::vector<double> root(m), eigenvalue(m);
  std::transform(rounding.begin(), rounding.end(), root.begin(),
                 [](double r) { return std::sqrt(std::max(r, least)); });
  for (std::size_t j = 0; j < m; ++j)
    for (std::size_t i = 0; i < m; ++i)
      a[j * m + i] = std::clamp(a[j * m + i] / root[i] / root[j], -most, most);
  MeasuredZeros measured;
  measured.known = blas::eigenvalues(int(m), a.data(), int(m), eigenvalue.data());
  for (std::size_t q = 0; q < m; ++q) {
    measured.determinant.times(eigenvalue[q]);
    measured.determinant.times(root[q]);
    measured.determinant.times(root[q]);
    measured.negative += eigenvalue[q] < -1;
    if (std::abs(eigenvalue[q]) <= 1) {
      ++measured.zero;
      continue;
    }
    measured.eigenvalue.push_back(eigenvalue[q]);
    for (std::size_t i = 0; i < m; ++i)
      measured.vector.push_back(a[q * m + i] / root[i]);
  }
  return measured;
}

} // namespace

MeasuredZeros judge_zeros(const SchurOfZeros &schur)
{
  if (!all_finite(schur.product) || !all_finite(schur.error) || !all_finite(schur.squares) || !all_finite(schur.mass))
    return {};
  const std::size_t m = schur.rows();
  std::vector<double> by_mass(m), by_entries(m), corrected(m * m);
  for (std::size_t k = 0; k < m; ++k) {
    by_mass[k] = measured_rounding(schur.squares[k], schur.mass[k]);
    by_entries[k] = measured_rounding(schur.squares[k], 0) + std::abs(schur.error[k * m + k]) / 4;
  }
  std::transform(schur.product.begin(), schur.product.end(), schur.error.begin(), corrected.begin(), std::minus<>());
  MeasuredZeros measured = measure(schur.product, by_mass);
  const MeasuredZeros explained = measure(corrected, by_entries);
  measured.known = measured.known && explained.known;
  measured.uncertain = std::max<Offset>(measured.zero - explained.zero, 0);
  return measured;
}

} // namespace tessera
