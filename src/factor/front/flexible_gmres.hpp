#ifndef TESSERA_FACTOR_FRONT_FLEXIBLE_GMRES_HPP
#define TESSERA_FACTOR_FRONT_FLEXIBLE_GMRES_HPP

#include "base/scalar.hpp"
#include "base/symmetry.hpp"
#include "base/types.hpp"

#include <cmath>
#include <vector>

namespace tessera {

/// The least-squares problem min ||β e₁ - H y|| of a method of Arnoldi, whose upper Hessenberg matrix H grows by a
/// column at a time and becomes triangular by Givens rotations (Saad & Schultz 1986).
template <class T>
class HessenbergProblem {
public:
  explicit HessenbergProblem(double beta) : right_{T(beta)} {}

  /// h: [columns + 2] the next column. The last entry is real.
  void add(std::vector<T> h)
  {
    const std::size_t k = columns_.size();
    for (std::size_t i = 0; i < k; ++i)
      rotate(rotations_[i], h[i], h[i + 1]);
    rotations_.push_back(rotation_for(h[k], h[k + 1]));
    right_.push_back(0);
    rotate(rotations_[k], h[k], h[k + 1]);
    rotate(rotations_[k], right_[k], right_[k + 1]);
    columns_.push_back(std::move(h));
  }

  /// The least norm.
  double residual() const { return magnitude(right_.back()); }

  /// [columns] y.
  std::vector<T> solution() const
  {
    std::vector<T> y(right_.begin(), right_.end() - 1);
    for (std::size_t j = y.size(); j-- > 0;) {
      y[j] = quotient(y[j], columns_[j][j]);
      for (std::size_t i = 0; i < j; ++i)
        y[i] -= product(columns_[j][i], y[j]);
    }
    return y;
  }

private:
  struct Rotation {
    double cosine;
    T sine;
  };

  static Rotation rotation_for(T a, T b)
  {
    const double size = std::hypot(magnitude(a), magnitude(b)), of_a = magnitude(a);
    return of_a == 0 ? Rotation{0, T(1)} : Rotation{of_a / size, product(a / of_a, conjugate(b)) / size};
  }

  static void rotate(const Rotation &r, T &a, T &b)
  {
    const T upper = r.cosine * a + product(r.sine, b);
    b = r.cosine * b - product(conjugate(r.sine), a);
    a = upper;
  }

  std::vector<std::vector<T>> columns_; ///< of the triangle
  std::vector<Rotation> rotations_;
  std::vector<T> right_;
};

/// Projections of a vector: one leaves too much where it is nearly one of the others.
constexpr int krylov_projections = 2;

/// The next orthonormal vector, by classical Gram-Schmidt. Returns the next column of the Hessenberg matrix.
template <class T, class Vectors>
std::vector<T> next_products(Vectors &vectors, Index j)
{
  vectors.apply(j);
  for (int pass = 0; pass < krylov_projections; ++pass)
    vectors.project(j);
  std::vector<T> h = vectors.products(j);
  if (const double norm = magnitude(h.back()); norm > 0)
    vectors.divide(j, norm);
  return h;
}

/// Steps of FGMRES (Saad 1993) for a correction of a solution, with a factor as the preconditioner, until the residual
/// has the norm `wanted`, at most `most` of them, and only as long as every four make it less than a tenth. The first
/// of the orthonormal vectors, v_0, is the residual over its norm.
///
/// vectors.apply(j): z_j = M⁻¹ v_j and w = A z_j. vectors.project(j): takes the projection on v_0 .. v_j away from w.
/// vectors.products(j): [j + 2] what was taken away in all, and the norm of what is left. vectors.divide(j, norm):
/// v_{j+1} = w / norm. vectors.add(y): adds the sum of all y_j z_j to the solution. Returns the steps.
template <class T, class Vectors>
Index flexible_gmres(Vectors &vectors, double norm, double wanted, Index most)
{
  constexpr Index together = 4;
  constexpr double less = 0.1;
  HessenbergProblem<T> problem(norm);
  double before = norm;
  Index steps = 0;
  while (steps < most) {
    problem.add(next_products<T>(vectors, steps));
    const double left = problem.residual();
    ++steps;
    const bool is_slow = steps % together == 0 && !(left < less * before);
    if (!(left > wanted) || is_slow)
      break;
    before = steps % together == 0 ? left : before;
  }
  vectors.add(problem.solution());
  return steps;
}

/// What flexible_gmres() is to make of a residual: a backward error of a part of the target.
inline double wanted_residual(double norm, double error, double target)
{
  constexpr double part = 0.1;
  return part * target / error * norm;
}

} // namespace tessera
#endif
