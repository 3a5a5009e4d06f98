static char help[] =
    "Prints, as JSON, what Tessera's analysis makes of the pattern of a matrix: for pictures. For a symmetric matrix\n"
    "its blocks by every strategy, without fill; the tiles of the factor of PCBILDLT with default options; and the\n"
    "fronts of the direct solver, of LDL^T or for other matrices of LU. No numbers are factored: what dropping takes "
    "away\n"
    "and pivoting moves is not seen here.\n\n"
    "  -f FILE              matrix: Matrix Market (.mtx, .mtx.gz) or PETSc binary\n"
    "Exit status: 0, or 1 for an error.\n";

#include "../common/main.hpp"
#include "../common/read_matrix.hpp"
#include "analysis/input/symmetric_input.hpp"
#include "factor/lu/make_lu_plan.hpp"
#include <algorithm>
#include <cstdio>
#include <limits>
#include <numeric>

using namespace examples;

namespace {

/// Writes "key": [numbers], and a comma unless it is the last of its object.
template <class T>
void PrintArray(const char *key, const std::vector<T> &numbers, bool last = false)
{
  std::printf("\"%s\": [", key);
  for (std::size_t i = 0; i < numbers.size(); ++i)
    std::printf(i ? ",%.9g" : "%.9g", static_cast<double>(numbers[i]));
  std::printf(last ? "]" : "],\n");
}

/// Number of the row of each entry of a pattern.
std::vector<tessera::Index> RowNumbers(const tessera::Pattern &pattern)
{
  std::vector<tessera::Index> row(pattern.column.size());
  for (tessera::Index i = 0; i < pattern.rows; ++i)
    std::fill(row.begin() + pattern.start[i], row.begin() + pattern.start[i + 1], i);
  return row;
}

/// The entries of an AIJ matrix of one process, in the types of the analysis.
PetscErrorCode CopyMatrix(Mat aij, tessera::Matrix *matrix)
{
  PetscInt rows;

  PetscFunctionBeginUser;
  PetscCall(MatGetSize(aij, &rows, nullptr));
  PetscCheck(rows <= std::numeric_limits<tessera::Index>::max(), PETSC_COMM_SELF, PETSC_ERR_SUP, "too many rows");
  matrix->pattern.rows = matrix->pattern.cols = static_cast<tessera::Index>(rows);
  for (PetscInt i = 0; i < rows; ++i) {
    PetscInt count;
    const PetscInt *column;
    const PetscScalar *value;
    PetscCall(MatGetRow(aij, i, &count, &column, &value));
    matrix->pattern.column.insert(matrix->pattern.column.end(), column, column + count);
    matrix->value.insert(matrix->value.end(), value, value + count);
    matrix->pattern.start.push_back(static_cast<tessera::Offset>(matrix->value.size()));
    PetscCall(MatRestoreRow(aij, i, &count, &column, &value));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode CheckStatus(tessera::AnalysisStatus status)
{
  PetscFunctionBeginUser;
  PetscCheck(status == tessera::AnalysisStatus::Ok, PETSC_COMM_SELF, PETSC_ERR_LIB,
             "the analysis failed: an entry is not finite, memory is short, or there are too many tiles");
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// "name": order, blocks, tiles and their levels of fill, level set of each block.
PetscErrorCode PrintBlocks(const char *name, const tessera::SymmetricInput &input,
                           const tessera::AnalysisOptions &options)
{
  PetscFunctionBeginUser;
  const tessera::Analysis analysis = tessera::analyze_matrix(input.matrix, input.source, options);
  PetscCall(CheckStatus(analysis.status));
  const tessera::BlockStructure &s = analysis.structure;
  std::printf("\"%s\": {\n", name);
  PrintArray("perm", s.perm);
  PrintArray("block_start", s.block_start);
  PrintArray("tile_row", RowNumbers(s.tiles.upper));
  PrintArray("tile_column", s.tiles.upper.column);
  PrintArray("tile_fill", s.tiles.fill_level);
  PrintArray("level", s.levels.level, true);
  std::printf("},\n");
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PrintAllBlocks(const tessera::SymmetricInput &input)
{
  using tessera::BlockStrategy;
  constexpr std::pair<const char *, BlockStrategy> strategies[] = {{"blocking_sn", BlockStrategy::SN},
                                                                   {"blocking_br", BlockStrategy::BR},
                                                                   {"blocking_rb", BlockStrategy::RB},
                                                                   {"blocking_rbr", BlockStrategy::RBR},
                                                                   {"blocking_grid", BlockStrategy::Grid}};
  tessera::AnalysisOptions options;

  PetscFunctionBeginUser;
  PetscCall(PrintBlocks("factor", input, options));
  options.fill_level = 0;
  for (const auto &[name, strategy] : strategies) {
    options.blocking.strategy = strategy;
    PetscCall(PrintBlocks(name, input, options));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// "fronts": columns and rows of each, operations, distance from the leaves of the tree, parent.
void PrintFronts(const tessera::FrontPlan &plan)
{
  const tessera::AssemblyTree &tree = plan.tree;
  const tessera::Index fronts = tree.fronts();
  std::vector<tessera::Index> columns(fronts), level(fronts, 0);
  std::vector<tessera::Offset> rows(fronts);
  std::vector<double> flops(fronts);
  for (tessera::Index s = 0; s < fronts; ++s) {
    columns[s] = tree.columns(s);
    rows[s] = plan.rows_of(s);
    flops[s] = plan.flops_of(double(columns[s]), double(rows[s]));
    if (tree.parent[s] >= 0)
      level[tree.parent[s]] = std::max(level[tree.parent[s]], level[s] + 1);
  }
  std::printf("\"fronts\": {\n");
  PrintArray("columns", columns);
  PrintArray("rows", rows);
  PrintArray("flops", flops);
  PrintArray("level", level);
  PrintArray("parent", tree.parent, true);
  std::printf("}\n");
}

PetscErrorCode PrintSymmetric(const tessera::Matrix &matrix)
{
  const tessera::SymmetricInput input = tessera::read_full(matrix.pattern.rows, matrix.pattern.start.data(),
                                                           matrix.pattern.column.data(), matrix.value.data(), true);

  PetscFunctionBeginUser;
  PetscCheck(input.status == tessera::SymmetricInput::Ok, PETSC_COMM_SELF, PETSC_ERR_LIB,
             "the matrix is not as symmetric as the analysis wants it: entries of row %d differ", (int)input.row);
  PetscCall(PrintAllBlocks(input));
  const tessera::PlanResult direct = tessera::make_plan(input.matrix, input.source, {});
  PetscCall(CheckStatus(direct.status));
  PrintFronts(direct.plan);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PrintUnsymmetric(const tessera::Matrix &matrix)
{
  std::vector<tessera::Offset> source(matrix.value.size());

  PetscFunctionBeginUser;
  std::iota(source.begin(), source.end(), 0);
  const tessera::LuPlanResult lu = tessera::make_lu_plan(matrix, source, tessera::lu_plan_options());
  PetscCall(CheckStatus(lu.status));
  PrintFronts(lu.plan.fronts);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode Run(int *status)
{
  System system;
  std::string file;
  tessera::Matrix matrix;

  PetscFunctionBeginUser;
  PetscCall(GetFileOptions("matrix", &file, &system.name));
  PetscCall(ReadMatrix(file, &system));
  PetscCall(CopyMatrix(system.A, &matrix));
  std::printf("{\"rows\": %d, \"symmetric\": %s,\n", (int)matrix.pattern.rows, system.symmetric ? "true" : "false");
  PrintArray("row", RowNumbers(matrix.pattern));
  PrintArray("column", matrix.pattern.column);
  if (system.symmetric)
    PetscCall(PrintSymmetric(matrix));
  else
    PetscCall(PrintUnsymmetric(matrix));
  std::printf("}\n");
  PetscCall(DestroySystem(&system));
  *status = 0;
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace

int main(int argc, char **argv)
{
  return GuardedMain(argc, argv, help, Run);
}
