#include "cuda/front/block_fronts.cuh"

#include "cuda/front/panel_factor.cuh"
#include "cuda/front/run_block_fronts.cuh"
#include "cuda/lanes/tensor_cores.cuh"

namespace tessera {
namespace {

constexpr int threads = block_threads, warps = block_warps;

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
      multiply_by_w(k0, n, begin, rows);
      __syncthreads();
      scale_and_test(k0, n, begin, rows);
      __syncthreads();
      add_masses(k0, n, begin, rows);
      update(k0, n, begin, rows);
      __syncthreads();
    }
    write_panel(k0, n);
    __syncthreads();
  }

  __device__ unsigned pairs(int k0) const { return arrays_.pair[f_.sign_begin + k0 / 32]; }

  /// V = A₂₁ W: 8 x 8 tiles, one a warp at a time.
  __device__ void multiply_by_w(int k0, int n, int begin, int rows)
  {
    const int warp = threadIdx.x / 32, lane = threadIdx.x & 31, row = lane / 4, inner = lane % 4;
    for (int t = warp; t < rows / 8 * (n / 8); t += warps) {
      const int i0 = begin + t % (rows / 8) * 8, c0 = t / (rows / 8) * 8;
      double c[2] = {0, 0};
      for (int q = 0; q < n; q += 4)
        TensorProducts::multiply(c, a_[(k0 + q + inner) * leading_ + i0 + row],
                                 panel_.w[(q + inner) * PanelFactor::leading + c0 + row]);
      v_[(c0 + 2 * inner) * leading_ + i0 + row] = c[0];
      v_[(c0 + 2 * inner + 1) * leading_ + i0 + row] = c[1];
    }
  }

  /// R = V J in place of A₂₁, -V = -R J in place of V; whether L = R / sqrt|D| is bounded.
  __device__ void scale_and_test(int k0, int n, int begin, int rows)
  {
    bool good = true;
    for (int x = threadIdx.x; x < rows * n; x += threads) {
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

  __device__ void add_masses(int k0, int n, int begin, int rows)
  {
    for (int i = begin + threadIdx.x; i < begin + rows; i += threads)
      mass_[i] = add_squares(mass_[i], a_ + k0 * leading_ + i, leading_, n);
  }

  /// A₂₂ -= R J Rᵀ, lower triangle, 16 x 16 entries a warp at a time.
  __device__ void update(int k0, int n, int begin, int rows)
  {
    const int warp = threadIdx.x / 32, lane = threadIdx.x & 31, row = lane / 4, inner = lane % 4;
    const int tiles = (rows + 15) / 16;
    for (int t = warp; t < tiles * tiles; t += warps) {
      const int ti = t % tiles, tj = t / tiles;
      if (ti < tj)
        continue;
      const int i0 = begin + 16 * ti, j0 = begin + 16 * tj;
      const int i1 = min(i0 + 8, m_ - 8), j1 = min(j0 + 8, m_ - 8); // the last tile may be half: then twice the same
      double c[2][2][2];
      for (int x = 0; x < 2; ++x)
        for (int y = 0; y < 2; ++y)
          for (int z = 0; z < 2; ++z)
            c[x][y][z] = a_[((y ? j1 : j0) + 2 * inner + z) * leading_ + (x ? i1 : i0) + row];
      for (int q = 0; q < n; q += 4) {
        const double *v = v_ + (q + inner) * leading_ + row, *r = a_ + (k0 + q + inner) * leading_ + row;
        const double v0 = v[i0], v1 = v[i1], r0 = r[j0], r1 = r[j1];
        TensorProducts::multiply(c[0][0], v0, r0);
        TensorProducts::multiply(c[0][1], v0, r1);
        TensorProducts::multiply(c[1][0], v1, r0);
        TensorProducts::multiply(c[1][1], v1, r1);
      }
      for (int x = 0; x < 2; ++x)
        for (int y = 0; y < 2; ++y)
          for (int z = 0; z < 2; ++z)
            a_[((y ? j1 : j0) + 2 * inner + z) * leading_ + (x ? i1 : i0) + row] = c[x][y][z];
    }
  }

  /// W, R and the signs of the panel.
  __device__ void write_panel(int k0, int n)
  {
    const int p = k0 / 32, columns = min(n, f_.columns - k0), leading = f_.leading(p);
    double *out = arrays_.factor[0] + f_.factor_begin + f_.panel_offset(p);
    const int warp = threadIdx.x / 32, lane = threadIdx.x & 31, below = leading - columns;
    for (int c = warp; c < columns; c += warps) {
      if (lane < columns)
        out[c * leading + lane] = panel_.w[lane * PanelFactor::leading + c];
      for (int i = lane; i < below; i += 32)
        out[c * leading + columns + i] = a_[(k0 + c) * leading_ + place(k0 + columns + i)];
    }
    if (warp == 0 && lane < columns)
      arrays_.pivot[f_.first + k0 + lane] = panel_.pivot[lane];
    if (threadIdx.x == 0) {
      const unsigned all = first_bits(columns);
      arrays_.live[f_.sign_begin + p] = all & ~panel_.zero;
      arrays_.negative[f_.sign_begin + p] = panel_.negative & all;
      arrays_.swapped[f_.sign_begin + p] = panel_.swapped;
      if (panel_.bad)
        arrays_.fail(f_.first + k0 + min(__ffs(panel_.bad) - 1, columns - 1));
      if (panel_.two_by_two)
        atomicAdd(&arrays_.verdict->two_by_two, static_cast<unsigned long long>(panel_.two_by_two));
      if (panel_.uncertain & all)
        atomicAdd(&arrays_.verdict->uncertain, static_cast<unsigned long long>(__popc(panel_.uncertain & all)));
    }
  }
};

} // namespace

Index most_block_rows()
{
  return most_rows_of_block<BlockFront>();
}

cudaError_t factor_block_fronts(const FrontArrays &arrays, const Index *order, Index count, Index rows, int *ticket,
                                cudaStream_t stream)
{
  return launch_block_fronts<BlockFront>(arrays, order, count, rows, ticket, stream);
}

} // namespace tessera
