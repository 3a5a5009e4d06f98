#ifndef TESSERA_CUDA_FRONT_FRONT_ARRAYS_CUH
#define TESSERA_CUDA_FRONT_FRONT_ARRAYS_CUH

#include "base/scaled.hpp"
#include "factor/front/device_plan.hpp"

#include <cstdint>

namespace tessera {

/// What a factorization on a device ends with.
struct FrontVerdict {
  /// Of a pivot that cannot be taken, its row in elimination order, the least of all; all bits without one.
  unsigned long long failed;
  unsigned long long uncertain;  ///< pivots of at most uncertain_factor times what may be nothing but rounding
  unsigned long long two_by_two; ///< pivots that are
};

/// Which pivots are taken. See DirectOptions. For LLᵀ the bounds are infinite, and zero and uncertain 0.
struct PivotRules {
  double bound;     ///< of the entries of L, by magnitude
  double own_bound; ///< of those in a panel's diagonal block, or pivots are searched there
  double zero;      ///< a pivot of at most this times its mass is nothing but rounding
  double uncertain; ///< and of at most this times its mass may have another sign
  bool definite;    ///< LLᵀ: a pivot has to be positive
};

/// A plan, a matrix and its factor in device memory, as the kernels see them.
struct FrontArrays {
  const DeviceFront *front;
  const Index *child;
  const Index *to_parent;
  const Offset *source;
  const std::uint32_t *place;
  const Index *scale_row, *scale_column;
  const double *scale; ///< [rows] in elimination order
  const double *value; ///< the caller's
  const TilePiece *piece;
  const std::uint32_t *pair;
  double *factor;
  double *contribution;
  double *pivot;           ///< [rows] eigenvalues of D, of pairs d and -d, in elimination order but inside of panels
  double *root;            ///< [32 words] 1 / sqrt|pivot|, of fronts of kind Tiles
  std::uint32_t *live;     ///< [words]
  std::uint32_t *negative; ///< [words]
  std::uint32_t *swapped;  ///< [words] columns that J exchanges in pairs
  int *arrived;            ///< [fronts] tasks of its children that are complete
  int *tile_done;          ///< [tiles] of panels
  FrontVerdict *verdict;
  PivotRules rules;

  /// Value of entry p of the scaled matrix
  __device__ double entry(Offset p) const
  {
    return scaled(value[source[p]], scale[scale_row[p]], scale[scale_column[p]]);
  }

  /// Where what front f hands to its parent begins, and its masses.
  __device__ double *contribution_of(const DeviceFront &f) const { return contribution + f.contribution; }
  __device__ double *mass_of(const DeviceFront &f) const
  {
    return contribution + f.contribution + Offset(f.below_padded) * f.below_padded;
  }

  __device__ void fail(Index row) const { atomicMin(&verdict->failed, static_cast<unsigned long long>(row)); }
};

} // namespace tessera
#endif
