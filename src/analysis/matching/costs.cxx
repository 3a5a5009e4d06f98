#include "analysis/matching/costs.hpp"

#include "base/allocate.hpp"
#include "base/row_starts.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace tessera {
namespace {

constexpr std::uint64_t infinity_bits = 0x7ff0000000000000u;

/// The bits of |x|: ordered as the magnitudes are, with infinity and then the NaNs above every finite number.
std::uint64_t magnitude_bits(double x)
{
  std::uint64_t bits;
  std::memcpy(&bits, &x, sizeof bits);
  return bits & ~(std::uint64_t(1) << 63);
}

/// |x| = significand * 2^exponent with 1 <= significand < 2, for a finite nonzero x.
struct Magnitude {
  double significand;
  int exponent;
};

Magnitude magnitude(double x)
{
  int shift = 0;
  std::uint64_t bits = magnitude_bits(x);
  if (bits >> 52 == 0) { // denormal
    bits = magnitude_bits(x * 0x1p54);
    shift = -54;
  }
  const int exponent = static_cast<int>(bits >> 52) - 1023 + shift;
  bits = (bits & ~infinity_bits) | (std::uint64_t(1023) << 52);
  double significand;
  std::memcpy(&significand, &bits, sizeof significand);
  return {significand, exponent};
}

std::uint32_t cost(double x, Magnitude largest)
{
  const Magnitude m = magnitude(x);
  const Cost whole = (largest.exponent - m.exponent) * cost_unit;
  if (m.significand == largest.significand)
    return static_cast<std::uint32_t>(whole);
  const double fraction = std::log2(m.significand / largest.significand);
  return static_cast<std::uint32_t>(whole - 2 * std::llround(fraction * (double(cost_unit) / 2)));
}

/// The row starts of the graph: those of the matrix without its stored zeros.
std::vector<Offset> nonzero_starts(const Matrix &a)
{
  return row_starts(a.pattern.rows, a.pattern.entries() > parallel_entries, [&](Index i) {
    Offset count = 0;
    for (Offset p = a.pattern.start[i]; p < a.pattern.start[i + 1]; ++p)
      count += a.value[p] != 0;
    return count;
  });
}

/// Infinity or more if not all values are finite.
std::uint64_t largest_magnitude_bits(const Matrix &a)
{
  const Offset entries = a.pattern.entries();
  std::uint64_t largest = 0;
#pragma omp parallel for schedule(static) if (entries > parallel_entries) reduction(max : largest)
  for (Offset p = 0; p < entries; ++p)
    largest = std::max(largest, magnitude_bits(a.value[p]));
  return largest;
}

Index first_nonfinite_row(const Matrix &a)
{
  Index i = 0;
  for (Offset p = 0; p < a.pattern.entries(); ++p)
    if (magnitude_bits(a.value[p]) >= infinity_bits) {
      while (a.pattern.start[i + 1] <= p)
        ++i;
      break;
    }
  return i;
}

} // namespace

MatrixCheck check_matrix(const Matrix &a)
{
  MatrixCheck check;
  if (a.pattern.rows != a.pattern.cols) {
    check.status = MatrixStatus::not_square;
    return check;
  }
  const std::uint64_t largest = largest_magnitude_bits(a);
  if (largest >= infinity_bits) {
    check.status = MatrixStatus::not_finite;
    check.faulty_row = first_nonfinite_row(a);
    return check;
  }
  std::memcpy(&check.largest, &largest, sizeof largest);
  return check;
}

CostGraph cost_graph(const Matrix &a, double largest)
{
  CostGraph graph;
  graph.n = a.pattern.rows;
  graph.start = nonzero_starts(a);
  allocate_in_parallel(graph.edge, graph.start[graph.n]);
  if (graph.edge.empty())
    return graph;
  const Magnitude top = magnitude(largest);
  graph.log2_max = top.exponent + std::log2(top.significand);
#pragma omp parallel for schedule(static) if (a.pattern.entries() > parallel_entries)
  for (Index i = 0; i < graph.n; ++i) {
    Offset q = graph.start[i];
    for (Offset p = a.pattern.start[i]; p < a.pattern.start[i + 1]; ++p)
      if (a.value[p] != 0)
        graph.edge[q++] = {a.pattern.column[p], cost(a.value[p], top)};
  }
  return graph;
}

} // namespace tessera
