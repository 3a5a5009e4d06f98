/*
   PETSc's own PCLU and PCCHOLESKY, told of solves of MATSOLVERTESSERA that failed. MatSolve() has no way to tell its
   PC, and KSPPREONLY asks nobody else.
*/
#include <petsc/private/kspimpl.h>
#include <petsc/private/pcimpl.h>

#include "mat/solver.hpp"

namespace {

using Operations = struct _PCOps;
template <class V>
using Application = PetscErrorCode (*)(PC, V, V);

/// A type of PETSc's.
struct FactorType {
  PCType name;
  PetscErrorCode (*create)(PC); ///< PETSc's
  Operations operations;        ///< PETSc's
};
FactorType factorTypes[] = {{PCLU, nullptr, {}}, {PCCHOLESKY, nullptr, {}}};

/// The factor of a PC that has been set up, if it is of MATSOLVERTESSERA; else null.
PetscErrorCode GetFactor(PC pc, Mat *F)
{
  MatSolverType type;
  PetscBool ours, in_place;

  PetscFunctionBegin;
  *F = nullptr;
  PetscCall(PCFactorGetMatSolverType(pc, &type));
  PetscCall(PetscStrcmp(type, MATSOLVERTESSERA, &ours));
  PetscCall(PCFactorGetUseInPlace(pc, &in_place));
  if (ours && !in_place)
    PetscCall(PCFactorGetMatrix(pc, F));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Makes the failure of the last solve, or that there was none, the failed reason; where there is no factor, that of
/// the factorization, which the solve may have made again.
PetscErrorCode TakeReason(PC pc)
{
  Mat F;

  PetscFunctionBegin;
  PetscCall(GetFactor(pc, &F));
  if (F)
    PetscCall(PCSetFailedReason(
        pc, static_cast<PCFailedReason>(F->factorerrortype ? F->factorerrortype : MatTesseraData(F)->solve_error)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

template <int I, class V, Application<V> Operations::*apply>
PetscErrorCode Apply(PC pc, V b, V x)
{
  PetscFunctionBegin;
  PetscCall((factorTypes[I].operations.*apply)(pc, b, x));
  PetscCall(TakeReason(pc));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// A right-hand side that failed says nothing of the next one. KSPs that take a failed reason for one of the setup
/// would not try it.
PetscErrorCode ForgetSolve(PC pc, KSP ksp, Vec, Vec)
{
  Mat F;

  PetscFunctionBegin;
  PetscCall(GetFactor(pc, &F));
  if (F && !F->factorerrortype && MatTesseraData(F)->solve_error) {
    MatTesseraData(F)->solve_error = MAT_FACTOR_NOERROR;
    PetscCall(PCSetFailedReason(pc, PC_NOERROR));
    ksp->reason = KSP_CONVERGED_ITERATING;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

template <int I, class V, Application<V> Operations::*apply>
void Watch(Operations *operations)
{
  factorTypes[I].operations.*apply = operations->*apply;
  if (operations->*apply)
    operations->*apply = Apply<I, V, apply>;
}

template <int I>
PetscErrorCode Create(PC pc)
{
  PetscFunctionBegin;
  PetscCall(factorTypes[I].create(pc));
  Watch<I, Vec, &Operations::apply>(pc->ops);
  Watch<I, Vec, &Operations::applytranspose>(pc->ops);
  Watch<I, Vec, &Operations::applysymmetricleft>(pc->ops);
  Watch<I, Vec, &Operations::applysymmetricright>(pc->ops);
  Watch<I, Mat, &Operations::matapply>(pc->ops);
  Watch<I, Mat, &Operations::matapplytranspose>(pc->ops);
  if (!pc->ops->presolve)
    pc->ops->presolve = ForgetSolve;
  PetscFunctionReturn(PETSC_SUCCESS);
}

template <int I>
PetscErrorCode Register()
{
  FactorType &type = factorTypes[I];
  PetscErrorCode (*registered)(PC) = nullptr;

  PetscFunctionBegin;
  PetscCall(PetscFunctionListFind(PCList, type.name, &registered));
  if (registered && registered != Create<I>) {
    type.create = registered;
    PetscCall(PCRegister(type.name, Create<I>));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace

PetscErrorCode MatTesseraRegisterFailedReasons()
{
  PetscFunctionBegin;
  PetscCall(PCInitializePackage());
  PetscCall(Register<0>());
  PetscCall(Register<1>());
  PetscFunctionReturn(PETSC_SUCCESS);
}
