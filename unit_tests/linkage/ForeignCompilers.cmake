# SPDX-FileCopyrightText: Koinon contributors
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# koinon_add_foreign_parts(): part.cpp by compilers that are not this build's, for the same program.
#
# Sets koinon_foreign_objects, koinon_foreign_libraries (their runtimes) and koinon_foreign_definitions: for a compiler
# that is missing or cannot do it, KOINON_NO_<NAME> says why.
set(koinon_foreign_compilers CLANG NVCC)
find_program(KOINON_CLANG NAMES clang++-22 clang++-21 clang++-20 clang++-19 clang++-18 clang++-17 clang++)
find_program(KOINON_NVCC NAMES nvcc PATHS /usr/local/cuda/bin)

# Gives the first version number that a compiler prints, or nothing.
function(koinon_compiler_version compiler variable)
  execute_process(COMMAND "${compiler}" --version OUTPUT_VARIABLE text ERROR_QUIET)
  set(${variable} "" PARENT_SCOPE)
  if(text MATCHES "(version|release) ([0-9]+\\.[0-9]+)")
    set(${variable} "${CMAKE_MATCH_2}" PARENT_SCOPE)
  endif()
endfunction()

# Says in `variable` why a compiler cannot be used; empty if it can.
function(koinon_refuse_compiler variable name compiler least)
  set(${variable} "" PARENT_SCOPE)
  if(NOT compiler)
    set(${variable} "this machine has no ${name}" PARENT_SCOPE)
    return()
  endif()
  koinon_compiler_version("${compiler}" version)
  if(NOT version OR version VERSION_LESS least)
    set(${variable} "${name} here is ${version}, and this test needs ${least}" PARENT_SCOPE)
    return()
  endif()
  if(name STREQUAL "clang++" AND koinon_part_openmp)
    file(WRITE "${CMAKE_CURRENT_BINARY_DIR}/openmp.cpp" "#include <omp.h>\nint main() { return omp_get_max_threads() == 0; }\n")
    execute_process(COMMAND "${compiler}" -fopenmp -o "${CMAKE_CURRENT_BINARY_DIR}/openmp" "${CMAKE_CURRENT_BINARY_DIR}/openmp.cpp"
                    RESULT_VARIABLE result OUTPUT_QUIET ERROR_QUIET)
    if(NOT result EQUAL 0)
      set(${variable} "clang++ here has no OpenMP, which this Kokkos needs" PARENT_SCOPE)
    endif()
  endif()
endfunction()

function(koinon_add_foreign_part name compiler)
  string(TOLOWER ${name} lower)
  set(object "${CMAKE_CURRENT_BINARY_DIR}/part_${lower}.o")
  set(folders "$<TARGET_PROPERTY:Koinon::koinon,INTERFACE_INCLUDE_DIRECTORIES>")
  # Those of the system are there by themselves, and named they would come before the compiler's own.
  set(folders "$<FILTER:$<REMOVE_DUPLICATES:${folders}>,EXCLUDE,^/usr/include$>")
  add_custom_command(
    OUTPUT "${object}"
    COMMAND "${compiler}" ${ARGN} -std=c++20 -isystem "${CMAKE_CURRENT_SOURCE_DIR}/.." -isystem
            "$<JOIN:${folders},;-isystem;>" -DOMPI_SKIP_MPICXX
            -DMPICH_SKIP_MPICXX -DNDEBUG -DKOINON_PART=part_${lower} -MD -MF "${object}.d" -c
            "${CMAKE_CURRENT_SOURCE_DIR}/part.cpp" -o "${object}"
    DEPENDS part.cpp
    DEPFILE "${object}.d"
    COMMENT "Compiling a part of linkage_mixed by ${lower}"
    COMMAND_EXPAND_LISTS VERBATIM)
  set_source_files_properties("${object}" PROPERTIES EXTERNAL_OBJECT ON GENERATED ON)
  list(APPEND koinon_foreign_objects "${object}")
  set(koinon_foreign_objects "${koinon_foreign_objects}" PARENT_SCOPE)
endfunction()

macro(koinon_add_foreign_parts)
  set(koinon_foreign_objects "")
  set(koinon_foreign_libraries "")
  set(koinon_foreign_definitions "")
  set(koinon_part_openmp "")
  if(Koinon_ENABLE_KOKKOS AND "OPENMP" IN_LIST Kokkos_DEVICES)
    set(koinon_part_openmp -fopenmp)
  endif()

  # Koinon asks users for a newer clang++; the part uses nothing that this one lacks.
  koinon_refuse_compiler(KOINON_NO_CLANG clang++ "${KOINON_CLANG}" 14)
  if(NOT KOINON_NO_CLANG)
    koinon_add_foreign_part(CLANG "${KOINON_CLANG}" -O1 -fPIC ${koinon_part_openmp})
  endif()

  koinon_refuse_compiler(KOINON_NO_NVCC nvcc "${KOINON_NVCC}" 13.0)
  if(NOT KOINON_NO_NVCC)
    cmake_path(GET KOINON_NVCC PARENT_PATH folder)
    find_library(KOINON_CUDART NAMES cudart_static PATHS "${folder}/.." PATH_SUFFIXES lib64 targets/x86_64-linux/lib)
    if(KOINON_CUDART)
      list(TRANSFORM koinon_part_openmp PREPEND -Xcompiler= OUTPUT_VARIABLE openmp)
      koinon_add_foreign_part(NVCC "${KOINON_NVCC}" -x cu -ccbin "${CMAKE_CXX_COMPILER}" -O1 --extended-lambda
                              --static-global-template-stub=true -Xcompiler=-fPIC ${openmp})
      list(APPEND koinon_foreign_libraries "${KOINON_CUDART}" ${CMAKE_DL_LIBS} rt)
    else()
      set(KOINON_NO_NVCC "nvcc here has no libcudart_static.a beside it")
    endif()
  endif()

  foreach(name IN LISTS koinon_foreign_compilers)
    if(KOINON_NO_${name})
      list(APPEND koinon_foreign_definitions "KOINON_NO_${name}=\"${KOINON_NO_${name}}\"")
    endif()
  endforeach()
endmacro()
