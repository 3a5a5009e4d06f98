#ifndef TESSERA_CUDA_FRONT_BLOCK_BLOCK_STORE_CUH
#define TESSERA_CUDA_FRONT_BLOCK_BLOCK_STORE_CUH

#include "cuda/front/eliminate_in_block.cuh"
#include "cuda/front/lane_children.cuh"
#include "cuda/front/panel_factor.cuh"
#include "cuda/lanes/tensor_cores.cuh"

#include <algorithm>
#include <type_traits>

namespace tessera {

constexpr int block_threads = 256, block_warps = block_threads / 32;

/// 32 x 32 entries of what a child hands on: a thread has those of its lane's row in every eighth column. On the
/// diagonal they come with the masses of the rows, which the first warp has, and for LU of the columns, which the
/// second one has. Sides: 1 for LDLᵀ, of which the lower triangle is handed on, 2 for LU.
template <int Sides>
struct BlockPart {
  static constexpr int columns = 32 / block_warps;

  struct Place {
    Index i = 0, j = 0;
    __device__ __forceinline__ bool next(Index rows)
    {
      j += 32;
      if (Sides == 1 ? j > i : j >= rows) {
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
  static __device__ __forceinline__ int number(int q) { return int(threadIdx.x / 32) + block_warps * q; }

  /// Of the mass.
  static __device__ __forceinline__ int side() { return Sides == 1 ? 0 : int(threadIdx.x / 32 % 2); }

  __device__ __forceinline__ void load(const HandedOn &child, const Place &place)
  {
    const int lane = threadIdx.x & 31;
    const Index i = place.i + lane, rows = child.rows;
    begins = place.i == 0 && place.j == 0;
    row = i < rows ? child.to[i] : 0;
    column = place.j + lane < rows ? child.to[place.j + lane] : 0;
    const bool diagonal = place.i == place.j;
    there = diagonal && threadIdx.x < 32 * Sides ? 1u << columns : 0;
#pragma unroll
    for (int q = 0; q < columns; ++q)
      there |= unsigned(Sides == 1 ? !diagonal || lane >= number(q) : place.j + number(q) < rows) << q;
    if (i >= rows)
      there = 0;
    const double *b = child.b + (place.j + number(0)) * rows + i;
#pragma unroll
    for (int q = 0; q < columns; ++q, b += block_warps * rows)
      x[q] = load_if(there >> q & 1, b);
    mass = load_if(there >> columns & 1, child.b + (rows + side()) * rows + i);
  }
};

/// Rows of a front in shared memory, from `begin` to before `end`.
struct BlockRows {
  int begin, end;
};

/// A front in the shared memory of a thread block: how it is put together, and handed on. Own columns and rows below
/// are padded to multiples of 8; a column of padding has a pivot and nothing else.
template <int Sides, class Panel>
class BlockStore {
  using Matrix = std::conditional_t<Sides == 1, LowerColumns, FullColumns>;
  static constexpr int product_columns = Sides == 1 ? 16 : 32;

public:
  __device__ BlockStore(const FrontArrays &arrays, Index s, double *shared)
      : arrays_(arrays), s_(s), f_(arrays.front[s]), k_(round_up(f_.columns)), m_(k_ + round_up(f_.below)),
        leading_(m_ + 4),
        panel_(*reinterpret_cast<Panel *>(shared)), matrix_{shared + sizeof(Panel) / sizeof(double), leading_},
        a_(matrix_.a), mass_(a_ + Matrix::size(m_)), v_(mass_ + Sides * m_)
  {
  }

  /// For a front of m rows: the panel's diagonal block, the front, its masses, and either a product of the panel or
  /// what the factorization of the diagonal block needs.
  static std::size_t shared_bytes(Index m)
  {
    return sizeof(Panel) + sizeof(double) * (Matrix::size(m) + std::size_t(Sides) * m) +
           std::max(sizeof(double) * product_columns * (std::size_t(m) + 4), sizeof(PanelWork));
  }

  /// Own ones, padded.
  __device__ int columns() const { return k_; }

  __device__ void gather()
  {
    clear();
    add_entries();
    add_children();
  }

  __device__ void hand_on()
  {
    if (f_.parent < 0)
      return;
    const int n = f_.below, warp = threadIdx.x / 32, lane = threadIdx.x & 31;
    double *b = arrays_.contribution_of(f_);
    for (int j = warp; j < n; j += block_warps)
      for (int i = (Sides == 1 ? j : 0) + lane; i < n; i += 32)
        __stcg(b + j * n + i, matrix_.column(k_ + j)[k_ + i]);
    for (int side = 0; side < Sides; ++side)
      for (int i = threadIdx.x; i < n; i += block_threads)
        __stcg(arrays_.mass_of(f_, side) + i, mass_[side * m_ + k_ + i]);
    __syncthreads();
    if (threadIdx.x == 0)
      add_to_count(arrays_.arrived + f_.raised);
  }

protected:
  static __device__ int round_up(int n) { return (n + 7) / 8 * 8; }

  /// Place here of row i of the front as the plan numbers them.
  __device__ int place(int i) const { return i < f_.columns ? i : i - f_.columns + k_; }

  /// V(i, c) = factor Σ B(i, q) W(q, c) over n columns: 8 x 8 tiles, one a warp at a time. B(i, q) = block[i * down +
  /// q * across], V(i, c) = v[c * v_leading + i]; w: row by row, as in Panel.
  __device__ __forceinline__ void multiply_by_w(const double *block, int down, int across, const double *w, int n,
                                                BlockRows rows, double *v, int v_leading, double factor = 1)
  {
    const int warp = threadIdx.x / 32, lane = threadIdx.x & 31, row = lane / 4, inner = lane % 4;
    const int tiles = (rows.end - rows.begin) / 8;
    for (int t = warp; t < tiles * (n / 8); t += block_warps) {
      const int i = rows.begin + t % tiles * 8 + row, c0 = t / tiles * 8;
      double c[2] = {0, 0};
      for (int q = inner; q < n; q += 4)
        TensorProducts::multiply(c, block[i * down + q * across], w[q * Panel::leading + c0 + row]);
      v[(c0 + 2 * inner) * v_leading + i] = factor * c[0];
      v[(c0 + 2 * inner + 1) * v_leading + i] = factor * c[1];
    }
  }

  /// Adds the squares of n columns of R to the masses of a side, from row `begin` on.
  __device__ void add_masses(int side, const double *r, int leading, int n, int begin)
  {
    for (int i = begin + threadIdx.x; i < m_; i += block_threads)
      mass_[side * m_ + i] = add_squares(mass_[side * m_ + i], r + i, leading, n);
  }

  /// Writes own columns of the panel that begins with column k0 to the factor of a side: W, and factor times the
  /// columns r below it.
  __device__ void write_columns(int side, int k0, int columns, const double *w, const double *r, int r_leading,
                                double factor = 1)
  {
    const int leading = f_.leading(k0 / 32), warp = threadIdx.x / 32, lane = threadIdx.x & 31;
    double *const out = arrays_.factor[side] + f_.factor_begin + f_.panel_offset(k0 / 32);
    for (int c = warp; c < columns; c += block_warps) {
      if (lane < columns)
        out[c * leading + lane] = w[lane * Panel::leading + c];
      for (int i = columns + lane; i < leading; i += 32)
        out[c * leading + i] = factor * r[c * r_leading + place(k0 + i)];
    }
  }

  /// What the factorization of a panel's diagonal block needs, in place of its product.
  __device__ PanelWork &work() const { return *reinterpret_cast<PanelWork *>(v_); }

  const FrontArrays &arrays_;
  const Index s_;
  const DeviceFront &f_;
  const int k_, m_;     ///< own columns, and rows, padded
  const int leading_;   ///< of the first columns, and of v_
  Panel &panel_;        ///< the factor of the diagonal block of a panel
  const Matrix matrix_; ///< [m, m] the front
  double *const a_;     ///< its entries
  double *const mass_;  ///< [sides, m]
  double *const v_;     ///< [product_columns, m] a product of a panel, or of half of its rows

private:
  __device__ void clear()
  {
    for (int i = threadIdx.x; i < int(Matrix::size(m_)); i += block_threads)
      a_[i] = 0;
    for (int i = threadIdx.x; i < Sides * m_; i += block_threads)
      mass_[i] = 0;
    __syncthreads();
    for (int i = f_.columns + threadIdx.x; i < k_; i += block_threads)
      matrix_.column(i)[i] = arrays_.rules.padding_pivot();
  }

  __device__ void add_entries()
  {
    arrays_.for_entries<block_threads>(f_.entry_begin, f_.entry_end, [&](std::uint32_t at, double x) {
      const int i = place(at >> 16), j = place(at & 0xffff);
      matrix_.column(j)[i] = x;
      if (Sides == 1 && i == j)
        mass_[i] = fabs(x);
    });
    __syncthreads();
  }

  /// What children hand on, as soon as they have, in their order. Each warp waits for them by itself.
  __device__ void add_children()
  {
    for_children(arrays_, f_, [&](LaneChildren &children) {
      add_in_order<BlockPart<Sides>>(children, [&](const BlockPart<Sides> &part) {
        if (part.begins)
          __syncthreads(); // the child before is added
        add(part);
      });
    });
    __syncthreads();
  }

  __device__ __forceinline__ void add(const BlockPart<Sides> &part)
  {
    constexpr int columns = BlockPart<Sides>::columns;
    const int i = place(part.row), column = place(part.column);
    double *to[columns], sum[columns];
#pragma unroll
    for (int q = 0; q < columns; ++q) { // in different places: all are read before one is written
      to[q] = matrix_.column(__shfl_sync(whole_warp, column, BlockPart<Sides>::number(q))) + i;
      sum[q] = part.there >> q & 1 ? *to[q] + part.x[q] : 0.0;
    }
#pragma unroll
    for (int q = 0; q < columns; ++q)
      if (part.there >> q & 1)
        *to[q] = sum[q];
    if (part.there >> columns & 1)
      mass_[part.side() * m_ + i] += part.mass;
  }
};

} // namespace tessera
#endif
