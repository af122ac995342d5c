# SPDX-FileCopyrightText: Koinon contributors
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# The package: headers under include/koinon, libkoinon, and what find_package(Koinon) reads. Relocatable.
include(CMakePackageConfigHelpers)
set(koinon_package_dir "${CMAKE_INSTALL_LIBDIR}/cmake/Koinon")

set(koinon_header_rules "")
foreach(file_set IN LISTS koinon_file_sets)
  list(APPEND koinon_header_rules FILE_SET ${file_set} DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}/koinon")
endforeach()
install(TARGETS koinon EXPORT KoinonTargets ${koinon_header_rules})
install(EXPORT KoinonTargets NAMESPACE Koinon:: DESTINATION "${koinon_package_dir}")

if(Koinon_ENABLE_KOKKOS)
  string(REGEX MATCH "^[0-9]+" koinon_kokkos_major "${Kokkos_VERSION}")
endif()
configure_package_config_file(cmake/templates/KoinonConfig.cmake.in "${CMAKE_CURRENT_BINARY_DIR}/KoinonConfig.cmake"
                              INSTALL_DESTINATION "${koinon_package_dir}")
write_basic_package_version_file("${CMAKE_CURRENT_BINARY_DIR}/KoinonConfigVersion.cmake"
                                 COMPATIBILITY SameMajorVersion)
install(FILES "${CMAKE_CURRENT_BINARY_DIR}/KoinonConfig.cmake" "${CMAKE_CURRENT_BINARY_DIR}/KoinonConfigVersion.cmake"
        DESTINATION "${koinon_package_dir}")
install(FILES LICENSE DESTINATION "${CMAKE_INSTALL_DOCDIR}")
