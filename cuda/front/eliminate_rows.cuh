#ifndef TESSERA_CUDA_FRONT_ELIMINATE_ROWS_CUH
#define TESSERA_CUDA_FRONT_ELIMINATE_ROWS_CUH

#include "cuda/front/front_arrays.cuh"
#include "cuda/lanes/warp.cuh"

#include <cfloat>

namespace tessera {

/// 1 / x to the last bit or two, in a third of the time of a division. An x that is 0 or subnormal gives no number.
__device__ __forceinline__ double fast_reciprocal(double x)
{
  double r;
  asm("rcp.approx.ftz.f64 %0, %1;" : "=d"(r) : "d"(x));
  r = fma(r, fma(-x, r, 1.0), r);
  return fma(r, fma(-x, r, 1.0), r);
}

/// The eigenvalues of [a b; b c] and a rotation to them: [x y] becomes [cosine x - sine y, sine x + cosine y] (Golub &
/// Van Loan 8.5.2).
struct PairRotation {
  double cosine, sine, first, second;

  __device__ PairRotation(double a, double b, double c)
  {
    const double theta = (c - a) / (2 * b);
    const double t = b == 0 ? 0.0 : copysign(1.0, theta) / (fabs(theta) + sqrt(fma(theta, theta, 1.0)));
    cosine = 1 / sqrt(fma(t, t, 1.0));
    sine = t * cosine;
    first = fma(-t, b, a);
    second = fma(t, b, c);
  }
};

/// What a warp shares while it eliminates the columns of at most N rows.
template <int N>
struct RowsScratch {
  double column[2][N];
  double l[N][N]; ///< l[c][i]: entry (i, c) of L below its diagonal, 0 on and above it
  double cosine[N], sine[N];
};

/// Rows of a front, one in each lane, of which the first k columns are eliminated in their order, without a search. A
/// proposed pair is one 2x2 pivot: rotated to its eigenvalues, which are two 1x1 pivots then. The matrix is L D Lᵀ with
/// unit lower triangular L but for the rotations, which are L's diagonal blocks.
template <int N>
struct EliminatedRows {
  double a[N];    ///< row of the lane, columns up to its own; then L, and the Schur complement from column k on
  double mass;    ///< what the diagonal entry was made of, see DirectOptions::zero
  double pivot;   ///< entry of D, in the lane of its row
  bool good;      ///< L is bounded in this row, and the pivot in it is one
  bool uncertain; ///< the pivot may have another sign

  /// Lanes from N on take part and hold nothing.
  __device__ __forceinline__ void run(int k, unsigned pairs, const PivotRules &rules, RowsScratch<N> &s)
  {
    const int lane = threadIdx.x & 31;
    own_ = k;
    pivot = 1;
    good = true;
    uncertain = false;
#pragma unroll
    for (int c = 0; c < N; ++c)
      if (c < k) {
        if (c + 1 < N && (pairs >> c & 1))
          rotate(c, lane, s);
        eliminate(c, lane, rules, s);
      }
  }

private:
  int own_; ///< columns that are eliminated

  /// What is left of rows and columns c and c + 1 becomes diagonal in its pair. Rows of L stay.
  __device__ __forceinline__ void rotate(int c, int lane, RowsScratch<N> &s)
  {
    const int next = c + 1 < N ? c + 1 : c;
    const PairRotation r(__shfl_sync(whole_warp, a[c], c), __shfl_sync(whole_warp, a[c], next),
                         __shfl_sync(whole_warp, a[next], next));
    const double x = a[c], y = a[next];
    a[c] = lane == c ? r.first : lane == next ? 0.0 : fma(r.cosine, x, -r.sine * y);
    a[next] = lane == next ? r.second : fma(r.sine, x, r.cosine * y);
    const double cc = r.cosine * r.cosine, ss = r.sine * r.sine;
    const double mass_first = __shfl_sync(whole_warp, mass, c), mass_second = __shfl_sync(whole_warp, mass, next);
    if (lane == c)
      mass = cc * mass_first + ss * mass_second;
    if (lane == next)
      mass = ss * mass_first + cc * mass_second;
    if (lane == 0) {
      s.cosine[c] = r.cosine;
      s.sine[c] = r.sine;
    }
  }

  __device__ __forceinline__ void eliminate(int c, int lane, const PivotRules &rules, RowsScratch<N> &s)
  {
    double *const column = s.column[c & 1];
    const double v = a[c];
    if (lane < N)
      column[lane] = v;
    __syncwarp();
    const double p = column[c];
    const double l = lane > c ? v * fast_reciprocal(p) : 0.0;
    if (lane == c) {
      pivot = p;
      good = good && fabs(p) <= DBL_MAX && (rules.definite ? p > 0 : fabs(p) > rules.zero * mass);
      uncertain = !rules.definite && !(fabs(p) > rules.uncertain * mass);
    }
    good = good && (rules.definite || fabs(l) <= (lane < own_ ? rules.own_bound : rules.bound));
    mass = fma(fabs(l), fabs(v), mass);
#pragma unroll
    for (int j = c + 1; j < N; ++j)
      a[j] = fma(-l, column[j], a[j]);
    a[c] = l;
    if (lane < N)
      s.l[c][lane] = l;
  }
};

/// Column `lane` of the inverse of L's first k rows: x[i] for i < k; more of x is overwritten.
template <int N>
__device__ __forceinline__ void invert_rows(double (&x)[N], int k, unsigned pairs, const RowsScratch<N> &s)
{
  const int lane = threadIdx.x & 31;
#pragma unroll
  for (int i = 0; i < N; ++i)
    x[i] = i == lane ? 1.0 : 0.0;
#pragma unroll
  for (int c = 0; c < N; ++c)
    if (c < k) {
      if (c + 1 < N && (pairs >> c & 1)) {
        constexpr int last = N - 1;
        const int next = c < last ? c + 1 : last;
        const double y = x[c], z = x[next];
        x[c] = fma(s.cosine[c], y, -s.sine[c] * z);
        x[next] = fma(s.sine[c], y, s.cosine[c] * z);
      }
#pragma unroll
      for (int i = c + 1; i < N; ++i)
        x[i] = fma(-s.l[c][i], x[c], x[i]);
    }
}

} // namespace tessera
#endif
