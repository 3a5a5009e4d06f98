#include "cuda/front/lu/lu_fronts.cuh"

#include "cuda/front/lu/lu_panel.cuh"
#include "cuda/front/run_block_fronts.cuh"

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
    multiply_by_w<0>(k0, n, begin, rows);
    __syncthreads();
    take_r(k0, n, begin, rows);
    __syncthreads();
    multiply_by_w<1>(k0, n, begin, rows);
    __syncthreads();
    for (int i = begin + threadIdx.x; i < m_; i += block_threads) {
      mass_[i] = add_squares(mass_[i], a_ + k0 * leading_ + i, leading_, n);
      mass_[m_ + i] = add_squares(mass_[m_ + i], v_ + i, leading_, n);
    }
    update(k0, n, begin, rows);
    write_panel(k0, n);
    __syncthreads();
  }

  /// V = R of a side: 8 x 8 tiles, one a warp at a time.
  template <int Side>
  __device__ void multiply_by_w(int k0, int n, int begin, int rows)
  {
    const int warp = threadIdx.x / 32, lane = threadIdx.x & 31, row = lane / 4, inner = lane % 4;
    const double *const w = panel_.w[1 - Side];
    for (int t = warp; t < rows / 8 * (n / 8); t += block_warps) {
      const int i = begin + t % (rows / 8) * 8 + row, c0 = t / (rows / 8) * 8;
      double c[2] = {0, 0};
      for (int q = k0 + inner; q < k0 + n; q += 4)
        TensorProducts::multiply(c, a_[Side == 0 ? q * leading_ + i : i * leading_ + q],
                                 w[(q - k0) * LuPanel::leading + c0 + row]);
      v_[(c0 + 2 * inner) * leading_ + i] = c[0];
      v_[(c0 + 2 * inner + 1) * leading_ + i] = c[1];
    }
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

  /// A₂₂ -= R₀ R₁ᵀ, 16 x 16 entries a warp at a time.
  __device__ void update(int k0, int n, int begin, int rows)
  {
    const int warp = threadIdx.x / 32, lane = threadIdx.x & 31, row = lane / 4, inner = lane % 4;
    const int tiles = (rows + 15) / 16;
    for (int t = warp; t < tiles * tiles; t += block_warps) {
      const int i0 = begin + 16 * (t % tiles), j0 = begin + 16 * (t / tiles);
      const int i[] = {i0, min(i0 + 8, m_ - 8)}, j[] = {j0, min(j0 + 8, m_ - 8)}; // the last tile may be half
      double c[2][2][2];
      for (int x = 0; x < 2; ++x)
        for (int y = 0; y < 2; ++y)
          for (int z = 0; z < 2; ++z)
            c[x][y][z] = a_[(j[y] + 2 * inner + z) * leading_ + i[x] + row];
      for (int q = 0; q < n; q += 4) {
        const double *r0 = a_ + (k0 + q + inner) * leading_ + row, *r1 = v_ + (q + inner) * leading_ + row;
        const double left[] = {-r0[i[0]], -r0[i[1]]}, right[] = {r1[j[0]], r1[j[1]]};
        for (int x = 0; x < 2; ++x)
          for (int y = 0; y < 2; ++y)
            TensorProducts::multiply(c[x][y], left[x], right[y]);
      }
      for (int x = 0; x < 2; ++x)
        for (int y = 0; y < 2; ++y)
          for (int z = 0; z < 2; ++z)
            a_[(j[y] + 2 * inner + z) * leading_ + i[x] + row] = c[x][y][z];
    }
  }

  /// W and R of both sides, and the pivots of the panel.
  __device__ void write_panel(int k0, int n)
  {
    const int p = k0 / 32, columns = min(n, f_.columns - k0), leading = f_.leading(p);
    const int warp = threadIdx.x / 32, lane = threadIdx.x & 31, below = leading - columns;
    for (int side = 0; side < 2; ++side) {
      double *const out = arrays_.factor[side] + f_.factor_begin + f_.panel_offset(p);
      const double *const r = side == 0 ? a_ + k0 * leading_ : v_;
      for (int c = warp; c < columns; c += block_warps) {
        if (lane < columns)
          out[c * leading + lane] = panel_.w[side][lane * LuPanel::leading + c];
        for (int i = lane; i < below; i += 32)
          out[c * leading + columns + i] = r[c * leading_ + place(k0 + columns + i)];
      }
    }
    if (warp == 0 && lane < columns)
      arrays_.pivot[f_.first + k0 + lane] = panel_.pivot[lane];
    if (threadIdx.x == 0)
      report(k0, first_bits(columns));
  }

  __device__ void report(int k0, unsigned own) const
  {
    arrays_.live[f_.sign_begin + k0 / 32] = own;
    if (panel_.bad)
      arrays_.fail(f_.first + min(k0 + __ffs(panel_.bad) - 1, f_.columns - 1));
    if (panel_.odd)
      atomicAdd(&arrays_.verdict->odd, 1ull);
    if (panel_.uncertain & own)
      atomicAdd(&arrays_.verdict->uncertain, static_cast<unsigned long long>(__popc(panel_.uncertain & own)));
  }
};

} // namespace

Index most_lu_block_rows()
{
  return most_rows_of_block<LuBlockFront>();
}

cudaError_t factor_lu_block_fronts(const FrontArrays &arrays, const Index *order, Index count, Index rows, int *ticket,
                                   cudaStream_t stream)
{
  return launch_block_fronts<LuBlockFront>(arrays, order, count, rows, ticket, stream);
}

} // namespace tessera
