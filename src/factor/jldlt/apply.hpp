#ifndef TESSERA_FACTOR_JLDLT_APPLY_HPP
#define TESSERA_FACTOR_JLDLT_APPLY_HPP

#include "factor/jldlt/products.hpp"
#include "tile/group.hpp"

namespace tessera {

// Substitutions by Jacobi sweeps (Chow & Patel 2015): x <- M (b - (T x of the sweep before)) for the block
// triangular part, all blocks at once. After s sweeps this is a polynomial of degree s - 1 in T, the same forward and,
// transposed, backward, so that the operator stays symmetric, and definite without J.

/// The product of a matrix of `rows` columns with a vector. load(i): column i; the lanes hold the vector.
template <class G, class Lane, class Load>
TESSERA_COLLECTIVE Lane multiply_columns_of(const G &g, Index rows, const Lane &x, const Load &load)
{
  Lane sum = Lane(0.0);
  for (Index i = 0; G::any_group(i < rows); ++i) {
    const Index at = i < rows ? i : 0;
    const double scalar = g.broadcast(x, at);
    sum = fma(load(at), Lane(i < rows ? scalar : 0.0), sum);
  }
  return sum;
}

/// Block terms.block of a forward sweep: to_b = U_bb⁻ᵀ (rhs_b - sum over k before b of U_kbᵀ from_k), the products with
/// from having been spread, and summed for parts. first: from is zero. rhs, to: [rows] in the first order of the
/// blocks.
template <class G>
TESSERA_COLLECTIVE void sweep_forward(const G &g, const JacobiView &v, const JacobiTerms &terms, const double *rhs,
                                      bool first, double *to)
{
  using Lane = typename G::template lane<double>;
  using Number = typename G::template index<double>;
  const Index b = terms.block, rows = v.block_rows(b), row = v.block_start[b];
  const auto inside = g.template id<double>() < Number(rows);
  Lane sum[1] = {Lane(0.0)};
  if (!first) {
    add_column_terms(g, v, terms, sum);
    add_term_parts(g, v, terms, sum);
  }
  const double *inverse = v.now(b).inverse + v.inverse_start[b];
  const auto column = [&](Index i) { return g.load(inside, inverse + Offset(i) * rows); };
  const Lane x = multiply_columns_of(g, rows, g.load(inside, rhs + row) - sum[0], column);
  g.store(inside, to + row, select(g.template from_bits<double>(v.now(b).negative[b]), -x, x));
}

/// Block terms.block of a backward sweep: to_b = U_bb⁻¹ (J rhs_b - sum over j after b of U_bj from_j); products with
/// from of parts have been summed. from may be null for zeros; definite: the identity in place of J; otherwise as
/// sweep_forward.
template <class G>
TESSERA_COLLECTIVE void sweep_backward(const G &g, const JacobiView &v, const JacobiTerms &terms, const double *rhs,
                                       const double *from, bool definite, double *to)
{
  using Lane = typename G::template lane<double>;
  using Number = typename G::template index<double>;
  const Index b = terms.block, rows = v.block_rows(b), row = v.block_start[b];
  const auto inside = g.template id<double>() < Number(rows);
  const Lane x = g.load(inside, rhs + row);
  const auto negative = g.template from_bits<double>(v.now(b).negative[b]);
  const Lane y = definite ? x : select(negative, -x, x);
  Lane sum[1] = {Lane(0.0)};
  if (from) {
    add_row_terms(g, v, terms, from, sum);
    add_term_parts(g, v, terms, sum);
  }
  const double *inverse = v.now(b).inverse + v.inverse_start[b];
  const auto column = [&](Index i) { return g.load(inside, inverse + i, rows); };
  const Lane z = y - sum[0];
  g.store(inside, to + row, multiply_columns_of(g, rows, select(negative, -z, z), column));
}

// The kernels over terms of block columns, and of block rows.

struct SweepForward {
  JacobiView v;
  const JacobiTerms *items;
  const double *rhs;
  bool first;
  double *to;

  template <class G>
  TESSERA_COLLECTIVE void operator()(const G &g, std::int64_t item) const
  {
    sweep_forward(g, v, items[item], rhs, first, to);
  }
};

struct SweepBackward {
  JacobiView v;
  const JacobiTerms *items;
  const double *rhs, *from;
  bool definite;
  double *to;

  template <class G>
  TESSERA_COLLECTIVE void operator()(const G &g, std::int64_t item) const
  {
    sweep_backward(g, v, items[item], rhs, from, definite, to);
  }
};

/// x = S P r of row i: perm, scale as in BlockStructure and Analysis.
struct PermuteIn {
  const Index *perm;
  const double *scale, *r;
  double *x;

  TESSERA_BOTH void operator()(Offset i) const { x[i] = r[perm[i]] * scale[perm[i]]; }
};

/// z = S Pᵀ x of row i.
struct PermuteOut {
  const Index *perm;
  const double *scale, *x;
  double *z;

  TESSERA_BOTH void operator()(Offset i) const { z[perm[i]] = x[i] * scale[perm[i]]; }
};

} // namespace tessera
#endif
