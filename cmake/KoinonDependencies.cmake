# SPDX-FileCopyrightText: Koinon contributors
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# What the library needs. Programs (tests, perf_tests) find their own dependencies in their own folders.
set(THREADS_PREFER_PTHREAD_FLAG ON)
find_package(Threads REQUIRED)
find_package(nlohmann_json 3.9 CONFIG REQUIRED)

set(koinon_kokkos_languages "")
if(Koinon_ENABLE_KOKKOS)
  find_package(Kokkos CONFIG QUIET)
  if(NOT Kokkos_FOUND)
    message(FATAL_ERROR "Kokkos 5.0 or newer was not found: set Kokkos_ROOT, run scripts/install_dependencies and "
                        "configure with a preset, or configure with -DKoinon_ENABLE_KOKKOS=OFF")
  endif()
  if(Kokkos_VERSION VERSION_LESS 5.0)
    message(FATAL_ERROR "Kokkos ${Kokkos_VERSION} in ${Kokkos_DIR} is too old, Koinon needs 5.0 or newer: "
                        "set Kokkos_ROOT to a newer one, or configure with -DKoinon_ENABLE_KOKKOS=OFF")
  endif()
  message(STATUS "Koinon: Kokkos ${Kokkos_VERSION} in ${Kokkos_DIR} (${Kokkos_DEVICES})")
  foreach(device IN ITEMS CUDA HIP)
    if(device IN_LIST Kokkos_DEVICES AND NOT Koinon_ENABLE_${device})
      string(TOLOWER ${device} backend)
      if(EXISTS "${CMAKE_CURRENT_SOURCE_DIR}/backends/${backend}/CMakeLists.txt")
        message(FATAL_ERROR "This Kokkos has ${device}, but Koinon_ENABLE_${device} is OFF: switch it on, or use a "
                            "Kokkos without ${device}")
      endif()
    endif()
    if(Koinon_ENABLE_${device} AND NOT device IN_LIST Kokkos_DEVICES)
      message(FATAL_ERROR "Koinon_ENABLE_${device}=ON, but this Kokkos has no ${device} (${Kokkos_DEVICES}): use a "
                          "Kokkos with ${device}, or configure with -DKoinon_ENABLE_KOKKOS=OFF")
    endif()
  endforeach()
endif()

if(Koinon_ENABLE_MPI)
  find_package(MPI 3.0 REQUIRED COMPONENTS C)
  message(STATUS "Koinon: MPI ${MPI_C_VERSION} of ${MPI_C_COMPILER}, started by ${MPIEXEC_EXECUTABLE}")
endif()

if(Koinon_ENABLE_CUDA)
  find_package(CUDAToolkit 12.4 REQUIRED)
  message(STATUS "Koinon: CUDA ${CUDAToolkit_VERSION} in ${CUDAToolkit_BIN_DIR}, for ${CMAKE_CUDA_ARCHITECTURES}")
endif()

if(Koinon_ENABLE_HIP AND Koinon_HIP_LANGUAGE)
  execute_process(COMMAND ${CMAKE_HIP_COMPILER} -dumpversion OUTPUT_VARIABLE koinon_clang_version
                  OUTPUT_STRIP_TRAILING_WHITESPACE)
  if(koinon_clang_version VERSION_LESS 19)
    message(FATAL_ERROR "${CMAKE_HIP_COMPILER} is clang ${koinon_clang_version}, Koinon_ENABLE_HIP needs 19 (ROCm 6.4) or "
                        "newer: set CMAKE_HIP_COMPILER")
  endif()
  message(STATUS "Koinon: HIP by clang ${koinon_clang_version}, ROCm in ${CMAKE_HIP_COMPILER_ROCM_ROOT}, for "
                 "${CMAKE_HIP_ARCHITECTURES}")
endif()
