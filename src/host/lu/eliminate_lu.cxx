#include "host/lu/eliminate_lu.hpp"

#include "host/lu/lu_block.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <numeric>
#include <type_traits>

namespace tessera {
namespace {

constexpr Index tile_columns = 32; ///< of a panel, whose pivots are chosen together

/// Tiles are given up where more columns fail than so many and one of so many eliminated ones.
constexpr Index few_failures = 8, share_of_failures = 32;

/// The factor of the tile on the diagonal of a panel, rows in the order of its pivots.
template <class T>
struct LuTile {
  Index n = 0, factored = 0;        ///< columns, and those before the first without a pivot
  T a[tile_columns * tile_columns]; ///< L below the diagonal, U on and above it
  T before[tile_columns * tile_columns];
  double row_mass[tile_columns], column_mass[tile_columns]; ///< of each pivot when it is eliminated
  Index perm[tile_columns];                                 ///< [n] the row of the tile in each place

  T &at(Index i, Index j) { return a[j * tile_columns + i]; }

  /// Partial pivoting. Masses are those of rows and columns before.
  void factor(const DirectOptions &options)
  {
    std::iota(perm, perm + n, 0);
    for (factored = 0; factored < n; ++factored) {
      const Index k = factored;
      const T *x = &at(0, k);
      Index row = k;
      double largest = magnitude(x[k]);
      bool finite = true;
      for (Index i = k; i < n; ++i) {
        finite &= is_finite(x[i]);
        if (magnitude(x[i]) > largest) {
          largest = magnitude(x[i]);
          row = i;
        }
      }
      if (!finite || !is_pivot(largest, row_mass[row], column_mass[k], options))
        return;
      if (row != k) {
        for (Index j = 0; j < n; ++j)
          std::swap(at(k, j), at(row, j));
        std::swap(perm[k], perm[row]);
        std::swap(row_mass[k], row_mass[row]);
      }
      eliminate(k);
    }
  }

  void eliminate(Index k)
  {
    T *l = &at(0, k);
    const double size = magnitude(l[k]);
    for (Index i = k + 1; i < n; ++i) {
      l[i] = quotient(l[i], l[k]);
      row_mass[i] += squared_magnitude(l[i]) * size;
    }
    for (Index j = k + 1; j < n; ++j) {
      T *x = &at(0, j);
      column_mass[j] += squared_magnitude(x[k]) / size;
      for (Index i = k + 1; i < n; ++i)
        x[i] -= product(l[i], x[k]);
    }
  }

  bool in_order() const
  {
    for (Index j = 0; j < n; ++j)
      if (perm[j] != j)
        return false;
    return true;
  }
};

/// Panels whose pivots are chosen by tiles.
template <class T>
class TiledLu : LuBlock<T> {
public:
  TiledLu(LuFront<T> &front, const DirectOptions &options, bool parallel, std::vector<T> &work)
      : LuBlock<T>(front, options, parallel), bound_(1 / options.own_threshold())
  {
    const std::size_t size = std::size_t(front.rows) * tile_columns;
    if (work.size() < size)
      work.resize(size);
    v_ = work.data();
  }

  void run()
  {
    Index end = f_.columns, failed = 0; // columns from `end` on have failed
    while (f_.eliminated < end && failed <= few_failures + f_.eliminated / share_of_failures) {
      const bool fails = this->eliminate_block(end, tile_columns, [this](Index panel_end) {
        return Index(!eliminate_panel(panel_end - f_.eliminated));
      }) > 0;
      if (fails) {
        ++failed;
        f_.exchange_columns(f_.eliminated, --end);
        f_.exchange_rows(f_.eliminated, end); // else each column after it lacks the row that it is matched to
      }
    }
  }

private:
  using LuBlock<T>::f_;
  using LuBlock<T>::options_;
  using LuBlock<T>::parallel_;
  using LuBlock<T>::is_shared;

  void factor_tile(Index width)
  {
    const Index j = f_.eliminated;
    tile_.n = width;
    for (Index c = 0; c < width; ++c) {
      std::copy(f_.at(j, j + c), f_.at(j + width, j + c), &tile_.at(0, c));
      tile_.row_mass[c] = f_.row_mass[j + c];
      tile_.column_mass[c] = f_.column_mass[j + c];
    }
    std::copy(std::begin(tile_.a), std::end(tile_.a), tile_.before);
    tile_.factor(options_);
  }

  /// V = B U⁻¹ for the rows below the tile, B the columns of the panel, and which columns of it are within the bound;
  /// with static pivoting all are: what overflows is handed to the parent, where it is seen.
  /// Returns how many come before the first that is not.
  Index test_columns(Index width)
  {
    const Index j = f_.eliminated, many = tile_.factored, tested = options_.is_static() ? 0 : many;
    std::atomic<std::uint32_t> bad{0};
    for_chunks_of_rows(j + width, f_.rows, parallel_, [&](Index r0, Index r1) {
      for (Index c = 0; c < many; ++c)
        std::copy(f_.at(r0, j + c), f_.at(r1, j + c), v(r0, c));
      blas::solve_triangle(blas::Side::right, blas::Triangle::upper, blas::Form::given, blas::Diagonal::any, r1 - r0,
                           many, tile_.a, tile_columns, v(r0, 0), f_.rows);
      std::uint32_t found = 0;
      for (Index c = 0; c < tested; ++c) {
        const T *x = v(r0, c);
        bool good = true;
        for (Index i = 0; i < r1 - r0; ++i)
          good &= is_at_most(x[i], bound_);
        found |= std::uint32_t(!good) << c;
      }
      bad.fetch_or(found, std::memory_order_relaxed);
    });
    for (Index c = 0; c < many; ++c)
      if (bad >> c & 1)
        return c;
    return many;
  }

  /// Returns false when a column failed; it is then the first that is left.
  bool eliminate_panel(Index width)
  {
    factor_tile(width);
    const Index j = f_.eliminated, accepted = test_columns(width);
    permute(width);
    for (Index c = 0; c < accepted; ++c) {
      std::copy(&tile_.at(0, c), &tile_.at(0, c) + width, f_.at(j, j + c));
      f_.uncertain += is_uncertain(magnitude(tile_.at(c, c)), tile_.row_mass[c], tile_.column_mass[c], options_);
    }
    for_chunks_of_rows(j + width, f_.rows, parallel_, [&](Index r0, Index r1) {
      for (Index c = 0; c < accepted; ++c) {
        std::copy(v(r0, c), v(r0, c) + (r1 - r0), f_.at(r0, j + c));
        f_.add_row_mass(r0, r1, j + c);
      }
    });
    if (accepted < width)
      update_rest_of_panel(width, accepted);
    f_.eliminated += accepted;
    return accepted == width;
  }

  /// Brings the rows of the tile into the order of its pivots, but for the panel itself.
  void permute(Index width)
  {
    const Index j = f_.eliminated;
    if (tile_.in_order())
      return;
    const auto reorder = [&](auto *array) {
      std::remove_pointer_t<decltype(array)> x[tile_columns];
      std::copy(array, array + width, x);
      for (Index i = 0; i < width; ++i)
        array[i] = x[tile_.perm[i]];
    };
    for_chunks_of_rows(0, f_.columns, is_shared(width), [&](Index c0, Index c1) {
      for (Index c = c0; c < c1; ++c)
        if (c < j || c >= j + width)
          reorder(f_.at(j, c));
    });
    reorder(f_.row_mass + j);
    reorder(f_.row + j);
    permute_right(width);
  }

  /// The same right of the own columns, where a row is a column of memory: along the cycles of the permutation.
  void permute_right(Index width)
  {
    const Index j = f_.eliminated;
    Index at[tile_columns]; // where row i of the tile is now
    Index row[tile_columns];
    std::iota(at, at + width, 0);
    std::iota(row, row + width, 0);
    for (Index i = 0; i < width; ++i) {
      const Index from = at[tile_.perm[i]];
      if (from == i)
        continue;
      std::swap_ranges(f_.right(j + i, 0), f_.right(j + i + 1, 0), f_.right(j + from, 0));
      std::swap(row[i], row[from]);
      at[row[from]] = from;
      at[row[i]] = i;
    }
  }

  /// Brings the columns of the panel that are left up to date with those before them.
  void update_rest_of_panel(Index width, Index accepted)
  {
    const Index j = f_.eliminated, rest = width - accepted;
    for (Index i = accepted; i < width; ++i)
      for (Index c = 0; c < accepted; ++c)
        f_.row_mass[j + i] += squared_magnitude(tile_.at(i, c)) * magnitude(tile_.at(c, c));
    for (Index c = accepted; c < width; ++c) {
      for (Index i = 0; i < width; ++i)
        *f_.at(j + i, j + c) = i < accepted ? tile_.at(i, c) : tile_.before[c * tile_columns + tile_.perm[i]];
      for (Index k = 0; k < accepted; ++k)
        f_.column_mass[j + c] += squared_magnitude(tile_.at(k, c)) / magnitude(tile_.at(k, k));
    }
    blas::subtract_product(f_.rows - j - accepted, rest, accepted, f_.at(j + accepted, j), f_.rows,
                           f_.at(j, j + accepted), f_.rows, blas::Form::given, f_.at(j + accepted, j + accepted),
                           f_.rows);
  }

  T *v(Index i, Index c) const { return v_ + std::ptrdiff_t(c) * f_.rows + i; }

  const double bound_;
  T *v_; ///< [tile, rows] columns of L before they are accepted
  LuTile<T> tile_;
};

} // namespace

template <class T>
void eliminate_lu(LuFront<T> &front, const DirectOptions &options, bool parallel, std::vector<T> &work)
{
  if (front.columns > lu_small_columns)
    TiledLu<T>(front, options, parallel, work).run();
  if (front.columns - front.eliminated > lu_small_columns)
    eliminate_lu_by_columns(front, options, parallel);
  eliminate_lu_carefully(front, options);
}

template <class T>
void update_contribution_lu(const LuFront<T> &front, T *c, bool parallel)
{
  const Index n = front.below(), size = chunk_rows(n, parallel), across = (n + size - 1) / size;
  for_each_chunk(across * across, parallel, [&](Index t) {
    const Index r0 = t / across * size, r1 = std::min(n, r0 + size);
    const Index c0 = t % across * size, c1 = std::min(n, c0 + size);
    blas::subtract_product(r1 - r0, c1 - c0, front.eliminated, front.at(front.columns + r0, 0), front.rows,
                           front.right(0, c0), n, blas::Form::transposed, c + std::ptrdiff_t(c0) * n + r0, n);
  });
}

template void eliminate_lu(LuFront<double> &, const DirectOptions &, bool, std::vector<double> &);
template void eliminate_lu(LuFront<Complex> &, const DirectOptions &, bool, std::vector<Complex> &);
template void update_contribution_lu(const LuFront<double> &, double *, bool);
template void update_contribution_lu(const LuFront<Complex> &, Complex *, bool);

} // namespace tessera
