#ifndef TESSERA_TEST_PIVOTS_ELSEWHERE_HPP
#define TESSERA_TEST_PIVOTS_ELSEWHERE_HPP

#include "support/random_matrix.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace tessera::test {

/// In which row of a diagonal block the pivot of a column is.
enum class Rows {
  Shuffled,
  Shifted,  ///< the next one
  Reversed, ///< and nothing else is left in the column then: the last open row
  Swapped,  ///< the first two are exchanged
};

/// Two dense blocks of k rows beside a dense one of m, to which both are coupled densely, with large pivots off the
/// diagonal, in other rows of the same 32, and zeros on it.
class PivotsElsewhere {
  const Index k_, m_;
  Random random_{71};

public:
  Matrix matrix;
  std::vector<double> row_scale, column_scale; ///< [rows] for scaled(): those of a pivot are the same, and fall

  PivotsElsewhere(Index k, Index m, Rows rows, int most_exponent)
      : k_(k), m_(m), row_scale(2 * k + m), column_scale(2 * k + m)
  {
    const std::vector<Index> order = order_of(rows);
    for (Index c = 0; c < n(); ++c)
      column_scale[c] = std::ldexp(1.0, most_exponent - int(2 * Offset(most_exponent) * c / (n() - 1)));
    std::vector<Triplet> t;
    for (Index i = 0; i < n(); ++i) {
      const Index c = order[i]; // of the pivot
      row_scale[i] = column_scale[c];
      for (Index j = 0; j < n(); ++j)
        if (i / k == j / k || i >= 2 * k || j >= 2 * k) {
          const bool zero = c != j && (i == j || (rows == Rows::Reversed && c > j && begin_of(i) == begin_of(j)));
          t.push_back({i, j, zero ? 0 : random_.between(-1, 1) + (c == j ? 1000 : 0)});
        }
    }
    matrix = assemble(n(), n(), t);
  }

  Matrix scaled() const
  {
    Matrix a = matrix;
    for (Index i = 0; i < n(); ++i)
      for (Offset p = a.pattern.start[i]; p < a.pattern.start[i + 1]; ++p)
        a.value[p] *= row_scale[i] * column_scale[a.pattern.column[p]];
    return a;
  }

private:
  Index n() const { return 2 * k_ + m_; }

  /// Where the diagonal block of row i begins, or the rows in it that have entries in the same columns.
  Index begin_of(Index i) const
  {
    const Index front = i < k_ ? 0 : k_, begin = front + (i - front) / 32 * 32;
    return i >= 2 * k_ ? std::max(begin, 2 * k_) : begin;
  }

  /// The column of the pivot in each row.
  std::vector<Index> order_of(Rows rows)
  {
    std::vector<Index> order(n());
    for (Index i = 0; i < n(); ++i)
      order[i] = i;
    for (Index begin = 0, end = 0; begin < n(); begin = end) {
      while (end < n() && begin_of(end) == begin)
        ++end;
      const auto first = order.begin() + begin, last = order.begin() + end;
      if (rows == Rows::Shifted)
        std::rotate(first, first + 1, last);
      else if (rows == Rows::Reversed)
        std::reverse(first, last);
      else if (rows == Rows::Swapped && begin == 0)
        std::swap(first[0], first[1]);
      else if (rows == Rows::Shuffled)
        for (Index i = end - 1; i > begin; --i)
          std::swap(order[i], order[begin + random_.below(i - begin + 1)]);
    }
    return order;
  }
};

} // namespace tessera::test
#endif
