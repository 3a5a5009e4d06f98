static char help[] = "What PCView() prints, and what the log counts of an analysis: the same text by every run, and\n\
times only where they are asked for.\n\n";

#include <petscksp.h>

#include "grid.h"

/* What PCView() prints in a format; to be freed with free(). */
static PetscErrorCode View(PC pc, PetscViewerFormat format, char **text)
{
  PetscViewer viewer;
  FILE *file;
  size_t length;

  PetscFunctionBeginUser;
  file = open_memstream(text, &length);
  PetscCheck(file, PETSC_COMM_SELF, PETSC_ERR_MEM, "No memory for what PCView() prints");
  PetscCall(PetscViewerASCIIOpenWithFILE(PETSC_COMM_SELF, file, &viewer));
  PetscCall(PetscViewerPushFormat(viewer, format));
  PetscCall(PCView(pc, viewer));
  PetscCall(PetscViewerDestroy(&viewer));
  PetscCheck(fclose(file) == 0, PETSC_COMM_SELF, PETSC_ERR_FILE_WRITE, "What PCView() prints is lost");
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Verdict(const char what[], PetscBool good)
{
  PetscFunctionBeginUser;
  PetscCall(PetscPrintf(PETSC_COMM_SELF, "%s: %s\n", what, good ? "yes" : "NO"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Whether a time is in a text: a number before " s". */
static PetscBool HasTime(const char *text)
{
  for (const char *p = strstr(text, " s"); p; p = strstr(p + 1, " s"))
    if (p > text && strchr("0123456789.", p[-1]) && (p[2] == ',' || p[2] == '\n'))
      return PETSC_TRUE;
  return PETSC_FALSE;
}

/* Prints which steps of an analysis the log has seen since the last call, and how often. */
static PetscErrorCode PrintSteps(const char what[])
{
  const char *const names[] = {"TesseraMatching", "TesseraPairs",  "TesseraScaling", "TesseraCompress",
                               "TesseraOrdering", "TesseraCounts", "TesseraTiles",   "TesseraLevels"};
  static int counted[PETSC_STATIC_ARRAY_LENGTH(names)];

  PetscFunctionBeginUser;
  PetscCall(PetscPrintf(PETSC_COMM_SELF, "%s:", what));
  for (size_t i = 0; i < PETSC_STATIC_ARRAY_LENGTH(names); i++) {
    PetscLogEvent event;
    PetscEventPerfInfo info;

    PetscCall(PetscLogEventGetId(names[i], &event));
    PetscCall(PetscLogEventGetPerfInfo(PETSC_DETERMINE, event, &info));
    if (info.count > counted[i])
      PetscCall(PetscPrintf(PETSC_COMM_SELF, " %s x%d", names[i], info.count - counted[i]));
    counted[i] = info.count;
  }
  PetscCall(PetscPrintf(PETSC_COMM_SELF, "\n"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A view before the setup tells the options; viewers for other than text get nothing. */
static PetscErrorCode CheckEarlyViews(PC pc)
{
  PetscViewer viewer;
  char *early, string[1024] = "";

  PetscFunctionBeginUser;
  PetscCall(View(pc, PETSC_VIEWER_DEFAULT, &early));
  PetscCall(Verdict("options before the setup", (PetscBool)(strstr(early, "pivoting ") != NULL)));
  PetscCall(Verdict("and nothing of a factor", (PetscBool)!strstr(early, "complete factor")));
  free(early);
  PetscCall(PetscViewerStringOpen(PETSC_COMM_SELF, string, sizeof string, &viewer));
  PetscCall(PCView(pc, viewer));
  PetscCall(PetscViewerDestroy(&viewer));
  PetscCall(Verdict("nothing of options in a string", (PetscBool)!strstr(string, "pivoting ")));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A preconditioner as the options say: its view, and its view in detail. */
static PetscErrorCode Run(char **brief, char **detail)
{
  Mat A;
  PC pc;

  PetscFunctionBeginUser;
  PetscCall(CreateGrid(40, -0.73, PETSC_FALSE, &A));
  PetscCall(PCCreate(PETSC_COMM_SELF, &pc));
  PetscCall(PCSetOperators(pc, A, A));
  PetscCall(PCSetFromOptions(pc));
  PetscCall(CheckEarlyViews(pc));
  PetscCall(PCSetUp(pc));
  PetscCall(PrintSteps("first setup"));
  PetscCall(View(pc, PETSC_VIEWER_DEFAULT, brief));
  PetscCall(View(pc, PETSC_VIEWER_ASCII_INFO_DETAIL, detail));
  PetscCall(MatScale(A, 2.0));
  PetscCall(PCSetUp(pc));
  PetscCall(PrintSteps("second setup"));
  PetscCall(PCDestroy(&pc));
  PetscCall(MatDestroy(&A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  char *brief[2], *detail[2];

  PetscFunctionBeginUser;
  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(PetscLogDefaultBegin());
  for (int run = 0; run < 2; run++)
    PetscCall(Run(&brief[run], &detail[run]));
  PetscCall(Verdict("the same text by both runs", (PetscBool)!strcmp(brief[0], brief[1])));
  PetscCall(Verdict("of the factor too", (PetscBool)(strstr(brief[0], "eigenvalues of D") != NULL)));
  PetscCall(Verdict("no times", (PetscBool)!HasTime(brief[0])));
  PetscCall(Verdict("times of the analysis in detail", (PetscBool)(strstr(detail[0], "analysis: ") != NULL)));
  PetscCall(Verdict("of the factorization too", (PetscBool)(strstr(detail[0], "factorization: ") != NULL)));
  PetscCall(Verdict("times in detail", HasTime(detail[0])));
  for (int run = 0; run < 2; run++) {
    free(brief[run]);
    free(detail[run]);
  }
  PetscCall(PetscFinalize());
  return 0;
}

/*TEST

   build:
      requires: !complex double

   testset:
      args: -pc_type bildlt
      output_file: output/view_bildlt.out
      test:
         suffix: bildlt
         args: -mat_type {{aij sbaij}}
      test:
         suffix: bildlt_cuda
         requires: cuda
         args: -mat_type aijcusparse

   testset:
      args: -pc_type jldlt -pc_jldlt_preprocessing equilibrate
      output_file: output/view_jldlt.out
      test:
         suffix: jldlt
         args: -mat_type {{aij sbaij}}
      test:
         suffix: jldlt_cuda
         requires: cuda
         args: -mat_type aijcusparse

TEST*/
