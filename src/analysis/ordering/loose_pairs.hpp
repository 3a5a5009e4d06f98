#ifndef TESSERA_ANALYSIS_ORDERING_LOOSE_PAIRS_HPP
#define TESSERA_ANALYSIS_ORDERING_LOOSE_PAIRS_HPP

#include "analysis/ordering/compress.hpp"
#include "analysis/preprocess.hpp"
#include "analysis/symbolic/symbolic.hpp"

#include <functional>

namespace tessera {

/// A row whose diagonal is this large, scaled so that no entry exceeds 1, is a single pivot wherever it comes.
/// (find_pairs gives up a pair of two such rows from 0.64 on, before scale factors are rounded to powers of two.) And
/// of the matrix as it is, the square of the row's largest other entry over its diagonal is at most eight times the
/// largest entry: what is added to the matrix costs digits of the solution.
constexpr double single_pivot = 0.25;

/// The single pivots of a symmetric matrix, both triangles, scaled by rows and columns; both outlive it.
class SinglePivots {
public:
  SinglePivots(const Matrix &symmetric, const std::vector<double> &scale);

  /// The pairs without the loose ones. A pair is loose where one row is a single pivot: the other may be one as well,
  /// if it comes later, for its diagonal is large then. Both rows in one vertex would have the second one eliminated at
  /// once, with all that it meets: in a saddle-point matrix with a definite leading block that can take several times
  /// the operations. A pair stays where other single pivots, of the other sign, could take away more than half of that
  /// diagonal. All stay where fewer than a third are loose, which changes the order and gains nothing, and where nearly
  /// as many rows would have to wait as need not: then there are few other orders, and good ones have the pairs.
  ///
  /// partner: [rows] as find_pairs returns it.
  std::vector<Index> without_loose_pairs(const std::vector<Index> &partner) const;

  /// The order in which each vertex that is a row with a small diagonal comes after the first single pivot that makes
  /// it large: right behind it if all of them came later. (After Bridson 2007, whose rows without a diagonal wait.)
  /// Vertices without such a pivot stay. Empty if nothing moves.
  ///
  /// graph: of the matrix, compressed. perm: [vertices] perm[new] = old.
  std::vector<Index> put_behind(const CompressedGraph &graph, const std::vector<Index> &perm) const;

private:
  template <class Visit>
  void each_beside(Index i, const Visit &visit) const;
  bool makes_pivot(Index j, Index i) const;
  std::vector<Index> places_to_wait_for(const CompressedGraph &graph, const std::vector<Index> &place) const;

  const Matrix &a_;
  const std::vector<double> &scale_;
  std::vector<double> diagonal_;     ///< [rows] scaled
  std::vector<std::uint8_t> is_one_; ///< [rows]
};

/// A compressed graph in an order that is good for it.
struct OrderedGraph {
  CompressedGraph graph;
  Symbolic symbolic; ///< empty where the ordering failed
};

/// Compresses the graph of a preprocessed matrix and orders it. loose: without the loose pairs, unless a quarter of the
/// entries are there, or the pairs take fewer operations: that is looked at where rows that wait for others take half
/// as many again. ready.partner and ready.pairs: overwritten with the pairs that are left. order: returns the symbolic
/// factorization of a graph, in the order that it chooses.
OrderedGraph compress_and_order(const Matrix &symmetric, SymmetricPreprocessing &ready, bool loose, StepClock &clock,
                                const std::function<Symbolic(const CompressedGraph &)> &order);

} // namespace tessera
#endif
