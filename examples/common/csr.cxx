#include "csr.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

namespace examples {
namespace {

/// First positions of `count` buckets from the bucket of each item.
std::vector<PetscInt> BucketStarts(PetscInt count, const std::vector<PetscInt> &bucket)
{
  std::vector<PetscInt> start(count + 1, 0);
  for (const PetscInt b : bucket)
    ++start[b + 1];
  for (PetscInt b = 0; b < count; ++b)
    start[b + 1] += start[b];
  return start;
}

/// Sorts each row by column; entries of the same column keep their order. Rows that are sorted, as those of a file in
/// column order are, cost one look.
void SortRows(Csr *a)
{
  std::vector<std::pair<PetscInt, PetscScalar>> row;
  for (PetscInt i = 0; i < a->rows; ++i) {
    const PetscInt begin = a->start[i], end = a->start[i + 1];
    if (std::is_sorted(a->column.begin() + begin, a->column.begin() + end))
      continue;
    row.clear();
    for (PetscInt k = begin; k < end; ++k)
      row.emplace_back(a->column[k], a->value[k]);
    std::stable_sort(row.begin(), row.end(), [](const auto &x, const auto &y) { return x.first < y.first; });
    for (PetscInt k = begin; k < end; ++k)
      std::tie(a->column[k], a->value[k]) = row[k - begin];
  }
}

/// Adds up neighbours in a row that have the same column; the rows are sorted.
void AddDuplicates(Csr *a)
{
  PetscInt kept = 0, begin = 0;
  for (PetscInt i = 0; i < a->rows; ++i) {
    const PetscInt end = a->start[i + 1], first = kept;
    for (PetscInt k = begin; k < end; ++k) {
      if (kept > first && a->column[kept - 1] == a->column[k]) {
        a->value[kept - 1] += a->value[k];
      } else {
        a->column[kept] = a->column[k];
        a->value[kept++] = a->value[k];
      }
    }
    begin = end;
    a->start[i + 1] = kept;
  }
  a->column.resize(kept);
  a->value.resize(kept);
}

} // namespace

void Csr::AppendRow(std::vector<Entry> *row)
{
  std::sort(row->begin(), row->end());
  for (const Entry &entry : *row)
    Append(entry.first, entry.second);
  EndRow();
}

PetscErrorCode CsrFromTriples(PetscInt rows, PetscInt cols, const Triples &triples, Csr *a)
{
  PetscFunctionBeginUser;
  const std::size_t count = triples.value.size();
  PetscCheck(count <= static_cast<std::size_t>(PETSC_INT_MAX), PETSC_COMM_WORLD, PETSC_ERR_ARG_OUTOFRANGE,
             "the matrix has %zu entries: that needs a PETSc configured with 64-bit indices", count);
  a->rows = rows;
  a->cols = cols;
  a->start = BucketStarts(rows, triples.row);
  a->column.resize(count);
  a->value.resize(count);
  std::vector<PetscInt> next = a->start;
  for (std::size_t k = 0; k < count; ++k) {
    const PetscInt to = next[triples.row[k]]++;
    a->column[to] = triples.column[k];
    a->value[to] = triples.value[k];
  }
  SortRows(a);
  AddDuplicates(a);
  PetscFunctionReturn(PETSC_SUCCESS);
}

Csr Transpose(const Csr &a)
{
  Csr t;
  t.rows = a.cols;
  t.cols = a.rows;
  t.start = BucketStarts(a.cols, a.column);
  t.column.resize(a.column.size());
  t.value.resize(a.value.size());
  std::vector<PetscInt> next = t.start;
  for (PetscInt i = 0; i < a.rows; ++i) {
    for (PetscInt k = a.start[i]; k < a.start[i + 1]; ++k) {
      const PetscInt to = next[a.column[k]]++;
      t.column[to] = i;
      t.value[to] = a.value[k];
    }
  }
  return t;
}

} // namespace examples
