/* Setups and solves in an address space that is limited more and more: a setup that gets no memory fails with
   PC_FACTOR_OUTMEMORY, wherever in it that is, flags what it is applied to, leaves no event of the log open and keeps
   no memory, and the next one with memory makes the factor of before. Prints what is wrong. */
#include "address_space.h"

enum { grid_width = 64, limits = 24 };

/* Whether all events whose names end in this are closed. */
static PetscErrorCode AreEventsClosed(PC pc, PetscBool *closed)
{
  const char *const names[] = {"Analyze", "Factor", "Probe"};
  PCType type;

  PetscFunctionBeginUser;
  *closed = PETSC_TRUE;
  PetscCall(PCGetType(pc, &type));
  for (int i = 0; i < 3; i++) {
    char name[32];
    PetscLogEvent event;
    PetscEventPerfInfo info;

    PetscCall(PetscSNPrintf(name, sizeof(name), "PC%s%s", type[0] == 'b' ? "BILDLT" : "JLDLT", names[i]));
    PetscCall(PetscLogEventGetId(name, &event));
    if (event < 0)
      continue; /* PCJLDLT has no probe */
    PetscCall(PetscLogEventGetPerfInfo(PETSC_DETERMINE, event, &info));
    if (info.depth != 0)
      *closed = PETSC_FALSE;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Sets up from the beginning with so much memory, and applies. */
static PetscErrorCode SetUp(PC pc, Mat A, double bytes, Vec r, Vec z, PCFailedReason *failed)
{
  PetscReal norm;
  PetscBool closed;

  PetscFunctionBeginUser;
  PetscCall(PCReset(pc));
  PetscCall(PCSetOperators(pc, A, A));
  PetscCall(Limit(bytes));
  PetscCall(PCSetUp(pc));
  PetscCall(PCApply(pc, r, z));
  PetscCall(Limit(-1));
  PetscCall(PCGetFailedReason(pc, failed));
  PetscCall(VecNorm(z, NORM_2, &norm));
  PetscCall(Expect("a failed setup flags what it is applied to, and no other does",
                   (PetscBool)((*failed == PC_NOERROR) == !PetscIsInfOrNanReal(norm))));
  PetscCall(Expect("a setup fails for lack of memory or not at all",
                   (PetscBool)(*failed == PC_NOERROR || *failed == PC_FACTOR_OUTMEMORY)));
  PetscCall(AreEventsClosed(pc, &closed));
  PetscCall(Expect("all events are closed", closed));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* An application to so many vectors that there is no memory for them, and again with memory. */
static PetscErrorCode ApplyToMany(PC pc, Mat A)
{
  Mat R, Z;
  PCFailedReason failed;
  PetscReal norm;
  PetscInt n;

  PetscFunctionBeginUser;
  PetscCall(PCReset(pc));
  PetscCall(PCSetOperators(pc, A, A));
  PetscCall(PCSetUp(pc));
  PetscCall(MatGetSize(A, &n, NULL));
  PetscCall(MatCreateSeqDense(PETSC_COMM_SELF, n, 8, NULL, &R));
  PetscCall(MatCreateSeqDense(PETSC_COMM_SELF, n, 8, NULL, &Z));
  PetscCall(MatShift(R, 1.0));
  PetscCall(Limit(20000));
  PetscCall(PCMatApply(pc, R, Z));
  PetscCall(Limit(-1));
  PetscCall(PCGetFailedReason(pc, &failed));
  PetscCall(MatNorm(Z, NORM_FROBENIUS, &norm));
  PetscCall(Expect("an application without memory fails, and flags its result",
                   (PetscBool)(failed == PC_FACTOR_OUTMEMORY && PetscIsInfOrNanReal(norm))));
  PetscCall(PCMatApply(pc, R, Z));
  PetscCall(PCGetFailedReason(pc, &failed));
  PetscCall(MatNorm(Z, NORM_FROBENIUS, &norm));
  PetscCall(
      Expect("with memory it succeeds", (PetscBool)(failed == PC_NOERROR && norm > 0 && !PetscIsInfOrNanReal(norm))));
  PetscCall(MatDestroy(&R));
  PetscCall(MatDestroy(&Z));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Setups with less and less memory. */
static PetscErrorCode Sweep(PC pc, Mat A, Vec r, Vec z, int *failures)
{
  double bytes = 26e6;

  PetscFunctionBeginUser;
  *failures = 0;
  for (int k = 0; k < limits; k++, bytes *= 0.84) {
    PCFailedReason failed;

    PetscCall(SetUp(pc, A, bytes, r, z, &failed));
    *failures += failed != PC_NOERROR;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  Mat A;
  Vec r, z, first;
  PC pc;
  PCFailedReason failed;
  PetscBool same;
  double before, after;
  int failures, again;

  PetscFunctionBeginUser;
  mallopt(M_MMAP_THRESHOLD, 1 << 16); /* what is freed goes back to the system */
  mallopt(M_ARENA_MAX, 1);            /* threads take no address space beforehand */
  PetscCall(PetscInitialize(&argc, &argv, NULL, NULL));
  PetscCall(TesseraInitializePackage());
  PetscCall(PetscLogDefaultBegin());
  PetscCall(CreateMatrix(grid_width, &A));
  PetscCall(MatCreateVecs(A, &z, &r));
  PetscCall(VecDuplicate(z, &first));
  PetscCall(VecSet(r, 1.0));
  PetscCall(PCCreate(PETSC_COMM_SELF, &pc));
  PetscCall(PCSetFromOptions(pc));
  PetscCall(SetUp(pc, A, -1, r, first, &failed));
  PetscCall(Expect("a setup with memory succeeds", (PetscBool)(failed == PC_NOERROR)));
  PetscCall(Sweep(pc, A, r, z, &failures));
  PetscCall(PCReset(pc));
  PetscCall(Limit(-1));
  PetscCall(GetAddressSpace(&before));
  PetscCall(Sweep(pc, A, r, z, &again));
  PetscCall(PCReset(pc));
  PetscCall(Limit(-1));
  PetscCall(GetAddressSpace(&after));
  PetscCall(Expect("setups fail at many limits", (PetscBool)(failures >= limits / 4)));
  PetscCall(Expect("setups succeed at many limits", (PetscBool)(failures <= 3 * limits / 4)));
  PetscCall(Expect("failed setups keep no memory", (PetscBool)(after < before + 2e6)));
  PetscCall(SetUp(pc, A, -1, r, z, &failed));
  PetscCall(VecEqual(z, first, &same));
  PetscCall(Expect("a setup with memory gives the same bits as before", (PetscBool)(failed == PC_NOERROR && same)));
  PetscCall(ApplyToMany(pc, A));
  PetscCall(PCDestroy(&pc));
  PetscCall(VecDestroy(&r));
  PetscCall(VecDestroy(&z));
  PetscCall(VecDestroy(&first));
  PetscCall(MatDestroy(&A));
  PetscCall(PetscFinalize());
  return 0;
}
