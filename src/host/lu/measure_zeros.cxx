#include "host/lu/measure_zeros.hpp"

#include "base/compensated_sum.hpp"
#include "base/permute.hpp"
#include "base/scaled.hpp"
#include "host/front/solve/schur_of_zeros.hpp"
#include "host/lu/eliminate_lu.hpp"

#include <algorithm>
#include <cmath>

namespace tessera {
namespace {

constexpr Index columns_at_a_time = 32;

/// Whether so many zero pivots are measured of a block of so many rows.
bool is_measured(Offset zeros, Offset rows)
{
  constexpr Offset always = 16;
  constexpr double most_numbers = 0x1p24; // of vectors for all of them
  constexpr double most_products = 1e8;   // of two entries of such vectors
  return zeros <= always || (zeros <= most_measured && double(zeros * rows) <= most_numbers &&
                             double(zeros * zeros) * double(rows) <= most_products);
}

/// What is left at the root of a diagonal block. Its rows and columns are numbered from 0 here, in elimination order,
/// and vectors lie one behind the other.
template <class T>
class RootMeasurement {
public:
  RootMeasurement(const LuPlan &plan, LuStore<T> &store, LuSolve<T> &solve, const T *values, std::size_t block,
                  const std::vector<Index> &column_place)
      : plan_(plan), fronts_(plan.block[block]), root_(store[fronts_.end - 1]), solve_(solve), values_(values),
        block_(block), column_place_(column_place), begin_(plan.fronts.tree.first[fronts_.begin]),
        rows_(plan.fronts.tree.first[fronts_.end] - begin_), many_(root_.zero), first_(root_.eliminated - many_)
  {
  }

  /// Adds what was measured to the others.
  void run(const DirectOptions &options, MeasuredRoots &roots)
  {
    roots.measured += many_;
    solve_.find_null_vectors(false, block_, right_);
    solve_.find_null_vectors(true, block_, left_);
    multiply();
    SchurOfZerosOf<T> schur = measure();
    MeasuredZerosOf<T> measured = judge_singular_values(schur);
    if (measured.known && measured.zero > 0) {
      schur.error = error();
      measured = judge_singular_values(schur);
    }
    roots.uncertain += measured.uncertain;
    if (!measured.known || (measured.zero < many_ && !take_pivots(schur, measured, options)))
      roots.known = false;
  }

private:
  /// f(i, j, a_ij) for the entries of the block, A as it is factored.
  template <class F>
  void for_entries(const F &f) const
  {
    const FrontPlan &fronts = plan_.fronts;
    for (Index i = 0; i < rows_; ++i) {
      const Index row = fronts.tree.perm[begin_ + i];
      for (Offset p = fronts.matrix.start[row]; p < fronts.matrix.start[row + 1]; ++p) {
        const Index place = column_place_[fronts.matrix.column[p]], j = place - begin_;
        if (j >= 0 && j < rows_)
          f(i, j, scaled(values_[fronts.source[p]], fronts.scale[begin_ + i], plan_.column_scale[place]));
      }
    }
  }

  /// A V, and the sums of (a_ij v_j)² in each row.
  void multiply()
  {
    product_.resize(right_.size());
    terms_.assign(right_.size(), 0.0);
    std::vector<CompensatedSumOf<T>> sum(rows_);
    for (Index c = 0; c < many_; ++c) {
      const T *v = right_.data() + at(c);
      std::fill(sum.begin(), sum.end(), CompensatedSumOf<T>());
      for_entries([&](Index i, Index j, T a) {
        sum[i].add_product(a, v[j]);
        terms_[at(c) + i] += squared_magnitude(product(a, v[j]));
      });
      for (Index i = 0; i < rows_; ++i)
        product_[at(c) + i] = sum[i].value();
    }
  }

  /// All but errors.
  SchurOfZerosOf<T> measure() const
  {
    SchurOfZerosOf<T> schur(many_);
    for (Index c = 0; c < many_; ++c) {
      schur.row_root[c] = std::sqrt(root_.row_mass[first_ + c]);
      schur.column_root[c] = std::sqrt(root_.column_mass[first_ + c]);
      for (Index r = 0; r < many_; ++r) {
        double &squares = schur.squares[std::size_t(c) * many_ + r];
        for (Index i = 0; i < rows_; ++i)
          squares += squared_magnitude(left_[at(r) + i]) * terms_[at(c) + i];
        schur.product[std::size_t(c) * many_ + r] = dot(&left_[at(r)], &product_[at(c)]);
      }
    }
    return schur;
  }

  /// What errors of the vectors make of it.
  std::vector<T> error()
  {
    std::vector<T> error(std::size_t(many_) * many_);
    const std::vector<T> residual = residual_of_left();
    for (Index c0 = 0; c0 < many_; c0 += columns_at_a_time) {
      const Index together = std::min(columns_at_a_time, many_ - c0);
      const std::vector<T> z = solve_.solve_block_alone(block_, together, &product_[at(c0)]);
      for (Index c = 0; c < together; ++c)
        for (Index r = 0; r < many_; ++r)
          error[std::size_t(c0 + c) * many_ + r] = dot(&residual[at(r)], &z[at(c)]);
    }
    return error;
  }

  /// Aᵀ U.
  std::vector<T> residual_of_left() const
  {
    std::vector<T> residual(left_.size());
    std::vector<CompensatedSumOf<T>> sum(rows_);
    for (Index r = 0; r < many_; ++r) {
      const T *u = left_.data() + at(r);
      std::fill(sum.begin(), sum.end(), CompensatedSumOf<T>());
      for_entries([&](Index i, Index j, T a) { sum[j].add_product(a, u[i]); });
      for (Index j = 0; j < rows_; ++j)
        residual[at(r) + j] = sum[j].value();
    }
    return residual;
  }

  /// Eliminates what was measured, without what is zero. Returns whether it has the rank that was measured.
  bool take_pivots(const SchurOfZerosOf<T> &schur, const MeasuredZerosOf<T> &measured, const DirectOptions &options)
  {
    const std::vector<T> entry = without_zeros(schur, measured);
    for (Index c = 0; c < many_; ++c)
      std::copy(&entry[std::size_t(c) * many_], &entry[std::size_t(c) * many_] + many_, root_.at(first_, first_ + c));
    for (Index k = 0; k < many_; ++k) { // masses that make what may be rounding of it
      root_.row_mass[first_ + k] = measured.row[k] * measured.row[k] / options.zero;
      root_.column_mass[first_ + k] = measured.column[k] * measured.column[k] / options.zero;
    }
    const Index uncertain = root_.uncertain;
    root_.eliminated = first_;
    root_.zero = 0;
    eliminate_lu_carefully(root_, options);
    eliminate_zeros(root_);
    root_.uncertain = uncertain; // these are certain
    return root_.zero == measured.zero;
  }

  T dot(const T *x, const T *y) const
  {
    CompensatedSumOf<T> sum;
    for (Index i = 0; i < rows_; ++i)
      sum.add_product(x[i], y[i]);
    return sum.value();
  }

  /// Where vector c begins.
  std::size_t at(Index c) const { return std::size_t(c) * rows_; }

  const LuPlan &plan_;
  const DiagonalBlock &fronts_;
  LuFront<T> &root_;
  LuSolve<T> &solve_;
  const T *values_;
  const std::size_t block_;
  const std::vector<Index> &column_place_; ///< in elimination order, of each column of the matrix
  const Index begin_, rows_;               ///< of the block
  const Index many_, first_;               ///< pivots that are 0, and the place of the first one in the root
  std::vector<T> right_, left_;            ///< [zeros, rows] V and U
  std::vector<T> product_;                 ///< [zeros, rows] A V
  std::vector<double> terms_;              ///< [zeros, rows] sums of (a_ij v_j)²
};

} // namespace

template <class T>
MeasuredRoots measure_zeros(const LuPlan &plan, LuStore<T> &store, LuSolve<T> &solve, const T *values,
                            const DirectOptions &options)
{
  MeasuredRoots roots;
  std::vector<Index> column_place;
  const AssemblyTree &tree = plan.fronts.tree;
  for (std::size_t b = 0; b < plan.block.size(); ++b) {
    const Index zero = store[plan.block[b].end - 1].zero;
    if (zero == 0)
      continue;
    if (!is_measured(zero, tree.first[plan.block[b].end] - tree.first[plan.block[b].begin])) {
      roots.known = false;
      continue;
    }
    if (column_place.empty())
      column_place = inverse_permutation(plan.column);
    RootMeasurement<T>(plan, store, solve, values, b, column_place).run(options, roots);
  }
  return roots;
}

template MeasuredRoots measure_zeros(const LuPlan &, LuStore<double> &, LuSolve<double> &, const double *,
                                     const DirectOptions &);
template MeasuredRoots measure_zeros(const LuPlan &, LuStore<Complex> &, LuSolve<Complex> &, const Complex *,
                                     const DirectOptions &);

} // namespace tessera
