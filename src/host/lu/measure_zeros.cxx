#include "host/lu/measure_zeros.hpp"

#include "base/compensated_sum.hpp"
#include "base/permute.hpp"
#include "base/scaled.hpp"
#include "host/front/measured_rounding.hpp"
#include "host/lu/eliminate_lu.hpp"

#include <algorithm>
#include <cmath>

namespace tessera {
namespace {

constexpr Index most_measured = 16;

template <class T>
class ZeroMeasurement {
public:
  ZeroMeasurement(const LuPlan &plan, LuStore<T> &store, LuSolve<T> &solve, const T *values)
      : plan_(plan), tree_(plan.fronts.tree), store_(store), solve_(solve), values_(values),
        column_place_(inverse_permutation(plan.column))
  {
  }

  void run(const DiagonalBlock &fronts, const DirectOptions &options)
  {
    LuFront<T> &root = store_[fronts.end - 1];
    const Index many = root.zero, first = root.eliminated - many;
    const std::size_t n = tree_.rows();
    const T *null = solve_.null_vectors(true, fronts);
    y_.assign(null, null + n * many);
    multiply(fronts, solve_.null_vectors(false, fronts), many);
    double rounding = 0;
    bool found = false;
    for (Index c = 0; c < many; ++c)
      for (Index r = 0; r < many; ++r) {
        T &entry = *root.at(first + r, first + c);
        const double mass = std::sqrt(root.row_mass[first + r]) * std::sqrt(root.column_mass[first + c]);
        const double bound = measured_rounding(squares_[c * many + r], mass);
        rounding = std::max(rounding, bound);
        entry = sum_[c * many + r].value();
        if (!(magnitude(entry) > bound) || !is_finite(entry))
          entry = 0;
        found |= entry != T(0);
      }
    if (!found)
      return;
    root.eliminated = first;
    root.zero = 0;
    std::fill(root.row_mass + first, root.row_mass + root.columns, rounding / options.zero);
    std::fill(root.column_mass + first, root.column_mass + root.columns, rounding / options.zero);
    eliminate_lu_carefully(root, options);
    eliminate_zeros(root);
  }

private:
  /// Yᵀ A X for the rows of these fronts, A as it is factored, and the sums of (y_i a_ij x_j)².
  void multiply(const DiagonalBlock &fronts, const T *x, Index many)
  {
    const Pattern &a = plan_.fronts.matrix;
    const std::size_t n = tree_.rows();
    const Index begin = tree_.first[fronts.begin], end = tree_.first[fronts.end];
    sum_.assign(std::size_t(many) * many, CompensatedSumOf<T>());
    squares_.assign(std::size_t(many) * many, 0.0);
    for (Index i = begin; i < end; ++i) {
      CompensatedSumOf<T> products[most_measured];
      double squares[most_measured] = {};
      for (Offset p = a.start[tree_.perm[i]]; p < a.start[tree_.perm[i] + 1]; ++p) {
        const Index j = column_place_[a.column[p]];
        if (j < begin || j >= end)
          continue;
        const T value = scaled(values_[plan_.fronts.source[p]], plan_.fronts.scale[i], plan_.column_scale[j]);
        for (Index c = 0; c < many; ++c) {
          products[c].add_product(value, x[c * n + j]);
          squares[c] += squared_magnitude(product(value, x[c * n + j]));
        }
      }
      for (Index c = 0; c < many; ++c)
        for (Index r = 0; r < many; ++r) {
          const T y = y_[r * n + i];
          sum_[c * many + r].add_product(y, products[c].value());
          squares_[c * many + r] += squared_magnitude(y) * squares[c];
        }
    }
  }

  const LuPlan &plan_;
  const AssemblyTree &tree_;
  LuStore<T> &store_;
  LuSolve<T> &solve_;
  const T *values_;
  const std::vector<Index> column_place_; ///< in elimination order
  std::vector<T> y_;                      ///< [zeros, rows]
  std::vector<CompensatedSumOf<T>> sum_;  ///< [zeros, zeros]
  std::vector<double> squares_;           ///< [zeros, zeros]
};

} // namespace

template <class T>
void measure_zeros(const LuPlan &plan, LuStore<T> &store, LuSolve<T> &solve, const T *values,
                   const DirectOptions &options)
{
  for (const DiagonalBlock &block : plan.block) {
    const Index zero = store[block.end - 1].zero;
    if (zero > 0 && zero <= most_measured)
      ZeroMeasurement<T>(plan, store, solve, values).run(block, options);
  }
}

template void measure_zeros(const LuPlan &, LuStore<double> &, LuSolve<double> &, const double *,
                            const DirectOptions &);
template void measure_zeros(const LuPlan &, LuStore<Complex> &, LuSolve<Complex> &, const Complex *,
                            const DirectOptions &);

} // namespace tessera
