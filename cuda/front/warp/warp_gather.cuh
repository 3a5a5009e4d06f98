#ifndef TESSERA_CUDA_FRONT_WARP_WARP_GATHER_CUH
#define TESSERA_CUDA_FRONT_WARP_WARP_GATHER_CUH

#include "cuda/front/eliminate_columns.cuh"
#include "cuda/front/lane_children.cuh"

namespace tessera {

/// A front in the shared memory of a warp, column by column, and its masses. Sides: 1 for LDLᵀ, of which the lower
/// triangle is used, 2 for LU.
template <int Sides>
struct alignas(16) GatheredFront {
  double front[32 * small_leading];
  double mass[Sides][32]; ///< of the rows, and of the columns
};

/// Four columns of what a child hands on: a lane has the entries of its row. The masses are columns after the last.
template <int Sides>
struct WarpPart {
  static constexpr int columns = 4;

  struct Place {
    Index first = 0;
    __device__ __forceinline__ bool next(Index rows) { return (first += columns) < rows + Sides; }
  };

  Index rows, first;
  Index row;      ///< place of the lane's row in the parent
  unsigned there; ///< bit q: the lane has an entry in column first + q
  double x[columns];

  __device__ __forceinline__ void load(const HandedOn &child, const Place &place)
  {
    const int lane = threadIdx.x & 31;
    rows = child.rows;
    first = place.first;
    row = lane < rows ? child.to[lane] : 0;
    const Index last = Sides == 1 ? lane + 1 : rows; // of the row's entries
    there = first_bits(min(max(last - first, 0), columns));
#pragma unroll
    for (int side = 0; side < Sides; ++side)
      there |= first <= rows + side && rows + side < first + columns ? 1u << (rows + side - first) : 0;
    there = lane < rows ? there : 0;
    const double *b = child.b + first * rows + lane;
#pragma unroll
    for (int q = 0; q < columns; ++q, b += rows)
      x[q] = load_if(there >> q & 1, b);
  }

  /// Adds the part to what there is.
  __device__ __forceinline__ void add(GatheredFront<Sides> &s) const
  {
    double *to[columns], sum[columns];
#pragma unroll
    for (int q = 0; q < columns; ++q) { // in different places: all are read before one is written
      const Index j = first + q, column = __shfl_sync(whole_warp, row, j & 31);
      to[q] = (j >= rows ? s.mass[min(j - rows, Sides - 1)] : s.front + column * small_leading) + row;
      sum[q] = there >> q & 1 ? *to[q] + x[q] : 0.0;
    }
#pragma unroll
    for (int q = 0; q < columns; ++q)
      if (there >> q & 1)
        *to[q] = sum[q];
  }
};

/// Puts a front together in the shared memory of a warp.
template <int Sides>
class WarpGather {
public:
  __device__ __forceinline__ WarpGather(const FrontArrays &arrays, Index s, GatheredFront<Sides> &scratch)
      : arrays_(arrays), f_(arrays.front[s]), s_(scratch), lane_(threadIdx.x & 31)
  {
  }

  /// What does not depend on children comes before these are waited for.
  __device__ __forceinline__ void run()
  {
    clear();
    add_entries();
    for_children(arrays_, f_, [&](LaneChildren &children) {
      add_in_order<WarpPart<Sides>>(children, [&](const WarpPart<Sides> &part) {
        if (part.first == 0)
          __syncwarp(); // the child before is added
        part.add(s_);
      });
    });
    __syncwarp();
  }

private:
  __device__ __forceinline__ void clear()
  {
    for (int c = 0; c < (f_.columns + f_.below + 7) / 8 * 8; ++c)
      s_.front[c * small_leading + lane_] = 0;
    for (double(&mass)[32] : s_.mass)
      mass[lane_] = 0;
    __syncwarp();
  }

  __device__ __forceinline__ void add_entries()
  {
    for (Offset p = f_.entry_begin + lane_; p < f_.entry_end; p += 32) {
      const std::uint32_t at = arrays_.place[p], row = at >> 16, column = at & 0xffff;
      const double x = arrays_.entry(p);
      s_.front[column * small_leading + row] = x;
      if (Sides == 1 && column == row)
        s_.mass[0][row] = fabs(x);
    }
    __syncwarp();
  }

  const FrontArrays &arrays_;
  const DeviceFront &f_;
  GatheredFront<Sides> &s_;
  const int lane_;
};

/// Gathers front s: its entries of A, and what its children hand on as soon as they have, in their order. A function of
/// its own, because it is called in two places, and for its registers.
template <int Sides>
__device__ __noinline__ void gather_warp_front(const FrontArrays &arrays, Index s, GatheredFront<Sides> &scratch)
{
  __builtin_assume(__isShared(&scratch));
  WarpGather<Sides>(arrays, s, scratch).run();
}

} // namespace tessera
#endif
