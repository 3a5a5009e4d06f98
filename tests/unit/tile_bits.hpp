#ifndef TESSERA_TESTS_TILE_BITS_HPP
#define TESSERA_TESTS_TILE_BITS_HPP

// Every tile kernel over a batch of tiles, as functors that run on either group.
#include "tile/block_diagonal.hpp"
#include "tile/ldlt.hpp"
#include "tile/ldlt_in_order.hpp"
#include "tile/lu.hpp"
#include "tile/norms.hpp"
#include "tile/permute.hpp"
#include "tile/product.hpp"
#include "tile/triangular.hpp"

#include <cstdint>
#include <vector>

namespace tessera {

template <class T, int W>
struct TileInput {
  T A[W * W], B[W * W];
  T delta;
  std::uint32_t pairs;
  std::int32_t n, c;          ///< A is n x n, B is n x c
  std::int32_t kind, variant; ///< how A was made, for messages
};

template <class T, int W>
struct FactorBits {
  T L[W * W], D[W], E[W];
  T inverse[W * W], forward[W * W], backward[W * W];
  T diagonal[6][W * W];
  std::int32_t perm[W];
  std::uint32_t negative;
  PivotCounts counts;
};

/// All that the kernels write, byte for byte
template <class T, int W>
struct TileOutput {
  FactorBits<T, W> factor[3];
  T in_order[W * W], in_order_d[W], in_order_e[W];
  std::int32_t in_order_perm[W], accepted;
  PivotCounts in_order_counts;
  T lu[W * W], product[2][W * W], norms[W], permuted[W * W], reductions[W][4];
  std::int32_t lu_perm[W];
  LuCounts lu_counts;
};

/// to = from, [W x W]
template <class G, class T>
TESSERA_COLLECTIVE void copy_tile(const G &g, const T *from, T *to)
{
  for (int j = 0; j < G::width; ++j)
    g.store(to + j * G::width, g.load(from + j * G::width));
  g.sync();
}

template <Pivoting P, class T, int W>
struct FactorBatch {
  const TileInput<T, W> *in;
  TileOutput<T, W> *out;

  template <class G>
  TESSERA_COLLECTIVE void operator()(const G &g, std::int64_t item) const
  {
    const TileInput<T, W> &x = in[item];
    FactorBits<T, W> &f = out[item].factor[int(P)];
    ldlt<P>(g, x.A, W, x.n, LdltOptions<T>{x.delta, x.pairs}, f.L, f.D, f.E, f.perm, &f.counts);
  }
};

template <Pivoting P, class T, int W>
struct SolveBatch {
  const TileInput<T, W> *in;
  TileOutput<T, W> *out;

  template <class G>
  TESSERA_COLLECTIVE void operator()(const G &g, std::int64_t item) const
  {
    const TileInput<T, W> &x = in[item];
    FactorBits<T, W> &f = out[item].factor[int(P)];
    inverse_lower(g, f.L, W, x.n, f.perm, f.inverse, W);
    copy_tile(g, x.B, f.forward);
    solve_lower<false>(g, f.L, W, x.n, f.forward, W, x.c);
    copy_tile(g, x.B, f.backward);
    solve_lower<true>(g, f.L, W, x.n, f.backward, W, x.c);
    for (T *d : {f.diagonal[0], f.diagonal[1], f.diagonal[2], f.diagonal[3], f.diagonal[4], f.diagonal[5]})
      copy_tile(g, x.B, d);
    multiply_diagonal<DiagonalOf::d>(g, f.D, f.E, x.n, f.diagonal[0], W, x.c);
    multiply_diagonal<DiagonalOf::inverse>(g, f.D, f.E, x.n, f.diagonal[1], W, x.c);
    multiply_diagonal<DiagonalOf::absolute>(g, f.D, f.E, x.n, f.diagonal[2], W, x.c);
    multiply_diagonal<DiagonalOf::inverse_absolute>(g, f.D, f.E, x.n, f.diagonal[3], W, x.c);
    multiply_diagonal<DiagonalOf::root>(g, f.D, f.E, x.n, f.diagonal[4], W, x.c);
    multiply_diagonal<DiagonalOf::inverse_root>(g, f.D, f.E, x.n, f.diagonal[5], W, x.c);
    const unsigned negative = g.bits(negative_pivots(g, f.D, f.E, x.n));
    if (g.leads())
      f.negative = negative;
  }
};

template <class T, int W>
struct InOrderBatch {
  const TileInput<T, W> *in;
  TileOutput<T, W> *out;

  template <class G>
  TESSERA_COLLECTIVE void operator()(const G &g, std::int64_t item) const
  {
    const TileInput<T, W> &x = in[item];
    TileOutput<T, W> &o = out[item];
    const bool accepted = ldlt_in_order(g, x.A, W, x.n, LdltOptions<T>{x.delta, x.pairs}, T(8), o.in_order,
                                        o.in_order_d, o.in_order_e, o.in_order_perm, &o.in_order_counts);
    if (g.leads())
      o.accepted = accepted;
  }
};

template <class T, int W>
struct OtherBatch {
  const TileInput<T, W> *in;
  TileOutput<T, W> *out;

  template <class G>
  TESSERA_COLLECTIVE void operator()(const G &g, std::int64_t item) const
  {
    const TileInput<T, W> &x = in[item];
    TileOutput<T, W> &o = out[item];
    lu(g, x.A, W, x.n, x.delta, o.lu, o.lu_perm, &o.lu_counts);
    for (T *p : {o.product[0], o.product[1]})
      copy_tile(g, x.B, p);
    subtract_product<false>(g, x.A, W, x.B, W, o.product[0], W, x.n, x.n, x.c);
    subtract_product<true>(g, x.A, W, x.B, W, o.product[1], W, x.n, x.n, x.c);
    row_norms(g, x.A, W, x.n, x.n, o.norms);
    permute_symmetric(g, x.A, W, x.n, o.lu_perm, o.permuted);
    const T largest = max_norm(g, x.A, W, x.n, x.n), total = g.sum(g.load(x.B));
    const Largest<T> found = g.argmax(abs(g.load(x.B)));
    if (g.leads()) {
      o.reductions[0][0] = largest;
      o.reductions[0][1] = total;
      o.reductions[0][2] = found.value;
      o.reductions[0][3] = T(found.lane);
    }
  }
};

/// A batch with every case and size, and the kernels run over it by cores
template <class T, int W>
std::vector<TileInput<T, W>> make_batch();
template <class T, int W>
void run_on_host(const std::vector<TileInput<T, W>> &in, std::vector<TileOutput<T, W>> &out);

} // namespace tessera
#endif
