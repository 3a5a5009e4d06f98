#include "cuda/front/block/block_fronts.cuh"

#include "cuda/front/block/run_block_fronts.cuh"
#include "cuda/front/panel_factor.cuh"

namespace tessera {
namespace {

using LdltBlockStore = BlockStore<1, PanelFactor>;

/// One front of LDLᵀ or LLᵀ in the shared memory of a thread block, whose pivots are searched panel by panel, 32
/// columns each. Right-looking.
class SearchedBlockFront : public LdltBlockStore {
public:
  using LdltBlockStore::LdltBlockStore;

  /// Eliminates columns k0 .. k0 + 31, or to the last one.
  __device__ void eliminate_panel(int k0)
  {
    const int n = min(32, k_ - k0), leading = matrix_.leading_at(k0);
    if (threadIdx.x < 32) {
      panel_.mass[threadIdx.x] = int(threadIdx.x) < n ? mass_[k0 + threadIdx.x] : 0.0;
      __syncwarp();
      const double *const block = matrix_.from(k0).a;
      const SearchedPlace place = k_ <= 32 // whose order has just been tried
                                      ? search_panel(block, leading, n, arrays_.rules, panel_, work())
                                      : factor_panel(block, leading, n, pairs(k0), arrays_.rules, panel_, work());
      arrays_.tell_order(f_.first + k0, min(n, f_.columns - k0), place);
    }
    __syncthreads();
    const int begin = k0 + n;
    if (begin < m_) {
      const int half = (m_ - begin + 15) / 16 * 8; // of the rows, which v has room for
      find_r(k0, n, {begin, min(begin + half, m_)});
      find_r(k0, n, {begin + half, m_});
      add_masses(0, matrix_.column(k0), leading, n, begin);
      for (int c = 0; c < n; c += 8)
        subtract_columns(k0, c, begin);
    }
    write_panel(k0, n);
    __syncthreads();
  }

private:
  __device__ unsigned pairs(int k0) const { return arrays_.pair[f_.sign_begin + k0 / 32]; }

  /// R = A₂₁ W J in place of these rows of A₂₁.
  __device__ void find_r(int k0, int n, BlockRows rows)
  {
    const int leading = rows.end - rows.begin + 4;
    double *const v = v_ - rows.begin;
    multiply_by_w(matrix_.column(k0), 1, matrix_.leading_at(k0), panel_.w, n, rows, v, leading); // V = A₂₁ W
    __syncthreads();
    scale_and_test(k0, n, rows, v, leading);
    __syncthreads();
    test_zeros(k0, n, rows, v, leading);
  }

  /// Subtracts R J Rᵀ, eight columns at a time: what J exchanges are columns of the same eight.
  __device__ void subtract_columns(int k0, int c0, int begin)
  {
    const int leading = matrix_.leading_at(k0);
    const double *const r = matrix_.column(k0);
    double *const v = v_ - begin; // - R J
    for (int x = threadIdx.x; x < 8 * (m_ - begin); x += block_threads) {
      const int q = x % 8, i = begin + x / 8, c = c0 + q;
      v[q * leading + i] = -with_sign(r[panel_.partner(c) * leading + i], panel_.sign_bit(c));
    }
    __syncthreads();
    add_product<1, block_warps>(matrix_, m_, v, r + c0 * leading, leading, 8, begin);
    __syncthreads();
  }

  /// With R: whether V is nothing but rounding in columns of zero pivots, by the masses that rows have then.
  __device__ void test_zeros(int k0, int n, BlockRows rows, const double *v, int leading)
  {
    if (panel_.zero == 0)
      return;
    for (int i = rows.begin + threadIdx.x; i < rows.end; i += block_threads) {
      const double mass = add_squares(mass_[i], matrix_.column(k0) + i, matrix_.leading_at(k0), n);
      for (unsigned left = panel_.zero; left != 0; left &= left - 1) {
        const int c = __ffs(int(left)) - 1;
        if (!arrays_.rules.may_be_left_out(v[c * leading + i], mass, panel_.mass[c]))
          arrays_.fail(f_.first + min(k0 + c, f_.columns - 1));
      }
    }
    __syncthreads();
  }

  /// R = V J in place of A₂₁; whether L = R / sqrt|D| is bounded.
  __device__ void scale_and_test(int k0, int n, BlockRows rows, const double *v, int leading)
  {
    const int many = rows.end - rows.begin;
    for (int x = threadIdx.x; x < many * n; x += block_threads) {
      const int c = x / many, i = rows.begin + x % many;
      const double entry = v[c * leading + i];
      if (!(panel_.zero >> c & 1) && !(fabs(entry) * panel_.root[c] <= arrays_.rules.bound) && !arrays_.rules.definite)
        arrays_.fail(f_.first + min(k0 + c, f_.columns - 1));
      matrix_.column(k0 + panel_.partner(c))[i] = with_sign(panel_.kept(entry, c), panel_.sign_bit(c));
    }
  }

  /// W, R and the signs of the panel.
  __device__ void write_panel(int k0, int n)
  {
    const int p = k0 / 32, columns = min(n, f_.columns - k0), lane = threadIdx.x;
    write_columns(0, k0, columns, panel_.w, matrix_.column(k0), matrix_.leading_at(k0));
    if (lane < columns)
      arrays_.pivot[f_.first + k0 + lane] = panel_.pivot[lane];
    if (lane > 0)
      return;
    const unsigned all = first_bits(columns);
    arrays_.live[f_.sign_begin + p] = all & ~panel_.zero;
    arrays_.negative[f_.sign_begin + p] = panel_.negative & all;
    arrays_.swapped[f_.sign_begin + p] = panel_.swapped;
    arrays_.tell(f_.first + k0, columns, panel_.bad, panel_.uncertain & all, panel_.two_by_two, 0, panel_.perturbed);
  }
};

/// One whose pivots are taken in their order, eight columns at a time in all rows.
class OrderedBlockFront : public LdltBlockStore {
public:
  __device__ OrderedBlockFront(const FrontArrays &arrays, Index s, double *shared) : LdltBlockStore(arrays, s, shared)
  {
    double *const state = reinterpret_cast<double *>(&panel_); // of which there is no panel here
    all_ = {state, state + k_, state + 2 * k_, state + 3 * k_, reinterpret_cast<PanelBits *>(state + 4 * k_)};
    for (int c = threadIdx.x; c < k_; c += block_threads) {
      all_.pair[c] = 1;
      all_.other[c] = 0;
    }
  }

  /// Own columns that there is room for.
  static constexpr int most_columns = (sizeof(PanelFactor) / sizeof(double) - 32) / 4;

  __device__ bool eliminate_panel(int k0)
  {
    return eliminate_in_block<block_warps, true>(matrix_.from(k0), m_ - k0, min(32, f_.columns - k0),
                                                 arrays_.pair[f_.sign_begin + k0 / 32], mass_ + k0, v_,
                                                 columns_from(k0), arrays_.rules.of_blocks());
  }

  __device__ void write()
  {
    write_r();
    for (int k0 = threadIdx.x / 32 * 32; k0 < k_; k0 += block_threads)
      write_panel(k0);
  }

private:
  __device__ PanelColumns columns_from(int k0) const
  {
    return {all_.pivot + k0, all_.scale + k0, all_.pair + k0, all_.other + k0, all_.bits + k0 / 32};
  }

  /// R = L sqrt|D| below the panels' diagonal blocks.
  __device__ void write_r()
  {
    for (int c = threadIdx.x / 32; c < f_.columns; c += block_warps) {
      const int k0 = c / 32 * 32, leading = f_.leading(k0 / 32);
      const double size = fabs(all_.pivot[c]), weight = size > 0 ? size * rsqrt(size) / all_.scale[c] : 0.0;
      double *const out = arrays_.factor[0] + f_.factor_begin + f_.panel_offset(k0 / 32) + (c - k0) * leading;
      for (int i = min(32, f_.columns - k0) + int(threadIdx.x & 31); i < leading; i += 32)
        out[i] = matrix_.column(c)[place(k0 + i)] * weight;
    }
  }

  /// By a warp: W, the pivots and signs of the panel, and what became of it.
  __device__ void write_panel(int k0)
  {
    auto *const scratch = reinterpret_cast<InversionScratch *>(v_);
    const int p = k0 / 32, columns = min(32, f_.columns - k0), lane = threadIdx.x & 31, leading = f_.leading(p);
    const PanelBits bits = all_.bits[p];
    const unsigned own = first_bits(columns), swapped = bits.pairs | bits.pairs << 1;
    const double pivot = lane < columns ? all_.pivot[k0 + lane] : 1.0;
    const unsigned negative = __ballot_sync(whole_warp, pivot < 0) & ~swapped;
    double *const w = arrays_.factor[0] + f_.factor_begin + f_.panel_offset(p);
    find_w(matrix_.from(k0).a, matrix_.leading_at(k0), min(32, k_ - k0), columns_from(k0), scratch[p],
           [&](int c, double x) {
             if (c < columns && lane < columns)
               w[c * leading + lane] = x;
           });
    if (lane < columns)
      arrays_.pivot[f_.first + k0 + lane] = pivot;
    if (lane > 0)
      return;
    const Index word = f_.sign_begin + p;
    arrays_.live[word] = own & ~bits.zeros;
    arrays_.negative[word] = negative;
    arrays_.swapped[word] = swapped;
    arrays_.tell(f_.first + k0, columns, bits.bad, bits.uncertain & own, __popc(bits.pairs), 0);
  }

  PanelColumns all_; ///< bits: [panels]
};

using BlockFront = BlockMethod<OrderedBlockFront, SearchedBlockFront>;

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
