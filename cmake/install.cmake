# Install rules: the library, its header, the CMake package and the pkg-config file.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)
string(REGEX MATCH "^([0-9]+)\\.([0-9]+)" PETSC_MINOR_VERSION ${PETSC_VERSION})
math(EXPR _next "${CMAKE_MATCH_2} + 1")
set(PETSC_NEXT_MINOR_VERSION ${CMAKE_MATCH_1}.${_next})
set(_package ${CMAKE_INSTALL_LIBDIR}/cmake/Tessera)

install(TARGETS tessera EXPORT TesseraTargets INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(FILES ${PROJECT_SOURCE_DIR}/include/tessera.h TYPE INCLUDE)
install(EXPORT TesseraTargets NAMESPACE Tessera:: DESTINATION ${_package})
configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/TesseraConfig.cmake.in ${PROJECT_BINARY_DIR}/TesseraConfig.cmake
  INSTALL_DESTINATION ${_package})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/TesseraConfigVersion.cmake COMPATIBILITY SameMinorVersion)
file(RELATIVE_PATH _pc_to_prefix ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_PREFIX})
configure_file(${CMAKE_CURRENT_LIST_DIR}/tessera.pc.in ${PROJECT_BINARY_DIR}/tessera.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/TesseraConfig.cmake ${PROJECT_BINARY_DIR}/TesseraConfigVersion.cmake
  ${CMAKE_CURRENT_LIST_DIR}/FindPETSc.cmake DESTINATION ${_package})
install(FILES ${PROJECT_BINARY_DIR}/tessera.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
