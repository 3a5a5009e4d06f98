#ifndef TESSERA_CUDA_JLDLT_UPDATE_LOOKUP_CUH
#define TESSERA_CUDA_JLDLT_UPDATE_LOOKUP_CUH

#include "factor/jldlt/view.hpp"

namespace tessera {

/// Where an update finds its factors: in all lanes the same.
struct FoundUpdate {
  const double *own_u, *u; ///< kept columns of U_kb and U_kj
  std::uint32_t own, columns, negative;
  int rows;

  /// Between columns in shared memory: 4 banks of 8 bytes more than a multiple of 8, as between those of the panel
  static __device__ int stride_of(int rows) { return padded(rows) | 4; }
};

/// Updates that a warp has looked up, one a lane. Lower: they are of a diagonal tile.
template <bool Lower>
struct UpdateLookup {
  JacobiUpdate mine = {};
  unsigned long long own = 0, u = 0; ///< addresses of the kept columns of U_kb and U_kj
  std::uint32_t negative = 0;
  int size = 0; ///< entries to stage; 0 where there is no update, or none that is known

  /// Update i, if i < end.
  __device__ __forceinline__ UpdateLookup(const JacobiView &v, Offset i, Offset end)
  {
    if (i < end) {
      mine = v.updates[i];
      const bool second = v.held_in[mine.block];
      const JacobiIterate &k = v.iterate[0], &l = v.iterate[1];
      const double *const tiles = second ? l.u : k.u;
      own = reinterpret_cast<unsigned long long>(tiles + mine.own_u);
      u = reinterpret_cast<unsigned long long>(tiles + mine.u);
      negative = (second ? l.negative : k.negative)[mine.block];
      if (v.known(mine.block))
        size = staged_columns(mine.own, mine.columns) * FoundUpdate::stride_of(mine.rows);
    }
  }

  /// What lane q has, for all lanes.
  __device__ __forceinline__ FoundUpdate of_lane(int q) const
  {
    return {reinterpret_cast<const double *>(__shfl_sync(~0u, own, q)),
            reinterpret_cast<const double *>(__shfl_sync(~0u, u, q)),
            __shfl_sync(~0u, mine.own, q),
            __shfl_sync(~0u, mine.columns, q),
            __shfl_sync(~0u, negative, q),
            __shfl_sync(~0u, mine.rows, q)};
  }

  /// Columns of an update to stage. A diagonal tile is a product of a tile with itself.
  static __device__ __forceinline__ int staged_columns(std::uint32_t own, std::uint32_t columns)
  {
    return (Lower ? 0 : count_columns(own)) + count_columns(columns);
  }
};

} // namespace tessera
#endif
