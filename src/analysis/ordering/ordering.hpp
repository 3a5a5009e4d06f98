#ifndef TESSERA_ANALYSIS_ORDERING_ORDERING_HPP
#define TESSERA_ANALYSIS_ORDERING_ORDERING_HPP

#include "analysis/symbolic/symbolic.hpp"

#include <functional>
#include <limits>

namespace tessera {

enum class Ordering {
  Automatic, ///< AMD, and ND as well where AMD's factor takes longer than that: the one that costs less, see
             ///< OrderingChoice. Large meshes: ND alone, with large parts left to AMD where that is good enough
  Natural,   ///< as given
  AMD,       ///< approximate minimum degree (Amestoy, Davis & Duff 1996), by SuiteSparse
  ND,        ///< nested dissection by multilevel separators, in parallel: least fill on large grids and meshes
  METIS,     ///< METIS_NodeND (Karypis & Kumar 1998): serial
  RCM,       ///< reverse Cuthill-McKee, by Kokkos Kernels: small bandwidth
  Color      ///< greedy multicoloring, by Kokkos Kernels: few level sets at level of fill 0
};

/// Whether an ordering is for little fill.
constexpr bool reduces_fill(Ordering ordering)
{
  return ordering == Ordering::Automatic || ordering == Ordering::AMD || ordering == Ordering::ND ||
         ordering == Ordering::METIS;
}

/// How minimum degree and nested dissection are chosen between, of which the latter leaves less fill in large meshes
/// and takes several times as long.
struct OrderingChoice {
  /// Of a factor by minimum degree, for each entry of the graph: with fewer there is no look at nested dissection.
  /// Block rows on a core do some 17 operations a ns, nested dissection takes some 450 ns an entry.
  double flops_per_entry = 8e3;
  /// Whether operations of a factor of this size cost next to nothing, because few of them are done or a device does
  /// them: then there is none with fewer than 500,000 a row. Empty: they do not.
  std::function<bool(const FactorSize &)> are_cheap;
  /// Operations that take as long as the levels of the elimination tree, which no other work hides. Empty: they cost
  /// nothing. Arguments: the symbolic factorization and the weights of the vertices in the graph.
  std::function<double(const Symbolic &, const std::vector<Index> &)> level_flops;
  double costly_levels = 0; ///< there is a look all the same where the levels by minimum degree cost that or more,
  double costly_levels_per_entry = std::numeric_limits<double>::infinity(); ///< or that for each entry of the graph
  Index leaf = 200; ///< vertices of parts that nested dissection leaves to minimum degree: for least fill
};

/// Ordering of a symmetric graph: perm[new] = old.
///
/// graph: both triangles stored; diagonal entries are ignored. weight[i]: rows that vertex i stands for; only ND and
/// METIS look at it. choice: for Automatic; ND looks at its leaf, too. The same input gives the same perm in every run
/// and for every number of threads (METIS: while no other thread of the program calls rand()). An empty result for a
/// graph with vertices means that the library asked for could not order it (out of memory, or too many entries for
/// METIS).
std::vector<Index> order(const Pattern &graph, const std::vector<Index> &weight, Ordering ordering,
                         const OrderingChoice &choice = {});

/// Orders the graph and counts its complete factor: elimination tree, column counts, flops. Empty for a graph with
/// vertices where order() is.
Symbolic order_and_count(const Pattern &graph, const std::vector<Index> &weight, Ordering ordering,
                         const OrderingChoice &choice = {});

/// The one of AMD and ND whose factor costs less, counted; AMD where that costs less than a look at ND. Empty for a
/// graph with vertices where order() is.
Symbolic cheaper_order(const Pattern &graph, const std::vector<Index> &weight, const OrderingChoice &choice);

} // namespace tessera
#endif
