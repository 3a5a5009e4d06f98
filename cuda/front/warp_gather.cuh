#ifndef TESSERA_CUDA_FRONT_WARP_GATHER_CUH
#define TESSERA_CUDA_FRONT_WARP_GATHER_CUH

#include "cuda/front/eliminate_columns.cuh"
#include "cuda/front/lane_children.cuh"
#include "cuda/front/signals.cuh"

namespace tessera {

/// What a warp has in shared memory: a front, column by column, and what its elimination needs.
struct WarpScratch {
  double front[32 * small_leading];
  double mass[32];
  EliminationScratch elimination;
};

/// Four columns of what a child hands on: a lane has the entries of its row. The masses are the column after the last.
struct WarpPart {
  static constexpr int columns = 4;

  struct Place {
    Index first = 0;
    __device__ __forceinline__ bool next(Index rows) { return (first += columns) <= rows; }
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
    const unsigned of_triangle = first_bits(min(max(lane + 1 - first, 0), columns));
    const unsigned of_masses = rows - first < columns ? 1u << (rows - first) : 0;
    there = lane < rows ? of_triangle | of_masses : 0;
    const double *b = child.b + first * rows + lane;
#pragma unroll
    for (int q = 0; q < columns; ++q, b += rows)
      x[q] = load_if(there >> q & 1, b);
  }

  /// Adds the part to what there is.
  __device__ __forceinline__ void add(WarpScratch &s) const
  {
#pragma unroll
    for (int q = 0; q < columns; ++q) {
      const Index j = first + q, column = __shfl_sync(whole_warp, row, j & 31);
      double *const to = j == rows ? s.mass : s.front + column * small_leading;
      if (there >> q & 1)
        to[row] += x[q];
    }
  }
};

/// Puts a front together in the shared memory of a warp.
class WarpGather {
public:
  __device__ __forceinline__ WarpGather(const FrontArrays &arrays, Index s, WarpScratch &scratch)
      : arrays_(arrays), number_(s), f_(arrays.front[s]), s_(scratch), lane_(threadIdx.x & 31)
  {
  }

  /// What does not depend on children comes before these are waited for.
  __device__ __forceinline__ void run()
  {
    clear();
    add_entries();
    const auto wait = [&] {
      if (lane_ == 0)
        wait_for_count(arrays_.arrived + number_, f_.awaited);
      __syncwarp();
    };
    for_children(arrays_, f_, wait, [&](const LaneChildren &children) {
      add_in_order<WarpPart>(children, [&](const WarpPart &part) {
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
    s_.mass[lane_] = 0;
    __syncwarp();
  }

  __device__ __forceinline__ void add_entries()
  {
    for (Offset p = f_.entry_begin + lane_; p < f_.entry_end; p += 32) {
      const std::uint32_t at = arrays_.place[p], row = at >> 16, column = at & 0xffff;
      const double x = arrays_.entry(p);
      s_.front[column * small_leading + row] = x;
      if (column == row)
        s_.mass[row] = fabs(x);
    }
    __syncwarp();
  }

  const FrontArrays &arrays_;
  const Index number_;
  const DeviceFront &f_;
  WarpScratch &s_;
  const int lane_;
};

/// Gathers front s: its entries of A, and what its children hand on when all of them have, in their order. A function
/// of its own, because it is called in two places, and for its registers.
inline __device__ __noinline__ void gather_warp_front(const FrontArrays &arrays, Index s, WarpScratch &scratch)
{
  __builtin_assume(__isShared(&scratch));
  WarpGather(arrays, s, scratch).run();
}

} // namespace tessera
#endif
