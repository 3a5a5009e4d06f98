#ifndef TESSERA_CUDA_FRONT_ELIMINATE_COLUMNS_CUH
#define TESSERA_CUDA_FRONT_ELIMINATE_COLUMNS_CUH

#include "cuda/front/front_arrays.cuh"
#include "cuda/lanes/tensor_cores.cuh"
#include "cuda/lanes/warp.cuh"

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
  double scale;   ///< of the pivot's column in the inverse of L, see PairFactor::growth
  unsigned pairs; ///< bit c: columns c and c + 1 are a 2x2 pivot; the same in all lanes
  bool good;      ///< L is bounded in this row, and the pivot in it is one
  bool uncertain; ///< the pivot may have another sign
};

/// Eight columns of a small matrix in registers while they are eliminated: the row of the lane and, in every lane, the
/// eight rows that have these columns' pivots, so that no pivot waits for another lane.
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
    load(a);
#pragma unroll
    for (int j = 0; j < 8; j += 2)
      if (!(pairs_ >> j & 1) || !eliminate_pair(j)) {
        eliminate(j, begin_ + j < k_);
        eliminate(j + 1, begin_ + j + 1 < k_);
      }
#pragma unroll
    for (int j = 0; j < 8; ++j)
      if (lane_ >= begin_ + j)
        a[(begin_ + j) * small_leading + lane_] = x_[j];
  }

private:
  __device__ __forceinline__ void load(const double *a)
  {
#pragma unroll
    for (int j = 0; j < 8; ++j) {
      const double *column = a + (begin_ + j) * small_leading;
      x_[j] = column[lane_];
#pragma unroll
      for (int i = j; i < 8; ++i)
        d_[i][j] = column[begin_ + i];
    }
    __syncwarp();
  }

  /// Columns c and c + 1 as one 2x2 pivot, if they are indefinite: returns whether. Rows of L stay. What later pivots
  /// wait for takes the inverse of the block; its factors, for which nobody waits, come after it.
  __device__ __forceinline__ bool eliminate_pair(int j)
  {
    const double a = d_[j][j], b = d_[j + 1][j], c = d_[j + 1][j + 1], determinant = fma(a, c, -(b * b));
    if (!(determinant <= -DBL_MIN))
      return false;
    const Reciprocal r(determinant);
    const double inverse = r.value();
#pragma unroll
    for (int i = j + 2; i < 8; ++i) {
      const double x = d_[i][j], y = d_[i][j + 1], first = fma(x, c, -(y * b)), second = fma(y, a, -(x * b));
      const double l = -first * inverse, m = -second * inverse;
      if (i == j + 2)
        d_[i][i] = r.subtract_quotient(fma(first, x, second * y), d_[i][i]);
#pragma unroll
      for (int k = j + 2; k <= i; ++k)
        if (i > j + 2)
          d_[i][k] = fma(l, d_[k][j], fma(m, d_[k][j + 1], d_[i][k]));
    }
    subtract_pair(j, pair_factor_of(a, b, c));
    return true;
  }

  /// The same for the lane's row, of which L is kept. A column of L is the other one of L D, divided by d.
  __device__ __forceinline__ void subtract_pair(int j, const PairFactor &p)
  {
    const int last = begin_ + j + 1;
    const double v = lane_ > last ? fma(p.other_first, x_[j + 1], x_[j]) : 0.0;
    const double w = lane_ > last ? fma(p.own_second, x_[j + 1], p.other_second * x_[j]) : 0.0;
    const double l = w * p.inverse, m = v * p.inverse;
#pragma unroll
    for (int k = j + 2; k < 8; ++k)
      x_[k] = fma(-l, fma(p.other_first, d_[k][j + 1], d_[k][j]),
                  fma(-m, fma(p.own_second, d_[k][j + 1], p.other_second * d_[k][j]), x_[k]));
    const double weight = fast_inverse_root(p.growth);
    record(p, begin_ + j, p.growth * weight);
    row_.good = row_.good & (fmax(fabs(l), fabs(m)) * weight <= bound_) & (l == l) & (m == m);
    row_.mass = fma(fabs(l), fabs(w), fma(fabs(m), fabs(v), row_.mass)); // squares over d: ||D|| = d
    s_.v[j][lane_] = v;
    s_.v[j + 1][lane_] = w;
    s_.l[j][lane_] = x_[j] = l;
    s_.l[j + 1][lane_] = x_[j + 1] = m;
  }

  /// The pivot of columns c and c + 1, in the lanes of its rows. c is even.
  __device__ __forceinline__ void record(const PairFactor &p, int c, double scale)
  {
    const double mass_beside = __shfl_xor_sync(whole_warp, row_.mass, 1);
    const bool first = lane_ == c, in = first | (lane_ == c + 1);
    const double own = first ? 1.0 : p.own_second, other = first ? p.other_first : p.other_second;
    const double mass = fma(other * other, mass_beside, row_.mass), size = p.size * p.growth;
    const bool good = !rules_.definite & (p.size > rules_.zero * mass) & (p.size <= DBL_MAX) &
                      (scale * fmax(1.0, fabs(other)) <= rules_.own_bound);
    row_.pairs |= 1u << c;
    row_.mass = in ? mass : row_.mass;
    row_.scale = in ? scale : row_.scale;
    row_.pivot = in ? (first ? size : -size) : row_.pivot;
    row_.uncertain = in ? !(p.size > rules_.uncertain * mass) : row_.uncertain;
    row_.good = row_.good & (good | !in);
    if (in) {
      s_.own[lane_] = own;
      s_.other[lane_] = other;
    }
  }

  /// Column c as a 1x1 pivot; if it is none, nothing is subtracted, and it stays.
  __device__ __forceinline__ void eliminate(int j, bool is_own)
  {
    const int c = begin_ + j;
    const double p = d_[j][j], v = x_[j];
    const Reciprocal r(p);
    const double inverse = is_own ? r.value() : 0.0, l = lane_ > c ? v * inverse : 0.0;
#pragma unroll
    for (int i = j + 1; i < 8; ++i) {
      const double factor = -d_[i][j] * inverse;
      if (i == j + 1)
        d_[i][i] = is_own ? r.subtract_quotient(d_[i][j] * d_[i][j], d_[i][i]) : d_[i][i];
#pragma unroll
      for (int k = j + 1; k <= i; ++k)
        if (i > j + 1)
          d_[i][k] = fma(factor, d_[k][j], d_[i][k]);
      x_[i] = fma(-l, d_[i][j], x_[i]);
    }
    const bool own = (lane_ == c) & is_own;
    const double size = rules_.definite ? p : fabs(p);
    const bool is_pivot = (size > rules_.zero * row_.mass) & (size <= DBL_MAX);
    row_.pivot = own ? p : row_.pivot;
    row_.uncertain = own ? !(size > rules_.uncertain * row_.mass) : row_.uncertain;
    row_.good = row_.good & (fabs(l) <= bound_) & (is_pivot | !own);
    row_.mass = fma(fabs(l), fabs(v), row_.mass);
    s_.v[j][lane_] = v;
    s_.l[j][lane_] = l;
    x_[j] = is_own ? l : v;
  }

  const int begin_, k_, lane_;
  const unsigned pairs_;
  const PivotRules rules_;
  const double bound_; ///< of L in the lane's row
  EliminationScratch &s_;
  EliminatedRow &row_;
  double x_[8];    ///< the lane's row
  double d_[8][8]; ///< rows begin_ .., lower triangle: what is left of them
};

/// By one warp: what is left of a small matrix from tile `begin` of 8 x 8 on, after the elimination of eight columns.
__device__ __forceinline__ void update_tiles(double *a, int begin, int tiles, const EliminationScratch &s)
{
  const int lane = threadIdx.x & 31, row = lane / 4, inner = lane % 4;
#pragma unroll 1
  for (int tj = begin; tj < tiles; ++tj) {
    double sum[3][2];
    double *at[3];
#pragma unroll
    for (int u = 0; u < 3; ++u) {
      at[u] = a + (8 * tj + 2 * inner) * small_leading + 8 * min(tj + u, tiles - 1) + row;
      sum[u][0] = at[u][0];
      sum[u][1] = at[u][small_leading];
    }
#pragma unroll
    for (int q = 0; q < 8; q += 4) {
      const double v = s.v[q + inner][8 * tj + row];
#pragma unroll
      for (int u = 0; u < 3; ++u)
        TensorProducts::multiply(sum[u], -s.l[q + inner][8 * min(tj + u, tiles - 1) + row], v);
    }
#pragma unroll
    for (int u = 0; u < 3; ++u)
      if (tj + u < tiles) {
        at[u][0] = sum[u][0];
        at[u][small_leading] = sum[u][1];
      }
  }
}

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
  const int lane = threadIdx.x & 31, tiles = (n + 7) / 8;
  EliminatedRow result{mass, 1, 1, 0, true, false};
  s.own[lane] = 1;
  s.other[lane] = 0;
#pragma unroll 1
  for (int c = 0; c < k; c += 8) {
    EightColumns(c, k, pairs, rules, s, result).run(a);
    __syncwarp();
    update_tiles(a, c / 8 + 1, tiles, s);
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

  __device__ __forceinline__ double at(int i, int j) const
  {
    const double x = a_[i * small_leading + j]; // loaded in any case: branches would take longer
    return is_set(i, j) ? x : 0.0;
  }

  __device__ __forceinline__ void run()
  {
    invert_diagonal_blocks();
    invert_row_of_blocks<1>();
    invert_row_of_blocks<2>();
    invert_row_of_blocks<3>();
  }

private:
  /// X is lower triangular but for the pairs.
  __device__ __forceinline__ bool is_set(int i, int j) const { return i >= j || (i + 1 == j && (pairs_ >> i & 1)); }

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

  /// Blocks (I, j), j < I: -X(I, I) Σ L(I, k) X(k, j) over j <= k < I.
  template <int I>
  __device__ __forceinline__ void invert_row_of_blocks()
  {
    if (8 * I >= k_)
      return;
    const int row = lane_ / 4, inner = lane_ % 4;
    double sum[I][2] = {};
#pragma unroll
    for (int k = 0; k < I; ++k)
#pragma unroll
      for (int q = 8 * k; q < 8 * k + 8; q += 4) {
        const double left = l(8 * I + row, q + inner);
#pragma unroll
        for (int j = 0; j <= k; ++j)
          TensorProducts::multiply(sum[j], left, at(q + inner, 8 * j + row));
      }
#pragma unroll
    for (int j = 0; j < I; ++j)
#pragma unroll
      for (int z = 0; z < 2; ++z) {
        s_.product[j][2 * inner + z][row] = sum[j][z];
        sum[j][z] = 0;
      }
    __syncwarp();
#pragma unroll
    for (int q = 0; q < 8; q += 4) {
      const double left = -at(8 * I + row, 8 * I + q + inner);
#pragma unroll
      for (int j = 0; j < I; ++j)
        TensorProducts::multiply(sum[j], left, s_.product[j][row][q + inner]);
    }
#pragma unroll
    for (int j = 0; j < I; ++j)
#pragma unroll
      for (int z = 0; z < 2; ++z)
        a_[(8 * I + row) * small_leading + 8 * j + 2 * inner + z] = sum[j][z];
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
