#include "decode_matrix.hpp"

#include "support/random_matrix.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace tessera::fuzz {
namespace {

using test::Random;

/// A small matrix that is being changed. Once its pattern is fixed, only stored entries change.
class Table {
public:
  Table(Index rows, bool symmetric) : n_(rows), symmetric_(symmetric), value_(rows * rows, 0), stored_(rows * rows) {}

  Index rows() const { return n_; }
  bool symmetric() const { return symmetric_; }
  bool stored(Index i, Index j) const { return stored_[i * n_ + j]; }
  double at(Index i, Index j) const { return value_[i * n_ + j]; }

  void set(Index i, Index j, double x)
  {
    set_one(i, j, x);
    if (symmetric_)
      set_one(j, i, x);
  }

  void remove(Index i, Index j)
  {
    remove_one(i, j);
    if (symmetric_)
      remove_one(j, i);
  }

  /// Row `to` becomes row `from`; of a symmetric matrix the column as well.
  void repeat_row(Index from, Index to)
  {
    for (Index j = 0; j < n_; ++j)
      if (!symmetric_ || j != to)
        copy(from, j, to, j);
    if (symmetric_)
      copy(from, to, to, to);
  }

  /// Multiplies a row by 2^exponent; of a symmetric matrix the column as well.
  void scale_row(Index i, int exponent)
  {
    for (Index j = 0; j < n_; ++j)
      if (stored(i, j))
        set(i, j, std::ldexp(at(i, j), exponent));
  }

  void clear_row(Index i)
  {
    for (Index j = 0; j < n_; ++j)
      remove(i, j);
  }

  void fix_pattern() { fixed_ = true; }

  Pattern pattern() const
  {
    Pattern p;
    p.rows = p.cols = n_;
    for (Index i = 0; i < n_; ++i) {
      for (Index j = 0; j < n_; ++j)
        if (stored(i, j))
          p.column.push_back(j);
      p.start.push_back(Offset(p.column.size()));
    }
    return p;
  }

  std::vector<double> values() const
  {
    std::vector<double> values;
    for (Index k = 0; k < n_ * n_; ++k)
      if (stored_[k])
        values.push_back(value_[k]);
    return values;
  }

private:
  void set_one(Index i, Index j, double x)
  {
    if (fixed_ && !stored(i, j))
      return;
    value_[i * n_ + j] = x;
    stored_[i * n_ + j] = true;
  }
  void remove_one(Index i, Index j)
  {
    value_[i * n_ + j] = 0;
    stored_[i * n_ + j] = fixed_ && stored(i, j);
  }
  void copy(Index i, Index j, Index to_i, Index to_j)
  {
    if (stored(i, j))
      set(to_i, to_j, at(i, j));
    else
      remove(to_i, to_j);
  }

  const Index n_;
  const bool symmetric_;
  std::vector<double> value_; ///< [n, n]
  std::vector<bool> stored_;
  bool fixed_ = false;
};

/// How the values of the start are drawn.
enum class Draw { whole, uniform, graded, extreme, ones };

double drawn(Random &random, Draw draw)
{
  switch (draw) {
  case Draw::whole:
    return test::random_value(random, test::Values::small_whole);
  case Draw::uniform:
    return test::random_value(random, test::Values::uniform);
  case Draw::graded:
    return test::random_value(random, test::Values::graded);
  case Draw::extreme:
    return test::extreme_value(random);
  case Draw::ones:
    break;
  }
  return 1;
}

/// Whether the start of this kind has an entry (i, j), j <= i.
bool has_entry(Index kind, Index i, Index j, Index n, Random &random)
{
  const Index half = (2 * n + 2) / 3;
  switch (kind) {
  case 1: // dense
    return true;
  case 2: // tridiagonal
    return i - j <= 1;
  case 3: // arrow
    return i == j || i == n - 1;
  case 4: // KKT matrix, with three entries a row or so
    return i < half ? i == j : j < half && random.below(half) < 3;
  case 5: // about two entries a row beside the diagonal
    return i == j || random.below(n) < 2;
  case 6: // nothing on the diagonal
    return i != j && random.below(n) < 3;
  case 7: // a grid with rows of 4
    return i == j || i - j == 4 || (i - j == 1 && i % 4 != 0);
  default: // empty
    return false;
  }
}

Table decode_start(ByteSource &in, bool symmetric)
{
  const Draw draws[] = {Draw::whole, Draw::uniform, Draw::graded, Draw::extreme, Draw::ones};
  Table table(in.below(most_rows + 1), symmetric);
  const Index n = table.rows(), kind = in.below(8);
  const Draw draw = in.one_of(draws);
  const bool laplacian = in.flag();
  Random random(in.byte());
  for (Index i = 0; i < n; ++i)
    for (Index j = 0; j <= i; ++j)
      if (has_entry(kind, i, j, n, random)) {
        table.set(i, j, drawn(random, draw));
        if (!symmetric && i != j && random.below(4) > 0)
          table.set(j, i, drawn(random, draw));
      }
  for (Index i = 0; i < n && laplacian; ++i) { // row sums of zero, but for rounding
    double sum = 0;
    for (Index j = 0; j < n; ++j)
      sum += i == j ? 0 : table.at(i, j);
    table.set(i, i, -sum);
  }
  return table;
}

double decode_value(ByteSource &in)
{
  using limits = std::numeric_limits<double>;
  const double extremes[] = {
      0,   -0.0, limits::denorm_min(), limits::min(), limits::max(), 1e-310, 1e300, 1e-300, -1e300, 1e-17, 1e-8,
      1e8, 1e17, 1 + limits::epsilon()};
  const std::uint8_t byte = in.byte();
  if (byte < 100)
    return byte - 50;
  if (byte < 160)
    return std::ldexp(1.0, byte - 130);
  if (byte < 220)
    return -std::ldexp(1.0, byte - 190);
  return byte < 250 ? extremes[byte % 14] : in.any_double();
}

/// Makes the next change. Returns false where the next matrix begins.
bool change(ByteSource &in, Table &table)
{
  const Index n = table.rows(), what = in.below(12);
  if (what == 11)
    return false;
  const Index i = in.below(n);
  switch (what) {
  case 5:
    table.remove(i, in.below(n));
    break;
  case 6:
    table.repeat_row(i, in.below(n));
    break;
  case 7:
    table.scale_row(i, in.below(141) - 70);
    break;
  case 8:
    table.scale_row(i, 8 * (in.below(201) - 100));
    break;
  case 9:
    table.clear_row(i);
    break;
  default: {
    const Index j = in.below(n);
    table.set(i, j, decode_value(in));
  }
  }
  return true;
}

} // namespace

MatrixSequence decode_matrices(ByteSource &in, bool symmetric, std::size_t most)
{
  Table table = decode_start(in, symmetric);
  MatrixSequence sequence;
  while (!in.empty() && table.rows() > 0 && sequence.values.size() + 1 < most) {
    if (change(in, table))
      continue;
    sequence.values.push_back(table.values());
    table.fix_pattern();
  }
  while (!in.empty() && table.rows() > 0)
    change(in, table);
  sequence.values.push_back(table.values());
  sequence.pattern = table.pattern();
  return sequence;
}

} // namespace tessera::fuzz
