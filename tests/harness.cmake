# tests/ksp, tests/pc, tests/mat: programs with /*TEST blocks, run by PETSc's own test harness as one ctest program, with
# CUDA as two: the tests that need a GPU have cuda in their names. They know nothing of Tessera: PETSc loads the library
# for them.
set(harness ${CMAKE_CURRENT_LIST_DIR}/run_harness ${CMAKE_CURRENT_LIST_DIR} ${PROJECT_BINARY_DIR}/harness
    $<TARGET_FILE:tessera>)
set(harness_tests petsc.harness)
if(TESSERA_CUDA)
  add_test(NAME petsc.harness COMMAND ${harness} "${test_link_options}"
           "gmakesearch=$(foreach t,$(alltesttargets),$(if $(findstring cuda,$(t)),,$(t)))")
  add_test(NAME petsc.harness_cuda COMMAND sh -c [["$0" || exit $?; exec "$@"]] $<TARGET_FILE:gpu_present> ${harness}
           "${test_link_options}" gmakesearchin=cuda)
  list(APPEND harness_tests petsc.harness_cuda)
else()
  add_test(NAME petsc.harness COMMAND ${harness} "${test_link_options}")
endif()
set_tests_properties(${harness_tests} PROPERTIES
  ENVIRONMENT "${test_environment};PETSC_DIR=${PETSC_DIR};PETSC_ARCH=${PETSC_ARCH}" SKIP_RETURN_CODE 77 TIMEOUT 1200
  RUN_SERIAL TRUE)
