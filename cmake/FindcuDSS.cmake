# Finds cuDSS 1.0 or newer: by the cudss-config.cmake of NVIDIA's archives and packages, or by header and library alone,
# which is what the Python packages nvidia-cudss-cu12 and -cu13 bring: -DcuDSS_ROOT=.../site-packages/nvidia/cu13.
#
# Target cuDSS::cuDSS, and the variables
#   cuDSS_VERSION  cuDSS_THREADING_LAYER (the threading layer for GNU's OpenMP beside the library, if there is one)
include(FindPackageHandleStandardArgs)
find_package(CUDAToolkit QUIET)
find_package(cudss QUIET CONFIG HINTS ${cuDSS_ROOT})
find_path(cuDSS_INCLUDE_DIR cudss.h HINTS ${cudss_INCLUDE_DIR} ${CUDAToolkit_INCLUDE_DIRS})
# A Python package has the file with the version in its name, and no link without it.
find_library(cuDSS_LIBRARY NAMES cudss libcudss.so.1 HINTS ${cudss_LIBRARY_DIR} ${CUDAToolkit_LIBRARY_DIR})

if(cuDSS_INCLUDE_DIR)
  file(STRINGS ${cuDSS_INCLUDE_DIR}/cudss.h _lines REGEX "define CUDSS_VERSION_(MAJOR|MINOR|PATCH) +[0-9]")
  string(REGEX REPLACE "[^0-9;]" "" _lines "${_lines}")
  string(REPLACE ";" "." cuDSS_VERSION "${_lines}")
endif()
if(cuDSS_LIBRARY)
  get_filename_component(_folder ${cuDSS_LIBRARY} DIRECTORY)
  find_file(cuDSS_THREADING_LAYER NAMES libcudss_mtlayer_gomp.so libcudss_mtlayer_gomp.so.1 HINTS ${_folder}
            NO_DEFAULT_PATH)
endif()
find_package_handle_standard_args(cuDSS REQUIRED_VARS cuDSS_LIBRARY cuDSS_INCLUDE_DIR CUDAToolkit_FOUND
                                  VERSION_VAR cuDSS_VERSION)
if(cuDSS_FOUND AND NOT TARGET cuDSS::cuDSS)
  add_library(cuDSS::cuDSS UNKNOWN IMPORTED)
  set_target_properties(cuDSS::cuDSS PROPERTIES IMPORTED_LOCATION ${cuDSS_LIBRARY}
                        INTERFACE_INCLUDE_DIRECTORIES ${cuDSS_INCLUDE_DIR} INTERFACE_LINK_LIBRARIES CUDA::cudart)
endif()
mark_as_advanced(cuDSS_INCLUDE_DIR cuDSS_LIBRARY cuDSS_THREADING_LAYER)
