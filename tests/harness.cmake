# tests/ksp, tests/pc, tests/mat: programs with /*TEST blocks, run by PETSc's own test harness as one ctest program.
# They know nothing of Tessera: PETSc loads the library for them.
add_test(NAME petsc.harness COMMAND ${CMAKE_CURRENT_LIST_DIR}/run_harness ${CMAKE_CURRENT_LIST_DIR}
  ${PROJECT_BINARY_DIR}/harness $<TARGET_FILE:tessera> "${test_link_options}")
set_tests_properties(petsc.harness PROPERTIES
  ENVIRONMENT "${test_environment};PETSC_DIR=${PETSC_DIR};PETSC_ARCH=${PETSC_ARCH}" TIMEOUT 1200 RUN_SERIAL TRUE)
