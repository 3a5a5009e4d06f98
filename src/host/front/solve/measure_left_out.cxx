#include "host/front/solve/measure_left_out.hpp"

#include "base/compensated_sum.hpp"
#include "host/front/parallel_chunks.hpp"

#include <algorithm>
#include <cmath>
#include <type_traits>

namespace tessera {
namespace {

template <class T>
class LeftOutMeasurement {
public:
  /// Refines V, and U with it where that has the same entries; errors count by the product of theirs.
  LeftOutMeasurement(const MatrixPart<T> &part, LeftOutPivots<T> pivots, const SolvePart<T> &solve)
      : part_(part), pivots_(std::move(pivots)), solve_(solve), rows_(part.rows), many_(pivots_.pivots)
  {
    multiply();
    solve_together([&](Index c, const T *z) {
      for (Index i = 0; i < rows_; ++i)
        pivots_.right[at(c) + i] -= z[i];
    });
    multiply();
    if (part.mirror != Mirror::None)
      pivots_.left = mirrored(pivots_.right);
  }

  /// Errors are only measured where something is zero.
  MeasuredSchur<T> run(MeasuredZerosOf<T> (*judge)(const SchurOfZerosOf<T> &)) const
  {
    SchurOfZerosOf<T> schur = measure();
    MeasuredZerosOf<T> zeros = judge(schur);
    if (zeros.known && zeros.zero > 0) {
      schur.error = error();
      zeros = judge(schur);
    }
    return {std::move(schur), std::move(zeros)};
  }

private:
  /// All but errors.
  SchurOfZerosOf<T> measure() const
  {
    SchurOfZerosOf<T> schur(many_);
    for (Index c = 0; c < many_; ++c) {
      schur.row_root[c] = std::sqrt(pivots_.row_mass[c]);
      schur.column_root[c] = std::sqrt(pivots_.column_mass[c]);
      for (Index r = 0; r < many_; ++r) {
        const std::size_t k = std::size_t(c) * many_ + r, mirror_image = std::size_t(r) * many_ + c;
        const bool is_known = part_.mirror != Mirror::None && r < c;
        schur.squares[k] = is_known ? schur.squares[mirror_image] : sum_of_squares(r, c);
        schur.product[k] =
            is_known ? mirrored(schur.product[mirror_image]) : dot(&pivots_.left[at(r)], &product_[at(c)]);
      }
    }
    return schur;
  }

  /// What errors of the vectors make of it.
  std::vector<T> error() const
  {
    std::vector<T> error(std::size_t(many_) * many_);
    const std::vector<T> residual = part_.mirror == Mirror::None ? residual_of_left() : mirrored(product_);
    solve_together([&](Index c, const T *z) {
      for (Index r = 0; r < many_; ++r)
        error[std::size_t(c) * many_ + r] = dot(&residual[at(r)], z);
    });
    return error;
  }

  /// A V, and the sums of |a_ij v_j|² in each row.
  void multiply()
  {
    product_.resize(pivots_.right.size());
    terms_.resize(pivots_.right.size());
    for (Index c = 0; c < many_;) {
      if (many_ - c >= 4)
        c += multiply_columns<4>(c);
      else if (many_ - c >= 2)
        c += multiply_columns<2>(c);
      else
        c += multiply_columns<1>(c);
    }
  }

  /// For columns c .. c + Columns - 1; returns how many. Sums of several do not wait for each other.
  template <int Columns>
  Index multiply_columns(Index c)
  {
    const T *v = pivots_.right.data() + at(c);
#pragma omp parallel for schedule(static) if (Offset(rows_) * Columns > parallel_numbers)
    for (Index i = 0; i < rows_; ++i) {
      CompensatedSumOf<T> sum[Columns];
      double squares[Columns] = {};
      part_.for_row(i, [&](Index j, T a) {
        for (int k = 0; k < Columns; ++k) {
          const T x = v[at(k) + j];
          sum[k].add_product(a, x);
          squares[k] += squared_magnitude(tessera::product(a, x));
        }
      });
      for (int k = 0; k < Columns; ++k) {
        product_[at(c + k) + i] = sum[k].value();
        terms_[at(c + k) + i] = squares[k];
      }
    }
    return Columns;
  }

  /// Aᵀ U.
  std::vector<T> residual_of_left() const
  {
    std::vector<T> residual(pivots_.left.size());
    std::vector<CompensatedSumOf<T>> sum(rows_);
    for (Index r = 0; r < many_; ++r) {
      const T *u = pivots_.left.data() + at(r);
      std::fill(sum.begin(), sum.end(), CompensatedSumOf<T>());
      for (Index i = 0; i < rows_; ++i)
        part_.for_row(i, [&](Index j, T a) { sum[j].add_product(a, u[i]); });
      std::transform(sum.begin(), sum.end(), residual.begin() + at(r),
                     [](const CompensatedSumOf<T> &s) { return s.value(); });
    }
    return residual;
  }

  /// f(c, z) for each column c of A V, z: its solution.
  template <class F>
  void solve_together(const F &f) const
  {
    for (Index c0 = 0; c0 < many_; c0 += vectors_at_a_time) {
      const Index together = std::min(vectors_at_a_time, many_ - c0);
      const std::vector<T> z = solve_(together, &product_[at(c0)]);
      for (Index c = 0; c < together; ++c)
        f(c0 + c, &z[at(c)]);
    }
  }

  /// What the other side of a symmetric or Hermitian matrix has in place of x.
  T mirrored(T x) const
  {
    return part_.mirror == Mirror::Hermitian ? conjugate(x) : x;
  }
  std::vector<T> mirrored(std::vector<T> x) const
  {
    std::transform(x.begin(), x.end(), x.begin(), [this](T y) { return mirrored(y); });
    return x;
  }

  /// Of all |u_i a_ij v_j|² of vectors r and c.
  double sum_of_squares(Index r, Index c) const
  {
    const T *u = &pivots_.left[at(r)];
    const double *terms = &terms_[at(c)];
    double sum = 0;
    for (Index i = 0; i < rows_; ++i)
      sum += squared_magnitude(u[i]) * terms[i];
    return sum;
  }

  T dot(const T *x, const T *y) const
  {
    if constexpr (is_real) { // four sums that do not wait for each other
      CompensatedSum sum[4];
      Index i = 0;
      for (; i + 4 <= rows_; i += 4)
        for (int k = 0; k < 4; ++k)
          sum[k].add_product(x[i + k], y[i + k]);
      for (; i < rows_; ++i)
        sum[0].add_product(x[i], y[i]);
      for (int k = 1; k < 4; ++k)
        sum[0].add(sum[k].sum(), sum[k].lost());
      return sum[0].value();
    } else {
      CompensatedSumOf<T> sum;
      for (Index i = 0; i < rows_; ++i)
        sum.add_product(x[i], y[i]);
      return sum.value();
    }
  }

  static constexpr bool is_real = std::is_same_v<T, double>;

  /// Where vector c begins.
  std::size_t at(Index c) const
  {
    return std::size_t(c) * rows_;
  }

  const MatrixPart<T> &part_;
  LeftOutPivots<T> pivots_;
  const SolvePart<T> &solve_;
  const Index rows_, many_;
  std::vector<T> product_;    ///< [pivots, rows] A V
  std::vector<double> terms_; ///< [pivots, rows] sums of |a_ij v_j|²
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
