#include "factor/lu/lu_pairs.hpp"

#include "analysis/input/diagonal.hpp"
#include "base/permute.hpp"

#include <cmath>
#include <utility>

namespace tessera {
namespace {

constexpr Offset least_moved = 16; ///< of so many entries one at least in a row that gets another column
constexpr double most_lost = 0.5;  ///< of the logarithms of matched entries, to base 2, in the mean

/// Whether the rows and the columns of each block have the same numbers.
std::vector<bool> have_own_columns(const RowColumnPairs &given)
{
  const std::vector<Index> row_of = inverse_permutation(given.column);
  std::vector<bool> result(given.blocks, true);
  for (std::size_t i = 0; i < row_of.size(); ++i)
    if (given.block[row_of[i]] != given.block[i])
      result[given.block[i]] = result[given.block[row_of[i]]] = false;
  return result;
}

/// Gives each row of the blocks that are to have their own columns that of its number.
RowColumnPairs own_columns(const RowColumnPairs &given, const std::vector<bool> &is_own)
{
  RowColumnPairs own = given;
  for (Index i = 0; i < static_cast<Index>(own.column.size()); ++i)
    if (is_own[own.block[i]])
      own.column[i] = i;
  return own;
}

/// For each block the logarithms of its matched entries together, minus infinity where a row has none.
std::vector<double> log2_matched(const Matrix &a, const std::vector<Index> &column, const RowColumnPairs &blocks)
{
  std::vector<double> sum(blocks.blocks, 0.0);
  for (Index i = 0; i < a.pattern.rows; ++i)
    sum[blocks.block[i]] += std::log2(column[i] < 0 ? 0 : std::abs(entry(a, i, column[i])));
  return sum;
}

/// Takes their own columns from blocks whose matched entries are worse by too much in the mean. before, now:
/// log2_matched() of the matrix and of means. Returns whether there were such.
bool drop_lossy(const std::vector<double> &before, const std::vector<double> &now, const RowColumnPairs &blocks,
                std::vector<bool> &is_own)
{
  std::vector<Index> rows(blocks.blocks, 0);
  for (Index b : blocks.block)
    ++rows[b];
  bool dropped = false;
  for (Index b = 0; b < blocks.blocks; ++b)
    if (is_own[b] && before[b] - now[b] > most_lost * rows[b]) {
      is_own[b] = false;
      dropped = true;
    }
  return dropped;
}

/// Whether many entries are in rows with another column.
bool differ(const Pattern &matrix, const std::vector<Index> &column, const std::vector<Index> &other)
{
  Offset moved = 0;
  for (Index i = 0; i < matrix.rows; ++i)
    if (column[i] != other[i])
      moved += matrix.start[i + 1] - matrix.start[i];
  return moved > 0 && least_moved * moved >= matrix.entries();
}

/// LuPairs::means, on their pattern.
Matrix geometric_means(const Matrix &a, const RowColumnPairs &columns, Pattern symmetrized)
{
  const std::vector<Index> row_of = inverse_permutation(columns.column);
  Matrix means{std::move(symmetrized), {}};
  const Pattern &p = means.pattern;
  std::vector<double> value(p.entries(), 0.0); // of the matrix itself
  std::vector<Offset> place(p.rows, -1);       // of a column in the row
  for (Index i = 0; i < p.rows; ++i) {
    for (Offset q = p.start[i]; q < p.start[i + 1]; ++q)
      place[p.column[q]] = q;
    for (Offset q = a.pattern.start[i]; q < a.pattern.start[i + 1]; ++q)
      if (const Index j = row_of[a.pattern.column[q]]; place[j] >= p.start[i])
        value[place[j]] = a.value[q];
  }
  std::vector<Offset> mirrored;
  transpose(p, &mirrored);
  means.value.resize(value.size());
  for (Index i = 0; i < p.rows; ++i)
    for (Offset q = p.start[i]; q < p.start[i + 1]; ++q)
      means.value[q] =
          p.column[q] == i ? value[q] : std::sqrt(std::abs(value[q])) * std::sqrt(std::abs(value[mirrored[q]]));
  return means;
}

} // namespace

std::optional<LuPairs> find_lu_pairs(const Matrix &matrix, const RowColumnPairs &given, const Pattern &symmetrized)
{
  const std::vector<double> before = log2_matched(matrix, given.column, given);
  std::vector<bool> is_own = have_own_columns(given);
  std::vector<StepTime> unused;
  StepClock clock(unused, nullptr);
  for (;;) { // twice, if need be: blocks are matched on their own
    LuPairs pairs;
    pairs.columns = own_columns(given, is_own);
    if (!differ(matrix.pattern, given.column, pairs.columns.column))
      return {};
    Pattern pattern = symmetrized_blocks(matrix.pattern, pairs.columns);
    if (pattern.entries() >= symmetrized.entries())
      return {};
    pairs.means = geometric_means(matrix, pairs.columns, std::move(pattern));
    pairs.ready = preprocess_symmetric(pairs.means, Preprocessing::Matching, true, clock);
    if (!drop_lossy(before, log2_matched(pairs.means, pairs.ready.column, given), given, is_own))
      return pairs;
  }
}

} // namespace tessera
