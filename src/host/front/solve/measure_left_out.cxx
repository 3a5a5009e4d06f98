#include "host/front/solve/measure_left_out.hpp"

#include "base/compensated_sum.hpp"
#include "host/front/parallel_chunks.hpp"

#include <algorithm>
#include <cmath>
#include <functional>

namespace tessera {
namespace {

template <class T>
class LeftOutMeasurement {
public:
  LeftOutMeasurement(const MatrixPart<T> &part, LeftOutPivots<T> pivots, const SolvePart<T> &solve)
      : part_(part), pivots_(std::move(pivots)), solve_(solve), rows_(part.rows), many_(pivots_.pivots)
  {
    Offset entries = 0;
    for (Index i = 0; i < rows_; ++i)
      entries += part.row_entries(i);
    entry_.reserve(entries);
    begin_.reserve(rows_ + 1);
    for (Index i = 0; i < rows_; ++i) {
      begin_.push_back(entry_.size());
      part.for_row(i, [&](Index j, T a) { entry_.push_back({j, a}); });
    }
    begin_.push_back(entry_.size());
  }

  /// What errors of the vectors make of their Schur complement is taken away where it is next to nothing. Else V is
  /// refined, and U with it where that has the same entries; errors count by the product of theirs, and are only
  /// measured then where something is zero.
  MeasuredSchur<T> run(MeasuredZerosOf<T> (*judge)(const SchurOfZerosOf<T> &))
  {
    multiply();
    SchurOfZerosOf<T> schur = measure();
    schur.error = error();
    const bool refines = !has_small_errors(schur);
    if (refines) {
      refine();
      schur = measure();
      schur.error.clear();
    } else {
      std::transform(schur.product.begin(), schur.product.end(), schur.error.begin(), schur.product.begin(),
                     std::minus<>());
      schur.error.assign(schur.error.size(), 0);
    }
    MeasuredZerosOf<T> zeros = judge(schur);
    if (refines && zeros.known && zeros.zero > 0) {
      schur.error = error();
      zeros = judge(schur);
    }
    return {std::move(schur), std::move(zeros)};
  }

private:
  /// A step of refinement with the last corrections.
  void refine()
  {
    std::transform(pivots_.right.begin(), pivots_.right.end(), correction_.begin(), pivots_.right.begin(),
                   std::minus<>());
    multiply();
  }

  /// All but errors.
  SchurOfZerosOf<T> measure()
  {
    SchurOfZerosOf<T> schur(many_);
    std::vector<T> space;
    const T *const left = part_.mirror == Mirror::None ? pivots_.left.data() : mirrored(pivots_.right, space);
    for (Index c = 0; c < many_; ++c) {
      schur.row_root[c] = std::sqrt(pivots_.row_mass[c]);
      schur.column_root[c] = std::sqrt(pivots_.column_mass[c]);
      for (Index r = 0; r < many_; ++r) {
        const std::size_t k = std::size_t(c) * many_ + r, mirror_image = std::size_t(r) * many_ + c;
        const bool is_known = part_.mirror != Mirror::None && r < c;
        schur.squares[k] = is_known ? schur.squares[mirror_image] : sum_of_squares(left + at(r), &terms_[at(c)]);
        schur.product[k] = is_known ? mirrored(schur.product[mirror_image]) : dot(left + at(r), &product_[at(c)]);
      }
    }
    return schur;
  }

  /// What errors of the vectors make of it. Has the corrections of V.
  std::vector<T> error()
  {
    std::vector<T> error(std::size_t(many_) * many_);
    std::vector<T> space;
    const bool has_mirror = part_.mirror != Mirror::None;
    if (!has_mirror)
      space = residual_of_left();
    const T *const residual = has_mirror ? mirrored(product_, space) : space.data();
    correct();
    for (Index c = 0; c < many_; ++c)
      for (Index r = 0; r < many_; ++r) {
        const T *x = residual + at(r), *z = &correction_[at(c)];
        error[std::size_t(c) * many_ + r] = sum_of_all<T>([&](Index i) { return tessera::product(x[i], z[i]); });
      }
    return error;
  }

  /// Solves for the corrections.
  void correct()
  {
    correction_ = solve_(std::min(vectors_at_a_time, many_), product_.data());
    for (Index c = vectors_at_a_time; c < many_; c += vectors_at_a_time) {
      const std::vector<T> z = solve_(std::min(vectors_at_a_time, many_ - c), &product_[at(c)]);
      correction_.insert(correction_.end(), z.begin(), z.end());
    }
  }

  /// Vectors in groups of four, whose entries in a row lie beside each other: [groups, rows, 4]. The last one is filled
  /// up with 0.
  std::vector<T> in_groups(const std::vector<T> &x) const
  {
    std::vector<T> grouped(std::size_t(groups()) * rows_ * 4);
    for (Index c = 0; c < many_; ++c)
      for (Index i = 0; i < rows_; ++i)
        grouped[at(c / 4 * 4) + std::size_t(i) * 4 + c % 4] = x[at(c) + i];
    return grouped;
  }
  Index groups() const { return (many_ + 3) / 4; }

  /// A V, and the sums of |a_ij v_j|² in each row.
  void multiply()
  {
    product_.resize(pivots_.right.size());
    terms_.resize(pivots_.right.size());
    const std::vector<T> v = in_groups(pivots_.right);
#pragma omp parallel for schedule(static) if (Offset(rows_) * many_ > parallel_numbers)
    for (Index i = 0; i < rows_; ++i)
      for (Index c = 0; c < many_; c += 4) {
        FourCompensatedSumsOf<T> sum;
        double squares[4] = {};
        for (std::size_t p = begin_[i]; p < begin_[i + 1]; ++p) {
          const T a = entry_[p].value, same[4] = {a, a, a, a};
          const T *x = &v[at(c) + std::size_t(entry_[p].column) * 4];
          sum.add_products(same, x);
          for (int k = 0; k < 4; ++k)
            squares[k] += squared_magnitude(tessera::product(a, x[k]));
        }
        for (Index k = 0; k < std::min<Index>(4, many_ - c); ++k) {
          product_[at(c + k) + i] = sum.value(k);
          terms_[at(c + k) + i] = squares[k];
        }
      }
  }

  /// Aᵀ U.
  std::vector<T> residual_of_left() const
  {
    std::vector<T> residual(pivots_.left.size());
    const std::vector<T> u = in_groups(pivots_.left);
    std::vector<FourCompensatedSumsOf<T>> sum(rows_);
    for (Index r = 0; r < many_; r += 4) {
      std::fill(sum.begin(), sum.end(), FourCompensatedSumsOf<T>());
      for (Index i = 0; i < rows_; ++i)
        for (std::size_t p = begin_[i]; p < begin_[i + 1]; ++p) {
          const T a = entry_[p].value, same[4] = {a, a, a, a};
          sum[entry_[p].column].add_products(same, &u[at(r) + std::size_t(i) * 4]);
        }
      for (Index k = 0; k < std::min<Index>(4, many_ - r); ++k)
        std::transform(sum.begin(), sum.end(), residual.begin() + at(r + k),
                       [k](const FourCompensatedSumsOf<T> &s) { return s.value(k); });
    }
    return residual;
  }

  /// What the other side of a symmetric or Hermitian matrix has in place of x.
  T mirrored(T x) const
  {
    return part_.mirror == Mirror::Hermitian ? conjugate(x) : x;
  }
  /// The same of vectors; space: where they may be then.
  const T *mirrored(const std::vector<T> &x, std::vector<T> &space) const
  {
    if (part_.mirror != Mirror::Hermitian)
      return x.data();
    space = x;
    std::transform(x.begin(), x.end(), space.begin(), [](T y) { return conjugate(y); });
    return space.data();
  }

  /// Of all |u_i a_ij v_j|², terms: of v.
  double sum_of_squares(const T *u, const double *terms) const
  {
    return sum_of_all<double>([&](Index i) { return squared_magnitude(u[i]) * terms[i]; });
  }

  /// Sum of f(i) over all rows, as four that do not wait for each other.
  template <class Sum, class F>
  Sum sum_of_all(const F &f) const
  {
    Sum sum[4] = {};
    Index i = 0;
    for (; i + 4 <= rows_; i += 4)
      for (int k = 0; k < 4; ++k)
        sum[k] += f(i + k);
    for (; i < rows_; ++i)
      sum[0] += f(i);
    return (sum[0] + sum[1]) + (sum[2] + sum[3]);
  }

  /// With twice the digits.
  T dot(const T *x, const T *y) const
  {
    FourCompensatedSumsOf<T> sum;
    Index i = 0;
    for (; i + 4 <= rows_; i += 4)
      sum.add_products(x + i, y + i);
    T last_x[4] = {}, last_y[4] = {};
    std::copy(x + i, x + rows_, last_x);
    std::copy(y + i, y + rows_, last_y);
    sum.add_products(last_x, last_y);
    return sum.value();
  }

  /// Where vector c begins.
  std::size_t at(Index c) const
  {
    return std::size_t(c) * rows_;
  }

  struct Entry {
    Index column;
    T value;
  };

  const MatrixPart<T> &part_;
  LeftOutPivots<T> pivots_;
  const SolvePart<T> &solve_;
  const Index rows_, many_;
  std::vector<std::size_t> begin_; ///< [rows + 1] of rows, among
  std::vector<Entry> entry_;       ///< those of the part
  std::vector<T> product_;         ///< [pivots, rows] A V,
  std::vector<T> correction_;      ///< and the solutions for them
  std::vector<double> terms_;      ///< [pivots, rows] sums of |a_ij v_j|²
};

} // namespace

bool can_measure(Offset pivots, Offset rows, double flops)
{
  constexpr Offset always = 16;
  constexpr double most_numbers = 0x1p24;
  // A product of two numbers, with twice the digits and what may be rounding of it, takes as long as so many operations
  // of a factorization.
  constexpr double operations = 100;
  return pivots <= always || (pivots <= most_left_to_root && double(pivots * rows) <= most_numbers &&
                              operations * double(pivots * pivots) * double(rows) <= flops);
}

template <class T>
MeasuredSchur<T> measure_left_out(const MatrixPart<T> &part, LeftOutPivots<T> pivots,
                                  MeasuredZerosOf<T> (*judge)(const SchurOfZerosOf<T> &), const SolvePart<T> &solve)
{
  return LeftOutMeasurement<T>(part, std::move(pivots), solve).run(judge);
}

template MeasuredSchur<double> measure_left_out(const MatrixPart<double> &, LeftOutPivots<double>,
                                                MeasuredZerosOf<double> (*)(const SchurOfZerosOf<double> &),
                                                const SolvePart<double> &);
template MeasuredSchur<Complex> measure_left_out(const MatrixPart<Complex> &, LeftOutPivots<Complex>,
                                                 MeasuredZerosOf<Complex> (*)(const SchurOfZerosOf<Complex> &),
                                                 const SolvePart<Complex> &);

} // namespace tessera
