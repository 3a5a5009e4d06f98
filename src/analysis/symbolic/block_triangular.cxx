#include "analysis/symbolic/block_triangular.hpp"

#include <suitesparse/btf.h>

namespace tessera {

BlockTriangularForm block_triangular_form(const Pattern &a)
{
  using Long = SuiteSparse_long;
  const Index n = a.rows;
  std::vector<Long> start(a.start.begin(), a.start.end()), row(a.column.begin(), a.column.end());
  std::vector<Long> perm(n), first(n + 1), work(4 * std::size_t(n));
  BlockTriangularForm form;
  if (n == 0)
    return form;
  // BTF takes columns: it sees the transpose, whose blocks above the diagonal are those of `a` below it.
  form.blocks = static_cast<Index>(
      btf_l_strongcomp(n, start.data(), row.data(), nullptr, perm.data(), first.data(), work.data()));
  form.block.resize(n);
  for (Index k = 0; k < form.blocks; ++k)
    for (Long p = first[k]; p < first[k + 1]; ++p)
      form.block[perm[p]] = k;
  return form;
}

} // namespace tessera
