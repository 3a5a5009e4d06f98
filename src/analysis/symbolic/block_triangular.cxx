#include "analysis/symbolic/block_triangular.hpp"

#include "base/row_starts.hpp"

#include <algorithm>
#include <limits>

#include <suitesparse/btf.h>

namespace tessera {

namespace {

int strong_components(int n, int *start, int *row, int *perm, int *first, int *work)
{
  return btf_strongcomp(n, start, row, nullptr, perm, first, work);
}

SuiteSparse_long strong_components(SuiteSparse_long n, SuiteSparse_long *start, SuiteSparse_long *row,
                                   SuiteSparse_long *perm, SuiteSparse_long *first, SuiteSparse_long *work)
{
  return btf_l_strongcomp(n, start, row, nullptr, perm, first, work);
}

/// row: as the library wants them, which does not write to them.
template <class Integer>
BlockTriangularForm form_of(const Pattern &a, Integer *row)
{
  const Index n = a.rows;
  std::vector<Integer> start(a.start.begin(), a.start.end()), perm(n), first(n + 1), work(4 * std::size_t(n));
  BlockTriangularForm form;
  // BTF takes columns: it sees the transpose, whose blocks above the diagonal are those of `a` below it.
  form.blocks =
      static_cast<Index>(strong_components(Integer(n), start.data(), row, perm.data(), first.data(), work.data()));
  form.block.resize(n);
  for (Index k = 0; k < form.blocks; ++k)
    for (Integer p = first[k]; p < first[k + 1]; ++p)
      form.block[perm[p]] = k;
  return form;
}

} // namespace

BlockTriangularForm block_triangular_form(const Pattern &a)
{
  if (a.rows == 0)
    return {};
  if (a.entries() <= std::numeric_limits<Index>::max())
    return form_of(a, const_cast<Index *>(a.column.data()));
  std::vector<SuiteSparse_long> row(a.column.begin(), a.column.end());
  return form_of(a, row.data());
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
