#ifndef TESSERA_CUDA_FRONT_TILE_TILE_CUH
#define TESSERA_CUDA_FRONT_TILE_TILE_CUH

#include "cuda/front/tile/tile_copies.cuh"
#include "cuda/front/tile/tile_gather.cuh"
#include "cuda/lanes/signals.cuh"

namespace tessera {

/// One tile of a front, for LU also two below each other, left-looking: gathered, brought up to date with the panels
/// before, and then factored, or multiplied by W, or handed on to the parent. For LU a tile on side 1 is one of the
/// transposed matrix, which has L and U exchanged. Copies: how other tiles are copied.
template <class Copies, int Sides>
class Tile {
public:
  /// The tasks, their front and their strip are in the scratch: tiles below each other. copied: groups of copies that
  /// the thread block has awaited so far.
  __device__ Tile(const FrontArrays &arrays, TileScratch<Sides> &scratch, int tiles, unsigned &copied)
      : arrays_(arrays), t_(scratch.task[0]), f_(scratch.front), s_(scratch), tiles_(most == 1 ? 1 : tiles),
        copied_(copied), panels_(f_.columns_padded / width), side_(Sides == 1 ? 0 : t_.side),
        other_(Sides == 1 ? 0 : 1 - t_.side)
  {
  }

  __device__ void run()
  {
    for (int k = tiles_ - 1;; --k) {
      gather(s_.task[k]);
      if (k == 0)
        break;
      acc_[most - 1] = acc_[0];
    }
    subtract_products();
    if (takes_early(t_.row, t_.column))
      subtract_early_product();
    if (diagonal() && t_.column < panels_)
      factor();
    else if (t_.column < panels_)
      multiply_by_w();
    else
      for (int k = 0; k < tiles_; ++k, next_tile())
        hand_on(s_.task[k]);
  }

private:
  static constexpr int width = DeviceFront::tile_width, half_stored = DeviceFront::half_tile_stored;
  /// Of a front whose tiles on the diagonal take their last product early. Larger ones have work for all
  /// multiprocessors for as long as it takes to go along the diagonal.
  static constexpr Index most_early_rows = 80 * width;
  static constexpr int most = TileScratch<Sides>::most;
  static constexpr int together = DeviceFront::kept_together(Sides);
  static constexpr unsigned chunk_bytes = DeviceFront::half_tile_with_words * sizeof(double);

  /// Makes the second of two tiles the first.
  __device__ __forceinline__ void next_tile() { acc_[0] = acc_[most - 1]; }

  __device__ bool diagonal() const { return t_.row == t_.column; }
  /// Of a side. Those on the diagonal are done on both at once.
  __device__ int *done(Index i, Index j, Index side) const
  {
    return arrays_.tile_done + f_.tile(i, j, i == j ? 0 : side);
  }

  /// Whether tile (i, j) is one on the diagonal that computes R(i, i - 1), which it takes its last product with, by
  /// itself: from what tile (i, i - 1) has lent it, in the place where W of panel i will be, and W of the panel before.
  /// So it need not wait until that tile has written R. W has to have all 64 columns, or there is no room for what is
  /// lent. For LU there would be one on either side.
  __device__ bool takes_early(Index i, Index j) const
  {
    return Sides == 1 && i == j && j > 0 && j < panels_ && f_.kept_columns(j) == width && f_.rows() <= most_early_rows;
  }

  /// What the count of W of panel p comes to.
  __device__ int done_count(Index p) const { return takes_early(p, p) ? 2 : 1; }

  /// Columns of panel p that are factored: those of a half that is nothing but padding are not.
  __device__ int columns(Index p) const { return f_.is_half(p) ? width / 2 : width; }

  /// Tile (i, p) of the factor of a side: W for i = p, R below.
  __device__ double *stored(Index i, Index p, Index side) const
  {
    return arrays_.factor[side] + f_.factor_begin + f_.tile_offset(i, p);
  }

  /// The accumulator is what there is less what is gathered.
  __device__ void gather(const TileTask &t)
  {
    TileGather<Sides>(arrays_, t, f_, s_).run();
    acc_[0].for_each([&](double &x, int i, int j) { x = -s_.whole.a[j * tile_leading + i]; });
    Copies::order_writes();
    publish(arrays_.gathered + t.strip);
  }

  /// Products with the panels before, 32 columns at a time, of which the next are copied ahead. With 32 columns of R
  /// the accumulator becomes C + R J Rᵀ, for LU with R of both sides.
  __device__ void subtract_products()
  {
    chunks_ = 2 * min(t_.column, panels_) - (t_.column >= panels_ && panels_ > 0 && f_.is_half(panels_ - 1) ? 1 : 0) -
              (takes_early(t_.row, t_.column) ? 2 : 0);
    next_a_ = stored(t_.row, 0, side_);
    next_b_ = stored(t_.column, 0, other_);
    step_ = (f_.rows() / width - 1) * DeviceFront::tile_stored;
    apart_ = chunks_ == 1 ? half_stored : DeviceFront::tile_stored;
    if (together < 32)
      short_ = t_.column < panels_ || panels_ == 0 || f_.kept_columns(panels_ - 1) % 32 == 0 ? -1 : chunks_ - 1;
    for (int c = 0; c < chunks_; ++c) {
      if (threadIdx.x < 32)
        begin_chunks(c);
      const int at = await_copies();
      const double *a = s_.stage[at].a[0], *b = Sides == 1 && diagonal() ? a : s_.stage[at].b;
      if (tiles_ == 1)
        add_products<1>(a, b);
      else
        add_products<most>(a, b);
      if (diagonal() && threadIdx.x < Sides * width)
        add_to_mass(threadIdx.x < width ? a : b);
      __syncthreads();
    }
  }

  template <int Tiles>
  __device__ __forceinline__ void add_products(const double *a, const double *b)
  {
    if constexpr (Sides == 1)
      TileAccumulator::add_product<Tiles>(acc_, a, b);
    else
      TileAccumulator::add_plain_product<Tiles>(acc_, a, b);
  }

  /// Waits for the next group of copies; returns the number of its stage.
  __device__ __forceinline__ int await_copies()
  {
    const int at = copied_ % 2;
    wait_for_phase(s_.arrived + at, copied_ / 2);
    ++copied_;
    return at;
  }

  /// The squares of a row of 32 columns of R.
  __device__ void add_to_mass(const double *a)
  {
    const int row = threadIdx.x % width;
    double &kept = s_.mass[threadIdx.x / width][row], mass = kept;
    for (int c = 0; c < 32; ++c) {
      const double r = a[DeviceFront::entry_of_tile(row, c)];
      mass = fma(r, r, mass);
    }
    kept = mass;
  }

  /// By a warp, while `done` chunks have been multiplied: begins to copy the next ones that there is room for. Waits
  /// for a panel only if nothing else is left to do.
  __device__ __forceinline__ void begin_chunks(int done)
  {
    while (begun_ < chunks_ && begun_ < done + 2 && (begun_ < 2 * ready_ || is_done(begun_ / 2, begun_ == done)))
      begin_chunk((copied_ + (begun_ - done)) % 2);
  }

  /// Chunk begun_, to a stage.
  __device__ __forceinline__ void begin_chunk(int at)
  {
    __mbarrier_t *const arrived = s_.arrived + at;
    const bool both = next_a_ != next_b_;
    Copies::begin(arrived, (tiles_ + both) * chunk_bytes);
    if (together == 32 || begun_ != short_) {
      for (int k = 0; k < tiles_; ++k)
        Copies::copy(s_.stage[at].a[k], next_a_ + k * apart_, chunk_bytes, arrived);
      if (both)
        Copies::copy(s_.stage[at].b, next_b_, chunk_bytes, arrived);
    } else {
      for (int k = 0; k < tiles_; ++k)
        copy_short_chunk(s_.stage[at].a[k], next_a_ + k * apart_, !both, arrived);
      if (both)
        copy_short_chunk(s_.stage[at].b, next_b_, true, arrived);
    }
    Copies::end(arrived);
    const int step = begun_ % 2 == 0 ? half_stored : step_ - half_stored;
    next_a_ += step;
    next_b_ += step;
    step_ -= begun_ % 2 == 0 ? 0 : DeviceFront::tile_stored;
    ++begun_;
    if (begins_smaller()) {
      const Index p = panels_ - 1, less = together == 32 ? half_stored : DeviceFront::tile_stored - f_.stored(p);
      apart_ = DeviceFront::tile_stored - less;
      next_a_ -= (t_.row - p) * less;
      next_b_ -= (t_.column - p) * less;
    }
  }

  /// Whether chunk begun_ begins a panel whose tiles are smaller, also those before these, or, for LDLᵀ, may be.
  __device__ __forceinline__ bool begins_smaller() const
  {
    return together == 32 ? begun_ % 2 == 0 && begun_ + 1 == chunks_ : begun_ == 2 * (panels_ - 1);
  }

  /// A chunk of fewer than 32 columns that are kept, after which there are zeros, and the words of J if they are asked
  /// for.
  __device__ __forceinline__ void copy_short_chunk(double *to, const double *from, bool with_words,
                                                   __mbarrier_t *arrived)
  {
    const int kept = f_.kept_columns(panels_ - 1) % 32 * width;
    const unsigned bytes = kept * unsigned(sizeof(double)), words = 2 * sizeof(double);
    Copies::copy(to, from, bytes, arrived);
    Copies::copy(to + kept, arrays_.padding, chunk_bytes - bytes - (with_words ? words : 0), arrived);
    if (with_words)
      Copies::copy(to + DeviceFront::half_tile, from + kept, words, arrived);
  }

  /// By a warp: whether the tiles of panel p in this tile's row and column are done. It looks at those of the next
  /// panels, too, each lane at one tile: a look takes as long as half a product.
  __device__ bool is_done(int p, bool wait)
  {
    const int ahead = tiles_ == 1 ? 16 : 8; // panels that it looks at
    const int lane = threadIdx.x, which = lane / ahead, next = p + lane % ahead, end = (chunks_ + 1) / 2;
    const bool in_row = which < tiles_;
    const int *const tile = done(in_row ? t_.row + which : t_.column, next, in_row ? side_ : other_);
    const auto open = [&](bool looks) { // a bit for each panel that is not done, or not looked at
      const bool is_done = next < end && looks && (which > tiles_ || has_count(tile, 1));
      unsigned lanes = __ballot_sync(whole_warp, !is_done);
      for (int n = 16; n >= ahead; n /= 2)
        lanes |= lanes >> n;
      return lanes & ((1u << ahead) - 1);
    };
    unsigned not_done = open(true);
    while (wait && (not_done & 1))
      not_done = open(lane % ahead == 0);
    __syncwarp(); // the lane that copies sees what the others have seen
    Copies::order_reads();
    ready_ = p + (not_done ? __ffs(not_done) - 1 : ahead);
    return p < ready_;
  }

  __device__ void factor()
  {
    const Index p = t_.column;
    auto &factored = s_.whole.factorization.diagonal;
    const std::uint32_t *pairs = arrays_.pair + f_.sign_begin + 2 * p;
    double *const kept = stored(p, p, 0);
    const int own = f_.columns - p * width, size = columns(p); // own: without padding
    put_together();
    __syncthreads();
    const Index first = f_.first + p * width;
    if (!factor_tile_in_order<Sides>(s_.whole, s_.mass, kept, pairs, size, own, first, arrays_.rules)) {
      factor_tile_with_search<Sides>(s_.whole, s_.mass, kept, pairs, size, own, first, arrays_.rules);
      if (const int k0 = threadIdx.x / 32 * 32; k0 < size)
        arrays_.tell_order(first + k0, own - k0, factored.place[threadIdx.x]);
    }
    for (int side = 0; side < Sides; ++side) {
      double *const w = stored(p, p, side);
      for_tile_entries<together>(DeviceFront::kept_of(own, Sides), [&](int i, int c, int at) {
        __stcg(w + at, c < own ? factored.w(s_.whole.a, side, i, c) : 0.0);
      });
    }
    write_pivots(p);
    publish(done(p, p, 0));
  }

  /// What the accumulator stands for, column by column.
  __device__ void put_together()
  {
    acc_[0].for_each([&](double &x, int i, int j) { s_.whole.a[j * tile_leading + i] = -x; });
  }

  __device__ bool own(Index c) const { return c < f_.columns; }

  __device__ void write_pivots(Index p)
  {
    if (threadIdx.x >= columns(p))
      return;
    const int h = threadIdx.x / 32, c = threadIdx.x % 32;
    const Index column = p * width + threadIdx.x, word = f_.sign_begin + 2 * p + h;
    const auto &panel = s_.whole.factorization.diagonal.panel[h];
    __stcg(arrays_.root + Offset(f_.sign_begin) * 32 + column, panel.root[c]);
    if (own(column))
      arrays_.pivot[f_.first + column] = panel.pivot[c];
    const unsigned all = __ballot_sync(whole_warp, own(column));
    if (c > 0)
      return;
    if constexpr (Sides == 1) {
      __stcg(arrays_.live + word, all & ~panel.zero);
      __stcg(arrays_.negative + word, panel.negative & all);
      __stcg(arrays_.swapped + word, panel.swapped);
    } else {
      __stcg(arrays_.live + word, all);
    }
    arrays_.tell(f_.first + column, f_.columns - column, panel.bad, panel.uncertain & all, panel.pairs(),
                 panel.is_odd(), panel.perturbed);
  }

  /// Of half a panel, once W of it is done.
  __device__ __forceinline__ PanelSigns signs_of(Index p, Index half) const
  {
    const Index word = f_.sign_begin + 2 * p + half;
    return {__ldcg(arrays_.live + word), __ldcg(arrays_.negative + word), __ldcg(arrays_.swapped + word)};
  }

  /// R = A W J, and whether L = R / sqrt|D| is bounded. For LU W is that of the other side, and U is not bounded.
  __device__ void multiply_by_w()
  {
    const Index p = t_.column;
    put_together_as_stored();
    if (t_.row == p + 1 && takes_early(t_.row, t_.row))
      lend();
    if (threadIdx.x < 32) {
      begin_whole_tiles(f_.stored(p));
      copy_whole_tile(s_.whole.w, p, other_, done_count(p), f_.stored(p));
      end_whole_tiles();
    }
    __syncthreads();
    if (threadIdx.x < columns(p))
      s_.root[threadIdx.x] = __ldcg(arrays_.root + Offset(f_.sign_begin) * 32 + p * width + threadIdx.x);
    const Index half = threadIdx.x / 64; // of the columns that the thread has
    const bool kept = 32 * half < columns(p);
    const PanelSigns signs = signs_of(p, kept ? half : 0);
    await_copies();
    for (int k = 0;;) {
      __syncthreads();
      if (kept) {
        acc_[0].clear();
        acc_[0].add(s_.whole.a, s_.whole.w);
        write_r(t_.row + k, signs);
      }
      publish(done(t_.row + k, p, side_));
      if (++k == tiles_)
        break;
      next_tile();
      put_together_as_stored(); // all have read the one before, which is published
    }
  }

  /// What the accumulator stands for, as tiles are stored.
  __device__ void put_together_as_stored()
  {
    acc_[0].for_each([&](double &x, int i, int j) { s_.whole.a[DeviceFront::entry_of_tile(i, j)] = -x; });
  }

  /// Gives A of this tile to the one on the diagonal that takes its product early.
  __device__ void lend()
  {
    double *const to = stored(t_.row, t_.row, 0);
    acc_[0].for_each([&](double &x, int i, int j) { __stcg(to + DeviceFront::entry_of_tile(i, j), -x); });
    publish(done(t_.row, t_.row, 0));
  }

  /// The last product of a tile on the diagonal, see takes_early(). R is the same as in the tile beside it.
  __device__ void subtract_early_product()
  {
    const Index p = t_.column - 1;
    double *const a = s_.whole.a; // A, then R
    if (threadIdx.x < 32) {
      begin_whole_tiles(2 * DeviceFront::tile_stored);
      copy_whole_tile(a, p + 1, 0, 1, DeviceFront::tile_stored);
      copy_whole_tile(s_.whole.w, p, 0, done_count(p), DeviceFront::tile_stored);
      end_whole_tiles();
    }
    __syncthreads();
    const PanelSigns signs = signs_of(p, threadIdx.x / 64);
    await_copies();
    TileAccumulator r;
    r.clear();
    r.add(a, s_.whole.w);
    __syncthreads();
    for_entries_of_r<32>(r, width, signs, [&](int at, double x, double, int) { a[at] = x; });
    if (threadIdx.x % 64 == 0)
      *words_after_columns<32>(a, width) = {signs.negative, signs.swapped};
    __syncthreads();
    for (int half = 0; half < 2; ++half) {
      const double *const columns = a + half * half_stored;
      TileAccumulator::add_product<1>(acc_, columns, columns);
      if (threadIdx.x < width)
        add_to_mass(columns);
    }
    __syncthreads();
  }

  /// The accumulator as R in row `row` of tiles, of the columns that the thread has.
  __device__ __forceinline__ void write_r(Index row, const PanelSigns &signs)
  {
    const Index p = t_.column;
    double *r = stored(row, p, side_);
    const int kept = f_.kept_columns(p);
    bool good = true;
    for_entries_of_r<together>(acc_[0], kept, signs, [&](int at, double x, double of_l, int j) {
      good = good && (side_ == 1 || fabs(of_l) * s_.root[j] <= arrays_.rules.bound);
      __stcg(r + at, x);
    });
    if (threadIdx.x % 64 == 0)
      __stcg(words_after_columns<together>(r, kept), {signs.negative, signs.swapped});
    if (!good && !arrays_.rules.definite)
      acc_[0].template for_columns<together>(kept, [&](double x, int, int j) {
        if (!(fabs(x) * s_.root[j] <= arrays_.rules.bound))
          arrays_.fail(f_.first + min(p * width + j, f_.columns - 1));
      });
  }

  // By a warp, copies of whole tiles, so many numbers in all.
  __device__ void begin_whole_tiles(unsigned numbers)
  {
    Copies::begin(s_.arrived + copied_ % 2, numbers * unsigned(sizeof(double)));
  }
  /// What is in the place of W of panel p when its count has reached n.
  __device__ void copy_whole_tile(double *to, Index p, Index side, int n, unsigned numbers)
  {
    if (threadIdx.x == 0)
      wait_for_count(done(p, p, 0), n);
    __syncwarp();
    Copies::order_reads();
    Copies::copy(to, stored(p, p, side), numbers * unsigned(sizeof(double)), s_.arrived + copied_ % 2);
  }
  __device__ void end_whole_tiles() { Copies::end(s_.arrived + copied_ % 2); }

  /// A tile of what the parent gathers, for LU with what is above the diagonal on side 1.
  __device__ void hand_on(const TileTask &t)
  {
    if (f_.parent < 0)
      return;
    const Index row = t.row - panels_, column = t_.column - panels_;
    const Contribution &strip = s_.strip.contribution;
    double *const begin = arrays_.memory + strip.begin, *const tile = begin + strip.tile(row, column, side_);
    acc_[0].for_each([&](double &x, int i, int j) { __stcg(tile + j * width + i, -x); });
    if (diagonal()) {
      double *const upper = begin + strip.tile(row, column, Sides - 1);
      if (Sides == 2)
        acc_[0].for_each([&](double &x, int i, int j) {
          if (i < j)
            __stcg(upper + i * width + j, -x);
        });
      if (threadIdx.x < Sides * width) {
        const int side = threadIdx.x / width, i = threadIdx.x % width;
        __stcg(begin + strip.mass(row * width + i, side), s_.mass[side][i]);
      }
    }
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
  TileScratch<Sides> &s_;
  const int tiles_;
  unsigned &copied_;
  const Index panels_;
  const Index side_, other_;
  TileAccumulator acc_[most]; ///< of the tiles

  // Of the first warp
  int chunks_ = 0; ///< of 32 columns, to be multiplied
  int begun_ = 0;  ///< copies of chunks
  int ready_ = 0;  ///< panels of which the tile's row and column are known to be done
  const double *next_a_ = nullptr, *next_b_ = nullptr; ///< the next chunk of either
  int step_ = 0;                                       ///< from one panel of a row to the next
  int apart_ = 0;                                      ///< from one row of it to the next
  int short_ = -1;                                     ///< chunk of fewer than 32 columns
};

} // namespace tessera
#endif
