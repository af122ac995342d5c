# SPDX-FileCopyrightText: Koinon contributors
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# Every choice a user has. Options are named Koinon_ENABLE_*; the usual CMake variables do the rest.
include(GNUInstallDirs)

option(BUILD_SHARED_LIBS "Build libkoinon as a shared library" OFF)

option(Koinon_ENABLE_KOKKOS "The front end over Kokkos Views and execution spaces" ON)
option(Koinon_ENABLE_MPI "The bootstrap over MPI (headers only, never in the compiled library)" ON)
option(Koinon_ENABLE_HOST "The backend for CPU processes and threads that share memory" ON)
option(Koinon_ENABLE_CUDA "The backend for NVIDIA GPUs" OFF)
option(Koinon_ENABLE_HIP "The backend for AMD GPUs" OFF)
option(Koinon_HIP_LANGUAGE "With the backend for AMD GPUs: CMake's language HIP. Off: its host part alone, by any C++ compiler" ON)
option(Koinon_ENABLE_NCCL "NCCL between nodes" OFF)
option(Koinon_ENABLE_RCCL "RCCL between nodes" OFF)
option(Koinon_ENABLE_INSTANTIATIONS "Compile the common element types and reducers into the library" ON)

option(Koinon_ENABLE_TESTS "Build unit_tests" ${PROJECT_IS_TOP_LEVEL})
option(Koinon_ENABLE_PERF_TESTS "Build perf_tests" ${PROJECT_IS_TOP_LEVEL})
option(Koinon_ENABLE_EXAMPLES "Build examples" ${PROJECT_IS_TOP_LEVEL})
option(Koinon_ENABLE_DOCS "The target koinon_docs" ${PROJECT_IS_TOP_LEVEL})

set(Koinon_BACKENDS "")
foreach(backend IN ITEMS host cuda hip)
  string(TOUPPER ${backend} BACKEND)
  if(Koinon_ENABLE_${BACKEND})
    if(NOT EXISTS "${CMAKE_CURRENT_SOURCE_DIR}/backends/${backend}/CMakeLists.txt")
      message(FATAL_ERROR "Koinon_ENABLE_${BACKEND}=ON, but this version has no ${backend} backend yet: "
                          "configure with -DKoinon_ENABLE_${BACKEND}=OFF")
    endif()
    list(APPEND Koinon_BACKENDS ${backend})
  endif()
endforeach()
if(NOT Koinon_BACKENDS)
  message(FATAL_ERROR "Koinon has no backend to build: configure with -DKoinon_ENABLE_HOST=ON")
endif()
foreach(pair IN ITEMS "NCCL;CUDA" "RCCL;HIP")
  list(GET pair 0 engine)
  list(GET pair 1 device)
  if(Koinon_ENABLE_${engine} AND NOT Koinon_ENABLE_${device})
    message(FATAL_ERROR "Koinon_ENABLE_${engine}=ON needs Koinon_ENABLE_${device}=ON: switch both on or both off")
  endif()
endforeach()
