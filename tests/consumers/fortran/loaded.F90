! A Fortran program that knows nothing of Tessera: options load the library and choose its types.
!
! The system is [O K; K 0] with K = tridiag(-1, 3, -1) and O = diag(0, 1, 0, 1, ...): three quarters of its diagonal are zero,
! so that a factorization has to pivot. The exit status is 1 unless the true relative residual is below 1e-8.
#include <petsc/finclude/petscksp.h>
program loaded
  use petscksp
  implicit none

  PetscInt, parameter :: n = 100
  Mat A
  Vec b, x, r
  KSP ksp
  PC pc
  KSPType method
  PCType preconditioner
  KSPConvergedReason reason
  PetscReal residual, size
  PetscErrorCode ierr
  logical solved

  PetscCallA(PetscInitialize(ierr))
  call create_system()
  PetscCallA(KSPCreate(PETSC_COMM_SELF, ksp, ierr))
  PetscCallA(KSPSetOperators(ksp, A, A, ierr))
  PetscCallA(KSPSetFromOptions(ksp, ierr))
  PetscCallA(KSPSolve(ksp, b, x, ierr))

  PetscCallA(VecDuplicate(b, r, ierr))
  PetscCallA(MatMult(A, x, r, ierr))
  PetscCallA(VecAXPY(r, -1.0_PETSC_REAL_KIND, b, ierr))
  PetscCallA(VecNorm(r, NORM_2, residual, ierr))
  PetscCallA(VecNorm(b, NORM_2, size, ierr))
  PetscCallA(KSPGetPC(ksp, pc, ierr))
  PetscCallA(KSPGetType(ksp, method, ierr))
  PetscCallA(PCGetType(pc, preconditioner, ierr))
  PetscCallA(KSPGetConvergedReason(ksp, reason, ierr))
  solved = reason%v > 0 .and. residual <= 1e-8*size
  print '(5a)', trim(method), ' ', trim(preconditioner), ': ', trim(merge('solved    ', 'NOT SOLVED', solved))

  PetscCallA(KSPDestroy(ksp, ierr))
  PetscCallA(MatDestroy(A, ierr))
  PetscCallA(VecDestroy(b, ierr))
  PetscCallA(VecDestroy(x, ierr))
  PetscCallA(VecDestroy(r, ierr))
  PetscCallA(PetscFinalize(ierr))
  if (.not. solved) stop 1

contains

  ! The solution of A x = b is 1, 2, 3, ...
  subroutine create_system()
    PetscInt first, end, row, i, j, other
    PetscScalar value

    PetscCallA(MatCreateSeqAIJ(PETSC_COMM_SELF, 2*n, 2*n, 4, PETSC_NULL_INTEGER_ARRAY, A, ierr))
    PetscCallA(MatSetOption(A, MAT_SYMMETRIC, PETSC_TRUE, ierr))
    PetscCallA(MatGetOwnershipRange(A, first, end, ierr))
    do row = first, end - 1
      i = mod(row, n)
      other = merge(n, 0, row < n)
      do j = max(i - 1, 0), min(i + 1, n - 1)
        value = merge(3, -1, i == j)
        PetscCallA(MatSetValue(A, row, other + j, value, INSERT_VALUES, ierr))
      end do
      value = merge(1, 0, row < n .and. mod(i, 2) == 1)
      PetscCallA(MatSetValue(A, row, row, value, INSERT_VALUES, ierr))
    end do
    PetscCallA(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY, ierr))
    PetscCallA(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY, ierr))

    PetscCallA(MatCreateVecs(A, x, b, ierr))
    do row = first, end - 1
      value = row + 1
      PetscCallA(VecSetValue(x, row, value, INSERT_VALUES, ierr))
    end do
    PetscCallA(VecAssemblyBegin(x, ierr))
    PetscCallA(VecAssemblyEnd(x, ierr))
    PetscCallA(MatMult(A, x, b, ierr))
    PetscCallA(VecZeroEntries(x, ierr))
  end subroutine
end program
