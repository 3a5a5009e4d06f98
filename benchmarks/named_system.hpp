#ifndef TESSERA_BENCHMARKS_NAMED_SYSTEM_HPP
#define TESSERA_BENCHMARKS_NAMED_SYSTEM_HPP

#include "kkt3d.hpp"
#include "petsc_file.hpp"
#include "support/matrix_market.hpp"
#include "support/random_matrix.hpp"

#include <cstdio>
#include <cstdlib>
#include <string>

namespace tessera {

/// The 7-point Laplacian on n x n x n points.
inline Matrix poisson(Index n)
{
  Matrix a;
  a.pattern.rows = a.pattern.cols = n * n * n;
  for (Index i = 0; i < n; ++i)
    for (Index j = 0; j < n; ++j)
      for (Index k = 0; k < n; ++k) {
        const auto add = [&](bool there, Index column, double value) {
          if (there) {
            a.pattern.column.push_back(column);
            a.value.push_back(value);
          }
        };
        const Index v = (i * n + j) * n + k;
        add(i > 0, v - n * n, -1);
        add(j > 0, v - n, -1);
        add(k > 0, v - 1, -1);
        add(true, v, 6);
        add(k + 1 < n, v + 1, -1);
        add(j + 1 < n, v + n, -1);
        add(i + 1 < n, v + n * n, -1);
        a.pattern.start.push_back(Offset(a.value.size()));
      }
  return a;
}

/// Central differences of -Laplace u + c · grad u on n x n x n points, c = (60, 30, 10) times a field that turns: the
/// pattern of the Laplacian with unsymmetric values.
inline Matrix convection(Index n)
{
  Matrix a = poisson(n);
  const double h = 1.0 / (n + 1);
  for (Index v = 0; v < a.pattern.rows; ++v) {
    const double x = h * (v / (n * n) + 1) - 0.5, y = h * (v / n % n + 1) - 0.5, z = h * (v % n + 1) - 0.5;
    for (Offset p = a.pattern.start[v]; p < a.pattern.start[v + 1]; ++p) {
      const Index step = a.pattern.column[p] - v, distance = std::abs(step);
      const double speed = distance == n * n ? 60 * y
                           : distance == n   ? -60 * x + 30 * z
                           : distance == 1   ? 10 - 30 * y
                                             : 0;
      a.value[p] += (step > 0 ? 0.5 : -0.5) * h * speed;
    }
  }
  return a;
}

/// Random numbers in -1 .. 1 in every place.
inline Matrix dense(Index n)
{
  test::Random random(1);
  Matrix a;
  a.pattern.rows = a.pattern.cols = n;
  for (Index i = 0; i < n; ++i) {
    for (Index j = 0; j < n; ++j) {
      a.pattern.column.push_back(j);
      a.value.push_back(random.between(-1, 1));
    }
    a.pattern.start.push_back(Offset(a.value.size()));
  }
  return a;
}

/// The system that a command line names: kkt3d:N, poisson:N, convection:N, dense:N, a file in
/// PETSc's binary format, or a Matrix Market file. Ends the program without it.
inline Matrix system_of(const std::string &name)
{
  Matrix a;
  if (name.rfind("kkt3d:", 0) == 0)
    return Kkt3d(std::atoi(name.c_str() + 6)).assemble();
  if (name.rfind("poisson:", 0) == 0)
    return poisson(std::atoi(name.c_str() + 8));
  if (name.rfind("convection:", 0) == 0)
    return convection(std::atoi(name.c_str() + 11));
  if (name.rfind("dense:", 0) == 0)
    return dense(std::atoi(name.c_str() + 6));
  if (is_petsc_matrix(name))
    return read_petsc_matrix(name);
  if (!test::read_matrix_market(name, a))
    refuse_file(name, "is no matrix in Matrix Market or PETSc's binary format");
  return a;
}

} // namespace tessera
#endif
