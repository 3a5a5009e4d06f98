#include "analysis/input/mirror_images.hpp"
#include "analysis/input/row_input.hpp"
#include "analysis/input/symmetric_input.hpp"
#include "base/permute.hpp"

#include "support/dense.hpp"
#include "support/random_matrix.hpp"
#include "support/threads.hpp"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <limits>

using namespace tessera;
using namespace tessera::test;

namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

/// Rows as a caller stores them: not sorted, perhaps with repeated entries.
struct Rows {
  std::vector<Offset> start = {0};
  std::vector<Index> column;
  std::vector<double> value;

  Rows &row(const std::vector<std::pair<Index, double>> &entries)
  {
    for (const auto &[j, v] : entries) {
      column.push_back(j);
      value.push_back(v);
    }
    start.push_back(static_cast<Offset>(column.size()));
    return *this;
  }
  Index rows() const { return static_cast<Index>(start.size()) - 1; }
  SymmetricInput read(bool check = true) const
  {
    return read_full(rows(), start.data(), column.data(), value.data(), check);
  }
};

/// Rows ascending and without repetition, symmetric pattern, values those of the caller's array.
void expect_consistent(const SymmetricInput &input, const std::vector<double> &value)
{
  const Pattern &p = input.matrix.pattern;
  ASSERT_EQ(input.status, SymmetricInput::Ok);
  ASSERT_EQ(p.rows, p.cols);
  ASSERT_EQ(static_cast<Index>(p.start.size()), p.rows + 1);
  ASSERT_EQ(p.column.size(), static_cast<std::size_t>(p.entries()));
  ASSERT_EQ(input.source.size(), p.column.size());
  ASSERT_EQ(input.matrix.value.size(), p.column.size());
  std::vector<std::vector<bool>> stored(p.rows, std::vector<bool>(p.rows, false));
  for (Index i = 0; i < p.rows; ++i)
    for (Offset q = p.start[i]; q < p.start[i + 1]; ++q) {
      if (q > p.start[i]) {
        EXPECT_LT(p.column[q - 1], p.column[q]);
      }
      stored[i][p.column[q]] = true;
      ASSERT_GE(input.source[q], 0);
      ASSERT_LT(input.source[q], static_cast<Offset>(value.size()));
      const double v = value[input.source[q]];
      EXPECT_TRUE(input.matrix.value[q] == v || (std::isnan(v) && std::isnan(input.matrix.value[q])));
    }
  for (Index i = 0; i < p.rows; ++i)
    for (Index j = 0; j < p.rows; ++j)
      EXPECT_EQ(stored[i][j], stored[j][i]) << i << " " << j;
  std::vector<Offset> mirror;
  transpose(p, &mirror);
  for (Offset q = 0; q < p.entries(); ++q)
    EXPECT_EQ(input.source[q], input.source[mirror[q]]);
}

TEST(ReadFull, SortsRows)
{
  const Rows rows = Rows().row({{2, 3}, {0, 1}}).row({{1, 4}}).row({{2, 0}, {0, 3}});
  const SymmetricInput input = rows.read();
  expect_consistent(input, rows.value);
  EXPECT_EQ(input.matrix.pattern.column, (std::vector<Index>{0, 2, 1, 0, 2}));
  EXPECT_EQ(input.source, (std::vector<Offset>{1, 0, 2, 0, 3}));
}

TEST(ReadFull, RandomMatricesInRandomOrder)
{
  for (unsigned seed = 1; seed <= 20; ++seed) {
    Random random(seed);
    const Matrix a = random_matrix(random, 1 + random.below(30), random.below(120), Values::small_whole, true);
    Rows rows;
    for (Index i = 0; i < a.pattern.rows; ++i) {
      std::vector<std::pair<Index, double>> row;
      for (Offset p = a.pattern.start[i]; p < a.pattern.start[i + 1]; ++p)
        row.insert(row.begin() + random.below(static_cast<Index>(row.size()) + 1), {a.pattern.column[p], a.value[p]});
      rows.row(row);
    }
    const SymmetricInput input = rows.read();
    expect_consistent(input, rows.value);
    EXPECT_EQ(input.matrix.pattern.column, a.pattern.column);
    EXPECT_EQ(input.matrix.value, a.value);
  }
}

TEST(ReadFull, Small)
{
  EXPECT_EQ(Rows().read().matrix.pattern.rows, 0);
  expect_consistent(Rows().read(), {});
  expect_consistent(Rows().row({}).read(), {});
  expect_consistent(Rows().row({{0, 5}}).read(), {5});
  expect_consistent(Rows().row({}).row({}).read(), {});
  expect_consistent(Rows().row({{1, 5}}).row({{0, 5}}).read(), {5, 5});
}

TEST(ReadFull, RepeatedEntry)
{
  const SymmetricInput input = Rows().row({{0, 1}}).row({{2, 1}, {1, 1}, {2, 1}}).row({{1, 1}, {2, 2}, {1, 1}}).read();
  EXPECT_EQ(input.status, SymmetricInput::Repeated);
  EXPECT_EQ(input.row, 1);
  EXPECT_EQ(input.column, 2);
}

TEST(ReadFull, NonsymmetricValues)
{
  const Rows rows = Rows().row({{0, 1}, {1, 2}}).row({{0, 2 + 1e-9}, {1, 1}});
  const SymmetricInput input = rows.read();
  EXPECT_EQ(input.status, SymmetricInput::Nonsymmetric);
  EXPECT_EQ(input.row, 0);
  EXPECT_EQ(input.column, 1);
  EXPECT_EQ(rows.read(false).status, SymmetricInput::Ok);
}

/// A symmetric band of so many rows that threads share them.
Rows long_band()
{
  const Index n = 9000;
  Rows rows;
  for (Index i = 0; i < n; ++i) {
    std::vector<std::pair<Index, double>> row;
    for (Index j = std::max(i - 2, 0); j <= std::min(i + 2, n - 1); ++j)
      row.push_back({j, 1.0 + i + j});
    rows.row(row);
  }
  return rows;
}

class ManyRows : public testing::Test {
private:
  const Threads scope_{4};
};

TEST_F(ManyRows, SortedOrNotGiveTheSame)
{
  Rows rows = long_band();
  const SymmetricInput sorted = rows.read();
  ASSERT_EQ(sorted.status, SymmetricInput::Ok);
  std::reverse(rows.column.begin() + rows.start[5000], rows.column.begin() + rows.start[5001]);
  std::reverse(rows.value.begin() + rows.start[5000], rows.value.begin() + rows.start[5001]);
  const SymmetricInput other = rows.read();
  EXPECT_EQ(other.matrix.pattern.column, sorted.matrix.pattern.column);
  EXPECT_EQ(other.matrix.value, sorted.matrix.value);
  EXPECT_EQ(other.source[rows.start[5001] - 1], rows.start[5000]); // the entry (5000, 5002), which is the first now
}

TEST_F(ManyRows, FirstOfSeveralFaultsIsReported)
{
  Rows rows = long_band();
  for (Index i : {8000, 3000, 5000})
    rows.value[rows.start[i]] += 1; // the entry (i, i - 2)
  SymmetricInput input = rows.read();
  EXPECT_EQ(input.status, SymmetricInput::Nonsymmetric);
  EXPECT_EQ(input.row, 2998);
  EXPECT_EQ(input.column, 3000);
  for (Index i : {8500, 4000, 6000})
    rows.column[rows.start[i]] = rows.column[rows.start[i] + 1];
  input = rows.read();
  EXPECT_EQ(input.status, SymmetricInput::Repeated);
  EXPECT_EQ(input.row, 4000);
  EXPECT_EQ(input.column, 3999);
}

TEST(ReadFull, DifferencesOfRoundingAreNone)
{
  EXPECT_EQ(Rows().row({{0, 1}, {1, 2}}).row({{0, 2 + 1e-11}, {1, 1}}).read().status, SymmetricInput::Ok);
  // relative to the larger of the two rows' largest entries, whichever row it is in
  EXPECT_EQ(Rows().row({{0, 1}, {1, 0}}).row({{0, 1e-11}, {1, 1e-3}}).read().status, SymmetricInput::Ok);
  EXPECT_EQ(Rows().row({{0, 1e-3}, {1, 0}}).row({{0, 1e-11}, {1, 1}}).read().status, SymmetricInput::Ok);
  EXPECT_EQ(Rows().row({{0, 1e-3}, {1, 0}}).row({{0, 1e-11}, {1, 1e-3}}).read().status, SymmetricInput::Nonsymmetric);
  // at every scale
  EXPECT_EQ(Rows().row({{0, 1e-25}, {1, 2e-25}}).row({{0, 3e-25}}).read().status, SymmetricInput::Nonsymmetric);
}

TEST(ReadFull, MissingMirrorOfNonzero)
{
  for (const Rows &rows : {Rows().row({{0, 1}, {1, 7}}).row({{1, 1}}), Rows().row({{0, 1}}).row({{0, 7}, {1, 1}})}) {
    const SymmetricInput input = rows.read();
    EXPECT_EQ(input.status, SymmetricInput::Nonsymmetric);
    EXPECT_EQ(input.row, 0);
    EXPECT_EQ(input.column, 1);
  }
}

TEST(ReadFull, MissingMirrorOfZero)
{
  const Rows rows = Rows().row({{0, 1}, {2, 0}}).row({{0, 0}, {1, 1}}).row({{2, 1}, {1, 0}});
  const SymmetricInput input = rows.read();
  expect_consistent(input, rows.value);
  EXPECT_EQ(input.matrix.pattern.column, (std::vector<Index>{0, 1, 2, 0, 1, 2, 0, 1, 2}));
  EXPECT_EQ(input.source, (std::vector<Offset>{0, 2, 1, 2, 3, 5, 1, 5, 4}));
}

TEST(ReadFull, BelievedSymmetricMirrorsWhatIsStored)
{
  const Rows rows = Rows().row({{0, 1}, {1, 7}}).row({{1, 1}}).row({{0, 3}});
  const SymmetricInput input = rows.read(false);
  expect_consistent(input, rows.value);
  const Dense a = dense_of(input.matrix);
  EXPECT_EQ(a(1, 0), 7);
  EXPECT_EQ(a(0, 2), 3);
}

TEST(ReadFull, NotANumberIsNoDifference)
{
  const Rows rows = Rows().row({{0, nan}, {1, 2}}).row({{0, 2}, {1, nan}});
  expect_consistent(rows.read(), rows.value);
  const Rows other = Rows().row({{0, 1}, {1, nan}}).row({{0, 2}, {1, 1}});
  expect_consistent(other.read(), other.value);
}

TEST(ReadFull, UpperTriangleStandsForBoth)
{
  const double above = 2, below = 2 * (1 + 0x1p-40), noise = 5e-17;
  const Rows rows = Rows().row({{1, above}, {2, 0}}).row({{2, noise}, {0, below}}).row({{0, noise}, {2, 1}});
  for (const bool check : {true, false}) {
    const SymmetricInput input = rows.read(check);
    expect_consistent(input, rows.value);
    EXPECT_EQ(input.matrix.pattern.column, (std::vector<Index>{1, 2, 0, 2, 0, 1, 2}));
    EXPECT_EQ(input.matrix.value, (std::vector<double>{above, 0, above, noise, 0, noise, 1}));
  }
}

TEST(ReadFull, NoInfinityIsOverlooked)
{
  const double infinity = std::numeric_limits<double>::infinity();
  for (const double value : {nan, infinity, -infinity}) {
    const Rows rows = Rows().row({{0, 1}, {1, 2}}).row({{0, value}, {1, 1}});
    const SymmetricInput input = rows.read();
    expect_consistent(input, rows.value);
    EXPECT_FALSE(std::isfinite(input.matrix.value[1]));
    EXPECT_FALSE(std::isfinite(input.matrix.value[2]));
  }
}

/// A symmetric matrix of n block rows stored as SBAIJ does. What is below the diagonal of diagonal blocks is rubbish.
struct UpperBlocks {
  Index n, block_size;
  std::vector<Offset> start = {0};
  std::vector<Index> column;
  std::vector<double> value;
  Dense dense;

  UpperBlocks(Index rows, Index bs, unsigned seed, bool shuffled) : n(rows), block_size(bs), dense(rows * bs)
  {
    Random random(seed);
    for (Index i = 0; i < n; ++i) {
      std::vector<Index> columns;
      for (Index j = i; j < n; ++j)
        if (random.below(3) > 0)
          columns.insert(shuffled ? columns.begin() : columns.end(), j);
      for (const Index j : columns)
        add_block(random, i, j);
      start.push_back(static_cast<Offset>(column.size()));
    }
  }

  void add_block(Random &random, Index i, Index j)
  {
    column.push_back(j);
    for (Index c = 0; c < block_size; ++c)
      for (Index r = 0; r < block_size; ++r) {
        const double v = 1 + random.below(1000);
        if (i == j && r > c) {
          value.push_back(-1e30);
          continue;
        }
        value.push_back(v);
        dense(i * block_size + r, j * block_size + c) = dense(j * block_size + c, i * block_size + r) = v;
      }
  }
};

TEST(ReadUpperBlocks, RandomMatrices)
{
  for (Index bs = 1; bs <= 3; ++bs)
    for (Index n = 0; n <= 7; ++n)
      for (unsigned seed = 1; seed <= 4; ++seed) {
        const UpperBlocks blocks(n, bs, seed, seed % 2);
        const SymmetricInput input =
            read_upper_blocks(n, bs, blocks.start.data(), blocks.column.data(), blocks.value.data());
        expect_consistent(input, blocks.value);
        ASSERT_EQ(input.matrix.pattern.rows, n * bs);
        EXPECT_EQ(largest_difference(dense_of(input.matrix), blocks.dense), 0);
        // each block above the diagonal gives two entries a value, a diagonal block one
        Offset entries = 0;
        for (Index i = 0; i < n; ++i)
          for (Offset p = blocks.start[i]; p < blocks.start[i + 1]; ++p)
            entries += bs * bs * (blocks.column[p] == i ? 1 : 2);
        EXPECT_EQ(input.matrix.pattern.entries(), entries);
      }
}

TEST(ReadUpperBlocks, RepeatedBlock)
{
  const std::vector<Offset> start = {0, 3, 3};
  const std::vector<Index> column = {0, 1, 1};
  const SymmetricInput input =
      read_upper_blocks(2, 1, start.data(), column.data(), std::vector<double>{1, 2, 3}.data());
  EXPECT_EQ(input.status, SymmetricInput::Repeated);
  EXPECT_EQ(input.row, 0);
  EXPECT_EQ(input.column, 1);
}

/// What is read of a matrix with three rows and all entries but (0, 2) and (2, 0).
SymmetricInput read_complex(const std::vector<Complex> &value, bool check = true, Symmetry said = Symmetry::Symmetric)
{
  const std::vector<Offset> start = {0, 2, 5, 7};
  const std::vector<Index> column = {0, 1, 0, 1, 2, 1, 2};
  return read_full(3, start.data(), column.data(), value.data(), check, said);
}

const Complex z(1, 2);

TEST(ReadComplex, FindsWhatTheMatrixIs)
{
  const SymmetricInput symmetric = read_complex({1, z, z, z, 4, 4, 5}),
                       hermitian = read_complex({1, z, std::conj(z), 2, 4, 4, 5}),
                       real = read_complex({1, 2, 2, 3, 4, 4, 5});
  EXPECT_EQ(symmetric.status, SymmetricInput::Ok);
  EXPECT_EQ(symmetric.symmetry, Symmetry::Symmetric);
  EXPECT_EQ(symmetric.source, (std::vector<Offset>{0, 1, 1, 3, 4, 4, 6}));
  EXPECT_EQ(hermitian.status, SymmetricInput::Ok);
  EXPECT_EQ(hermitian.symmetry, Symmetry::Hermitian);
  EXPECT_EQ(hermitian.source, (std::vector<Offset>{0, 1, ~Offset(1), 3, 4, ~Offset(4), 6}));
  EXPECT_DOUBLE_EQ(hermitian.matrix.value[1], std::sqrt(5));
  EXPECT_EQ(real.symmetry, Symmetry::Hermitian);

  // what is nearer, where rounding lets it be both
  EXPECT_EQ(read_complex({1, Complex(2, 1e-13), Complex(2, 1e-13), 3, 4, 4, 5}).symmetry, Symmetry::Symmetric);
  EXPECT_EQ(read_complex({1, Complex(2, 1e-13), Complex(2, -1e-13), 3, 4, 4, 5}).symmetry, Symmetry::Hermitian);
}

TEST(ReadComplex, RefusesWhatIsNeither)
{
  for (const std::vector<Complex> &value : {std::vector<Complex>{1, z, 2.0 * z, 3, 4, 4, 5}, // row 0 and 1
                                            std::vector<Complex>{1, z, z, 3, 4, std::conj(z), 5},
                                            std::vector<Complex>{Complex(1, 1), z, std::conj(z), 3, 4, 4, 5}})
    EXPECT_EQ(read_complex(value).status, SymmetricInput::Nonsymmetric);
  const SymmetricInput first = read_complex({1, z, 2.0 * z, 3, 4, 4, 5});
  EXPECT_EQ(first.row, 0);
  EXPECT_EQ(first.column, 1);
  EXPECT_EQ(read_complex({1, z, 2.0 * z, 3, 4, 4, 5}, false).status, SymmetricInput::Ok);
}

TEST(ReadComplex, BelievesWhatIsSaid)
{
  const std::vector<Complex> hermitian = {1, z, std::conj(z), 2, 4, 4, 5}, real = {1, 2, 2, 3, 4, 4, 5};
  EXPECT_EQ(read_complex(hermitian, false, Symmetry::Symmetric).symmetry, Symmetry::Symmetric);
  EXPECT_EQ(read_complex(hermitian, false, Symmetry::Hermitian).symmetry, Symmetry::Hermitian);
  EXPECT_EQ(read_complex(real, false, Symmetry::Symmetric).symmetry, Symmetry::Hermitian);
}

TEST(ReadComplex, CompletesWithConjugates)
{
  // [1 z . ; . 2 .; z . 3]: an entry above the diagonal and one below without their mirror images
  const std::vector<Offset> start = {0, 2, 3, 5};
  const std::vector<Index> column = {0, 1, 1, 0, 2};
  const std::vector<Complex> value = {1, z, 2, 3.0 * z, 3};
  for (Symmetry s : {Symmetry::Symmetric, Symmetry::Hermitian}) {
    const SymmetricInput input = read_full(3, start.data(), column.data(), value.data(), false, s);
    const Offset above = s == Symmetry::Hermitian ? ~Offset(1) : 1, below = s == Symmetry::Hermitian ? ~Offset(3) : 3;
    EXPECT_EQ(input.matrix.pattern.column, (std::vector<Index>{0, 1, 2, 0, 1, 0, 2}));
    EXPECT_EQ(input.source, (std::vector<Offset>{0, 1, below, above, 2, 3, 4}));
    EXPECT_DOUBLE_EQ(input.matrix.value[2], 3 * std::sqrt(5));
    EXPECT_DOUBLE_EQ(input.matrix.value[3], std::sqrt(5));
  }
}

TEST(ReadComplex, ValuesThatAreNotFiniteStandForBoth)
{
  const SymmetricInput input = read_complex({1, z, Complex(1, nan), 2, 4, 4, 5}, false, Symmetry::Hermitian);
  EXPECT_EQ(input.source[1], ~Offset(2));
  EXPECT_EQ(input.source[2], 2);
  EXPECT_TRUE(std::isnan(input.matrix.value[1]));
}

TEST(ReadComplex, UpperBlocks)
{
  // blocks of two rows: [0 1] and [1]
  const std::vector<Offset> start = {0, 2, 3};
  const std::vector<Index> column = {0, 1, 1};
  std::vector<Complex> value;
  for (int p = 0; p < 12; ++p)
    value.push_back(Complex(p + 1, p));
  for (Symmetry s : {Symmetry::Symmetric, Symmetry::Hermitian}) {
    const SymmetricInput input = read_upper_blocks(2, 2, start.data(), column.data(), value.data(), s);
    EXPECT_EQ(input.symmetry, s);
    const Pattern &p = input.matrix.pattern;
    for (Index i = 0; i < 4; ++i)
      for (Offset q = p.start[i]; q < p.start[i + 1]; ++q) {
        const Index j = p.column[q], r = std::min(i, j), c = std::max(i, j), block = r / 2 + c / 2;
        const Offset at = block * 4 + c % 2 * 2 + r % 2;
        EXPECT_EQ(input.source[q], s == Symmetry::Hermitian && j < i ? ~at : at) << i << " " << j;
        EXPECT_DOUBLE_EQ(input.matrix.value[q], std::abs(value[at]));
      }
    EXPECT_EQ(p.entries(), 16);
  }
  for (Complex &x : value)
    x = x.real();
  EXPECT_EQ(read_upper_blocks(2, 2, start.data(), column.data(), value.data()).symmetry, Symmetry::Hermitian);
}

TEST(ReadRows, SortsColumns)
{
  Rows rows;
  rows.row({{2, -3}, {0, 1}, {1, 2}}).row({{1, 4}}).row({{2, 5}, {0, -6}});
  const RowInput input = read_rows(rows.rows(), rows.start.data(), rows.column.data(), rows.value.data());
  EXPECT_EQ(input.row, -1);
  EXPECT_EQ(input.matrix.pattern.column, (std::vector<Index>{0, 1, 2, 1, 0, 2}));
  EXPECT_EQ(input.source, (std::vector<Offset>{1, 2, 0, 3, 5, 4}));
  EXPECT_EQ(input.matrix.value, (std::vector<double>{1, 2, -3, 4, -6, 5}));
}

/// Mirror images are found in matrices that are symmetric to the last bit, whatever the order in their rows.
TEST(ReadRows, FindsMirrorImages)
{
  Rows rows;
  rows.row({{2, -3}, {0, 1}}).row({{1, 4}}).row({{2, 5}, {0, -3}});
  const RowInput input = read_rows(rows.rows(), rows.start.data(), rows.column.data(), rows.value.data());
  EXPECT_EQ(input.source, (std::vector<Offset>{1, 0, 2, 4, 3}));
  EXPECT_EQ(input.mirror, (std::vector<Offset>{1, 4, 2, 0, 3}));
  const auto first = [&](const std::vector<double> &value) {
    return first_asymmetric_row(input.matrix.pattern, input.source, input.mirror, value.data());
  };
  EXPECT_EQ(first(rows.value), -1);
  EXPECT_EQ(first({0, 7, 8, 9, -0.0}), -1);
  EXPECT_EQ(first({-3, 1, 4, 5, std::nextafter(-3, 0)}), 0);
  EXPECT_EQ(first({NAN, 1, 4, 5, NAN}), 0);
}

TEST(ReadRows, FindsNoneInOtherMatrices)
{
  const auto mirror_of = [](const Rows &rows) {
    return read_rows(rows.rows(), rows.start.data(), rows.column.data(), rows.value.data()).mirror;
  };
  Rows values, pattern, counts, repeated;
  values.row({{0, 1}, {1, 2}}).row({{0, std::nextafter(2, 3)}, {1, 1}});
  pattern.row({{1, 2}}).row({{2, 2}}).row({{0, 2}});
  counts.row({{0, 1}, {1, 2}}).row({{1, 1}});
  repeated.row({{0, 1}, {0, 1}});
  for (const Rows &rows : {values, pattern, counts, repeated})
    EXPECT_TRUE(mirror_of(rows).empty());
}

TEST(ReadRows, NamesTheFirstEntryThatIsStoredTwice)
{
  Rows rows;
  rows.row({{0, 1}, {1, 2}}).row({{1, 4}, {0, 3}, {1, 5}}).row({{2, 1}, {2, 1}});
  const RowInput input = read_rows(rows.rows(), rows.start.data(), rows.column.data(), rows.value.data());
  EXPECT_EQ(input.row, 1);
  EXPECT_EQ(input.column, 1);
}

} // namespace
