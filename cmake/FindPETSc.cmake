# Finds PETSc through its pkg-config file: that of PETSC_DIR/PETSC_ARCH (CMake or environment variables; PETSC_ARCH is
# empty for an installed PETSc), or the one on PKG_CONFIG_PATH.
#
# Target PETSc::PETSc (headers, library, and the MPI that PETSc was built with), and the variables
#   PETSC_VERSION  PETSC_DIR  PETSC_ARCH  PETSC_MODULE (the name of its pkg-config file)
#   PETSC_MPIEXEC  PETSC_CUDA_ARCHITECTURE (such as 90, empty without CUDA)  PETSC_CUDA_COMPILER
find_package(PkgConfig REQUIRED)
if(NOT PETSC_DIR)
  set(PETSC_DIR "$ENV{PETSC_DIR}" CACHE PATH "PETSc's folder" FORCE)
  set(PETSC_ARCH "$ENV{PETSC_ARCH}" CACHE STRING "PETSc's configuration, empty for an installed PETSc" FORCE)
endif()

set(_petsc_path "$ENV{PKG_CONFIG_PATH}")
if(PETSC_DIR)
  set(ENV{PKG_CONFIG_PATH} "${PETSC_DIR}/${PETSC_ARCH}/lib/pkgconfig:${_petsc_path}")
endif()
# Another PETSC_DIR or PETSC_ARCH than at the last configuration: pkg-config's cached answer is stale.
if(NOT "${PETSC_DIR}/${PETSC_ARCH}" STREQUAL "${_petsc_found_in}")
  unset(__pkg_config_checked_PETSC_PC CACHE)
endif()
pkg_search_module(PETSC_PC QUIET IMPORTED_TARGET GLOBAL PETSc petsc)
set(_petsc_found_in "${PETSC_DIR}/${PETSC_ARCH}" CACHE INTERNAL "")

if(PETSC_PC_FOUND)
  set(PETSC_VERSION ${PETSC_PC_VERSION})
  set(PETSC_MODULE ${PETSC_PC_MODULE_NAME})
  pkg_get_variable(_petsc_cxx ${PETSC_MODULE} cxxcompiler)
  pkg_get_variable(_petsc_cudaflags ${PETSC_MODULE} cudaflags_extra)
  pkg_get_variable(PETSC_CUDA_COMPILER ${PETSC_MODULE} cudacompiler)
  pkg_get_variable(PETSC_MPIEXEC ${PETSC_MODULE} mpiexec)
  string(REGEX MATCH "sm_([0-9]+a?)" _petsc_sm "${_petsc_cudaflags}")
  set(PETSC_CUDA_ARCHITECTURE ${CMAKE_MATCH_1})
  find_file(PETSC_CONF_H petscconf.h PATHS ${PETSC_PC_INCLUDE_DIRS} NO_DEFAULT_PATH NO_CACHE)
endif()
set(ENV{PKG_CONFIG_PATH} "${_petsc_path}")

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(PETSc
  REQUIRED_VARS PETSC_PC_LINK_LIBRARIES PETSC_CONF_H
  VERSION_VAR PETSC_VERSION
  REASON_FAILURE_MESSAGE "set PETSC_DIR and PETSC_ARCH, or PKG_CONFIG_PATH to the folder of PETSc.pc (looked with PETSC_DIR='${PETSC_DIR}' PETSC_ARCH='${PETSC_ARCH}'). scripts/petsc in Tessera's source builds one")

if(PETSc_FOUND AND NOT TARGET PETSc::PETSc)
  add_library(PETSc::PETSc INTERFACE IMPORTED GLOBAL)
  target_link_libraries(PETSc::PETSc INTERFACE PkgConfig::PETSC_PC)
  file(STRINGS ${PETSC_CONF_H} _petsc_mpiuni REGEX "PETSC_HAVE_MPIUNI")
  if(NOT _petsc_mpiuni)
    set(MPI_CXX_SKIP_MPICXX ON)
    find_program(_petsc_mpicxx ${_petsc_cxx} NO_CACHE)
    if(_petsc_mpicxx MATCHES "mpi" AND NOT MPI_CXX_COMPILER)
      set(MPI_CXX_COMPILER ${_petsc_mpicxx} CACHE FILEPATH "MPI compiler of PETSc")
    endif()
    find_package(MPI REQUIRED COMPONENTS C CXX)
    target_link_libraries(PETSc::PETSc INTERFACE MPI::MPI_CXX)
  endif()
endif()
