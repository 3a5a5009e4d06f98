#ifndef TESSERA_CUDA_JLDLT_SWEEP_CUH
#define TESSERA_CUDA_JLDLT_SWEEP_CUH

#include "cuda/jldlt/updates.cuh"

#include "factor/jldlt/layout.hpp"
#include "factor/jldlt/steps.hpp"

#include <type_traits>

namespace tessera {

/// A warp as a worker (factor/jldlt/contract.hpp).
template <int W, int Most, bool Lower, class Products>
struct SweepTeam : UpdateTeam<W, Most, Lower, Products> {
  using Panel = WarpPanel<W, Most, Lower, Products>;
  using Product = typename Panel::Product;
  using Panel::lane, Panel::minus, Panel::shared, Panel::stride, Panel::v;

  /// U = J_b U_bb⁻ᵀ panel, stored. Zeros without a sign, as sums on a core begin with zero.
  __device__ __forceinline__ void solve(const JacobiPiece &piece)
  {
    const int rows = v.block_rows(piece.block), columns = piece.columns;
    const JacobiIterate now = v.now(piece.block);
    minus.visit(columns, [&](int r, int c, double x) { shared[c * stride + r] = x; });
    __syncwarp();
    Product product; // less the panel that is wanted
    multiply_inverse(now.inverse + v.inverse_start[piece.block], rows, columns, product);
    double *const u = now.u + piece.u;
    product.visit(columns, [&](int r, int c, double x) {
      if (r < padded(rows) && c < columns) // what is between columns stays zero
        u[c * padded(rows) + r] = 0.0 - x;
    });
  }

private:
  /// product = J_b U_bb⁻ᵀ times what is in shared memory.
  __device__ __forceinline__ void multiply_inverse(const double *inverse, int rows, int columns, Product &product) const
  {
    constexpr int across = Product::across, along = Product::along, at_once = 4;
    for (int begin = 0; begin < rows; begin += 4 * at_once) {
      double a[at_once][across];
#pragma unroll
      for (int s = 0; s < at_once; ++s) {
        const int r = begin + 4 * s + (lane & 3);
#pragma unroll
        for (int i = 0; i < across; ++i) {
          const int pivot = 8 * i + lane / 4;
          a[s][i] = pivot < rows && r < rows ? __ldg(inverse + r * rows + pivot) : 0;
        }
      }
#pragma unroll
      for (int s = 0; s < at_once; ++s)
        if (begin + 4 * s < rows) {
          double b[along];
#pragma unroll
          for (int t = 0; t < along; ++t)
            b[t] = 8 * t < columns ? shared[(8 * t + lane / 4) * stride + begin + 4 * s + (lane & 3)] : 0;
          product.add(a[s], b, ~0u, ~0u >> (32 - columns));
        }
    }
  }
};

/// Warps of a thread block, which have nothing to do with each other but that neighbouring pieces read the same.
constexpr int sweep_warps = 2;

/// A step for the items of ranges, each by a warp, the last ones first: they are wide and have the most updates.
template <class Step, int Most, class Products>
__global__ void __launch_bounds__(32 * sweep_warps, Most == 32 ? 6 : 8)
    run_sweep_step(const WidthRanges ranges, const typename Step::Item *items, const JacobiView v)
{
  __shared__ SweepStage<Most> stage[sweep_warps];
  const int warp = threadIdx.x / 32;
  Offset i = Offset(blockIdx.x) * sweep_warps + warp;
  const auto run_class = [&](auto width_class, auto width) {
    constexpr int w = decltype(width_class)::value;
    const Offset n = ranges.end[w] - ranges.begin[w];
    if (i < n) {
      const typename Step::Item &item = items[ranges.end[w] - 1 - i];
      if (v.active[item.block]) {
        SweepTeam<decltype(width)::value, Most, Step::lower_only, Products> team{{{v, stage[warp]}}};
        Step::run(team, item);
      }
      return true;
    }
    i -= n;
    return false;
  };
  using std::integral_constant;
  if constexpr (Most == 32)
    if (run_class(integral_constant<int, 3>(), integral_constant<int, 32>()) ||
        run_class(integral_constant<int, 2>(), integral_constant<int, 16>()))
      return;
  if (!run_class(integral_constant<int, 1>(), integral_constant<int, 8>()))
    run_class(integral_constant<int, 0>(), integral_constant<int, 4>());
}

} // namespace tessera
#endif
