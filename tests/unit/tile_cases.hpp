#ifndef TESSERA_TESTS_TILE_CASES_HPP
#define TESSERA_TESTS_TILE_CASES_HPP

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

/// Tiles every kernel is tested with. All are symmetric; what is not part of the n x n tile is NaN, so that a kernel
/// that reads it shows.
enum class Case {
  random,       ///< normally distributed entries
  dominant,     ///< diagonally dominant, signs of the diagonal alternate
  graded,       ///< rows and columns scaled by 10^(-i/2)
  saddle,       ///< [H B; B' 0]: zero diagonal in the second half
  antidiagonal, ///< only 2x2 pivots exist
  singular,     ///< rank n/2
  laplacian,    ///< path graph: rank n - 1, integers
  zero,
  ties,      ///< entries +-1
  tiny,      ///< random times 2^-66
  large,     ///< random times 2^66
  subnormal, ///< below the smallest normal number
  overflow,  ///< near the largest number, so that the Schur complement overflows
  nan,       ///< random with one NaN
  infinite,  ///< random with one infinity
  count
};

constexpr bool is_finite_case(Case c)
{
  return c != Case::nan && c != Case::infinite;
}

inline const char *name(Case c)
{
  static const char *const names[] = {"random",   "dominant",  "graded",   "saddle", "antidiagonal",
                                      "singular", "laplacian", "zero",     "ties",   "tiny",
                                      "large",    "subnormal", "overflow", "nan",    "infinite"};
  return names[int(c)];
}

/// The n x n tile of case c: column-major, leading dimension ld
template <class T>
std::vector<T> make_tile(Case c, int n, int ld, unsigned seed)
{
  std::mt19937 bits(seed * 1000u + unsigned(n));
  const auto uniform = [&] { return double(bits()) / 4294967296.0; };
  const auto normal = [&] { return uniform() + uniform() + uniform() + uniform() - 2; };
  std::vector<T> a(std::size_t(ld) * ld, std::numeric_limits<T>::quiet_NaN());
  std::vector<double> r(std::size_t(n) * n, 0.0);
  const int half = (n + 1) / 2;
  if (c == Case::singular)
    for (int k = 0; k < n / 2; ++k) {
      std::vector<double> v(n);
      std::generate(v.begin(), v.end(), [&] { return std::floor(8 * normal()); }); // integers: exactly singular
      for (int j = 0; j < n; ++j)
        for (int i = 0; i < n; ++i)
          r[i + j * n] += (k % 2 ? -1 : 1) * v[i] * v[j];
    }
  else
    for (int j = 0; j < n; ++j)
      for (int i = j; i < n; ++i) {
        double x = normal();
        if (c == Case::dominant && i == j)
          x = (i % 2 ? -1 : 1) * (n + 1.0);
        if (c == Case::graded)
          x *= std::pow(10.0, -0.5 * (i + j));
        if (c == Case::saddle && j >= half)
          x = 0;
        if (c == Case::antidiagonal)
          x = i + j == n - 1 ? 1 + uniform() : 0;
        if (c == Case::laplacian)
          x = i == j ? (n == 1 ? 0 : (i > 0) + (i < n - 1)) : (i == j + 1 ? -1 : 0);
        if (c == Case::zero)
          x = 0;
        if (c == Case::ties)
          x = x < 0 ? -1 : 1;
        if (c == Case::tiny)
          x = std::ldexp(double(T(x)), -66);
        if (c == Case::large)
          x = std::ldexp(double(T(x)), 66);
        if (c == Case::subnormal)
          x *= 0.25 * std::numeric_limits<T>::min();
        if (c == Case::overflow)
          x *= 0.4 * double(std::numeric_limits<T>::max());
        r[i + j * n] = r[j + i * n] = x;
      }
  for (int j = 0; j < n; ++j)
    for (int i = 0; i < n; ++i)
      a[i + std::size_t(j) * ld] = T(r[i + j * n]);
  const int row = int(bits() % unsigned(n)), col = int(bits() % unsigned(n));
  const int low = std::max(row, col), left = std::min(row, col);
  if (!is_finite_case(c))
    a[low + std::size_t(left) * ld] = a[left + std::size_t(low) * ld] =
        c == Case::nan ? std::numeric_limits<T>::quiet_NaN() : std::numeric_limits<T>::infinity();
  return a;
}

/// Calls action(n, case, variant) for every size of a tile that W lanes hold, every case and so many variants.
template <int W, class Action>
void for_each_tile(unsigned variants, const Action &action)
{
  for (int n = 1; n <= W; ++n)
    for (int c = 0; c < int(Case::count); ++c)
      for (unsigned variant = 0; variant < variants; ++variant)
        action(n, Case(c), variant);
}

/// Macro(T, W) for both precisions and all widths of a group, to instantiate templates.
#define TESSERA_FOR_ALL_GROUPS(Macro)                                                                                  \
  Macro(double, 4) Macro(double, 8) Macro(double, 16) Macro(double, 32) Macro(float, 4) Macro(float, 8)                \
      Macro(float, 16) Macro(float, 32)

#endif
