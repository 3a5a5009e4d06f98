#ifndef TESSERA_ANALYSIS_PAIRS_SINGLE_PIVOTS_HPP
#define TESSERA_ANALYSIS_PAIRS_SINGLE_PIVOTS_HPP

#include "analysis/ordering/compress.hpp"

namespace tessera {

/// The single pivots of a symmetric matrix: rows that can be pivots wherever they come. The scaled diagonal is at least
/// a quarter, where no scaled entry exceeds 1. (find_pairs gives up a pair of two such rows from 0.64 on, before scale
/// factors are rounded to powers of two.) And of the matrix as it is, the square of the row's largest other entry over
/// its diagonal is at most eight times the largest entry: what is added to the matrix costs digits of the solution.
///
/// symmetric: both triangles; scale: [rows] of rows and columns. Both outlive it.
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

  /// Whether entries alone tell that the matrix is quasi-definite (Vanderbei 1995): rows have signs, and those of the
  /// one sign are a definite matrix, as those of the other are, because they are diagonally dominant, single pivots by
  /// a factor of two. The sign is that of the diagonal; a row without one has the sign that its partner does not have.
  /// Whatever the order, pivots have the signs of their rows then, and those of one sign take nothing away from the
  /// other's. What may still fail is a row without a diagonal that comes before its partner; and digits are lost by
  /// single pivots that are far apart (Gill, Saunders & Shinnerl 1996): those of the matrix as it is are within 2^26.
  bool is_quasi_definite(const std::vector<Index> &partner) const;

  /// Whether most loose pairs meet at least twice as many rows as their single pivots do, and four. `left`: without
  /// them.
  bool spares_fill(const std::vector<Index> &partner, const std::vector<Index> &left) const;

  /// The order in which each vertex that is a row with a small diagonal comes after the first single pivot that makes
  /// it large: right behind it if all of them came later. (After Bridson 2007, whose rows without a diagonal wait.)
  /// Vertices without such a pivot stay. Empty if nothing moves.
  ///
  /// graph: of the matrix, compressed. perm: [vertices] perm[new] = old. partner: rows wait for their own partners, and
  /// no others; empty: as above.
  std::vector<Index> put_behind(const CompressedGraph &graph, const std::vector<Index> &perm,
                                const std::vector<Index> &partner = {}) const;

private:
  template <class Visit>
  void each_beside(Index i, const Visit &visit) const;
  bool makes_pivot(Index j, Index i) const;
  template <class Visit>
  void each_awaited(Index i, const std::vector<Index> &partner, const Visit &visit) const;
  std::vector<Index> places_to_wait_for(const CompressedGraph &graph, const std::vector<Index> &place,
                                        const std::vector<Index> &partner) const;

  const Matrix &a_;
  const std::vector<double> &scale_;
  std::vector<double> diagonal_;        ///< [rows] scaled
  std::vector<std::uint8_t> is_single_; ///< [rows] whether the row is a single pivot
};

} // namespace tessera
#endif
