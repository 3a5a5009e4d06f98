#ifndef TESSERA_TESTS_SUPPORT_HOST_FACTOR_HPP
#define TESSERA_TESTS_SUPPORT_HOST_FACTOR_HPP

#include "analysis/analysis.hpp"
#include "host/bildlt/block_factor.hpp"
#include "support/in_place.hpp"
#include "support/random_matrix.hpp"
#include "support/threads.hpp"

#include <cstring>

namespace tessera::test {

/// Indefinite 7-point operator on a cube of n^3 points: minus Laplacian with a shift that varies from point to point.
inline Matrix shifted_laplacian(Index n, std::uint64_t seed = 1)
{
  Random random(seed);
  std::vector<Triplet> triplets;
  const auto at = [n](Index i, Index j, Index k) { return (i * n + j) * n + k; };
  for (Index i = 0; i < n; ++i)
    for (Index j = 0; j < n; ++j)
      for (Index k = 0; k < n; ++k) {
        triplets.push_back({at(i, j, k), at(i, j, k), 6 - random.between(0, 3)});
        const Index next[3] = {i + 1 < n ? at(i + 1, j, k) : -1, j + 1 < n ? at(i, j + 1, k) : -1,
                               k + 1 < n ? at(i, j, k + 1) : -1};
        for (Index to : next)
          if (to >= 0) {
            triplets.push_back({at(i, j, k), to, -1});
            triplets.push_back({to, at(i, j, k), -1});
          }
      }
  return assemble(n * n * n, n * n * n, triplets);
}

inline Analysis analyze(const Matrix &matrix, const AnalysisOptions &options = {})
{
  const std::vector<Offset> source = test::in_place(matrix);
  return analyze_matrix(matrix, source, options);
}

/// Every number of a factor, in order, as bytes.
template <class T>
std::vector<std::uint8_t> bits_of(const BlockStructure &structure, HostBlockFactor<T> &factor)
{
  std::vector<std::uint8_t> bits;
  const auto add = [&](const void *data, std::size_t bytes) {
    const auto *begin = static_cast<const std::uint8_t *>(data);
    bits.insert(bits.end(), begin, begin + bytes);
  };
  add(factor.d.data(), factor.d.size() * sizeof(double));
  add(factor.e.data(), factor.e.size() * sizeof(double));
  add(factor.inverse.data(), factor.inverse.size() * sizeof(double));
  add(factor.first.data(), factor.first.size() * sizeof(Index));
  const StructureView s = view_of(structure);
  const FactorView<T> f = factor.view();
  for (Index b = 0; b < structure.blocks(); ++b) {
    add(f.value[b], static_cast<std::size_t>(f.kept(s, b)) * s.block_rows(b) * sizeof(T));
    add(f.column[b], f.kept(s, b));
  }
  return bits;
}

} // namespace tessera::test
#endif
