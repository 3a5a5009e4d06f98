#include "cuda/front/block_fronts.cuh"

#include "cuda/front/lane_children.cuh"
#include "cuda/front/panel_factor.cuh"
#include "cuda/front/signals.cuh"
#include "cuda/lanes/tensor_cores.cuh"
#include "cuda/runtime/launch_kernel.cuh"
#include "cuda/runtime/occupancy.cuh"
#include "cuda/runtime/per_device.cuh"

#include <algorithm>

namespace tessera {
namespace {

constexpr int threads = 256, warps = threads / 32;

/// Shared memory for a front of m rows: the panel's diagonal block, the front, masses, and either the panel's product
/// or what the factorization of the diagonal block needs.
std::size_t shared_bytes(Index m)
{
  const std::size_t leading = std::size_t(m) + 4;
  return sizeof(PanelFactor) + sizeof(double) * (leading * m + m) +
         std::max(sizeof(double) * leading * 32, sizeof(PanelWork));
}

/// 32 x 32 entries of what a child hands on: a thread has those of its lane's row in every eighth column. On the
/// diagonal they come with the masses of the rows, which the first warp has.
struct BlockPart {
  static constexpr int columns = 32 / warps;

  struct Place {
    Index i = 0, j = 0;
    __device__ __forceinline__ bool next(Index rows)
    {
      j += 32;
      if (j > i) {
        i += 32;
        j = 0;
      }
      return i < rows;
    }
  };

  bool begins;    ///< the child
  Index row;      ///< place in the parent of the lane's row
  Index column;   ///< and of the column that has the lane's number
  unsigned there; ///< bit q: the thread has an entry in its column q; bit `columns`: a mass
  double x[columns], mass;

  /// Number q of the thread's columns.
  static __device__ __forceinline__ int number(int q) { return int(threadIdx.x / 32) + warps * q; }

  __device__ __forceinline__ void load(const HandedOn &child, const Place &place)
  {
    const int lane = threadIdx.x & 31;
    const Index i = place.i + lane, rows = child.rows;
    begins = place.i == 0;
    row = i < rows ? child.to[i] : 0;
    column = place.j + lane < rows ? child.to[place.j + lane] : 0;
    const bool diagonal = place.i == place.j;
    there = diagonal && threadIdx.x < 32 ? 1u << columns : 0;
#pragma unroll
    for (int q = 0; q < columns; ++q)
      there |= unsigned(!diagonal || lane >= number(q)) << q;
    if (i >= rows)
      there = 0;
    const double *b = child.b + (place.j + number(0)) * rows + i;
#pragma unroll
    for (int q = 0; q < columns; ++q, b += warps * rows)
      x[q] = load_if(there >> q & 1, b);
    mass = load_if(there >> columns & 1, child.b + rows * rows + i);
  }
};

/// One front in the shared memory of a thread block. Own columns and rows below are padded to multiples of 8; a column
/// of padding has a pivot of 1 and nothing else. Right-looking, by panels of 32 columns.
class BlockFront {
public:
  __device__ BlockFront(const FrontArrays &arrays, Index s, double *shared)
      : arrays_(arrays), s_(s), f_(arrays.front[s]), k_(round_up(f_.columns)), m_(k_ + round_up(f_.below)),
        leading_(m_ + 4), panel_(*reinterpret_cast<PanelFactor *>(shared)),
        a_(shared + sizeof(PanelFactor) / sizeof(double)), mass_(a_ + m_ * leading_), v_(mass_ + m_)
  {
  }

  __device__ void run()
  {
    clear();
    add_entries();
    add_children();
    for (int k0 = 0; k0 < k_; k0 += 32)
      eliminate_panel(k0, min(32, k_ - k0));
    hand_on();
  }

private:
  static __device__ int round_up(int n) { return (n + 7) / 8 * 8; }

  /// Place here of row i of the front as the plan numbers them.
  __device__ int place(int i) const { return i < f_.columns ? i : i - f_.columns + k_; }

  __device__ void clear()
  {
    for (int i = threadIdx.x; i < m_ * leading_; i += threads)
      a_[i] = 0;
    for (int i = threadIdx.x; i < m_; i += threads)
      mass_[i] = 0;
    __syncthreads();
    for (int i = f_.columns + threadIdx.x; i < k_; i += threads)
      a_[i * leading_ + i] = 1;
  }

  __device__ void add_entries()
  {
    for (Offset p = f_.entry_begin + threadIdx.x; p < f_.entry_end; p += threads) {
      const std::uint32_t at = arrays_.place[p];
      const int i = place(at >> 16), j = at & 0xffff;
      const double x = arrays_.entry(p);
      a_[j * leading_ + i] = x;
      if (i == j)
        mass_[i] = fabs(x);
    }
    __syncthreads();
  }

  /// What children hand on, when all of them have, in their order.
  __device__ void add_children()
  {
    const auto wait = [&] {
      if (threadIdx.x == 0)
        wait_for_count(arrays_.arrived + s_, f_.awaited);
      __syncthreads();
    };
    for_children(arrays_, f_, wait, [&](const LaneChildren &children) {
      add_in_order<BlockPart>(children, [&](const BlockPart &part) {
        if (part.begins)
          __syncthreads(); // the child before is added
        add(part);
      });
    });
    __syncthreads();
  }

  __device__ __forceinline__ void add(const BlockPart &part)
  {
    const int i = place(part.row), column = place(part.column);
#pragma unroll
    for (int q = 0; q < BlockPart::columns; ++q) {
      const int j = __shfl_sync(whole_warp, column, BlockPart::number(q));
      if (part.there >> q & 1)
        a_[j * leading_ + i] += part.x[q];
    }
    if (part.there >> BlockPart::columns & 1)
      mass_[i] += part.mass;
  }

  /// Eliminates columns k0 .. k0 + n - 1.
  __device__ void eliminate_panel(int k0, int n)
  {
    if (threadIdx.x < 32) {
      panel_.mass[threadIdx.x] = int(threadIdx.x) < n ? mass_[k0 + threadIdx.x] : 0.0;
      __syncwarp();
      factor_panel(a_ + k0 * leading_ + k0, leading_, n, pairs(k0), arrays_.rules, panel_,
                   *reinterpret_cast<PanelWork *>(v_));
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

  __device__ unsigned pairs(int k0) const
  {
    return arrays_.pair[f_.sign_begin + k0 / 32];
  }

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
    double *out = arrays_.factor + f_.factor_begin + f_.panel_offset(p);
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

  __device__ void hand_on()
  {
    if (f_.parent < 0)
      return;
    const int n = f_.below, warp = threadIdx.x / 32, lane = threadIdx.x & 31;
    double *b = arrays_.contribution_of(f_);
    for (int j = warp; j < n; j += warps)
      for (int i = j + lane; i < n; i += 32)
        __stcg(b + j * n + i, a_[(k_ + j) * leading_ + k_ + i]);
    for (int i = threadIdx.x; i < n; i += threads)
      __stcg(b + n * n + i, mass_[k_ + i]);
    __syncthreads();
    if (threadIdx.x == 0)
      add_to_count(arrays_.arrived + f_.parent);
  }

  const FrontArrays &arrays_;
  const Index s_;
  const DeviceFront &f_;
  const int k_, m_;   ///< own columns, and rows, padded
  const int leading_; ///< of a_ and v_
  PanelFactor &panel_;
  double *const a_;    ///< [m, m] the front
  double *const mass_; ///< [m]
  double *const v_;    ///< [32, m] A₂₁ W of a panel
};

/// Resident: thread blocks of a multiprocessor that registers are shared among.
template <int Resident>
__global__ void __launch_bounds__(threads, Resident)
    run_block_fronts(const __grid_constant__ FrontArrays arrays, const Index *order, Index count, int *ticket)
{
  auto *const shared = launch_shared<double>();
  __shared__ int next;
  if (!arrays.finite())
    return;
  for (;;) {
    if (threadIdx.x == 0)
      next = atomicAdd(ticket, 1);
    __syncthreads();
    const int t = next;
    if (t >= count)
      return;
    BlockFront(arrays, order[t], shared).run();
    __syncthreads();
  }
}

template <int Resident>
cudaError_t launch(const FrontArrays &arrays, const Index *order, Index count, std::size_t bytes, int *ticket,
                   cudaStream_t stream)
{
  static PerDevice<bool> allowed;
  allowed.get([] {
    allow_shared_memory(run_block_fronts<Resident>, device_limits().block_shared);
    return true;
  });
  const int most = resident_blocks(run_block_fronts<Resident>, threads, bytes);
  return launch_kernel(run_block_fronts<Resident>, {std::min(most, int(count)), threads, bytes, stream}, arrays, order,
                       count, ticket);
}

} // namespace

Index most_block_rows()
{
  const std::size_t room = device_limits().block_shared - static_shared(run_block_fronts<1>);
  Index rows = 8;
  while (shared_bytes(rows + 8) <= room)
    rows += 8;
  return rows;
}

cudaError_t factor_block_fronts(const FrontArrays &arrays, const Index *order, Index count, Index rows, int *ticket,
                                cudaStream_t stream)
{
  if (count == 0)
    return cudaSuccess;
  const std::size_t bytes = shared_bytes(rows);
  return 2 * bytes <= device_limits().block_shared ? launch<2>(arrays, order, count, bytes, ticket, stream)
                                                   : launch<1>(arrays, order, count, bytes, ticket, stream);
}

} // namespace tessera
