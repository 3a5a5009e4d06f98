#include "cuda/front/lu/lu_fronts.cuh"

#include "cuda/front/block/run_block_fronts.cuh"
#include "cuda/front/lu/eliminate_lu_in_block.cuh"
#include "cuda/front/lu/lu_panel.cuh"

namespace tessera {
namespace {

using LuBlockStore = BlockStore<2, LuPanel>;

/// One front of LU in the shared memory of a thread block, whose pivots are searched panel by panel, 32 columns and
/// rows each. Right-looking.
class SearchedLuBlockFront : public LuBlockStore {
public:
  using LuBlockStore::LuBlockStore;

  /// Eliminates rows and columns k0 .. k0 + 31, or to the last one.
  __device__ void eliminate_panel(int k0)
  {
    const int n = min(32, k_ - k0);
    if (threadIdx.x < 32) {
      for (int side = 0; side < 2; ++side)
        panel_.mass[side][threadIdx.x] = int(threadIdx.x) < n ? mass_[side * m_ + k0 + threadIdx.x] : 0.0;
      __syncwarp();
      const int own = min(32, f_.columns - k0);
      arrays_.tell_order(
          f_.first + k0, own,
          factor_lu_panel(a_ + k0 * leading_ + k0, leading_, n, own, f_.first + k0, arrays_.rules, panel_, work()));
    }
    __syncthreads();
    const int begin = k0 + n, rows = m_ - begin;
    double *const r = a_ + k0 * leading_;
    multiply_by_w(r, 1, leading_, panel_.w[1], n, {begin, m_}, v_, leading_);
    __syncthreads();
    take_r(k0, n, begin, rows);
    __syncthreads();
    multiply_by_w(a_ + k0, leading_, 1, panel_.w[0], n, {begin, m_}, v_, leading_, -1); // -R₁
    __syncthreads();
    add_masses(0, r, leading_, n, begin);
    add_masses(1, v_, leading_, n, begin);
    add_product<2, block_warps>(matrix_, m_, r, v_, leading_, n, begin); // - R₀ R₁ᵀ
    write_panel(k0, n);
    __syncthreads();
  }

private:
  /// R₀ in place of A₂₁; whether L is bounded.
  __device__ void take_r(int k0, int n, int begin, int rows)
  {
    for (int x = threadIdx.x; x < rows * n; x += block_threads) {
      const int c = x / rows, i = begin + x % rows;
      const double r = v_[c * leading_ + i];
      if (!(fabs(r) * panel_.root[c] <= arrays_.rules.bound))
        arrays_.fail(f_.first + min(k0 + c, f_.columns - 1));
      a_[(k0 + c) * leading_ + i] = r;
    }
  }

  /// W and R of both sides, and the pivots of the panel.
  __device__ void write_panel(int k0, int n)
  {
    const int columns = min(n, f_.columns - k0), lane = threadIdx.x;
    write_columns(0, k0, columns, panel_.w[0], a_ + k0 * leading_, leading_);
    write_columns(1, k0, columns, panel_.w[1], v_, leading_, -1);
    if (lane < columns)
      arrays_.pivot[f_.first + k0 + lane] = panel_.pivot[lane];
    if (lane > 0)
      return;
    const unsigned own = first_bits(columns);
    arrays_.live[f_.sign_begin + k0 / 32] = own;
    arrays_.tell(f_.first + k0, columns, panel_.bad, panel_.uncertain & own, 0, panel_.odd, panel_.perturbed);
  }
};

/// What a warp needs to find W of both sides.
struct LuInversionScratch {
  double u[32 * small_leading];
  InversionScratch inversion;
};

/// One whose pivots are those on its diagonal, or in rows that are Known, eight columns and rows at a time.
template <bool Known>
class OrderedLuBlockFront : public LuBlockStore {
public:
  __device__ OrderedLuBlockFront(const FrontArrays &arrays, Index s, double *shared) : LuBlockStore(arrays, s, shared)
  {
    pivot_ = reinterpret_cast<double *>(&panel_); // of which there is no panel here
    bits_ = reinterpret_cast<PanelBits *>(pivot_ + k_);
  }

  /// Own columns that there is room for beside what finding W takes.
  static constexpr int most_columns =
      (sizeof(LuPanel) - sizeof(LuInversionScratch) - 32 * sizeof(PanelBits)) / sizeof(double);

  __device__ bool eliminate_panel(int k0)
  {
    double *const rest = a_ + k0 * (leading_ + 1);
    if (const RowOrder order = row_order(k0); order.given) {
      order_panel_rows<block_warps>(rest, leading_, m_ - k0, mass_ + k0, order.row);
      __syncthreads();
    }
    return eliminate_lu_in_block<block_warps>(rest, leading_, m_ - k0, min(32, f_.columns - k0), mass_ + k0,
                                              mass_ + m_ + k0, v_, {pivot_ + k0, bits_ + k0 / 32},
                                              arrays_.rules.of_blocks());
  }

  __device__ void write()
  {
    write_r();
    const int warp = threadIdx.x / 32, at_once = 1 + int(32 * leading_ * sizeof(double) / sizeof(LuInversionScratch));
    if (warp < at_once)
      for (int p = warp; 32 * p < k_; p += min(at_once, block_warps))
        write_panel(p, *scratch(warp));
  }

private:
  __device__ RowOrder row_order(int k0) const
  {
    if constexpr (!Known)
      return RowOrder::diagonal();
    return RowOrder::of(RowOrder::known_place(arrays_.rules, f_.first + k0, min(32, f_.columns - k0)));
  }

  /// The first one in place of the panel, others in place of its product.
  __device__ LuInversionScratch *scratch(int warp) const
  {
    constexpr std::size_t first = (sizeof(LuPanel) - sizeof(LuInversionScratch)) / sizeof(double);
    return warp > 0 ? reinterpret_cast<LuInversionScratch *>(v_) + (warp - 1)
                    : reinterpret_cast<LuInversionScratch *>(pivot_ + first);
  }

  __device__ double *panel(int side, int p) const
  {
    return arrays_.factor[side] + f_.factor_begin + f_.panel_offset(p);
  }

  /// R₀ = L sqrt|D| and R₁ = Uᵀ / sqrt|D| below and right of the panels' diagonal blocks.
  __device__ void write_r()
  {
    for (int c = threadIdx.x / 32; c < f_.columns; c += block_warps) {
      const int k0 = c / 32 * 32, leading = f_.leading(k0 / 32);
      const double size = fabs(pivot_[c]), root = rsqrt(size);
      double *const out[] = {panel(0, k0 / 32) + (c - k0) * leading, panel(1, k0 / 32) + (c - k0) * leading};
      for (int i = min(32, f_.columns - k0) + int(threadIdx.x & 31); i < leading; i += 32) {
        const int at = place(k0 + i);
        out[0][i] = a_[c * leading_ + at] * (size * root);
        out[1][i] = a_[at * leading_ + c] * root;
      }
    }
    __syncthreads(); // W takes the place of U
  }

  /// By a warp: W of both sides, the pivots of the panel, and what became of it.
  __device__ void write_panel(int p, LuInversionScratch &s)
  {
    const int k0 = 32 * p, columns = min(32, f_.columns - k0), lane = threadIdx.x & 31, leading = f_.leading(p);
    const RowOrder order = row_order(k0);
    const int odd = order.odd();
    find_lu_w(a_ + k0 * (leading_ + 1), leading_, min(32, k_ - k0), pivot_ + k0, s.u, s.inversion,
              [&](int side, int c, double x) {
                if (c < columns && lane < columns)
                  panel(side, p)[c * leading + (side == 0 ? order.row : lane)] = x;
              });
    if (lane < columns)
      arrays_.pivot[f_.first + k0 + lane] = pivot_[k0 + lane];
    if (lane > 0)
      return;
    const unsigned own = first_bits(columns);
    arrays_.live[f_.sign_begin + p] = own;
    arrays_.tell(f_.first + k0, columns, 0, bits_[p].uncertain & own, 0, odd);
  }

  double *pivot_;   ///< [own columns]
  PanelBits *bits_; ///< [panels]
};

template <bool Known>
using LuBlockMethod = BlockMethod<OrderedLuBlockFront<Known>, SearchedLuBlockFront>;

} // namespace

Index most_lu_block_rows()
{
  return std::min(most_rows_of_block<LuBlockMethod<false>>(), most_rows_of_block<LuBlockMethod<true>>());
}

cudaError_t factor_lu_block_fronts(const FrontArrays &arrays, const Index *order, Index count, Index rows,
                                   const FrontLaunch &launch)
{
  const auto launch_method =
      arrays.rules.row_order ? launch_block_fronts<LuBlockMethod<true>> : launch_block_fronts<LuBlockMethod<false>>;
  return launch_method(arrays, order, count, rows, launch);
}

} // namespace tessera
