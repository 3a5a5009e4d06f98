#ifndef TESSERA_CUDA_FRONT_FRONT_ARRAYS_CUH
#define TESSERA_CUDA_FRONT_FRONT_ARRAYS_CUH

#include "base/portable.hpp"
#include "base/scaled.hpp"
#include "factor/front/device/device_plan.hpp"
#include "factor/front/searched_order.hpp"
#include "factor/front/static_pivots.hpp"

#include <cstdint>
#include <cuda_runtime.h>

namespace tessera {

/// The least of the rows that are added to it. Begins with all bits 0.
struct LeastRow {
  unsigned long long complement; ///< of the row; 0 without one

  __device__ void add(Index row) { atomicMax(&complement, ~static_cast<unsigned long long>(row)); }
  TESSERA_BOTH bool any() const { return complement != 0; }
  TESSERA_BOTH Index row() const { return Index(~complement); }
};

/// What is found in the values of a matrix. Begins with all bits 0.
struct ValueFindings {
  unsigned long long norm; ///< bits of the largest row sum of magnitudes, or of infinity where one is not finite
  LeastRow not_finite;     ///< rows with an entry that is not
  LeastRow not_symmetric;  ///< rows with an entry that is not equal to its mirror image, where that is looked for
};

/// What a factorization on a device ends with. Begins with all bits 0.
struct FrontVerdict {
  LeastRow failed;               ///< of pivots that cannot be taken, in elimination order
  unsigned long long uncertain;  ///< pivots of at most uncertain_factor times what may be nothing but rounding
  unsigned long long two_by_two; ///< pivots that are
  unsigned long long odd;        ///< LU: panels whose pivots are an odd permutation of their diagonal
  unsigned long long perturbed;  ///< static pivoting: pivots that were replaced
  unsigned long long largest;    ///< static pivoting: bits of the largest magnitude in the scaled matrix
  unsigned long long searched;   ///< panels whose pivots were searched, but where they may be put off
  unsigned long long left_out;   ///< LU: pivots that are left out of the factor
};

/// A pivot that is left out of the factor, with its row and column in elimination order. Masses: of LU.
struct LeftOut {
  Index row, column;
  double row_mass, column_mass;           ///< see EliminatedLine
  double row_scale = 0, column_scale = 0; ///< scale factors of row and column, see give_scale()
};

constexpr Index most_left_out = 1024; ///< pivots that are listed; of more the factor is of no use

/// Which pivots are taken. See DirectOptions. For LLᵀ the bounds are infinite, and zero and uncertain 0. With static
/// pivoting the bound is infinite, and a pivot is judged by its magnitude alone.
struct PivotRules {
  double bound;       ///< of the entries of L, by magnitude
  double own_bound;   ///< of those in a panel's diagonal block, or pivots are searched there
  double block_bound; ///< the same in fronts whose search takes longer than it may save digits, see of_blocks()
  double zero;        ///< a pivot of at most this times its mass is nothing but rounding; -1: none is
  double uncertain;   ///< and of at most this times its mass may have another sign
  bool definite;      ///< LLᵀ: a pivot has to be positive
  bool is_static;  ///< static pivoting: what is too small is searched for another one, and replaced where there is none
  bool leaves_out; ///< LU: what is nothing but rounding is searched for another one, and left out where there is none
  bool measures;   ///< LDLᵀ: what is left out for a zero pivot is measured, whatever is in its column
  FrontVerdict *verdict;          ///< where kernels find it
  LeftOut *left_out;              ///< LU: [most_left_out] the first ones of FrontVerdict::left_out, in any order
  const SearchedPlace *row_order; ///< LU: [rows] where columns have their pivots in the rows of their panels, if no
                                  ///< longer on the diagonal; or null

  /// Whether a pivot that is too small is searched for in other columns.
  TESSERA_BOTH bool puts_off() const { return is_static || leaves_out; }

  /// What entries beside a zero pivot may be by the mass of its column. Where it is measured that is what they may be
  /// beside the largest pivot that counts as zero: a column whose entries are larger needs a 2x2 pivot.
  __device__ __forceinline__ double beside_zero(double column_mass) const
  {
    return (measures ? bound : 1.0) * (zero * column_mass);
  }

  /// Whether an entry may be left out beside a zero pivot, by the masses of its row and of its column: if it is nothing
  /// but rounding, or if that is measured.
  __device__ __forceinline__ bool may_be_left_out(double x, double row_mass, double column_mass) const
  {
    // The geometric mean of masses is no less than the smaller one, and their product may overflow.
    return fabs(x) <= beside_zero(measures ? column_mass : fmin(row_mass, column_mass)) ||
           fabs(x) <= zero * (sqrt(row_mass) * sqrt(column_mass));
  }

  /// Of a column of padding, which has nothing else: a pivot that is large enough beside any.
  __device__ double padding_pivot() const { return is_static ? 1e304 : 1.0; }

  /// Static pivoting: the magnitude of the smallest pivot.
  __device__ double least_pivot() const
  {
    return least_static_pivot(__longlong_as_double((long long)verdict->largest));
  }

  /// By one thread: tells of a pivot that is left out.
  __device__ void leave_out(const LeftOut &pivot) const
  {
    const unsigned long long k = atomicAdd(&verdict->left_out, 1ull);
    if (k < most_left_out)
      left_out[k] = pivot;
  }

  /// With the bound of fronts of thread blocks.
  TESSERA_BOTH PivotRules of_blocks() const
  {
    PivotRules rules = *this;
    rules.own_bound = block_bound;
    return rules;
  }

  bool operator==(const PivotRules &o) const
  {
    return bound == o.bound && own_bound == o.own_bound && block_bound == o.block_bound && zero == o.zero &&
           uncertain == o.uncertain && definite == o.definite && is_static == o.is_static &&
           leaves_out == o.leaves_out && measures == o.measures && row_order == o.row_order;
  }
};

/// A factor in device memory, as the substitutions see it: see DeviceFront. Of LDLᵀ both sides are the same.
struct FrontFactorView {
  const double *side[2];         ///< [factor_numbers]
  const std::uint32_t *live;     ///< [words]
  const std::uint32_t *negative; ///< [words]
  const std::uint32_t *swapped;  ///< [words]
  const double *value = nullptr; ///< [entries of the matrix], if it has entries outside of diagonal blocks
};

/// A plan, a matrix and its factor in device memory, as the kernels see them.
struct FrontArrays {
  const DeviceFront *front;
  const Index *child;
  const Index *to_parent;
  const std::uint32_t *source;
  const std::uint32_t *place;
  const Index *scale_row, *scale_column;
  const double *scale, *column_scale; ///< [rows] in elimination order
  const double *value;                ///< [entries of the matrix, both triangles]
  const ValueFindings *findings;
  const TilePiece *piece;
  const TileStrip *strip;
  const GatheredFirst *gathered_first; ///< see TileStrip::before
  const std::uint32_t *pair;
  double *factor[2];       ///< of side 0 and, for LU, of side 1, see DeviceFront
  double *memory;          ///< [memory_numbers] contributions, see DevicePlan::factor_place
  double *pivot;           ///< [rows] eigenvalues of D, of pairs d and -d, in elimination order but inside of panels
  double *root;            ///< [32 words] 1 / sqrt|pivot|, of fronts of kind Tiles
  const double *padding;   ///< [half_tile_with_words] zeros; of LDLᵀ, where there are fronts of kind Tiles
  std::uint32_t *live;     ///< [words]
  std::uint32_t *negative; ///< [words]
  std::uint32_t *swapped;  ///< [words] columns that J exchanges in pairs
  int *arrived;            ///< [fronts] see DeviceFront::raised
  int *gathered;           ///< [strips] of its tiles, how many have been gathered
  int *tile_done;          ///< [tiles] of panels
  FrontVerdict *verdict;
  std::uint8_t *failed;    ///< [rows] 1: see fail(); begins with zeros
  SearchedPlace *searched; ///< [rows] see tell_order(); begins with zeros
  PivotRules rules;

  /// Whether all values are. If not, no kernel does anything, and the factor stays as it was.
  __device__ bool finite() const { return !findings->not_finite.any(); }

  /// Value of entry p of the scaled matrix
  __device__ double entry(Offset p) const
  {
    return scaled(value[source[p]], scale[scale_row[p]], column_scale[scale_column[p]]);
  }

  /// By threads of a thread block of `Threads`: put(at, x) for entries begin .. end - 1 of the scaled matrix, at: their
  /// places. A thread has four on their way at a time.
  template <int Threads, class Put>
  __device__ __forceinline__ void for_entries(Offset begin, Offset end, const Put &put) const
  {
    constexpr int together = 4;
    for (Offset p = begin + threadIdx.x; p < end; p += together * Threads) {
      std::uint32_t at[together];
      double x[together];
#pragma unroll
      for (int u = 0; u < together; ++u) {
        const Offset q = p + u * Threads;
        at[u] = q < end ? place[q] : 0;
        x[u] = q < end ? entry(q) : 0.0;
      }
#pragma unroll
      for (int u = 0; u < together; ++u)
        if (p + u * Threads < end)
          put(at[u], x[u]);
    }
  }

  /// Where what front f, of kind Warp or Block, hands to its parent begins, and the masses of a side.
  __device__ double *contribution_of(const DeviceFront &f) const
  {
    return memory + f.contribution.begin;
  }
  __device__ double *mass_of(const DeviceFront &f, Index side = 0) const
  {
    return contribution_of(f) + f.contribution.mass(0, side);
  }

  /// A column, in elimination order, has no pivot that can be taken. Several threads may say so.
  __device__ void fail(Index column) const
  {
    verdict->failed.add(column);
    failed[column] = 1;
  }

  /// By a warp: where a search has found the pivots of a panel, or that there was none. LDLᵀ: places of rows; LU: rows,
  /// in lanes of columns.
  __device__ void tell_order(Index first, Index columns, SearchedPlace place) const
  {
    const int lane = threadIdx.x & 31;
    if (lane < columns)
      searched[first + lane] = place;
    if (lane == 0 && place.is_found())
      atomicAdd(&verdict->searched, 1ull);
  }

  /// By one thread: what became of the pivots of a panel, bit c of column `first` + c. bad: also of columns of padding,
  /// which count as the last of so many columns; uncertain: not of these. odd: 1 if they are an odd permutation (LU).
  /// perturbed: pivots that were replaced.
  __device__ void tell(Index first, Index columns, unsigned bad, unsigned uncertain, int two_by_two, int odd,
                       int perturbed = 0) const
  {
    for (; bad; bad &= bad - 1)
      fail(first + min(__ffs(int(bad)) - 1, columns - 1));
    if (uncertain)
      atomicAdd(&verdict->uncertain, static_cast<unsigned long long>(__popc(uncertain)));
    if (two_by_two)
      atomicAdd(&verdict->two_by_two, static_cast<unsigned long long>(two_by_two));
    if (odd)
      atomicAdd(&verdict->odd, static_cast<unsigned long long>(odd));
    if (perturbed)
      atomicAdd(&verdict->perturbed, static_cast<unsigned long long>(perturbed));
  }
};

} // namespace tessera
#endif
