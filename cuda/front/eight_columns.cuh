#ifndef TESSERA_CUDA_FRONT_EIGHT_COLUMNS_CUH
#define TESSERA_CUDA_FRONT_EIGHT_COLUMNS_CUH

#include "cuda/front/front_arrays.cuh"
#include "cuda/front/pair_factor.cuh"
#include "cuda/lanes/warp.cuh"

#include <cfloat>

namespace tessera {

/// What became of a thread's row.
struct EliminatedRow {
  double mass;    ///< what the diagonal entry was made of, see DirectOptions::zero
  double pivot;   ///< entry of D; of a pair d and -d
  double scale;   ///< of the pivot's column in the inverse of L, see PairFactor::growth
  unsigned pairs; ///< bit c: columns c and c + 1 are a 2x2 pivot; the same in all threads
  unsigned zeros; ///< bit c: column c is nothing but rounding, its pivot is 0; the same in all threads
  bool good;      ///< L is bounded in this row, and the pivot in it is one
  bool uncertain; ///< the pivot may have another sign
};

/// Eight columns of a matrix in registers while they are eliminated: the row of the thread and, in every thread, the
/// eight rows that have these columns' pivots, so that no pivot waits for another thread.
///
/// Columns: the matrix in shared memory, and whose threads have its rows, those of a warp or of a thread block. row():
/// that of the thread; at(i, j): an entry; own(j): the thread's; wait(): for all of its threads; all(x): likewise, and
/// whether x holds in all of them; share(c, x): likewise, that of the thread of row c; save(q, x): column q of the
/// eight, before; keep(j, x): column j of L; put(q, l, v): column q of the eight of L and of L D, for what is to be
/// subtracted; put_pair(own, other): see PairFactor.
///
/// TakesZeros: a column of nothing but rounding, see PivotRules::zero, has a zero pivot. What that takes, the mass of
/// its row, comes from another thread, so that the columns are first tried without.
template <class Columns, bool TakesZeros = false>
class EightColumns {
public:
  __device__ __forceinline__ EightColumns(int begin, int k, unsigned pairs, const PivotRules &rules,
                                          const Columns &columns, EliminatedRow &row)
      : begin_(begin), k_(k), own_row_(columns.row()), pairs_(pairs >> begin), rules_(rules),
        bound_(own_row_ < k ? rules.own_bound : rules.bound), columns_(columns), row_(row)
  {
  }

  /// Computes L; the matrix stays. Columns without pairs have code without branches: a warp waits at each for the
  /// operations before it, which takes as long as a pivot.
  __device__ __forceinline__ void eliminate()
  {
    load();
    if (!TakesZeros && begin_ + 8 <= k_ && (pairs_ & 0x55) == 0)
      eliminate_singles();
    else
      eliminate_with_pairs();
    judge_singles();
  }

  /// Overwrites the columns with L, when all threads have begun with eliminate().
  __device__ __forceinline__ void keep() const
  {
#pragma unroll
    for (int j = 0; j < 8; ++j)
      if (own_row_ >= begin_ + j)
        columns_.keep(begin_ + j, x_[j]);
  }

  /// By a warp that has no rows, while others eliminate: waits as often as they do.
  static __device__ __forceinline__ void stand_by(const Columns &columns)
  {
    columns.wait();
  }

private:
  __device__ __forceinline__ void load()
  {
#pragma unroll
    for (int j = 0; j < 8; ++j) {
      x_[j] = columns_.own(begin_ + j);
      columns_.save(j, x_[j]);
#pragma unroll
      for (int i = j; i < 8; ++i)
        d_[i][j] = columns_.at(begin_ + i, begin_ + j);
    }
    columns_.wait();
  }

  __device__ __forceinline__ void eliminate_singles()
  {
#pragma unroll
    for (int j = 0; j < 8; ++j)
      eliminate(j, true);
  }

  __device__ __forceinline__ void eliminate_with_pairs()
  {
#pragma unroll
    for (int j = 0; j < 8; j += 2)
      if (begin_ + j >= k_) {
        columns_.put(j, 0, 0);
        columns_.put(j + 1, 0, 0);
      } else if (!(pairs_ >> j & 1) || !eliminate_pair(j)) {
        eliminate(j, begin_ + j < k_);
        eliminate(j + 1, begin_ + j + 1 < k_);
      }
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

  /// The same for the thread's row, of which L is kept. A column of L is the other one of L D, divided by d.
  __device__ __forceinline__ void subtract_pair(int j, const PairFactor &p)
  {
    const int last = begin_ + j + 1;
    const double v = own_row_ > last ? fma(p.other_first, x_[j + 1], x_[j]) : 0.0;
    const double w = own_row_ > last ? fma(p.own_second, x_[j + 1], p.other_second * x_[j]) : 0.0;
    const double l = w * p.inverse, m = v * p.inverse;
    const double first = fma(m, p.other_second, l), second = fma(m, p.own_second, l * p.other_first);
#pragma unroll
    for (int k = j + 2; k < 8; ++k)
      x_[k] = fma(-first, d_[k][j], fma(-second, d_[k][j + 1], x_[k]));
    const double weight = fast_inverse_root(p.growth);
    record(p, begin_ + j, p.growth * weight);
    row_.good = row_.good & (fmax(fabs(l), fabs(m)) * weight <= bound_) & (l == l) & (m == m);
    row_.mass = fma(fabs(l), fabs(w), fma(fabs(m), fabs(v), row_.mass)); // squares over d: ||D|| = d
    columns_.put(j, x_[j] = l, v);
    columns_.put(j + 1, x_[j + 1] = m, w);
  }

  /// The pivot of columns c and c + 1, in the threads of its rows. c is even.
  __device__ __forceinline__ void record(const PairFactor &p, int c, double scale)
  {
    const double mass_beside = __shfl_xor_sync(whole_warp, row_.mass, 1);
    const bool first = own_row_ == c, in = first | (own_row_ == c + 1);
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
    if (in)
      columns_.put_pair(own, other);
  }

  /// Column c as a 1x1 pivot; if it is none, or zero, nothing is subtracted, and it stays, or is zero.
  __device__ __forceinline__ void eliminate(int j, bool is_own)
  {
    const int c = begin_ + j;
    const double p = d_[j][j], v = x_[j], mass = TakesZeros ? columns_.share(c, row_.mass) : 0.0;
    const bool is_zero = TakesZeros && is_own && fabs(p) <= rules_.zero * mass, subtracts = is_own && !is_zero;
    const Reciprocal r(p);
    const double inverse = subtracts ? r.value() : 0.0, l = own_row_ > c ? v * inverse : 0.0;
#pragma unroll
    for (int i = j + 1; i < 8; ++i) {
      const double factor = -d_[i][j] * inverse;
#pragma unroll
      for (int k = j + 1; k <= i; ++k)
        if (i == j + 1) // the next pivot
          d_[i][i] = subtracts ? r.subtract_quotient(d_[i][j] * d_[i][j], d_[i][i]) : d_[i][i];
        else
          d_[i][k] = fma(factor, d_[k][j], d_[i][k]);
      x_[i] = fma(-l, d_[i][j], x_[i]);
    }
    row_.pivot = (own_row_ == c) & is_own ? (is_zero ? 0.0 : p) : row_.pivot;
    row_.zeros |= unsigned(is_zero) << c;
    row_.good =
        row_.good & (fabs(l) <= bound_) & (!is_zero || own_row_ <= c || rules_.may_be_left_out(v, row_.mass, mass));
    row_.mass = fma(fabs(l), fabs(v), row_.mass);
    columns_.put(j, l, v);
    x_[j] = is_own ? l : v;
  }

  /// Whether a 1x1 pivot in the thread's row is one. The row's mass is that before it: L is 0 from there on.
  __device__ __forceinline__ void judge_singles()
  {
    const int number = own_row_ & 31;
    const bool own = (own_row_ >= begin_) & (own_row_ < min(begin_ + 8, k_)),
               is_zero = TakesZeros && (row_.zeros >> number & 1),
               judged = own & !((row_.pairs | row_.pairs << 1) >> number & 1);
    const double size = rules_.definite ? row_.pivot : fabs(row_.pivot);
    const bool is_pivot = is_zero | ((size > rules_.zero * row_.mass) & (size <= DBL_MAX));
    row_.uncertain = judged ? !is_zero & !(size > rules_.uncertain * row_.mass) : row_.uncertain;
    row_.good = row_.good & (is_pivot | !judged);
  }

  const int begin_, k_, own_row_;
  const unsigned pairs_;
  const PivotRules rules_;
  const double bound_; ///< of L in the thread's row
  const Columns &columns_;
  EliminatedRow &row_;
  double x_[8];    ///< the thread's row
  double d_[8][8]; ///< rows begin_ .., lower triangle: what is left of them
};

/// Static pivoting: whether the pivot of a row with this number, below 32, is as large as it has to be, in both rows of
/// a pair: see is_large_pair(). other: of a pair, see PairFactor. The block [a b; b c] of a pair has the determinant
/// -size², |b| is (2 growth - 1) size, and 2 growth size |other| is |a| in its first row and |c| in its second.
__device__ __forceinline__ bool is_large_pivot(const EliminatedRow &row, int number, double other,
                                               const PivotRules &rules)
{
  const double twice = 2 * row.scale * row.scale;
  const bool is_pair = (row.pairs | row.pairs << 1) >> number & 1;
  return fabs(row.pivot) >= rules.least_pivot() * (is_pair ? fmax(twice - 1, twice * fabs(other)) : 1);
}

/// Eight columns once more, with zero pivots: see EightColumns. All threads take part. row: before them, but for what
/// is overwritten. `good` of the result is the same in all threads. A function of its own, for its registers: it is
/// seldom called.
template <class Columns>
__device__ __noinline__ EliminatedRow eliminate_with_zeros(int begin, int k, unsigned pairs, const PivotRules &rules,
                                                           const Columns columns, EliminatedRow row)
{
  const int own = columns.row();
  row.good = true;
  row.pairs &= ~(0xffu << begin);
  if (own >= begin && own < begin + 8) {
    row.scale = 1;
    columns.put_pair(1, 0);
  }
  EightColumns<Columns, true> eight(begin, k, pairs, rules, columns, row);
  eight.eliminate();
  row.good = columns.all(row.good);
  if (row.good) // else others go on with another matrix in its place
    eight.keep();
  return row;
}

} // namespace tessera
#endif
