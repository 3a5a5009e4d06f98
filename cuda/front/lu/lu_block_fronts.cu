#include "cuda/front/lu/lu_fronts.cuh"

#include "cuda/front/block/run_block_fronts.cuh"
#include "cuda/front/lu/lu_panel.cuh"

namespace tessera {
namespace {

/// One front of LU in the shared memory of a thread block. Right-looking, by panels of 32 columns and rows.
class LuBlockFront : BlockStore<2, LuPanel> {
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
  /// Eliminates rows and columns k0 .. k0 + n - 1.
  __device__ void eliminate_panel(int k0, int n)
  {
    if (threadIdx.x < 32) {
      for (int side = 0; side < 2; ++side)
        panel_.mass[side][threadIdx.x] = int(threadIdx.x) < n ? mass_[side * m_ + k0 + threadIdx.x] : 0.0;
      __syncwarp();
      factor_lu_panel(a_ + k0 * leading_ + k0, leading_, n, arrays_.rules, panel_, work());
    }
    __syncthreads();
    const int begin = k0 + n, rows = m_ - begin;
    double *const r = a_ + k0 * leading_;
    multiply_by_w(r, 1, leading_, panel_.w[1], n, begin);
    __syncthreads();
    take_r(k0, n, begin, rows);
    __syncthreads();
    multiply_by_w(a_ + k0, leading_, 1, panel_.w[0], n, begin, -1); // -R₁
    __syncthreads();
    add_masses(0, r, n, begin);
    add_masses(1, v_, n, begin);
    add_product(r, v_, n, begin); // - R₀ R₁ᵀ
    write_panel(k0, n);
    __syncthreads();
  }

  /// R₀ in place of A₂₁; whether L is bounded.
  __device__ void take_r(int k0, int n, int begin, int rows)
  {
    bool good = true;
    for (int x = threadIdx.x; x < rows * n; x += block_threads) {
      const int c = x / rows, i = begin + x % rows;
      const double r = v_[c * leading_ + i];
      good = good && fabs(r) * panel_.root[c] <= arrays_.rules.bound;
      a_[(k0 + c) * leading_ + i] = r;
    }
    if (!good)
      arrays_.fail(f_.first + min(k0, f_.columns - 1));
  }

  /// W and R of both sides, and the pivots of the panel.
  __device__ void write_panel(int k0, int n)
  {
    const int columns = min(n, f_.columns - k0), lane = threadIdx.x;
    write_columns(0, k0, columns, panel_.w[0], a_ + k0 * leading_);
    write_columns(1, k0, columns, panel_.w[1], v_, -1);
    if (lane < columns)
      arrays_.pivot[f_.first + k0 + lane] = panel_.pivot[lane];
    if (lane > 0)
      return;
    const unsigned own = first_bits(columns);
    arrays_.live[f_.sign_begin + k0 / 32] = own;
    arrays_.tell(f_.first + k0, columns, panel_.bad, panel_.uncertain & own, 0, panel_.odd);
  }
};

} // namespace

Index most_lu_block_rows()
{
  return most_rows_of_block<LuBlockFront>();
}

cudaError_t factor_lu_block_fronts(const FrontArrays &arrays, const Index *order, Index count, Index rows,
                                   const FrontLaunch &launch)
{
  return launch_block_fronts<LuBlockFront>(arrays, order, count, rows, launch);
}

} // namespace tessera
