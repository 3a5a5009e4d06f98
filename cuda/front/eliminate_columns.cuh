#ifndef TESSERA_CUDA_FRONT_ELIMINATE_COLUMNS_CUH
#define TESSERA_CUDA_FRONT_ELIMINATE_COLUMNS_CUH

#include "cuda/front/front_arrays.cuh"
#include "cuda/lanes/tensor_cores.cuh"
#include "cuda/lanes/warp.cuh"

#include <cfloat>

namespace tessera {

/// 1 / x to the last bit or two, in a third of the time of a division. An x that is 0 or subnormal gives no number.
__device__ __forceinline__ double fast_reciprocal(double x)
{
  double r;
  asm("rcp.approx.ftz.f64 %0, %1;" : "=d"(r) : "d"(x));
  const double e = fma(-x, r, 1.0);
  return fma(r, fma(e, e, e), r);
}

/// 1 / sqrt(x) as fast_reciprocal. An x that is 0 or subnormal gives infinity.
__device__ __forceinline__ double fast_inverse_root(double x)
{
  double r;
  asm("rsqrt.approx.ftz.f64 %0, %1;" : "=d"(r) : "d"(x));
  const double e = fma(-x * r, r, 1.0);
  return fma(r * e, fma(0.375, e, 0.5), r);
}

/// The eigenvalues of [a b; b c] and a rotation to them: [x y] becomes [cosine x - sine y, sine x + cosine y] (Golub &
/// Van Loan 8.5.2).
struct PairRotation {
  double cosine, sine, first, second;
};

/// A function of its own: with a copy for every column a kernel would not fit the cache of instructions.
inline __device__ __noinline__ PairRotation rotation_of(double a, double b, double c)
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

/// An indefinite block [a b; b c] as P [0 d; d 0] Pᵀ with d > 0 and |P| |D| |Pᵀ| of the size of the block, entry by
/// entry. Eigenvalues would not do: a zero in the block, and what it stands for below, would be a difference of two
/// numbers of the size of b. Columns [x y] become [own_first x + other_first y, other_second x + own_second y], which
/// is [x y] with Pᵀ inverted.
struct PairFactor {
  double own_first, other_first, own_second, other_second;
  double size;    ///< d; not more than 0 if there is no such factor
  double inverse; ///< 1 / d

  /// The largest entry of P and of its inverse.
  __device__ __forceinline__ double largest() const
  {
    return fmax(own_first, fmax(fabs(other_first), fabs(other_second)));
  }
};

/// A function of its own, as rotation_of.
inline __device__ __noinline__ PairFactor pair_factor_of(double a, double b, double c)
{
  PairFactor p;
  const double square = fma(b, b, -a * c);
  p.inverse = fast_inverse_root(square);
  p.size = square >= DBL_MIN ? square * p.inverse : 0.0;
  const double twice = b + copysign(p.size, b), scale = fast_reciprocal(twice);
  const double growth = 0.5 * fabs(twice) * p.inverse; // the determinant of P is 1 or -1 with its root
  p.own_first = growth * fast_inverse_root(growth);
  p.own_second = copysign(p.own_first, b);
  p.other_first = -p.own_first * (a * scale);
  p.other_second = -p.own_second * (c * scale);
  return p;
}

/// Small dense matrices of a warp in shared memory: column-major, with this leading dimension, at most 32 rows. Four
/// columns of eight rows lie in different banks.
constexpr int small_leading = 36;

/// What a warp shares while it eliminates columns, eight at a time.
struct EliminationScratch {
  double l[8][small_leading], v[8][small_leading]; ///< L, and L D, of the columns at hand
  double own[32], other[32];                       ///< of pairs, see PairFactor; 1 and 0 for columns that are in none
  double product[3][8][9];
};

/// What became of a lane's row.
struct EliminatedRow {
  double mass;    ///< what the diagonal entry was made of, see DirectOptions::zero
  double pivot;   ///< entry of D; of a pair d and -d
  unsigned pairs; ///< bit c: columns c and c + 1 are a 2x2 pivot; the same in all lanes
  bool good;      ///< L is bounded in this row, and the pivot in it is one
  bool uncertain; ///< the pivot may have another sign
};

/// Eight columns of a small matrix in registers, the row of the lane, while they are eliminated.
class EightColumns {
public:
  __device__ __forceinline__ EightColumns(int begin, int k, unsigned pairs, const PivotRules &rules,
                                          EliminationScratch &s, EliminatedRow &row)
      : begin_(begin), k_(k), lane_(threadIdx.x & 31), pairs_(pairs >> begin), rules_(rules),
        bound_(lane_ < k ? rules.own_bound : rules.bound), s_(s), row_(row)
  {
  }

  __device__ __forceinline__ void run(double *a)
  {
    const int columns = min(8, k_ - begin_);
#pragma unroll
    for (int j = 0; j < 8; ++j)
      x_[j] = a[(begin_ + j) * small_leading + lane_];
#pragma unroll
    for (int j = 0; j < 8; j += 2)
      if (!(pairs_ >> j & 1) || !eliminate_pair(j)) {
        eliminate_or_clear(j, columns);
        eliminate_or_clear(j + 1, columns);
      }
    __syncwarp();
#pragma unroll
    for (int j = 0; j < 8; ++j)
      if (lane_ >= begin_ + j)
        a[(begin_ + j) * small_leading + lane_] = x_[j];
  }

private:
  __device__ __forceinline__ void eliminate_or_clear(int j, int columns)
  {
    if (j < columns)
      eliminate(j);
    else
      s_.l[j][lane_] = s_.v[j][lane_] = 0;
  }

  /// Columns c and c + 1 as one 2x2 pivot, if they are indefinite: returns whether. Rows of L stay. A column of L is
  /// the other one of L D, divided by d. As in eliminate(), the next two columns do not wait for shared memory.
  __device__ __forceinline__ bool eliminate_pair(int j)
  {
    const int c = begin_ + j, last = c + 1;
    const PairFactor p = pair_factor_of(__shfl_sync(whole_warp, x_[j], c), __shfl_sync(whole_warp, x_[j], last),
                                        __shfl_sync(whole_warp, x_[j + 1], last));
    if (!(p.size > 0))
      return false;
    const double v = lane_ > last ? fma(p.own_first, x_[j], p.other_first * x_[j + 1]) : 0.0;
    const double w = lane_ > last ? fma(p.own_second, x_[j + 1], p.other_second * x_[j]) : 0.0;
    const double l = w * p.inverse, m = v * p.inverse;
    s_.v[j][lane_] = v;
    s_.v[j + 1][lane_] = w;
#pragma unroll
    for (int i = j + 2; i < min(j + 4, 8); ++i)
      x_[i] = fma(-l, __shfl_sync(whole_warp, v, begin_ + i), fma(-m, __shfl_sync(whole_warp, w, begin_ + i), x_[i]));
    record(p, c);
    row_.good = row_.good && fabs(l) <= bound_ && fabs(m) <= bound_;
    row_.mass = fma(fabs(l), fabs(w), fma(fabs(m), fabs(v), row_.mass)); // squares over d: ||D|| = d
    __syncwarp();
#pragma unroll
    for (int i = j + 4; i < 8; ++i)
      x_[i] = fma(-l, s_.v[j][begin_ + i], fma(-m, s_.v[j + 1][begin_ + i], x_[i]));
    s_.l[j][lane_] = x_[j] = l;
    s_.l[j + 1][lane_] = x_[j + 1] = m;
    return true;
  }

  /// The pivot of columns c and c + 1, in the lanes of its rows. c is even.
  __device__ __forceinline__ void record(const PairFactor &p, int c)
  {
    const double mass_beside = __shfl_xor_sync(whole_warp, row_.mass, 1);
    row_.pairs |= 1u << c;
    if (lane_ != c && lane_ != c + 1)
      return;
    const double own = lane_ == c ? p.own_first : p.own_second, other = lane_ == c ? p.other_first : p.other_second;
    row_.mass = own * own * row_.mass + other * other * mass_beside;
    row_.pivot = lane_ == c ? p.size : -p.size;
    row_.uncertain = !(p.size > rules_.uncertain * row_.mass);
    row_.good = row_.good && !rules_.definite && p.size > rules_.zero * row_.mass && p.size <= DBL_MAX &&
                p.largest() <= rules_.own_bound;
    s_.own[lane_] = own;
    s_.other[lane_] = other;
  }

  /// The next column is not made to wait for shared memory: entries that it needs come from the lanes that have them.
  __device__ __forceinline__ void eliminate(int j)
  {
    const int c = begin_ + j, next = j + 1 < 8 ? j + 1 : j;
    const double v = x_[j], p = __shfl_sync(whole_warp, v, c);
    const double of_next = __shfl_sync(whole_warp, v, begin_ + next);
    const bool own = lane_ == c;
    s_.v[j][lane_] = v;
    const double l = lane_ > c ? v * fast_reciprocal(p) : 0.0;
    if (next > j)
      x_[next] = fma(-l, of_next, x_[next]);
    const double size = rules_.definite ? p : fabs(p);
    const bool is_pivot = size > rules_.zero * row_.mass && size <= DBL_MAX;
    row_.pivot = own ? p : row_.pivot;
    row_.uncertain = own ? !(size > rules_.uncertain * row_.mass) : row_.uncertain;
    row_.good = row_.good && fabs(l) <= bound_ && (is_pivot || !own);
    row_.mass = fma(fabs(l), fabs(v), row_.mass);
    __syncwarp();
#pragma unroll
    for (int i = j + 2; i < 8; ++i)
      x_[i] = fma(-l, s_.v[j][begin_ + i], x_[i]);
    x_[j] = l;
    s_.l[j][lane_] = l;
  }

  const int begin_, k_, lane_;
  const unsigned pairs_;
  const PivotRules rules_;
  const double bound_; ///< of L in the lane's row
  EliminationScratch &s_;
  EliminatedRow &row_;
  double x_[8];
};

/// By one warp: eliminates the first k columns of a small matrix of n rows in their order, without a search. Rows and
/// columns from n up to the next multiple of 8 are 0. Lower triangle: overwritten by L below its unit diagonal in the
/// first k columns, by the Schur complement in the others. A proposed pair that begins in an even column and is
/// indefinite is one 2x2 pivot, which becomes [0 d; d 0]; other pairs are two 1x1 pivots. Factors P of pairs are L's
/// diagonal blocks. Lane i knows of row i.
inline __device__ __noinline__ EliminatedRow eliminate_columns(double *a, int n, int k, unsigned pairs, double mass,
                                                               const PivotRules rules, EliminationScratch &s)
{
  __builtin_assume(__isShared(a));
  __builtin_assume(__isShared(&s));
  const int lane = threadIdx.x & 31, row = lane / 4, inner = lane % 4, tiles = (n + 7) / 8;
  EliminatedRow result{mass, 1, 0, true, false};
  s.own[lane] = 1;
  s.other[lane] = 0;
#pragma unroll 1
  for (int c = 0; c < k; c += 8) {
    EightColumns(c, k, pairs, rules, s, result).run(a);
    __syncwarp();
#pragma unroll 1
    for (int tj = c / 8 + 1; tj < tiles; ++tj)
#pragma unroll 1
      for (int ti = tj; ti < tiles; ++ti) {
        double *const at = a + (8 * tj + 2 * inner) * small_leading + 8 * ti + row;
        double sum[2] = {at[0], at[small_leading]};
#pragma unroll
        for (int q = 0; q < 8; q += 4)
          TensorProducts::multiply(sum, -s.l[q + inner][8 * ti + row], s.v[q + inner][8 * tj + row]);
        at[0] = sum[0];
        at[small_leading] = sum[1];
      }
    __syncwarp();
  }
  return result;
}

/// The inverse X of L, of k rows, that eliminate_columns has left in a, kept transposed: entry (i, j) of X, where it
/// is not 0, in row j and column i of a. pairs: those that became 2x2 pivots.
class InverseOfL {
public:
  __device__ InverseOfL(double *a, int k, unsigned pairs, EliminationScratch &s)
      : a_(a), k_(k), lane_(threadIdx.x & 31), pairs_(pairs), s_(s)
  {
  }

  __device__ __forceinline__ double at(int i, int j) const { return is_set(i, j) ? a_[i * small_leading + j] : 0.0; }

  __device__ __forceinline__ void run()
  {
    invert_diagonal_blocks();
#pragma unroll 1
    for (int i = 1; 8 * i < k_; ++i)
      invert_row_of_blocks(i);
  }

private:
  /// X is lower triangular but for the pairs.
  __device__ __forceinline__ bool is_set(int i, int j) const
  {
    return i >= j || (i + 1 == j && (pairs_ >> i & 1));
  }

  /// Lane 8 b + j has column j of block b.
  __device__ __forceinline__ void invert_diagonal_blocks()
  {
    const int block = lane_ & ~7, j = lane_ & 7;
    double x[8];
#pragma unroll
    for (int i = 0; i < 8; ++i)
      x[i] = i == j ? 1.0 : 0.0;
#pragma unroll
    for (int c = 0; c < 8; ++c) {
      if (c % 2 == 0) {
        const double y = x[c], z = x[c + 1];
        x[c] = fma(s_.own[block + c], y, s_.other[block + c] * z);
        x[c + 1] = fma(s_.own[block + c + 1], z, s_.other[block + c + 1] * y);
      }
#pragma unroll
      for (int i = c + 1; i < 8; ++i) {
        const double l = block + i < k_ ? a_[(block + c) * small_leading + block + i] : 0.0;
        x[i] = fma(-l, x[c], x[i]);
      }
    }
    __syncwarp();
#pragma unroll
    for (int i = 0; i < 8; ++i)
      if (is_set(block + i, block + j))
        a_[(block + i) * small_leading + block + j] = x[i];
    __syncwarp();
  }

  /// Blocks (i, j), j < i: -X(i, i) Σ L(i, k) X(k, j) over j <= k < i.
  __device__ __forceinline__ void invert_row_of_blocks(int i)
  {
    const int row = lane_ / 4, inner = lane_ % 4;
#pragma unroll 1
    for (int j = 0; j < i; ++j) {
      double sum[2] = {0, 0};
#pragma unroll 1
      for (int k = j; k < i; ++k)
#pragma unroll
        for (int q = 0; q < 8; q += 4)
          TensorProducts::multiply(sum, l(8 * i + row, 8 * k + q + inner), at(8 * k + q + inner, 8 * j + row));
      s_.product[j][2 * inner][row] = sum[0];
      s_.product[j][2 * inner + 1][row] = sum[1];
    }
    __syncwarp();
#pragma unroll 1
    for (int j = 0; j < i; ++j) {
      double sum[2] = {0, 0};
#pragma unroll
      for (int q = 0; q < 8; q += 4)
        TensorProducts::multiply(sum, -at(8 * i + row, 8 * i + q + inner), s_.product[j][row][q + inner]);
      a_[(8 * i + row) * small_leading + 8 * j + 2 * inner] = sum[0];
      a_[(8 * i + row) * small_leading + 8 * j + 2 * inner + 1] = sum[1];
    }
    __syncwarp();
  }

  __device__ __forceinline__ double l(int i, int j) const
  {
    return i < k_ ? a_[j * small_leading + i] : 0.0;
  }

  double *const a_;
  const int k_, lane_;
  const unsigned pairs_;
  EliminationScratch &s_;
};

/// By one warp: replaces L by its inverse, see InverseOfL.
inline __device__ __noinline__ void invert_l(double *a, int k, unsigned pairs, EliminationScratch &s)
{
  __builtin_assume(__isShared(a));
  __builtin_assume(__isShared(&s));
  InverseOfL(a, k, pairs, s).run();
}

} // namespace tessera
#endif
