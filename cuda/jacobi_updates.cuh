#ifndef TESSERA_CUDA_JACOBI_UPDATES_CUH
#define TESSERA_CUDA_JACOBI_UPDATES_CUH

#include "jacobi_panel.cuh"

namespace tessera {

/// What a lane reads where a tile keeps no column.
static __device__ const double no_column[max_block_rows] = {};

/// Where an update finds its factors: in all lanes the same.
struct FoundUpdate {
  const double *weight, *u; ///< kept columns of D_k U_kb and U_kj
  std::uint32_t own, columns;
  int rows;
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

  /// The lane's row of the first four in its column c of those that a tile keeps.
  __device__ __forceinline__ const double *find(const double *tile, std::uint32_t kept, int c, int rows) const
  {
    return (kept >> c & 1 ? tile + place_of_column(kept, c) * padded(rows) : no_column) + (lane & 3);
  }

  /// minus += (D_k U_kb)ᵀ U_kj, in rows and columns that these do not keep as products with zeros.
  __device__ __forceinline__ void add_update(const FoundUpdate &x)
  {
    const double *weight[across], *u[along];
#pragma unroll
    for (int i = 0; i < across; ++i)
      weight[i] = find(x.weight, x.own, 8 * i + lane / 4, x.rows);
#pragma unroll
    for (int t = 0; t < along; ++t)
      u[t] = find(x.u, x.columns, 8 * t + lane / 4, x.rows);
    for (int first = 0; first < x.rows; first += 4 * at_once) {
      double a[at_once][across], b[at_once][along];
#pragma unroll
      for (int s = 0; s < at_once; ++s)
        if (first + 4 * s < x.rows) {
#pragma unroll
          for (int i = 0; i < across; ++i)
            a[s][i] = __ldg(weight[i] + first + 4 * s);
#pragma unroll
          for (int t = 0; t < along; ++t)
            b[s][t] = __ldg(u[t] + first + 4 * s);
        }
#pragma unroll
      for (int s = 0; s < at_once; ++s)
        if (first + 4 * s < x.rows)
          minus.add(a[s], b[s]);
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
      for (unsigned todo = __ballot_sync(~0u, known); todo; todo &= todo - 1) {
        const int q = __ffs(todo) - 1;
        add_update({reinterpret_cast<const double *>(__shfl_sync(~0u, weight, q)),
                    reinterpret_cast<const double *>(__shfl_sync(~0u, u, q)), __shfl_sync(~0u, mine.own, q),
                    __shfl_sync(~0u, mine.columns, q), __shfl_sync(~0u, mine.rows, q)});
      }
    }
  }
};

} // namespace tessera
#endif
