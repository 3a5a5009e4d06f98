#ifndef TESSERA_BASE_PERMUTE_HPP
#define TESSERA_BASE_PERMUTE_HPP

#include "base/types.hpp"

namespace tessera {

/// Inverse of a permutation: inverse[perm[i]] = i.
std::vector<Index> inverse_permutation(const std::vector<Index> &perm);

/// Whether a permutation is odd.
bool is_odd(const std::vector<Index> &perm);

/// first[second[i]]: the order that results when a graph already permuted by `first` is permuted by `second`.
std::vector<Index> compose(const std::vector<Index> &first, const std::vector<Index> &second);

/// Symmetric permutation P A Pᵀ of a square pattern without its diagonal: vertex i of the result is vertex perm[i] of
/// `graph`. `perm` may name a subset of the vertices; the result is then the subgraph these induce.
Pattern permute_graph(const Pattern &graph, const std::vector<Index> &perm);

/// Transpose of `pattern`. With `position`, position[p] is the position in `pattern` of the result's entry p.
Pattern transpose(const Pattern &pattern, std::vector<Offset> *position = nullptr);

/// Values of the caller up to the last one of which source[p] is the number, for any p.
Offset count_sources(const std::vector<Offset> &source);

} // namespace tessera
#endif
