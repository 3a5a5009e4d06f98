/* Limits of memory: the automatic ones of all processes of a machine together are no more than half of it, a factor or
   a pattern beyond the ones that are set fails with PC_FACTOR_OUTMEMORY, and with others the same PC succeeds. Prints
   what is wrong. */
#include <stdio.h>
#include <tessera.h>
#include <unistd.h>

static PetscErrorCode Expect(const char what[], PCType type, PetscBool good)
{
  PetscFunctionBeginUser;
  if (!good)
    PetscCall(PetscPrintf(PETSC_COMM_SELF, "WARNING: %s: %s\n", type, what));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* An indefinite five-point operator on n x n points. */
static PetscErrorCode CreateMatrix(PetscInt n, Mat *A)
{
  PetscFunctionBeginUser;
  PetscCall(MatCreateSeqAIJ(PETSC_COMM_SELF, n * n, n * n, 5, NULL, A));
  for (PetscInt i = 0; i < n * n; i++) {
    PetscCall(MatSetValue(*A, i, i, 3.27, INSERT_VALUES));
    if (i % n > 0) {
      PetscCall(MatSetValue(*A, i, i - 1, -1, INSERT_VALUES));
      PetscCall(MatSetValue(*A, i - 1, i, -1, INSERT_VALUES));
    }
    if (i >= n) {
      PetscCall(MatSetValue(*A, i, i - n, -1, INSERT_VALUES));
      PetscCall(MatSetValue(*A, i - n, i, -1, INSERT_VALUES));
    }
  }
  PetscCall(MatAssemblyBegin(*A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(*A, MAT_FINAL_ASSEMBLY));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Sets up and applies; the result is to be flagged if the setup fails. */
static PetscErrorCode SetUp(PC pc, Vec r, Vec z, PCFailedReason *failed)
{
  PCType type;
  PetscReal norm;

  PetscFunctionBeginUser;
  PetscCall(PCGetType(pc, &type));
  PetscCall(PCSetUp(pc));
  PetscCall(PCApply(pc, r, z));
  PetscCall(PCGetFailedReason(pc, failed));
  PetscCall(VecNorm(z, NORM_2, &norm));
  PetscCall(Expect("a failed setup flags what it is applied to, and no other does", type,
                   (PetscBool)((*failed == PC_NOERROR) == !PetscIsInfOrNanReal(norm))));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Whether PCView() says this. */
static PetscErrorCode Says(PC pc, const char words[], PetscBool *says)
{
  FILE *file = tmpfile();
  PetscViewer viewer;
  char text[4096], *found;

  PetscFunctionBeginUser;
  PetscCheck(file, PETSC_COMM_SELF, PETSC_ERR_SYS, "tmpfile()");
  PetscCall(PetscViewerASCIIOpenWithFILE(PETSC_COMM_SELF, file, &viewer));
  PetscCall(PCView(pc, viewer));
  PetscCall(PetscViewerFlush(viewer));
  rewind(file);
  text[fread(text, 1, sizeof(text) - 1, file)] = '\0';
  PetscCall(PetscViewerDestroy(&viewer));
  fclose(file);
  PetscCall(PetscStrstr(text, words, &found));
  *says = (PetscBool)(found != NULL);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode SetMemoryLimit(PC pc, PetscBool bildlt, PetscReal megabytes)
{
  PetscFunctionBeginUser;
  PetscCall(bildlt ? PCBILDLTSetMemoryLimit(pc, megabytes) : PCJLDLTSetMemoryLimit(pc, megabytes));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode SetMaxTiles(PC pc, PetscBool bildlt, PetscInt tiles)
{
  PetscFunctionBeginUser;
  PetscCall(bildlt ? PCBILDLTSetMaxTiles(pc, tiles) : PCJLDLTSetMaxTiles(pc, tiles));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Limits that are too small, one after the other, and then none. */
static PetscErrorCode CheckLimits(PC pc, PetscBool bildlt, Vec r, Vec z, Vec first)
{
  const PCType type = bildlt ? PCBILDLT : PCJLDLT;
  PCFailedReason failed;
  PetscReal limit;
  PetscBool says, same;

  PetscFunctionBeginUser;
  PetscCall(SetMemoryLimit(pc, bildlt, 0.05));
  PetscCall(SetUp(pc, r, z, &failed));
  PetscCall(Expect("a factor beyond the memory limit fails", type, (PetscBool)(failed == PC_FACTOR_OUTMEMORY)));
  PetscCall(bildlt ? PCBILDLTGetMemoryLimit(pc, &limit) : PCJLDLTGetMemoryLimit(pc, &limit));
  PetscCall(Expect("the memory limit is the one that was set", type, (PetscBool)(PetscAbsReal(limit - 0.05) < 1e-9)));
  PetscCall(SetMemoryLimit(pc, bildlt, PETSC_DECIDE));
  PetscCall(SetUp(pc, r, z, &failed));
  PetscCall(VecEqual(z, first, &same));
  PetscCall(Expect("it succeeds with more memory", type, (PetscBool)(failed == PC_NOERROR && same)));
  PetscCall(SetMaxTiles(pc, bildlt, 20));
  PetscCall(SetUp(pc, r, z, &failed));
  PetscCall(Says(pc, "more tiles above the diagonal than allowed", &says));
  PetscCall(Expect("more tiles than allowed fail", type, (PetscBool)(failed == PC_FACTOR_OUTMEMORY)));
  PetscCall(Expect("PCView() says that there are more tiles than allowed", type, says));
  PetscCall(SetMaxTiles(pc, bildlt, 100000));
  PetscCall(SetUp(pc, r, z, &failed));
  PetscCall(VecEqual(z, first, &same));
  PetscCall(Expect("it succeeds with more tiles", type, (PetscBool)(failed == PC_NOERROR && same)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The automatic limits, of which each process of a node has its share. */
static PetscErrorCode CheckShares(PCType type, PetscReal limit)
{
  const double machine = 1e-6 * (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE);
  PetscReal sum, least, most;

  PetscFunctionBeginUser;
  PetscCallMPI(MPI_Allreduce(&limit, &sum, 1, MPIU_REAL, MPIU_SUM, PETSC_COMM_WORLD));
  PetscCallMPI(MPI_Allreduce(&limit, &least, 1, MPIU_REAL, MPIU_MIN, PETSC_COMM_WORLD));
  PetscCallMPI(MPI_Allreduce(&limit, &most, 1, MPIU_REAL, MPIU_MAX, PETSC_COMM_WORLD));
  PetscCall(Expect("the limits of all processes add up to half of the machine or less", type,
                   (PetscBool)(sum <= 0.5 * machine * (1 + 1e-12))));
  PetscCall(Expect("all processes have the same limit", type, (PetscBool)(least > 1 && least == most)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Not collective but for the check of the shares: the first process sets up while the others wait. */
static PetscErrorCode Check(PetscBool bildlt)
{
  const PCType type = bildlt ? PCBILDLT : PCJLDLT;
  Mat A;
  Vec r, z, first;
  PC pc;
  PCFailedReason failed;
  PetscReal limit;
  PetscMPIInt rank;

  PetscFunctionBeginUser;
  PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
  PetscCall(CreateMatrix(40, &A));
  PetscCall(MatCreateVecs(A, &z, &r));
  PetscCall(VecDuplicate(z, &first));
  PetscCall(VecSet(r, 1.0));
  PetscCall(PCCreate(PETSC_COMM_SELF, &pc));
  PetscCall(PCSetType(pc, type));
  PetscCall(PCSetOperators(pc, A, A));
  for (PetscMPIInt turn = 0; turn < 2; turn++) {
    if (turn == (rank > 0))
      PetscCall(SetUp(pc, r, first, &failed));
    PetscCallMPI(MPI_Barrier(PETSC_COMM_WORLD));
  }
  PetscCall(Expect("a setup succeeds", type, (PetscBool)(failed == PC_NOERROR)));
  PetscCall(bildlt ? PCBILDLTGetMemoryLimit(pc, &limit) : PCJLDLTGetMemoryLimit(pc, &limit));
  PetscCall(CheckShares(type, limit));
  PetscCall(CheckLimits(pc, bildlt, r, z, first));
  PetscCall(PCDestroy(&pc));
  PetscCall(VecDestroy(&r));
  PetscCall(VecDestroy(&z));
  PetscCall(VecDestroy(&first));
  PetscCall(MatDestroy(&A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  PetscFunctionBeginUser;
  PetscCall(PetscInitialize(&argc, &argv, NULL, NULL));
  PetscCall(TesseraInitializePackage());
  PetscCall(Check(PETSC_TRUE));
  PetscCall(Check(PETSC_FALSE));
  PetscCall(PetscFinalize());
  return 0;
}
