#include "cuda/front/block/block_fronts.cuh"

#include "cuda/front/block/run_block_fronts.cuh"
#include "cuda/front/panel_factor.cuh"

namespace tessera {
namespace {

/// One front of LDLᵀ or LLᵀ in the shared memory of a thread block. Right-looking, by panels of 32 columns.
class BlockFront : BlockStore<1, PanelFactor> {
public:
  using BlockStore::BlockStore;
  using BlockStore::shared_bytes;

  __device__ void run()
  {
    gather();
    for (int k0 = 0; k0 < k_; k0 += 32)
      eliminate_panel(k0, min(32, k_ - k0));
    hand_on();
  }

private:
  /// Eliminates columns k0 .. k0 + n - 1.
  __device__ void eliminate_panel(int k0, int n)
  {
    if (threadIdx.x < 32) {
      panel_.mass[threadIdx.x] = int(threadIdx.x) < n ? mass_[k0 + threadIdx.x] : 0.0;
      __syncwarp();
      factor_panel(a_ + k0 * leading_ + k0, leading_, n, pairs(k0), arrays_.rules, panel_, work());
    }
    __syncthreads();
    const int begin = k0 + n, rows = m_ - begin;
    if (rows > 0) {
      double *const r = a_ + k0 * leading_;
      multiply_by_w(r, 1, leading_, panel_.w, n, begin); // V = A₂₁ W
      __syncthreads();
      scale_and_test(k0, n, begin, rows);
      __syncthreads();
      add_masses(0, r, n, begin);
      add_product(v_, r, n, begin); // - R J Rᵀ
      __syncthreads();
    }
    write_panel(k0, n);
    __syncthreads();
  }

  __device__ unsigned pairs(int k0) const { return arrays_.pair[f_.sign_begin + k0 / 32]; }

  /// R = V J in place of A₂₁, -V = -R J in place of V; whether L = R / sqrt|D| is bounded.
  __device__ void scale_and_test(int k0, int n, int begin, int rows)
  {
    bool good = true;
    for (int x = threadIdx.x; x < rows * n; x += block_threads) {
      const int c = x / rows, i = begin + x % rows;
      const double v = v_[c * leading_ + i];
      good = good && fabs(v) * panel_.root[c] <= arrays_.rules.bound;
      const double kept = panel_.kept(v, c);
      a_[(k0 + panel_.partner(c)) * leading_ + i] = with_sign(kept, panel_.sign_bit(c));
      v_[c * leading_ + i] = -kept;
    }
    if (!good && !arrays_.rules.definite)
      arrays_.fail(f_.first + min(k0, f_.columns - 1));
  }

  /// W, R and the signs of the panel.
  __device__ void write_panel(int k0, int n)
  {
    const int p = k0 / 32, columns = min(n, f_.columns - k0), lane = threadIdx.x;
    write_columns(0, k0, columns, panel_.w, a_ + k0 * leading_);
    if (lane < columns)
      arrays_.pivot[f_.first + k0 + lane] = panel_.pivot[lane];
    if (lane > 0)
      return;
    const unsigned all = first_bits(columns);
    arrays_.live[f_.sign_begin + p] = all & ~panel_.zero;
    arrays_.negative[f_.sign_begin + p] = panel_.negative & all;
    arrays_.swapped[f_.sign_begin + p] = panel_.swapped;
    arrays_.tell(f_.first + k0, columns, panel_.bad, panel_.uncertain & all, panel_.two_by_two, 0);
  }
};

} // namespace

Index most_block_rows()
{
  return most_rows_of_block<BlockFront>();
}

cudaError_t factor_block_fronts(const FrontArrays &arrays, const Index *order, Index count, Index rows,
                                const FrontLaunch &launch)
{
  return launch_block_fronts<BlockFront>(arrays, order, count, rows, launch);
}

} // namespace tessera
