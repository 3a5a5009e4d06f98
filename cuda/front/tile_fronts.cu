#include "cuda/front/tile_fronts.cuh"

#include "cuda/front/signals.cuh"
#include "cuda/front/tile_diagonal.cuh"
#include "cuda/runtime/occupancy.cuh"
#include "cuda/runtime/per_device.cuh"

#include <algorithm>

namespace tessera {
namespace {

constexpr int width = DeviceFront::tile_width;

/// What a thread block has in shared memory: two tiles, each of which is two stages of 32 columns while they are
/// copied, and what the factorization of a diagonal tile leaves.
struct TileScratch {
  double a[width * tile_leading], b[width * tile_leading];
  union {
    TileDiagonal diagonal;
    double root[width];
  };
  double mass[width];
  int ready; ///< panels of which the tile's row and column are known to be done
};

/// One tile of a front, left-looking: gathered, brought up to date with the panels before it, and then factored, or
/// multiplied by W, or handed on to the parent.
class Tile {
public:
  __device__ Tile(const FrontArrays &arrays, const TileTask &task, TileScratch &scratch)
      : arrays_(arrays), t_(task), f_(arrays.front[task.front]), s_(scratch), panels_(f_.columns_padded / width)
  {
  }

  __device__ void run()
  {
    gather();
    subtract_products();
    if (t_.column >= panels_)
      hand_on();
    else if (t_.row == t_.column)
      factor();
    else
      multiply_by_w();
  }

private:
  __device__ bool diagonal() const { return t_.row == t_.column; }
  __device__ int *done(Index i, Index j) const { return arrays_.tile_done + f_.tile(i, j); }

  /// Tile (i, p) of the factor: W for i = p, R below.
  __device__ double *stored(Index i, Index p) const
  {
    return arrays_.factor + f_.factor_begin + f_.panel_offset(p) + Offset(i - p) * width;
  }

  __device__ void clear()
  {
    for (int x = threadIdx.x; x < width * tile_leading; x += tile_threads)
      s_.a[x] = 0;
    if (threadIdx.x < width)
      s_.mass[threadIdx.x] = 0;
    __syncthreads();
    const int c = t_.column * width + threadIdx.x; // a column of padding has a pivot of 1
    if (diagonal() && threadIdx.x < width && c >= f_.columns && c < f_.columns_padded)
      s_.a[threadIdx.x * tile_leading + threadIdx.x] = 1;
  }

  /// Entries of A, then pieces of the children's contributions, in their order.
  __device__ void gather()
  {
    clear();
    for (Offset p = t_.entry_begin + threadIdx.x; p < t_.entry_end; p += tile_threads) {
      const std::uint32_t at = arrays_.place[p];
      const double x = arrays_.entry(p);
      s_.a[(at & 0xffff) * tile_leading + (at >> 16)] = x;
      if (diagonal() && (at & 0xffff) == at >> 16)
        s_.mass[at >> 16] = fabs(x);
    }
    if (threadIdx.x == 0)
      wait_for_count(arrays_.arrived + t_.front, f_.awaited);
    __syncthreads();
    add_pieces();
    acc_.for_each([&](double &x, int i, int j) { x = s_.a[j * tile_leading + i]; });
    __syncthreads();
  }

  /// The numbers of the next piece are on their way while one is added.
  __device__ void add_pieces()
  {
    if (t_.piece_begin == t_.piece_end)
      return;
    PieceShare share(arrays_, arrays_.piece[t_.piece_begin]);
    for (Offset p = t_.piece_begin + 1; p < t_.piece_end; ++p) {
      const PieceShare next(arrays_, arrays_.piece[p]);
      add_piece(share);
      __syncthreads();
      share = next;
    }
    add_piece(share);
    __syncthreads();
  }

  /// What a thread adds of a piece: its warp has every eighth column, its lane two rows of them.
  struct PieceShare {
    static constexpr int warps = tile_threads / 32, columns = width / warps;
    TilePiece piece;
    double x[columns][2];
    Index row[2], column; ///< in the front; column: in lane c, of column c of the warp

    __device__ __forceinline__ PieceShare(const FrontArrays &arrays, const TilePiece &p) : piece(p)
    {
      const Index *to = arrays.to_parent + p.below_begin;
      const double *b = arrays.contribution + p.contribution;
#pragma unroll
      for (int c = 0; c < columns; ++c)
#pragma unroll
        for (int h = 0; h < 2; ++h)
          x[c][h] = is_there(h, c) ? __ldcg(b + Offset(j(c)) * p.leading + i(h)) : 0.0;
      for (int h = 0; h < 2; ++h)
        row[h] = i(h) < p.i_end ? to[i(h)] : 0;
      const int lane = threadIdx.x & 31;
      column = lane < columns && j(lane) < p.j_end ? to[j(lane)] : 0;
    }

    __device__ __forceinline__ Index i(int h) const
    {
      return piece.i_begin + int(threadIdx.x & 31) + 32 * h;
    }
    __device__ __forceinline__ Index j(int c) const
    {
      return piece.j_begin + int(threadIdx.x / 32) + warps * c;
    }
    __device__ __forceinline__ bool is_there(int h, int c) const
    {
      return i(h) < piece.i_end && j(c) < piece.j_end && i(h) >= j(c);
    }
  };

  __device__ __forceinline__ void add_piece(const PieceShare &share)
  {
    const int i0 = t_.row * width, j0 = t_.column * width;
#pragma unroll
    for (int c = 0; c < PieceShare::columns; ++c) {
      double *column = s_.a + (__shfl_sync(whole_warp, share.column, c) - j0) * tile_leading - i0;
#pragma unroll
      for (int h = 0; h < 2; ++h)
        if (share.is_there(h, c))
          column[share.row[h]] += share.x[c][h];
    }
    if (diagonal()) {
      const TilePiece &p = share.piece;
      const double *mass = arrays_.contribution + p.contribution + Offset(p.leading) * p.leading;
      for (int k = p.i_begin + threadIdx.x; k < p.i_end; k += tile_threads)
        s_.mass[arrays_.to_parent[p.below_begin + k] - i0] += __ldcg(mass + k);
    }
  }

  /// Products with the panels before, 32 columns at a time, of which the next are copied ahead.
  __device__ void subtract_products()
  {
    const int chunks = 2 * min(t_.column, panels_);
    if (chunks == 0)
      return;
    begin_copy(0);
    for (int c = 0; c < chunks; ++c) {
      if (c + 1 < chunks)
        begin_copy(c + 1);
      commit_copies();
      await_copies<1>();
      __syncthreads();
      const double *a = stage(s_.a, c), *b = diagonal() ? a : stage(s_.b, c);
      acc_.subtract(a, b, __ldcg(arrays_.negative + f_.sign_begin + c), __ldcg(arrays_.swapped + f_.sign_begin + c));
      if (diagonal() && threadIdx.x < width)
        s_.mass[threadIdx.x] = add_squares(s_.mass[threadIdx.x], a + threadIdx.x, tile_leading, 32);
      __syncthreads();
    }
  }

  static __device__ double *stage(double *tile, int chunk)
  {
    return tile + (chunk & 1) * 32 * tile_leading;
  }

  __device__ void begin_copy(int chunk)
  {
    const int p = chunk / 2;
    if (p >= ready_) {
      if (threadIdx.x < 32)
        await_panel(p);
      __syncthreads();
      ready_ = s_.ready;
    }
    const Offset leading = f_.leading(p), columns = Offset(chunk % 2) * 32 * leading;
    copy_columns(stage(s_.a, chunk), stored(t_.row, p) + columns, leading);
    if (!diagonal())
      copy_columns(stage(s_.b, chunk), stored(t_.column, p) + columns, leading);
    if (chunk == 0)
      commit_copies();
  }

  /// By a warp: waits until the tiles of panel p in this tile's row and column are done, and looks at those of the next
  /// 32 panels: a look takes as long as half a product.
  __device__ void await_panel(int p)
  {
    const int lane = threadIdx.x, next = p + 1 + lane, end = min(t_.column, panels_);
    if (lane == 0) {
      wait_for_count(done(t_.row, p), 1);
      wait_for_count(done(t_.column, p), 1);
    }
    __syncwarp();
    const bool is_done = next < end && has_count(done(t_.row, next), 1) && has_count(done(t_.column, next), 1);
    const unsigned open = __ballot_sync(whole_warp, !is_done);
    if (lane == 0)
      s_.ready = p + (open ? __ffs(open) : 33);
  }

  __device__ void factor()
  {
    const Index p = t_.column;
    acc_.for_each([&](double &x, int i, int j) { s_.a[j * tile_leading + i] = x; });
    if (threadIdx.x < width)
      s_.diagonal.panel[threadIdx.x / 32].mass[threadIdx.x % 32] = s_.mass[threadIdx.x];
    __syncthreads();
    const bool good = s_.diagonal.run(s_.a, arrays_.pair + f_.sign_begin + 2 * p, arrays_.rules,
                                      *reinterpret_cast<PanelWork *>(s_.b));
    double *w = stored(p, p);
    const Offset leading = f_.leading(p);
    for (int x = threadIdx.x; x < width * width; x += tile_threads) {
      const int c = x / width, i = x % width, h = c / 32;
      const double entry = i / 32 == h ? s_.diagonal.panel[h].w[(i % 32) * PanelFactor::leading + c % 32]
                           : h == 1    ? s_.a[i * tile_leading + c]
                                       : 0.0;
      __stcg(w + c * leading + i, own(p * width + c) ? entry : 0.0);
    }
    write_pivots(p);
    if (!good && threadIdx.x == 0)
      arrays_.fail(f_.first + min(p * width, f_.columns - 1));
    publish(done(p, p));
  }

  __device__ bool own(Index c) const
  {
    return c < f_.columns;
  }

  __device__ void write_pivots(Index p)
  {
    if (threadIdx.x < width) {
      const int h = threadIdx.x / 32, c = threadIdx.x % 32;
      const Index column = p * width + threadIdx.x;
      const PanelFactor &panel = s_.diagonal.panel[h];
      __stcg(arrays_.root + Offset(f_.sign_begin) * 32 + column, panel.root[c]);
      if (own(column))
        arrays_.pivot[f_.first + column] = panel.pivot[c];
      const unsigned all = __ballot_sync(whole_warp, own(column));
      if (c == 0) {
        __stcg(arrays_.live + f_.sign_begin + 2 * p + h, all & ~panel.zero);
        __stcg(arrays_.negative + f_.sign_begin + 2 * p + h, panel.negative & all);
        __stcg(arrays_.swapped + f_.sign_begin + 2 * p + h, panel.swapped);
        if (panel.bad)
          arrays_.fail(f_.first + min(column + __ffs(panel.bad) - 1, f_.columns - 1));
        if (panel.two_by_two)
          atomicAdd(&arrays_.verdict->two_by_two, static_cast<unsigned long long>(panel.two_by_two));
        if (panel.uncertain & all)
          atomicAdd(&arrays_.verdict->uncertain, static_cast<unsigned long long>(__popc(panel.uncertain & all)));
      }
    }
  }

  /// R = A W J, and whether L = R / sqrt|D| is bounded.
  __device__ void multiply_by_w()
  {
    const Index p = t_.column;
    acc_.for_each([&](double &x, int i, int j) { s_.a[j * tile_leading + i] = x; });
    if (threadIdx.x == 0)
      wait_for_count(done(p, p), 1);
    __syncthreads();
    for (int h = 0; h < 2; ++h)
      copy_columns(stage(s_.b, h), stored(p, p) + h * 32 * f_.leading(p), f_.leading(p));
    commit_copies();
    if (threadIdx.x < width)
      s_.root[threadIdx.x] = __ldcg(arrays_.root + Offset(f_.sign_begin) * 32 + p * width + threadIdx.x);
    const Index word = f_.sign_begin + 2 * p + threadIdx.x / 128;
    const unsigned live = __ldcg(arrays_.live + word), negative = __ldcg(arrays_.negative + word);
    const unsigned swapped = __ldcg(arrays_.swapped + word);
    await_copies<0>();
    __syncthreads();
    acc_.clear();
    acc_.add(s_.a, s_.b);
    acc_.add(s_.a + 32 * tile_leading, s_.b + 32);
    double *r = stored(t_.row, p);
    const Offset leading = f_.leading(p);
    bool good = true;
    acc_.for_each([&](double &x, int i, int j) {
      good = good && fabs(x) * s_.root[j] <= arrays_.rules.bound;
      const double kept = live >> (j % 32) & 1 ? x : 0.0;
      __stcg(r + (j ^ int(swapped >> (j % 32) & 1)) * leading + i, with_sign(kept, int(negative >> (j % 32) << 31)));
    });
    if (!good && !arrays_.rules.definite)
      arrays_.fail(f_.first + min(p * width, f_.columns - 1));
    publish(done(t_.row, p));
  }

  /// A tile of what the parent gathers.
  __device__ void hand_on()
  {
    if (f_.parent < 0)
      return;
    const Offset leading = f_.below_padded, i0 = Offset(t_.row - panels_) * width;
    double *c = arrays_.contribution_of(f_) + (t_.column - panels_) * width * leading + i0;
    acc_.for_each([&](double &x, int i, int j) { __stcg(c + j * leading + i, x); });
    if (diagonal() && threadIdx.x < width)
      __stcg(arrays_.mass_of(f_) + i0 + threadIdx.x, s_.mass[threadIdx.x]);
    publish(arrays_.arrived + f_.parent);
  }

  __device__ void publish(int *count) const
  {
    __syncthreads();
    if (threadIdx.x == 0)
      add_to_count(count);
  }

  const FrontArrays &arrays_;
  const TileTask &t_;
  const DeviceFront &f_;
  TileScratch &s_;
  const Index panels_;
  int ready_ = 0; ///< see TileScratch
  TileAccumulator acc_;
};

__global__ void __launch_bounds__(tile_threads, 2)
    run_tiles(const FrontArrays arrays, const TileTask *order, Offset count, int *ticket)
{
  extern __shared__ double shared[];
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
    Tile(arrays, order[t], *reinterpret_cast<TileScratch *>(shared)).run();
    __syncthreads();
  }
}

} // namespace

cudaError_t factor_tile_fronts(const FrontArrays &arrays, const TileTask *order, Offset count, int *ticket,
                               cudaStream_t stream)
{
  static PerDevice<int> resident;
  const int most = resident.get([] {
    allow_shared_memory(run_tiles, sizeof(TileScratch));
    return resident_blocks(run_tiles, tile_threads, sizeof(TileScratch));
  });
  if (count == 0)
    return cudaSuccess;
  run_tiles<<<unsigned(std::min<Offset>(most, count)), tile_threads, sizeof(TileScratch), stream>>>(arrays, order,
                                                                                                    count, ticket);
  return cudaGetLastError();
}

} // namespace tessera
