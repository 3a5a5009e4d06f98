#ifndef TESSERA_CUDA_JACOBI_SWEEP_CUH
#define TESSERA_CUDA_JACOBI_SWEEP_CUH

#include "jacobi_updates.cuh"

#include "factor/jacobi_steps.hpp"

namespace tessera {

/// A thread block as the worker of factor/jacobi_steps.hpp.
template <int W, int Most>
struct SweepTeam : UpdateTeam<W, Most> {
  using Panel = PanelTeam<W, Most>;
  using Panel::stage, Panel::thread, Panel::v;
  static constexpr int threads = Panel::threads;

  /// panel = L⁻¹ P panel; stores it, D U, by rows, and U by columns.
  __device__ void solve(const JacobiPiece &piece) const
  {
    const int rows = v.block_rows(piece.block), first = v.block_start[piece.block];
    const JacobiIterate now = v.now(piece.block);
    double *const inverse = stage.buffer, *const result = inverse + Most * max_block_rows;
    Panel::copy_rows(now.inverse + v.inverse_start[piece.block], rows, rows, rows, inverse);
    __pipeline_commit();
    __pipeline_wait_prior(0);
    Panel::sync();
    const Product2d product{rows, piece.columns, rows, inverse, stage.panel, Panel::stride};
    Panel::multiply(
        product, [](int, int) { return 0.0; }, [&](int r, int c, double sum) { result[c * Most + r] = sum; });
    Panel::sync();
    const int row = thread & (W - 1);
    const double own = row < rows ? now.own[first + row] : 0, other = row < rows ? now.other[first + row] : 0;
    const int partner = row < rows ? now.partner[first + row] : 0;
    double *u = now.u + piece.u, *weight = now.weight + piece.weight;
    for (int c = thread / W; c < piece.columns; c += threads / W) {
      const double *x = result + c * Most;
      if (row < padded(rows)) // what is between columns stays zero
        u[c * padded(rows) + row] = row < rows ? fma(other, x[partner], own * x[row]) : 0;
    }
    const int span = piece.columns <= 4 ? 4 : piece.columns <= 8 ? 8 : piece.columns <= 16 ? 16 : 32;
    const int c = thread & (span - 1);
    for (int r = thread / span; r < rows && c < piece.columns; r += threads / span)
      weight[r * padded(piece.columns) + c] = result[c * Most + r];
  }
};

/// Items of all widths: those of class w are begin[w] .. begin[w + 1] - 1.
struct WidthRanges {
  Offset begin[5];
};

/// A step for the items of ranges, each by a thread block.
template <class Step, int Most>
__global__ void __launch_bounds__(PanelTeam<4, Most>::threads, Most == 32 ? 8 : 24)
    run_sweep(const WidthRanges ranges, const typename Step::Item *items, const JacobiView v)
{
  __shared__ SweepStage<Most> stage;
  const Offset i = ranges.begin[0] + blockIdx.x;
  const typename Step::Item &item = items[i];
  if (!v.active[item.block])
    return;
  const auto step = [&](auto width) {
    SweepTeam<decltype(width)::value, Most> team{{{v, stage}}};
    Step::run(team, item);
  };
  if (i < ranges.begin[1])
    step(std::integral_constant<int, 4>());
  else if (Most == 8 || i < ranges.begin[2])
    step(std::integral_constant<int, 8>());
  else if (i < ranges.begin[3])
    step(std::integral_constant < int, Most == 8 ? 8 : 16 > ());
  else
    step(std::integral_constant < int, Most == 8 ? 8 : 32 > ());
}

} // namespace tessera
#endif
