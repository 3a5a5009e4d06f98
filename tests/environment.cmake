# test_environment: what every test that starts PETSc or MPI runs with.
set(test_environment
  # Open MPI refuses to start for the root user of a container without these two, and more processes than cores without
  # the third; processes bound to one core each would share it with every other test.
  OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1
  OMPI_MCA_hwloc_base_binding_policy=none
  OMP_NUM_THREADS=2 OPENBLAS_NUM_THREADS=1)
# test_link_options: what programs that the harness compiles, without sanitizers, need to load a library with them: the
# sanitizers' run-time library as the first one.
set(test_link_options "")
if(TESSERA_SANITIZE)
  set(test_link_options "-fsanitize=${TESSERA_SANITIZE}")
  list(APPEND test_environment UBSAN_OPTIONS=print_stacktrace=1
    "LSAN_OPTIONS=suppressions=${PROJECT_SOURCE_DIR}/tests/lsan.supp:print_suppressions=0")
endif()
if(TESSERA_SANITIZE MATCHES address)
  add_library(keep_loaded OBJECT keep_loaded.c)
  string(APPEND test_link_options " $<TARGET_OBJECTS:keep_loaded>")
endif()
string(REGEX MATCH "^[0-9]+\\.[0-9]+" PETSC_VERSION_MINOR "${PETSC_VERSION}")
