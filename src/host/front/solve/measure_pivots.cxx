#include "host/front/solve/measure_pivots.hpp"

#include "base/compensated_sum.hpp"
#include "base/permute.hpp"
#include "host/front/blas.hpp"
#include "host/front/measured_rounding.hpp"
#include "host/front/solve/correct_pivots.hpp"
#include "host/front/solve/measure_left_out.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace tessera {
namespace {

constexpr Index columns_at_a_time = 128; ///< at most, and as many as memory for 8 of 2^20 rows has room for
constexpr Index always_measured = 64;    ///< columns

/// Rows in elimination order.
struct RowRange {
  Index begin, end;
};

/// Pivots of a front that are measured together.
struct Batch {
  std::size_t begin, end;   ///< in the list of the front
  std::vector<Index> place; ///< in the front, of each column of v
  std::vector<Index> start; ///< [pivots + 1] the first column of v of each

  Index columns() const { return Index(place.size()); }
};

template <class T, Symmetry S>
class PivotMeasurement {
public:
  PivotMeasurement(const FrontPlan &plan, FrontStore<T> &store, FrontSolve<T, S> &solve, const T *values)
      : plan_(plan), store_(store), solve_(solve), values_(values),
        most_columns_(std::clamp((8 << 20) / std::max<Index>(plan.tree.rows(), 1), 8, columns_at_a_time))
  {
  }

  void run(double most)
  {
    for (Index s = 0; s < plan_.tree.fronts(); ++s) {
      std::vector<UncertainPivot> &list = store_[s].uncertain;
      std::size_t done = 0;
      still_uncertain_.clear();
      while (done < list.size() && (measured_ < always_measured || operations_ <= most))
        done = measure_some(s, done, most);
      list.erase(list.begin(), list.begin() + std::ptrdiff_t(done));
      list.insert(list.end(), still_uncertain_.begin(), still_uncertain_.end());
    }
  }

private:
  /// A pivot that is taken for 0, or for singular, by its mass alone.
  struct Doubt {
    std::size_t pivot; ///< in the list of the front
    Index column;      ///< of v
    bool two;          ///< rows
    int zeros;         ///< eigenvalues that are taken for 0
    MeasuredPivot<T> by_entries;
  };

  /// Measures pivots of a front from this one of its list on. Returns the first that is left.
  std::size_t measure_some(Index s, std::size_t begin, double most)
  {
    FrontColumns<T> &front = store_[s];
    const Index first = plan_.tree.first_of_subtree(s);
    const double of_column = substitution(s, first), left = (most - operations_) / of_column;
    const Batch batch = make_batch(front, begin, std::max(double(always_measured - measured_), left));
    const RowRange rows = {plan_.tree.first[first], plan_.tree.first[s + 1]};
    const T *v = solve_.inverse_columns(s, first, batch.place);
    multiply(first, s, v, batch.columns());
    std::vector<bool> certain;
    std::vector<Doubt> doubts;
    for (std::size_t p = batch.begin; p < batch.end; ++p)
      certain.push_back(settle(front, rows, v, batch, p, doubts));
    compare_with_errors(s, first, rows, doubts);
    const std::vector<double> beside = beside_pivots(front, batch, rows, v);
    for (std::size_t p = 0; p < certain.size(); ++p) {
      UncertainPivot &pivot = front.uncertain[batch.begin + p];
      if (!(beside[p] < 1))
        pivot.doubtful = std::max<Index>(pivot.doubtful, 1);
      if (!certain[p] || pivot.doubtful > 0)
        still_uncertain_.push_back(pivot);
    }
    measured_ += batch.columns();
    operations_ += batch.columns() * (of_column + double(batch.columns()) * (rows.end - rows.begin));
    return batch.end;
  }

  /// Operations for a column of v.
  double substitution(Index s, Index first) const
  {
    double operations = 1;
    for (Index t = first; t <= s; ++t)
      operations += double(store_[t].rows) * double(store_[t].eliminated);
    return operations;
  }

  /// As many pivots as there is room for, from this one of the list on, and about as many columns as this.
  Batch make_batch(const FrontColumns<T> &front, std::size_t begin, double columns) const
  {
    Batch batch{begin, begin, {}, {0}};
    while (batch.end < front.uncertain.size() && batch.columns() + 2 <= most_columns_ &&
           (batch.columns() == 0 || batch.columns() < columns)) {
      const Index k = front.uncertain[batch.end++].place;
      batch.place.push_back(k);
      if (front.off[k] != T(0))
        batch.place.push_back(k + 1);
      batch.start.push_back(batch.columns());
    }
    return batch;
  }

  /// Corrects a pivot of the list by what is measured of it. Returns whether that is certain, but for what is added to
  /// the doubts: what may be rounding by its mass, and is not by its entries, has to be so by the errors of v.
  bool settle(FrontColumns<T> &front, RowRange rows, const T *v, const Batch &batch, std::size_t p,
              std::vector<Doubt> &doubts) const
  {
    const UncertainPivot &pivot = front.uncertain[p];
    const Index column = batch.start[p - batch.begin];
    const bool two = batch.start[p - batch.begin + 1] == column + 2;
    const MeasuredPivot<T> by_entries = measure(rows, v, column, two);
    MeasuredPivot<T> by_mass = by_entries;
    by_mass.rounding_a = measured_rounding(squares_[column], pivot.mass[0]);
    by_mass.rounding_c = two ? measured_rounding(squares_[column + 1], pivot.mass[1]) : 0;
    if (!is_finite(by_mass.a + by_mass.b + by_mass.c + by_mass.rounding_a + by_mass.rounding_c))
      return false;
    const int zeros = zeros_of<S>(by_mass, two);
    if (zeros > zeros_of<S>(by_entries, two))
      doubts.push_back({p, column, two, zeros, by_entries});
    correct_pivot<S>(front, pivot.place, by_mass);
    return true;
  }

  /// The pivot of this column of v, and of the next if it is 2x2, from the products, and what may be rounding of
  /// entries.
  MeasuredPivot<T> measure(RowRange rows, const T *v, Index column, bool two) const
  {
    MeasuredPivot<T> m;
    m.a = on_diagonal<S>(dot(rows, v, column, column));
    m.rounding_a = measured_rounding(squares_[column], 0);
    if (two) {
      m.b = mirrored<S>(dot(rows, v, column, column + 1));
      m.c = on_diagonal<S>(dot(rows, v, column + 1, column + 1));
      m.rounding_c = measured_rounding(squares_[column + 1], 0);
    }
    return m;
  }

  /// Subtracts from measured pivots of front s what errors of v make of them, Rᵀ A₁₁⁻¹ R: R is what A v has in the rows
  /// eliminated before the pivot, where it should be 0, and A₁₁ their part of A. A quarter of that counts as rounding.
  /// Eigenvalues that are not 0 then, and are taken for 0, are doubtful.
  void compare_with_errors(Index s, Index first, RowRange rows, std::vector<Doubt> &doubts)
  {
    const FrontColumns<T> &front = store_[s];
    const std::ptrdiff_t size = rows.end - rows.begin, n = plan_.tree.rows();
    std::vector<T> r;
    for (const Doubt &doubt : doubts)
      for (Index c = doubt.column; c <= doubt.column + doubt.two; ++c) {
        r.insert(r.end(), product_.begin() + c * size, product_.begin() + (c + 1) * size);
        for (Index i = store_[s].uncertain[doubt.pivot].place; i < front.columns; ++i)
          r[r.size() - size + front.row[i] - rows.begin] = 0;
      }
    const Index columns = Index(r.size() / size);
    if (columns == 0)
      return;
    const T *z = solve_.eliminate_columns(s, first, columns, r.data());
    operations_ += columns * substitution(s, first);
    for (Doubt &doubt : doubts) {
      UncertainPivot &pivot = store_[s].uncertain[doubt.pivot];
      const auto error = [&](Index i, Index j) {
        return product_with_pivots(s, first, pivot.place, z + i * n, z + j * n);
      };
      MeasuredPivot<T> &m = doubt.by_entries;
      const T a = on_diagonal<S>(error(0, 0)), c = doubt.two ? on_diagonal<S>(error(1, 1)) : T(0);
      m.a -= a;
      m.b -= doubt.two ? mirrored<S>(error(0, 1)) : T(0);
      m.c -= c;
      m.rounding_a += magnitude(a) / 4;
      m.rounding_c += magnitude(c) / 4;
      pivot.doubtful = std::max(doubt.zeros - zeros_of<S>(m, doubt.two), 0);
      z += (1 + doubt.two) * n;
    }
  }

  /// xᵀ D y, or xᴴ D y, for what is eliminated in fronts first .. s - 1 and in front s before place k.
  T product_with_pivots(Index s, Index first, Index k, const T *x, const T *y) const
  {
    CompensatedSumOf<T> sum;
    for (Index t = first; t <= s; ++t) {
      const FrontColumns<T> &f = store_[t];
      for (Index j = 0; j < (t < s ? f.eliminated : k); ++j) {
        const T xj = mirrored<S>(x[f.row[j]]), yj = y[f.row[j]];
        sum.add_product(xj, product(f.d[j], yj));
        if (f.off[j] != T(0)) {
          sum.add_product(mirrored<S>(x[f.row[j + 1]]), product(f.off[j], yj));
          sum.add_product(xj, product(mirrored<S>(f.off[j]), y[f.row[j + 1]]));
        }
      }
    }
    return sum.value();
  }

  /// A column that was taken for 0 with its pivot has no entries of L, though the pivot may turn out not to be 0, or
  /// what is beside it. So pivots that were measured together are the diagonal of a matrix Vᵀ A V whose other entries
  /// are left out. Its inertia is that of the diagonal where each pivot that is not 0 outweighs what is beside it, and
  /// what is beside the others may be rounding. Returns for each what is beside it, where pivots, and of those that are
  /// 0 what may be rounding, are scaled to 1: of a pivot that is not 0 the sum beside others like it, of one that is 0
  /// the largest entry.
  std::vector<double> beside_pivots(const FrontColumns<T> &front, const Batch &batch, RowRange rows, const T *v) const
  {
    const std::size_t pivots = batch.end - batch.begin, columns = batch.place.size();
    const std::vector<T> entry = all_products(rows, v, batch.columns());
    std::vector<double> size(pivots, 0.0), scale(columns), beside(pivots, 0.0);
    for (std::size_t p = 0; p < pivots; ++p) {
      const Index begin = batch.start[p], end = batch.start[p + 1];
      for (Index c = begin; c < end; ++c)
        size[p] = std::max({size[p], magnitude(front.d[batch.place[c]]), magnitude(front.off[batch.place[c]])});
      for (Index c = begin; c < end; ++c)
        scale[c] = std::sqrt(
            size[p] > 0 ? size[p] : measured_rounding(squares_[c], front.uncertain[batch.begin + p].mass[c - begin]));
    }
    const auto largest_entry = [&](std::size_t p, std::size_t q) {
      double largest = 0;
      for (Index c = batch.start[p]; c < batch.start[p + 1]; ++c)
        for (Index other = batch.start[q]; other < batch.start[q + 1]; ++other)
          if (const double x = magnitude(entry[other * columns + c]); x > 0)
            largest = std::max(largest, x / scale[c] / scale[other]);
      return largest;
    };
    for (std::size_t q = 0; q < pivots; ++q)
      for (std::size_t p = 0; p < q; ++p) {
        const double largest = largest_entry(p, q);
        for (const auto [one, two] : {std::array{p, q}, std::array{q, p}})
          if (size[one] == 0)
            beside[one] = std::max(beside[one], largest);
          else if (size[two] > 0)
            beside[one] += largest;
      }
    return beside;
  }

  /// Vᵀ A V, or Vᴴ A V, but for its sign: [columns, columns]. A v is next to nothing where something was eliminated, so
  /// sums of these products need no more digits.
  std::vector<T> all_products(RowRange rows, const T *v, Index columns) const
  {
    std::vector<T> all(std::size_t(columns) * columns);
    const int size = rows.end - rows.begin;
    blas::subtract_transposed_product(S == Symmetry::Hermitian ? blas::Form::adjoint : blas::Form::transposed, columns,
                                      columns, size, v + rows.begin, plan_.tree.rows(), product_.data(), size,
                                      all.data(), columns);
    return all;
  }

  /// Computes the products A v of the rows of the fronts first .. s for v: [columns, rows], A as it is factored, and
  /// the sums of all (v_i a_ij v_j)².
  void multiply(Index first, Index s, const T *v, Index columns)
  {
    const std::ptrdiff_t n = plan_.tree.rows();
    if (place_.empty())
      place_ = inverse_permutation(plan_.tree.perm);
    product_.resize((plan_.tree.first[s + 1] - plan_.tree.first[first]) * std::size_t(columns));
    std::fill(squares_, squares_ + columns, 0.0);
    const MatrixPart<T> part = part_of_subtree<S>(plan_, values_, place_, first, s);
    for (Index i = 0; i < part.rows; ++i) {
      CompensatedSumOf<T> sum[columns_at_a_time];
      double squares[columns_at_a_time] = {};
      part.for_row(i, [&](Index j, T x) {
        for (Index c = 0; c < columns; ++c) {
          const T y = v[c * n + part.begin + j];
          sum[c].add_product(x, y);
          squares[c] += squared_magnitude(product(x, y));
        }
      });
      for (Index c = 0; c < columns; ++c) {
        product_[c * part.rows + i] = sum[c].value();
        squares_[c] += squared_magnitude(v[c * n + part.begin + i]) * squares[c];
      }
    }
  }

  /// A column of v, transposed or adjoint, times the product of another one.
  T dot(RowRange rows, const T *v, Index column, Index other) const
  {
    const T *x = v + std::ptrdiff_t(column) * plan_.tree.rows() + rows.begin,
            *y = product_.data() + std::ptrdiff_t(other) * (rows.end - rows.begin);
    CompensatedSumOf<T> sum;
    for (Index e = 0; e < rows.end - rows.begin; ++e)
      sum.add_product(mirrored<S>(x[e]), y[e]);
    return sum.value();
  }

  const FrontPlan &plan_;
  FrontStore<T> &store_;
  FrontSolve<T, S> &solve_;
  const T *values_;
  const Index most_columns_;
  std::vector<Index> place_; ///< [rows] of each row of the matrix in elimination order
  std::vector<T> product_;   ///< [columns, rows of the subtree]
  double squares_[columns_at_a_time];
  std::vector<UncertainPivot> still_uncertain_; ///< of a front, though they are no longer to be measured
  Index measured_ = 0;                          ///< columns
  double operations_ = 0;                       ///< for them
};

} // namespace

template <class T, Symmetry S>
void measure_pivots(const FrontPlan &plan, FrontStore<T> &store, FrontSolve<T, S> &solve, const T *values, double most)
{
  PivotMeasurement<T, S>(plan, store, solve, values).run(most);
}

template void measure_pivots(const FrontPlan &, FrontStore<double> &, FrontSolve<double, Symmetry::Symmetric> &,
                             const double *, double);
template void measure_pivots(const FrontPlan &, FrontStore<Complex> &, FrontSolve<Complex, Symmetry::Symmetric> &,
                             const Complex *, double);
template void measure_pivots(const FrontPlan &, FrontStore<Complex> &, FrontSolve<Complex, Symmetry::Hermitian> &,
                             const Complex *, double);

} // namespace tessera
