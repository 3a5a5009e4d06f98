#ifndef TESSERA_BENCHMARKS_KKT3D_HPP
#define TESSERA_BENCHMARKS_KKT3D_HPP

#include "base/types.hpp"

#include <array>
#include <cstdlib>
#include <numeric>
#include <vector>

namespace tessera {

/// The matrix of examples/kkt3d -numbering field: boundary control on a cube of n^3 nodes, [M 0 A'; 0 alpha R -B'; A -B
/// 0].
class Kkt3d {
public:
  explicit Kkt3d(Index n) : n_(n), nodes_(n * n * n), adjoint_(nodes_ + 6 * n * n), h_(1.0 / (n + 1)) {}

  Matrix assemble() const
  {
    Matrix a;
    Pattern &pattern = a.pattern;
    pattern.rows = pattern.cols = adjoint_ + nodes_;
    pattern.start.assign(pattern.rows + 1, 0);
#pragma omp parallel for
    for (Index i = 0; i < pattern.rows; ++i)
      each_entry(i, [&](Index, double) { ++pattern.start[i + 1]; });
    std::partial_sum(pattern.start.begin(), pattern.start.end(), pattern.start.begin());
    pattern.column.resize(pattern.start.back());
    a.value.resize(pattern.start.back());
#pragma omp parallel for
    for (Index i = 0; i < pattern.rows; ++i) {
      Offset p = pattern.start[i];
      each_entry(i, [&](Index j, double x) {
        pattern.column[p] = j;
        a.value[p++] = x;
      });
    }
    return a;
  }

private:
  Index node(Index x, Index y, Index z) const
  {
    return (x * n_ + y) * n_ + z;
  }

  /// Row of A of node p, with trilinear elements: columns from `offset`.
  template <class Visit>
  void each_stiffness(Index p, Index offset, const Visit &visit) const
  {
    const double weight[4] = {8 * h_ / 3, 0, -h_ / 6, -h_ / 12};
    const Index i = p / (n_ * n_), j = p / n_ % n_, k = p % n_;
    const auto inside = [&](Index x) { return x >= 0 && x < n_; };
    for (Index d = 0; d < 27; ++d) {
      const Index x = i + d / 9 - 1, y = j + d / 3 % 3 - 1, z = k + d % 3 - 1;
      const Index steps = std::abs(x - i) + std::abs(y - j) + std::abs(z - k);
      if (steps != 1 && inside(x) && inside(y) && inside(z))
        visit(offset + node(x, y, z), weight[steps]);
    }
  }

  template <class Visit>
  void each_entry(Index row, const Visit &visit) const
  {
    const double alpha = 1e-2;
    const Index face_nodes = n_ * n_;
    if (row < nodes_) {
      visit(row, h_ * h_ * h_);
      each_stiffness(row, adjoint_, visit);
    } else if (row < adjoint_) {
      const Index c = row - nodes_, face = c / face_nodes, a = c / n_ % n_, b = c % n_, wall = face % 2 ? n_ - 1 : 0;
      visit(row, alpha * h_ * h_);
      visit(adjoint_ + (face < 2 ? node(wall, a, b) : face < 4 ? node(a, wall, b) : node(a, b, wall)), -h_ * h_);
    } else {
      const Index p = row - adjoint_;
      each_stiffness(p, 0, visit);
      const std::array<Index, 3> at = {p / face_nodes, p / n_ % n_, p % n_};
      const std::array<Index, 3> on_face = {at[1] * n_ + at[2], at[0] * n_ + at[2], at[0] * n_ + at[1]};
      for (Index face = 0; face < 6; ++face)
        if (at[face / 2] == (face % 2 ? n_ - 1 : 0))
          visit(nodes_ + face * face_nodes + on_face[face / 2], -h_ * h_);
    }
  }

  Index n_, nodes_, adjoint_; ///< first row of the adjoint
  double h_;
};

} // namespace tessera
#endif
