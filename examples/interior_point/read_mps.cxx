// Linear programs in MPS form, read by GLPK.
#include "program.hpp"

#include "../mps_file.hpp"

namespace examples {
namespace {

/// Bounds in GLPK's terms: where its type says that there is none, the number is not one.
void AppendBounds(int type, PetscReal lower, PetscReal upper, Bounds *bounds)
{
  const bool has_lower = type == GLP_LO || type == GLP_DB || type == GLP_FX;
  const bool has_upper = type == GLP_UP || type == GLP_DB || type == GLP_FX;
  bounds->Append(has_lower ? lower : -unbounded, has_upper ? upper : unbounded);
}

} // namespace

PetscErrorCode ReadMpsProgram(const std::string &file, Program *program)
{
  PetscFunctionBeginUser;
  GlpkProblem problem(nullptr, glp_delete_prob);
  PetscCall(ReadMpsFile(file, &problem));
  glp_prob *p = problem.get();
  PetscCall(ConstraintMatrix(p, &program->a));
  program->q.cols = program->a.cols;
  for (int i = 1; i <= program->a.rows; ++i)
    AppendBounds(glp_get_row_type(p, i), glp_get_row_lb(p, i), glp_get_row_ub(p, i), &program->row);
  for (int j = 1; j <= program->a.cols; ++j) {
    AppendBounds(glp_get_col_type(p, j), glp_get_col_lb(p, j), glp_get_col_ub(p, j), &program->variable);
    program->cost.push_back(glp_get_obj_coef(p, j));
    program->q.EndRow();
  }
  program->constant = glp_get_obj_coef(p, 0);
  if (glp_get_obj_dir(p) == GLP_MAX)
    Maximize(program);
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace examples
