#ifndef TESSERA_CUDA_FRONT_PAIR_FACTOR_CUH
#define TESSERA_CUDA_FRONT_PAIR_FACTOR_CUH

#include "cuda/lanes/instructions.cuh"

#include <cfloat>

namespace tessera {

/// 1 / x to the last bit or two, in a third of the time of a division: first (1 + rest). An x that is 0 or subnormal
/// gives no number.
struct Reciprocal {
  double first, rest;

  __device__ __forceinline__ explicit Reciprocal(double x)
  {
    first = guess_reciprocal(x);
    const double e = fma(-x, first, 1.0);
    rest = fma(e, e, e);
  }
  __device__ __forceinline__ double value() const { return fma(first, rest, first); }

  /// x - product / the number: one operation after the last one of the reciprocal.
  __device__ __forceinline__ double subtract_quotient(double product, double x) const
  {
    const double quotient = product * first;
    return fma(-quotient, rest, x - quotient);
  }
};

__device__ __forceinline__ double fast_reciprocal(double x)
{
  return Reciprocal(x).value();
}

/// 1 / sqrt(x) as fast_reciprocal. An x that is 0 or subnormal gives infinity.
__device__ __forceinline__ double fast_inverse_root(double x)
{
  const double r = guess_rsqrt(x);
  const double e = fma(-x * r, r, 1.0);
  return fma(r * e, fma(0.375, e, 0.5), r);
}

/// The eigenvalues of [a b; b c] and a rotation to them: [x y] becomes [cosine x - sine y, sine x + cosine y] (Golub &
/// Van Loan 8.5.2).
struct PairRotation {
  double cosine, sine, first, second;
};

__device__ __forceinline__ PairRotation rotation_of(double a, double b, double c)
{
  PairRotation r;
  const double half = 0.5 * (c - a), square = fma(half, half, b * b);
  const double sum = fma(square, fast_inverse_root(square), fabs(half)); // no number if b is as good as 0
  const double t = square >= DBL_MIN ? copysign(b, b * half) * fast_reciprocal(sum) : 0.0;
  r.cosine = fast_inverse_root(fma(t, t, 1.0));
  r.sine = t * r.cosine;
  r.first = fma(-t, b, a);
  r.second = fma(t, b, c);
  return r;
}

/// An indefinite block [a b; b c] as P [0 d; d 0] Pᵀ with |P| |D| |Pᵀ| of the size of the block, entry by entry.
/// Eigenvalues would not do: a zero in the block, and what it stands for below, would be a difference of two numbers of
/// the size of b. Columns [x y] become [x + other_first y, other_second x + own_second y], which is [x y] with Pᵀ
/// inverted; own_second is 1 or -1.
struct PairFactor {
  double other_first, other_second, own_second;
  double size;    ///< d
  double inverse; ///< 1 / d
  /// With the root of this, P would have a determinant of 1 or -1: the inverse of P is to be multiplied with the root,
  /// d with this, entries of L with the inverse of the root. What is tested and told is of such a P.
  double growth;
};

/// b² - a c is at least DBL_MIN.
__device__ __forceinline__ PairFactor pair_factor_of(double a, double b, double c)
{
  PairFactor p;
  const double square = fma(b, b, -(a * c)), inverse_root = fast_inverse_root(square);
  const double twice = b + copysign(square * inverse_root, b), scale = fast_reciprocal(twice);
  p.growth = 0.5 * fabs(twice) * inverse_root;
  p.inverse = p.growth * inverse_root;
  p.size = 2 * square * fabs(scale);
  p.own_second = copysign(1.0, b);
  p.other_first = -a * scale;
  p.other_second = -p.own_second * (c * scale);
  return p;
}

} // namespace tessera
#endif
