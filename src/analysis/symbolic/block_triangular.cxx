#include "analysis/symbolic/block_triangular.hpp"

#include "base/row_starts.hpp"

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

Index count_levels(const Pattern &a, const BlockTriangularForm &form)
{
  const ItemsByKey rows = sort_by_key(0, a.rows, form.blocks, [&](Index i) { return form.block[i]; });
  const std::vector<Index> level = levels_of_blocks(form.blocks, [&](Index b, const auto &f) {
    for (Index r = rows.start[b]; r < rows.start[b + 1]; ++r)
      for (Offset p = a.start[rows.item[r]]; p < a.start[rows.item[r] + 1]; ++p)
        f(form.block[a.column[p]]);
  });
  return level.empty() ? 1 : *std::max_element(level.begin(), level.end()) + 1;
}

} // namespace tessera
