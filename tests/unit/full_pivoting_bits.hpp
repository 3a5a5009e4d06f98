#ifndef TESSERA_TESTS_FULL_PIVOTING_BITS_HPP
#define TESSERA_TESTS_FULL_PIVOTING_BITS_HPP

// The tile kernels with full pivoting over a batch of tiles.
#include "tile/full_pivoting.hpp"

#include <cstdint>
#include <vector>

namespace tessera {

template <class T, int W>
struct FullInput {
  T A[W * W];
  T delta;
  std::int32_t n, kind; ///< kind: how A was made, for messages
};

/// All that the kernels write: numbers in x, and what is a whole number.
template <class T, int W>
struct FullOutput {
  T x[3 * W * W + 2 * W];
  std::int32_t perm[4 * W];
  PivotCounts ldlt_counts;
  LuCounts llt_counts, ldu_counts;
};

template <class T, int W>
struct FullBatch {
  const FullInput<T, W> *in;
  FullOutput<T, W> *out;

  template <class G>
  TESSERA_COLLECTIVE void operator()(const G &g, std::int64_t item) const
  {
    const FullInput<T, W> &i = in[item];
    FullOutput<T, W> &o = out[item];
    T *const D = o.x + 3 * W * W;
    ldlt_full(g, i.A, W, i.n, i.delta, o.x, D, D + W, o.perm, &o.ldlt_counts);
    llt_full(g, i.A, W, i.n, i.delta, o.x + W * W, o.perm + W, &o.llt_counts);
    ldu_full(g, i.A, W, i.n, i.delta, o.x + 2 * W * W, o.perm + 2 * W, o.perm + 3 * W, &o.ldu_counts);
  }
};

/// A batch with every case and size, and what the host makes of it; what it does not write is 0.
template <class T, int W>
std::vector<FullInput<T, W>> make_full_batch();
template <class T, int W>
std::vector<FullOutput<T, W>> run_full_batch(const std::vector<FullInput<T, W>> &in);

} // namespace tessera
#endif
