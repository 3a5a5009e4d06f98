#ifndef TESSERA_CUDA_JACOBI_SWEEP_CUH
#define TESSERA_CUDA_JACOBI_SWEEP_CUH

#include "jacobi_updates.cuh"

#include "factor/jacobi_steps.hpp"

namespace tessera {

/// A warp as the worker of factor/jacobi_steps.hpp.
template <int W, int Most>
struct SweepWarp : UpdateWarp<W, Most> {
  __device__ void solve(const JacobiPiece &piece) const
  {
    const int rows = this->v.block_rows(piece.block);
    this->multiply_by_inverse(piece, rows);
    this->store_tiles(piece, rows);
  }
};

/// Items of all widths: those of class w are begin[w] .. begin[w + 1] - 1.
struct WidthRanges {
  Offset begin[5];
};

/// A step for the items of ranges, each by a warp that is a thread block: more would wait for the longest.
template <class Step, int Most>
__global__ void __launch_bounds__(32, Most == 32 ? 11 : 24)
    run_sweep(const WidthRanges ranges, const typename Step::Item *items, const JacobiView v)
{
  __shared__ SweepStage<Most> stage;
  const Offset i = ranges.begin[0] + blockIdx.x;
  const typename Step::Item &item = items[i];
  if (!v.active[item.block])
    return;
  const auto step = [&](auto width) {
    SweepWarp<decltype(width)::value, Most> warp{{{v, stage}}};
    Step::run(warp, item);
  };
  if (i < ranges.begin[1])
    step(std::integral_constant<int, 4>());
  else if (Most == 8 || i < ranges.begin[2])
    step(std::integral_constant<int, 8>());
  else if (i < ranges.begin[3])
    step(std::integral_constant<int, Most == 8 ? 8 : 16>());
  else
    step(std::integral_constant<int, Most == 8 ? 8 : 32>());
}

} // namespace tessera
#endif
