#ifndef TESSERA_TESTS_SUPPORT_FACTOR_CASES_HPP
#define TESSERA_TESTS_SUPPORT_FACTOR_CASES_HPP

#include "analysis/analysis.hpp"
#include "host/bildlt/block_factor.hpp"
#include "support/dense.hpp"
#include "support/matrix_market.hpp"

#include <string>

namespace tessera::test {

struct NamedMatrix {
  std::string name;
  Matrix matrix;
  bool singular = false;
};

/// Random symmetric values on the entries of a graph and on the diagonal; the diagonal is `diagonal` plus a random
/// value.
Matrix symmetric_on(const Pattern &graph, double diagonal, unsigned seed);

/// Laplacian of a graph (row sums 0) plus shift I.
Matrix laplacian(const Pattern &graph, double shift);

/// [0 B; Bᵀ 0] with a sparse B in natural order: no 1x1 pivot before the second half, so columns are delayed from front
/// to front.
Matrix without_diagonal(Index half, unsigned seed);

/// A small random_kkt().
Matrix saddle_point();

/// One of each kind, small enough for dense references.
std::vector<NamedMatrix> factor_cases();

/// Options of an analysis: blocks of at most max_rows rows.
inline AnalysisOptions with_blocks(Index max_rows, Preprocessing preprocessing = Preprocessing::Matching)
{
  AnalysisOptions options;
  options.preprocessing = preprocessing;
  options.blocking.max_rows = max_rows;
  return options;
}

/// A matrix in blocks of so many rows, `width` of them in each of its first two levels, and 60 after these. Each block
/// of the first level meets three of the second, and each row of both one of the last: so a block has some seven or ten
/// tiles.
struct WideLevels {
  Matrix matrix;
  AnalysisOptions analysis;
  WideLevels(Index width, Index block_rows);
};

/// A matrix and options with which its factor, or the inverse of that, may overflow.
struct OverflowCase {
  std::string name;
  Matrix matrix;
  AnalysisOptions analysis;
  FactorOptions factor;
  FactorReport::Status status;
};
std::vector<OverflowCase> overflow_cases();

/// A cycle of five rows without a diagonal, in blocks of at most two. Edges are 1 but for the one that closes it, which
/// is by itself in its column of a tile. The last pivot is -2 times this entry.
struct SmallEntry {
  Matrix matrix;
  AnalysisOptions analysis;
};
SmallEntry small_entry(double entry);

/// Values in an order of storage that is not the matrix's: entry p is at source[p].
template <class T>
struct StoredOf {
  std::vector<Offset> source;
  std::vector<T> value;
};
using Stored = StoredOf<double>;

/// AnyMatrix: of real or complex values.
template <class AnyMatrix>
auto store_reversed(const AnyMatrix &matrix)
{
  StoredOf<typename decltype(matrix.value)::value_type> stored;
  const Offset entries = matrix.pattern.entries();
  for (Offset p = 0; p < entries; ++p)
    stored.source.push_back(entries - 1 - p);
  stored.value.assign(matrix.value.rbegin(), matrix.value.rend());
  return stored;
}

/// S P A Pᵀ S as the structure orders it and the analysis scales it.
Dense scaled_and_permuted(const Matrix &matrix, const Analysis &analysis);

/// A matrix, its analysis and one factor of it.
template <class T>
struct Factored {
  Stored stored;
  Analysis analysis;
  HostBlockFactor<T> factor;
  BlockFactorReport report;

  Factored(const Matrix &matrix, const AnalysisOptions &analysis_options, const FactorOptions &options);

  /// Factors again, with other values of the same pattern or other options.
  void again(const Matrix &matrix, const FactorOptions &options);
};

/// D, U (unit block rows [M⁻ᵀ | tiles], M = L⁻¹ P), and the inverses M, as dense matrices in the order of the factor.
struct DenseFactor {
  Dense d, u, m;
};
template <class T>
DenseFactor dense_factor(const BlockStructure &structure, HostBlockFactor<T> &factor);

/// All bytes of a factor that mean something.
template <class T>
std::string bits(const BlockStructure &structure, HostBlockFactor<T> &factor);

} // namespace tessera::test
#endif
