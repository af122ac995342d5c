# SPDX-FileCopyrightText: Koinon contributors
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# koinon_perf_tests on NVIDIA GPUs, with a kernel of its own to compare with, and NCCL where it is found.
find_package(CUDAToolkit REQUIRED)
if(NOT CMAKE_CUDA_COMPILER)
  enable_language(CUDA)
endif()
target_sources(
  koinon_perf_tests
  PRIVATE cuda/Koinon_Perf_GpuKernels.cu
          cuda/Koinon_Perf_GpuNeighbour.cpp
          cuda/Koinon_Perf_GpuPlace.cu
          cuda/Koinon_Perf_GpuRank.cpp
          cuda/Koinon_Perf_GpuWork.cpp
          cuda/Koinon_Perf_Gpus.cpp
          cuda/Koinon_Perf_Prototype.cu
          cuda/Koinon_Perf_RivalPrototype.cpp)
target_include_directories(koinon_perf_tests PRIVATE cuda)
target_link_libraries(koinon_perf_tests PRIVATE CUDA::cudart_static)
foreach(type IN LISTS Koinon_PERF_TESTS_TYPES)
  set(file "${CMAKE_CURRENT_BINARY_DIR}/Koinon_Perf_GpuExercise_${type}.cu")
  configure_file(cuda/Koinon_Perf_GpuExerciseOfType.cu.in "${file}" @ONLY)
  target_sources(koinon_perf_tests PRIVATE "${file}")
endforeach()

foreach(type IN LISTS koinon_perf_normed_types)
  set(file "${CMAKE_CURRENT_BINARY_DIR}/Koinon_Perf_GpuNorms_${type}.cu")
  configure_file(cuda/Koinon_Perf_GpuNormsOfType.cu.in "${file}" @ONLY)
  target_sources(koinon_perf_tests PRIVATE "${file}")
endforeach()

option(Koinon_PERF_TESTS_NCCL "Measure NCCL, where it is found: the program then needs its library to start" ON)
if(Koinon_PERF_TESTS_NCCL)
  find_path(Koinon_NCCL_INCLUDE_DIR nccl.h HINTS ${CUDAToolkit_INCLUDE_DIRS})
  find_library(Koinon_NCCL_LIBRARY nccl HINTS ${CUDAToolkit_LIBRARY_DIR})
  mark_as_advanced(Koinon_NCCL_INCLUDE_DIR Koinon_NCCL_LIBRARY)
  if(Koinon_NCCL_INCLUDE_DIR AND Koinon_NCCL_LIBRARY)
    message(STATUS "Koinon: NCCL, a rival in perf_tests: ${Koinon_NCCL_LIBRARY}")
    target_sources(koinon_perf_tests PRIVATE cuda/Koinon_Perf_NcclExchange.cu cuda/Koinon_Perf_NormKernel.cu cuda/Koinon_Perf_RivalNccl.cpp)
    # Of these two files only: with or without NCCL, no kernel is compiled again.
    set_source_files_properties(rivals/Koinon_Perf_Rivals.cpp PROPERTIES COMPILE_DEFINITIONS KOINON_PERF_HAS_NCCL)
    set_source_files_properties(cuda/Koinon_Perf_RivalNccl.cpp cuda/Koinon_Perf_NcclExchange.cu PROPERTIES INCLUDE_DIRECTORIES "${Koinon_NCCL_INCLUDE_DIR}")
    target_link_libraries(koinon_perf_tests PRIVATE "${Koinon_NCCL_LIBRARY}")
  else()
    message(STATUS "Koinon: no NCCL found (nccl.h and libnccl): perf_tests measures no rival nccl")
  endif()
endif()
