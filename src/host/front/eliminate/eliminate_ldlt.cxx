#include "host/front/eliminate/eliminate_ldlt.hpp"

#include "factor/front/static_pivots.hpp"
#include "host/front/blas.hpp"
#include "host/front/eliminate/inverse_pair.hpp"
#include "host/front/eliminate/ldlt_tile.hpp"
#include "host/front/lower_chunks.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <type_traits>

namespace tessera {
namespace {

constexpr Index block_columns = 256; ///< of a block, whose panels update what follows together
constexpr Index small_columns = 16;  ///< fronts with at most so many are eliminated pivot by pivot

template <class T, Symmetry S>
class BlockElimination {
public:
  BlockElimination(FrontColumns<T> &front, const DirectOptions &options, bool parallel, std::vector<T> &work)
      : f_(front), options_(options), bound_(1 / options.own_threshold()), parallel_(parallel), end_(front.columns)
  {
    const std::size_t size = std::size_t(front.rows) * (std::min(block_columns, front.columns) + 1);
    if (work.size() < size)
      work.resize(size);
    v_ = work.data();
  }

  void run()
  {
    while (f_.eliminated < end_) {
      begin_ = f_.eliminated;
      const Index limit = std::min(begin_ + block_columns, end_);
      Index panel_end = begin_;
      bool failed = false;
      while (f_.eliminated < limit && !failed) {
        const Index width = panel_width(limit);
        panel_end = f_.eliminated + width;
        update_panel(width);
        failed = !eliminate_panel(width);
      }
      update_rest(panel_end);
      if (failed)
        move_behind();
    }
  }

private:
  T *v(Index i, Index column) const { return v_ + std::ptrdiff_t(column - begin_) * f_.rows + i; }

  /// Columns of the next panel; a pair stays together, if need be beyond the limit.
  Index panel_width(Index limit) const
  {
    const Index width = std::min(tile_columns, limit - f_.eliminated), last = f_.eliminated + width - 1;
    if (!f_.pair[last] || last + 1 == end_)
      return width;
    return width > 1 ? width - 1 : 2;
  }

  /// Brings a panel up to date with the columns of its block that are eliminated.
  void update_panel(Index width)
  {
    const Index j = f_.eliminated;
    for_chunks_of_rows(j, f_.rows, parallel_, [&](Index r0, Index r1) {
      blas::subtract_product(r1 - r0, width, j - begin_, f_.at(r0, begin_), f_.rows, v(j, begin_), f_.rows,
                             blas::mirror_image<S>, f_.at(r0, j), f_.rows);
    });
  }

  /// Brings the columns from `first` on up to date with the columns of this block.
  void update_rest(Index first)
  {
    const Index done = f_.eliminated;
    for_lower_chunks(first, f_.columns, f_.rows, parallel_, [&](Index r0, Index r1, Index j0, Index j1) {
      blas::subtract_product(r1 - r0, j1 - j0, done - begin_, f_.at(r0, begin_), f_.rows, v(j0, begin_), f_.rows,
                             blas::mirror_image<S>, f_.at(r0, j0), f_.rows);
    });
  }

  void factor_tile(Index width)
  {
    const Index j = f_.eliminated;
    tile_.n = width;
    std::uint32_t pairs = 0;
    for (Index c = 0; c < width; ++c) {
      pairs |= std::uint32_t(f_.pair[j + c] && c + 1 < width) << c;
      std::copy(f_.at(j + c, j + c), f_.at(j + width, j + c), &tile_.at(tile_.a, c, c));
      tile_.at(tile_.a, c, c) = on_diagonal<S>(tile_.at(tile_.a, c, c));
    }
    tile_.template factor<Pivoting::none>(pairs);
    if (!tile_.bounded(bound_))
      tile_.template factor<Pivoting::rook>(0);
  }

  /// V = B L⁻ᵀ for the rows below the tile, B the columns of the panel in the tile's order, and which pivots have
  /// columns of L within the bound. Returns how many come before the first that has not.
  Index test_columns(Index width)
  {
    const Index j = f_.eliminated;
    std::atomic<std::uint32_t> bad{0};
    for_chunks_of_rows(j + width, f_.rows, parallel_, [&](Index r0, Index r1) {
      for (Index c = 0; c < width; ++c)
        std::copy(f_.at(r0, j + tile_.perm[c]), f_.at(r1, j + tile_.perm[c]), v(r0, j + c));
      blas::solve_triangle(blas::Side::right, blas::Triangle::lower, blas::mirror_image<S>, blas::Diagonal::unit,
                           r1 - r0, width, tile_.l, tile_columns, v(r0, j), f_.rows);
      std::uint32_t found = 0;
      for (Index c = 0; c < width; c += tile_.off[c] != T(0) ? 2 : 1)
        found |= std::uint32_t(!within_bound(v(r0, j + c), r1 - r0, c)) << c;
      bad.fetch_or(found, std::memory_order_relaxed);
    });
    for (Index c = 0; c < width; c += tile_.off[c] != T(0) ? 2 : 1)
      if (bad >> c & 1 || !large_enough(c))
        return c;
    return width;
  }

  /// Whether column c of L, and c + 1 of a 2x2 pivot, is within the bound. x: [n] of V, its column c.
  bool within_bound(const T *x, Index n, Index c) const
  {
    if (options_.is_static())
      return true; // what overflows is handed to the parent, where it is seen
    bool good = true;
    if (tile_.off[c] == T(0)) {
      const double most = magnitude(tile_.d[c]) * bound_;
      for (Index i = 0; i < n; ++i)
        good &= is_at_most(x[i], most);
      return good;
    }
    const InversePair<T, S> inverse(tile_.d[c], tile_.off[c], tile_.d[c + 1]);
    const T *y = x + f_.rows;
    for (Index i = 0; i < n; ++i) {
      good &= is_at_most(inverse.first_of_row(x[i], y[i]), bound_);
      good &= is_at_most(inverse.second_of_row(x[i], y[i]), bound_);
    }
    return good;
  }

  /// What is left of a singular matrix is judged over whole columns, by eliminate_carefully.
  bool large_enough(Index c) const
  {
    const bool two = tile_.off[c] != T(0);
    const double mass = two ? std::sqrt(mass_[c]) * std::sqrt(mass_[c + 1]) : mass_[c];
    const double size = magnitude(two ? tile_.off[c] : tile_.d[c]);
    if (tile_.counts.nonfinite || !(size > options_.refused() * mass))
      return false;
    if (options_.leaves_out && two &&
        is_uncertain<S>(tile_.d[c], tile_.off[c], tile_.d[c + 1], mass_[c], mass_[c + 1], options_.uncertain))
      return false;
    return !options_.is_static() || (size >= options_.least_pivot && (!two || is_large_pivot(c)));
  }

  /// Of the 2x2 pivot, see is_large_pair().
  bool is_large_pivot(Index c) const
  {
    const T b = without_argument<S>(tile_.off[c]), p = quotient(tile_.d[c], b), q = quotient(tile_.d[c + 1], b);
    return is_large_pair(magnitude(product(p, q) - T(1)), magnitude(b), magnitude(p), magnitude(q),
                         options_.least_pivot);
  }

  /// Masses of the rows of the tile, each once the pivots before it are eliminated.
  void find_masses(Index width)
  {
    for (Index c = 0; c < width; ++c) {
      mass_[c] = f_.mass[f_.eliminated + tile_.perm[c]];
      for (Index k = 0; k < c; ++k)
        mass_[c] += squared_magnitude(tile_.at(tile_.l, c, k)) * tile_.size_of_pivot(k);
    }
  }

  /// Returns false when a pivot failed; it is then the first column that is left.
  bool eliminate_panel(Index width)
  {
    factor_tile(width);
    find_masses(width);
    const Index j = f_.eliminated, accepted = test_columns(width);
    failing_ = accepted < width && tile_.off[accepted] != T(0) ? 2 : 1;
    permute(width);
    if (accepted < width)
      keep_rest(width, accepted);
    for (Index c = 0; c < accepted; ++c) {
      std::copy(&tile_.at(tile_.l, c + 1, c), &tile_.at(tile_.l, 0, c) + width, f_.at(j + c + 1, j + c));
      *f_.at(j + c, j + c) = 1;
      f_.d[j + c] = tile_.d[c];
      f_.off[j + c] = tile_.off[c];
    }
    for (Index c = 0; c < accepted; c += tile_.off[c] != T(0) ? 2 : 1)
      note_uncertain<S>(f_, j + c, mass_[c], tile_.off[c] != T(0) ? mass_[c + 1] : 0, options_.uncertain);
    for_chunks_of_rows(j + width, f_.rows, parallel_, [&](Index r0, Index r1) {
      for (Index c = 0; c < accepted; c += tile_.off[c] != T(0) ? 2 : 1)
        divide(v(r0, j + c), r1 - r0, c, f_.at(r0, j + c));
      add_mass(r0, r1, accepted);
    });
    if (accepted < width)
      update_rest_of_panel(width, accepted);
    f_.eliminated += accepted;
    return accepted == width;
  }

  /// What the accepted pivots of the panel add to the diagonal entries of these rows.
  void add_mass(Index r0, Index r1, Index accepted)
  {
    const Index j = f_.eliminated, middle = std::clamp(f_.columns, r0, r1);
    const auto add = [&](Index begin, Index end) {
      if (begin == end)
        return;
      double *mass = &f_.mass_of(begin);
      for (Index c = 0; c < accepted; ++c) {
        const T *l = f_.at(begin, j + c);
        const double size = tile_.size_of_pivot(c);
        for (Index i = 0; i < end - begin; ++i)
          mass[i] += squared_magnitude(l[i]) * size;
      }
    };
    add(r0, middle);
    add(middle, r1);
  }

  /// l = v D⁻¹ for pivot c.
  void divide(const T *x, Index n, Index c, T *l) const
  {
    if (tile_.off[c] == T(0)) {
      const T inverse = quotient(T(1), tile_.d[c]);
      for (Index i = 0; i < n; ++i)
        l[i] = product(x[i], inverse);
      return;
    }
    const InversePair<T, S> inverse(tile_.d[c], tile_.off[c], tile_.d[c + 1]);
    const T *y = x + f_.rows;
    T *l_two = l + f_.rows;
    for (Index i = 0; i < n; ++i) {
      l[i] = inverse.first_of_row(x[i], y[i]);
      l_two[i] = inverse.second_of_row(x[i], y[i]);
    }
  }

  /// Exchanges what belongs to the rows of the tile as its pivots say: rows of L and of V, names. Not the panel itself.
  void permute(Index width)
  {
    if (tile_.in_order())
      return;
    const Index j = f_.eliminated;
    const auto reorder = [&](auto *column) {
      std::remove_pointer_t<decltype(column)> x[tile_columns];
      std::copy(column, column + width, x);
      for (Index c = 0; c < width; ++c)
        column[c] = x[tile_.perm[c]];
    };
    for (Index k = 0; k < j; ++k)
      reorder(f_.at(j, k));
    for (Index k = begin_; k < j; ++k)
      reorder(v(j, k));
    reorder(f_.mass + j);
    reorder(f_.row + j);
    std::fill(f_.pair + j - (j > 0), f_.pair + j + width, std::uint8_t(0));
  }

  /// Saves the columns of the panel from `accepted` on, below the tile and in its order, before L is written.
  void keep_rest(Index width, Index accepted)
  {
    const Index j = f_.eliminated, below = f_.rows - j - width;
    rest_.resize(std::size_t(below) * (width - accepted));
    for (Index c = accepted; c < width; ++c)
      std::copy(f_.at(j + width, j + tile_.perm[c]), f_.at(0, j + tile_.perm[c]) + f_.rows,
                rest_.begin() + std::ptrdiff_t(c - accepted) * below);
  }

  /// Writes the columns of the panel that are left, up to date with those before them.
  void update_rest_of_panel(Index width, Index accepted)
  {
    const Index j = f_.eliminated, below = f_.rows - j - width, rest = width - accepted;
    for (Index c = 0; c < accepted; ++c) // V = L D in the rows of the tile that are left
      for (Index i = accepted; i < width; ++i)
        *v(j + i, j + c) = times_d(i, c);
    add_mass(j + accepted, j + width, accepted);
    for (Index c = accepted; c < width; ++c) {
      for (Index i = c; i < width; ++i)
        *f_.at(j + i, j + c) = tile_.before(tile_.perm[i], tile_.perm[c]);
      std::copy_n(rest_.begin() + std::ptrdiff_t(c - accepted) * below, below, f_.at(j + width, j + c));
    }
    blas::subtract_product(f_.rows - j - accepted, rest, accepted, f_.at(j + accepted, j), f_.rows, v(j + accepted, j),
                           f_.rows, blas::mirror_image<S>, f_.at(j + accepted, j + accepted), f_.rows);
  }

  /// Entry (i, c) of L D in the tile.
  T times_d(Index i, Index c)
  {
    T x = product(tile_.at(tile_.l, i, c), tile_.d[c]);
    if (tile_.off[c] != T(0))
      x += product(tile_.at(tile_.l, i, c + 1), tile_.off[c]);
    else if (c > 0 && tile_.off[c - 1] != T(0))
      x += product(tile_.at(tile_.l, i, c - 1), mirrored<S>(tile_.off[c - 1]));
    return x;
  }

  /// Moves the pivot that failed behind the columns that have not been tried.
  void move_behind()
  {
    for (Index k = failing_ - 1; k >= 0; --k)
      exchange<S>(f_, f_.eliminated + k, end_ - failing_ + k);
    end_ -= failing_;
  }

  FrontColumns<T> &f_;
  const DirectOptions &options_;
  const double bound_;
  const bool parallel_;
  Index end_;           ///< columns from here on have failed
  Index begin_ = 0;     ///< first column of the block
  Index failing_ = 1;   ///< columns of the pivot that failed
  T *v_;                ///< [block + 1, rows] L D of the columns of the block
  std::vector<T> rest_; ///< of a panel in which a pivot failed
  LdltTile<T, S> tile_;
  double mass_[tile_columns]; ///< of its rows, in its order
};

} // namespace

template <Symmetry S, class T>
void eliminate_ldlt(FrontColumns<T> &front, const DirectOptions &options, bool parallel, std::vector<T> &work)
{
  if (front.columns > small_columns)
    BlockElimination<T, S>(front, options, parallel, work).run();
  eliminate_carefully<S>(front, options);
}

template <Symmetry S, class T>
void update_contribution_ldlt(const FrontColumns<T> &front, T *c, bool parallel, std::vector<T> &work)
{
  const Index n = front.rows - front.columns;
  const std::size_t size = std::size_t(n) * (block_columns + 1);
  if (work.size() < size)
    work.resize(size);
  T *v = work.data();
  for (Index k0 = 0, k1; k0 < front.eliminated; k0 = k1) {
    k1 = std::min(front.eliminated, k0 + block_columns);
    k1 += front.off[k1 - 1] != T(0);
    for_chunks_of_rows(0, n, parallel, [&](Index r0, Index r1) {
      for (Index k = k0; k < k1; ++k) {
        const T d = front.d[k], after = front.off[k], before = k > k0 ? mirrored<S>(front.off[k - 1]) : T(0);
        const T *l = front.at(front.columns, k),
                *l_other = after != T(0) ? l + front.rows : l - (before != T(0) ? front.rows : 0);
        const T other = after != T(0) ? after : before;
        T *x = v + std::ptrdiff_t(k - k0) * n;
        for (Index i = r0; i < r1; ++i)
          x[i] = product(l[i], d) + product(l_other[i], other);
      }
    });
    for_lower_chunks(0, n, n, parallel, [&](Index r0, Index r1, Index j0, Index j1) {
      blas::subtract_product(r1 - r0, j1 - j0, k1 - k0, front.at(front.columns + r0, k0), front.rows, v + j0, n,
                             blas::mirror_image<S>, c + std::ptrdiff_t(j0) * n + r0, n);
    });
  }
}

template void eliminate_ldlt<Symmetry::Symmetric>(FrontColumns<double> &, const DirectOptions &, bool,
                                                  std::vector<double> &);
template void eliminate_ldlt<Symmetry::Symmetric>(FrontColumns<Complex> &, const DirectOptions &, bool,
                                                  std::vector<Complex> &);
template void eliminate_ldlt<Symmetry::Hermitian>(FrontColumns<Complex> &, const DirectOptions &, bool,
                                                  std::vector<Complex> &);
template void update_contribution_ldlt<Symmetry::Symmetric>(const FrontColumns<double> &, double *, bool,
                                                            std::vector<double> &);
template void update_contribution_ldlt<Symmetry::Symmetric>(const FrontColumns<Complex> &, Complex *, bool,
                                                            std::vector<Complex> &);
template void update_contribution_ldlt<Symmetry::Hermitian>(const FrontColumns<Complex> &, Complex *, bool,
                                                            std::vector<Complex> &);

} // namespace tessera
