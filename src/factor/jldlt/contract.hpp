#ifndef TESSERA_FACTOR_JLDLT_CONTRACT_HPP
#define TESSERA_FACTOR_JLDLT_CONTRACT_HPP

#include "factor/jldlt/layout.hpp"
#include "factor/jldlt/steps.hpp"
#include "factor/jldlt/tile_rows.hpp"

#include <type_traits>
#include <utility>
#include <vector>

// What Jacobi-LDLᵀ (factor/jldlt/factor.hpp) asks of a machine, and whether a type has it: IsJacobiBackend<B>,
// IsJacobiGroup<G>, IsJacobiWorker<W>. The ...Operations by themselves are an error that names what is missing.
//
// A backend, host/jldlt/backend.hpp or cuda/jldlt/backend.cuh, has
//
//   Array<T>                        values in its memory: data(), size()
//   zeros<T>(n), upload(vector)     new arrays
//   download(array), download(array, n)   a std::vector of the values, or of the first n
//   finish()                        waits until all of it is done: what was uploaded may go
//   clear(array)                    fills with zeros
//   each(n, f)                      f(i) for i = 0 .. n - 1, in any order and at the same time
//   sort(keys, values)              sorts both by the keys, stably
//   run<W>(n, kernel)               kernel(group of W lanes, item) for item = 0 .. n - 1
//   run_by_width(ranges, kernel)    kernel(group of 4 << w lanes, item) for the items of WidthRanges
//   sweep<Step>(ranges, items, view, largest block)
//                                   a step of factor/jldlt/steps.hpp for the same items, by workers; blocks have at
//                                   most so many rows
//
// Its groups have, besides what tile/group.hpp asks of a group,
//
//   first_item(), item_step()             as those of a team, for a loop that the lanes of a group share
//   load_kept(mask, p)                    lane i reads the next of p, p + 1, .. if bit i of the mask is set, else 0
//   by_rows(p, stride, rows, columns)     a TileRows of the rows x columns tile at p, so many entries between columns
//   invert_lower(L, ld, n, perm, X, ldx)  inverse_lower of tile/triangular.hpp
//
// A worker computes a piece of a block row in a panel: a core (host/jldlt/sweep.hpp) or a warp (cuda/jldlt/sweep.cuh).
// It has
//
//   v                         the JacobiView
//   clear(columns)            panel = 0
//   load_entries(piece)       panel = the entries of A that belong to the piece
//   add_updates(begin, end)   panel -= U_kbᵀ J_k U_kj of those updates whose block row is known
//   add_sums(piece)           panel += what parts of the updates came to
//   store(columns, to)        the panel, by columns of W entries
//   store_largest(rows, to)   the largest magnitude in the lower triangle of the panel
//   solve(piece)              U = J_b U_bb⁻ᵀ panel, stored
//
// and does the operations on an entry in one order, whatever it is.

namespace tessera {
namespace jacobi_contract {

/// A value of type T, for expressions that are not evaluated.
template <class T>
T &a();

/// Void if an expression has the type wanted.
template <class Wanted, class Has>
using Is = std::enable_if_t<std::is_same_v<Wanted, std::decay_t<Has>>>;

/// A kernel and a function over items that do nothing.
struct Kernel {
  template <class G>
  TESSERA_COLLECTIVE void operator()(const G &, std::int64_t) const
  {
  }
};
struct Function {
  TESSERA_BOTH void operator()(Offset) const {}
};

template <class B, class Doubles = typename B::template Array<double>>
using JacobiBackendOperations =
    std::void_t<Is<double *, decltype(a<Doubles>().data())>, Is<Offset, decltype(a<Doubles>().size())>,
                Is<Doubles, decltype(a<B>().template zeros<double>(a<const Offset>()))>,
                Is<Doubles, decltype(a<B>().upload(std::vector<double>()))>,
                Is<std::vector<double>, decltype(a<B>().download(a<Doubles>()))>,
                Is<std::vector<double>, decltype(a<B>().download(a<Doubles>(), a<const Offset>()))>,
                decltype(a<B>().finish()), decltype(a<B>().clear(a<Doubles>())),
                decltype(a<B>().each(a<const Offset>(), Function())), decltype(a<B>().sort(a<Doubles>(), a<Doubles>())),
                decltype(a<B>().template run<8>(a<const Offset>(), Kernel())),
                decltype(a<B>().run_by_width(a<const WidthRanges>(), Kernel())),
                decltype(a<B>().template sweep<SweepTiles>(a<const WidthRanges>(), a<const JacobiPiece *>(),
                                                           a<const JacobiView>(), a<const Index>()))>;

template <class G>
using JacobiGroupOperations =
    std::void_t<Is<int, decltype(a<G>().first_item())>, Is<int, decltype(a<G>().item_step())>,
                Is<typename G::template lane<double>, decltype(a<G>().load_kept(0u, a<const double *>()))>,
                Is<TileRows, decltype(a<G>().by_rows(a<const double *>(), 0, 0, 0))>,
                decltype(a<G>().invert_lower(a<const double *>(), 0, 0, a<const std::int32_t *>(), a<double *>(), 0))>;

template <class W>
using JacobiWorkerOperations = std::void_t<
    Is<JacobiView, decltype(a<W>().v)>, decltype(a<W>().clear(a<const Index>())),
    decltype(a<W>().load_entries(a<const JacobiPiece>())),
    decltype(a<W>().add_updates(a<const Offset>(), a<const Offset>())),
    decltype(a<W>().add_sums(a<const JacobiPiece>())), decltype(a<W>().store(a<const Index>(), a<double *>())),
    decltype(a<W>().store_largest(a<const Index>(), a<double *>())), decltype(a<W>().solve(a<const JacobiPiece>()))>;

} // namespace jacobi_contract

using jacobi_contract::JacobiBackendOperations;
using jacobi_contract::JacobiGroupOperations;
using jacobi_contract::JacobiWorkerOperations;

template <class B, class = void>
struct IsJacobiBackend : std::false_type {
};
template <class B>
struct IsJacobiBackend<B, JacobiBackendOperations<B>> : std::true_type {
};

template <class G, class = void>
struct IsJacobiGroup : std::false_type {
};
template <class G>
struct IsJacobiGroup<G, JacobiGroupOperations<G>> : std::true_type {
};

template <class W, class = void>
struct IsJacobiWorker : std::false_type {
};
template <class W>
struct IsJacobiWorker<W, JacobiWorkerOperations<W>> : std::true_type {
};

} // namespace tessera
#endif
