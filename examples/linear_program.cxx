#include "linear_program.hpp"

#include "common/random.hpp"
#include "mps_file.hpp"
#include <algorithm>
#include <cmath>

namespace examples {
namespace {

Range RangeOf(int glpk_type)
{
  switch (glpk_type) {
  case GLP_LO:
    return Range::Lower;
  case GLP_UP:
    return Range::Upper;
  case GLP_DB:
    return Range::Both;
  case GLP_FX:
    return Range::Fixed;
  default:
    return Range::Free;
  }
}

/// Power of two next to the inverse of the geometric mean of two positive numbers.
PetscReal ScaleFactor(PetscReal smallest, PetscReal largest)
{
  int exponent;
  const PetscReal fraction = std::frexp(1 / (std::sqrt(smallest) * std::sqrt(largest)), &exponent);
  return std::ldexp(1.0, fraction < std::sqrt(0.5) ? exponent - 1 : exponent);
}

/// Scales rows; returns the ratio of the largest to the smallest entry before.
PetscReal ScaleRows(Csr *a)
{
  PetscReal least = PETSC_MAX_REAL, most = 0;
  for (PetscInt i = 0; i < a->rows; ++i) {
    PetscReal smallest = PETSC_MAX_REAL, largest = 0;
    for (PetscInt k = a->start[i]; k < a->start[i + 1]; ++k) {
      smallest = std::min(smallest, std::abs(a->value[k]));
      largest = std::max(largest, std::abs(a->value[k]));
    }
    least = std::min(least, smallest);
    most = std::max(most, largest);
    if (largest == 0)
      continue;
    const PetscReal factor = ScaleFactor(smallest, largest);
    for (PetscInt k = a->start[i]; k < a->start[i + 1]; ++k)
      a->value[k] *= factor;
  }
  return most > 0 ? most / least : 1;
}

bool NeedsSlack(Range row)
{
  return row == Range::Lower || row == Range::Upper || row == Range::Both;
}

/// Columns of the standard form for each variable: the first one, and the columns' sign.
struct ColumnMap {
  std::vector<PetscInt> first;   ///< [variables + 1]
  std::vector<PetscInt> bounded; ///< columns with an upper bound beside the lower one
  PetscReal Sign(Range range) const { return range == Range::Upper ? -1 : 1; }
};

ColumnMap MapColumns(const LinearProgram &lp, bool split_free)
{
  ColumnMap map;
  map.first.push_back(0);
  for (const Range range : lp.variable) {
    if (range == Range::Both || range == Range::Fixed)
      map.bounded.push_back(map.first.back());
    map.first.push_back(map.first.back() + (range == Range::Free && split_free ? 2 : 1));
  }
  return map;
}

} // namespace

PetscErrorCode ReadMps(const std::string &file, LinearProgram *lp)
{
  PetscFunctionBeginUser;
  GlpkProblem problem(nullptr, glp_delete_prob);
  PetscCall(ReadMpsFile(file, &problem));
  PetscCall(ConstraintMatrix(problem.get(), &lp->a));
  for (int i = 1; i <= lp->a.rows; ++i)
    lp->row.push_back(RangeOf(glp_get_row_type(problem.get(), i)));
  for (int j = 1; j <= lp->a.cols; ++j)
    lp->variable.push_back(RangeOf(glp_get_col_type(problem.get(), j)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

void DropEmptyRows(LinearProgram *lp)
{
  Csr kept;
  std::vector<Range> row;
  kept.cols = lp->a.cols;
  for (PetscInt i = 0; i < lp->a.rows; ++i) {
    const std::size_t before = kept.column.size();
    for (PetscInt k = lp->a.start[i]; k < lp->a.start[i + 1] && lp->row[i] != Range::Free; ++k)
      if (lp->a.value[k] != 0)
        kept.Append(lp->a.column[k], lp->a.value[k]);
    if (kept.column.size() == before)
      continue;
    kept.EndRow();
    row.push_back(lp->row[i]);
  }
  lp->a = std::move(kept);
  lp->row = std::move(row);
}

void ScaleGeometrically(Csr *a)
{
  constexpr int most_passes = 20;
  constexpr PetscReal worthwhile = 0.9;
  Csr t = *a;
  PetscReal spread = PETSC_MAX_REAL;
  for (int pass = 0; pass < most_passes; ++pass) {
    // `t` enters and leaves as A and is A^T between the two halves.
    Csr next = t;
    const PetscReal now = ScaleRows(&next);
    if (now > worthwhile * spread)
      break;
    *a = t;
    spread = now;
    next = Transpose(next);
    ScaleRows(&next);
    t = Transpose(next);
  }
}

PetscErrorCode StandardForm(const LinearProgram &lp, const StandardFormOptions &options, Csr *a)
{
  PetscFunctionBeginUser;
  ColumnMap map = MapColumns(lp, options.split_free);
  PetscInt cols = map.first.back(), rows = lp.a.rows;
  Triples triples;
  for (PetscInt i = 0; i < lp.a.rows; ++i) {
    for (PetscInt k = lp.a.start[i]; k < lp.a.start[i + 1]; ++k) {
      const PetscInt j = lp.a.column[k], first = map.first[j];
      triples.Append(i, first, map.Sign(lp.variable[j]) * lp.a.value[k]);
      if (map.first[j + 1] > first + 1)
        triples.Append(i, first + 1, -lp.a.value[k]);
    }
    if (!NeedsSlack(lp.row[i]))
      continue;
    if (lp.row[i] == Range::Both)
      map.bounded.push_back(cols);
    triples.Append(i, cols++, lp.row[i] == Range::Lower ? -1 : 1);
  }
  for (const PetscInt column : map.bounded) {
    if (!options.bound_rows)
      break;
    triples.Append(rows, column, 1);
    triples.Append(rows++, cols++, 1);
  }
  PetscCall(CsrFromTriples(rows, cols, triples, a));
  PetscFunctionReturn(PETSC_SUCCESS);
}

std::vector<PetscScalar> RandomDiagonal(PetscInt count, PetscInt64 seed)
{
  constexpr PetscReal octaves = 19.931568569324174; // log2(1e6)
  std::vector<PetscScalar> diagonal(count);
  Random random(seed);
  for (PetscScalar &d : diagonal) {
    const PetscReal down = octaves * random.Uniform();
    const PetscReal whole = std::floor(down);
    d = std::max(std::ldexp(1 - (down - whole) / 2, -static_cast<int>(whole)), 1e-6);
  }
  return diagonal;
}

Csr KktMatrix(const Csr &a, PetscInt64 seed)
{
  const Csr t = Transpose(a);
  const std::vector<PetscScalar> diagonal = RandomDiagonal(a.cols, seed);
  Csr kkt;
  kkt.cols = a.cols + a.rows;
  for (PetscInt j = 0; j < t.rows; ++j) {
    kkt.Append(j, diagonal[j]);
    for (PetscInt k = t.start[j]; k < t.start[j + 1]; ++k)
      kkt.Append(a.cols + t.column[k], t.value[k]);
    kkt.EndRow();
  }
  for (PetscInt i = 0; i < a.rows; ++i) {
    for (PetscInt k = a.start[i]; k < a.start[i + 1]; ++k)
      kkt.Append(a.column[k], a.value[k]);
    kkt.EndRow();
  }
  return kkt;
}

} // namespace examples
