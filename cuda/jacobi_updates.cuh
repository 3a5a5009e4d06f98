#ifndef TESSERA_CUDA_JACOBI_UPDATES_CUH
#define TESSERA_CUDA_JACOBI_UPDATES_CUH

#include "jacobi_panel.cuh"

namespace tessera {

/// Where an update finds its factors: in all lanes the same.
struct FoundUpdate {
  const double *weight, *u; ///< D_k U_kb by rows, U_kj by columns
  std::uint32_t own, columns;
  int rows, weight_stride;
};

/// Adds updates to a panel. The lanes read what a tensor core wants of them from global memory: the registers of a warp
/// hold more of it than the shared memory it could have, and a warp waits for no other.
template <int W, bool Lower>
struct UpdateTeam : WarpPanel<W, Lower> {
  using Panel = WarpPanel<W, Lower>;
  using Product = typename Panel::Product;
  using Panel::lane, Panel::minus, Panel::v;
  static constexpr int across = Product::across, along = Product::along;
  static constexpr int at_once = 4; ///< steps of 4 rows whose entries are read together

  /// Which tiles of 8 have a bit.
  static __device__ unsigned tiles_of(std::uint32_t mask)
  {
    unsigned tiles = 0;
#pragma unroll
    for (int t = 0; t < 4; ++t)
      tiles |= (mask >> 8 * t & 255) != 0 ? 1u << t : 0;
    return tiles;
  }

  /// minus += (D_k U_kb)ᵀ U_kj, in rows and columns that these do not keep as products with zeros.
  __device__ __forceinline__ void add_update(const FoundUpdate &x)
  {
    const int r = lane & 3, u_stride = padded(x.rows);
    int in_weight[across], in_u[along]; // -1: none
#pragma unroll
    for (int i = 0; i < across; ++i) {
      const int c = 8 * i + lane / 4;
      in_weight[i] = x.own >> c & 1 ? place_of_column(x.own, c) + r * x.weight_stride : -1;
    }
#pragma unroll
    for (int t = 0; t < along; ++t) {
      const int j = 8 * t + lane / 4;
      in_u[t] = x.columns >> j & 1 ? place_of_column(x.columns, j) * u_stride + r : -1;
    }
    const unsigned in_rows = tiles_of(x.own), in_columns = tiles_of(x.columns);
    for (int first = 0; first < x.rows; first += 4 * at_once) {
      double a[at_once][across], b[at_once][along];
#pragma unroll
      for (int s = 0; s < at_once; ++s) {
        const int row = first + 4 * s;
#pragma unroll
        for (int i = 0; i < across; ++i)
          a[s][i] = in_weight[i] >= 0 && row + r < x.rows ? __ldg(x.weight + in_weight[i] + row * x.weight_stride) : 0;
#pragma unroll
        for (int t = 0; t < along; ++t)
          b[s][t] = in_u[t] >= 0 && row < x.rows ? __ldg(x.u + in_u[t] + row) : 0; // what pads a column is zero
      }
#pragma unroll
      for (int s = 0; s < at_once; ++s)
        if (first + 4 * s < x.rows)
          minus.add(a[s], b[s], in_rows, in_columns);
    }
  }

  /// The updates begin .. end - 1 in their order, those of block rows that are known. Each lane looks one up.
  __device__ __forceinline__ void add_updates(Offset begin, Offset end)
  {
    for (Offset at = begin; at < end; at += 32) {
      JacobiUpdate mine = {};
      unsigned long long weight = 0, u = 0; // addresses
      bool known = false;
      if (at + lane < end) {
        mine = v.updates[at + lane];
        known = v.known(mine.block);
        const bool second = v.place[mine.block];
        const JacobiIterate &k = v.iterate[0], &l = v.iterate[1];
        weight = reinterpret_cast<unsigned long long>((second ? l.weight : k.weight) + mine.weight);
        u = reinterpret_cast<unsigned long long>((second ? l.u : k.u) + mine.u);
      }
      const int shape = mine.rows << 8 | mine.weight_stride;
      for (unsigned todo = __ballot_sync(~0u, known); todo; todo &= todo - 1) {
        const int q = __ffs(todo) - 1, shape_q = __shfl_sync(~0u, shape, q);
        add_update({reinterpret_cast<const double *>(__shfl_sync(~0u, weight, q)),
                    reinterpret_cast<const double *>(__shfl_sync(~0u, u, q)), __shfl_sync(~0u, mine.own, q),
                    __shfl_sync(~0u, mine.columns, q), shape_q >> 8, shape_q & 255});
      }
    }
  }
};

} // namespace tessera
#endif
