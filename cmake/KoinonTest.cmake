# SPDX-FileCopyrightText: Koinon contributors
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# Strict warnings, as errors, for our own programs only: nothing of this reaches a user. What g++ guesses after inlining
# (maybe-uninitialized) stays a warning; -Wrestrict of g++ 12 is wrong of every `"text" + string` (GCC bug 105329).
function(koinon_set_warnings target)
  target_compile_options(
    ${target}
    PRIVATE $<$<COMPILE_LANG_AND_ID:CXX,GNU,Clang>:-Wall
            -Wextra
            -Wpedantic
            -Wshadow
            -Wconversion
            -Wnon-virtual-dtor
            -Werror
            -Wno-error=maybe-uninitialized>
            $<$<COMPILE_LANG_AND_ID:CXX,GNU>:-Wno-restrict>)
endfunction()

# Tests have to compile soon, not to run fast: -O1 takes half of what -O3 does, and with the checks of AddressSanitizer
# -O0 half of what -O1 does. The library under them, examples, perf_tests and the parts of unit_tests/linkage have the
# build's own optimization; examples too compile soon under a sanitizer.
#
# With Koinon_TEST_UNITY a program's files are compiled as one: headers are read and bodies instantiated once instead of
# once a file. The preset host-nokokkos compiles its files one by one.
option(Koinon_TEST_UNITY "Compile all files of a test program as one" OFF)
function(koinon_compile_soon target)
  set(level -O1)
  if(KOINON_SANITIZER STREQUAL "address")
    set(level -O0)
  endif()
  target_compile_options(${target} PRIVATE $<$<AND:$<COMPILE_LANGUAGE:CXX>,$<CONFIG:Release,RelWithDebInfo>>:${level}>)
  if(Koinon_TEST_UNITY) # where a local name may be that of a neighbouring file's constant
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 0)
    target_compile_options(${target} PRIVATE $<$<COMPILE_LANG_AND_ID:CXX,GNU>:-Wno-shadow;-Wshadow=local>
                                             $<$<COMPILE_LANG_AND_ID:CXX,Clang>:-Wno-shadow>)
  endif()
endfunction()

# koinon_add_test(NAME SOURCES <files> [LIBRARIES <targets>] [RANKS <n>...] [LABELS <labels>] [TIMEOUT <seconds>]
#                 [PROCESSORS <n>] [ARGUMENTS <arguments>] [ENVIRONMENT <NAME=value>...])
#
# Makes the GoogleTest program koinon_test_NAME and registers it with ctest: as NAME, run alone, or with RANKS as
# NAME.<n> for each n, run by mpiexec. The program brings its own main, or gets one by
# LIBRARIES GTest::gtest_main.
# A preset with a sanitizer says so by KOINON_SANITIZER: there a test gets five times its time.
# Each run leaves its cases in test_results/<test>.xml of the build tree (rank 0's), for scripts/count_tests.
function(koinon_add_test name)
  cmake_parse_arguments(PARSE_ARGV 1 test "" "TIMEOUT;PROCESSORS" "SOURCES;LIBRARIES;RANKS;LABELS;ARGUMENTS;ENVIRONMENT")
  if(test_UNPARSED_ARGUMENTS OR NOT test_SOURCES)
    message(FATAL_ERROR "koinon_add_test(${name}): no SOURCES, or unknown arguments '${test_UNPARSED_ARGUMENTS}'")
  endif()
  if(NOT TARGET GTest::gtest)
    find_package(GTest CONFIG REQUIRED)
  endif()
  set(target koinon_test_${name})
  add_executable(${target} ${test_SOURCES})
  target_link_libraries(${target} PRIVATE Koinon::koinon GTest::gtest ${test_LIBRARIES})
  set_target_properties(${target} PROPERTIES CXX_EXTENSIONS OFF)
  koinon_set_warnings(${target})
  koinon_compile_soon(${target})
  if(NOT test_TIMEOUT)
    set(test_TIMEOUT 300)
  endif()
  if(KOINON_SANITIZER)
    math(EXPR test_TIMEOUT "${test_TIMEOUT} * 5")
  endif()

  if(NOT test_RANKS)
    koinon_register_test(${name} ${test_PROCESSORS} COMMAND ${target} ${test_ARGUMENTS} "--gtest_output=xml:@xml@")
    return()
  endif()
  foreach(ranks IN LISTS test_RANKS)
    koinon_register_test_of_ranks(${name} ${ranks} ${target} ${test_ARGUMENTS})
  endforeach()
endfunction()

# Registers NAME.RANKS: a program and its arguments, run by mpiexec with that many ranks. Reads the variables test_* too.
function(koinon_register_test_of_ranks name ranks target)
  if(NOT MPIEXEC_EXECUTABLE)
    message(FATAL_ERROR "test ${name}.${ranks}: there is no mpiexec: add it only with MPI on")
  endif()
  math(EXPR others "${ranks} - 1")
  set(run ${MPIEXEC_NUMPROC_FLAG} 1 $<TARGET_FILE:${target}> ${ARGN} "--gtest_output=xml:@xml@")
  if(others GREATER 0)
    list(APPEND run : ${MPIEXEC_NUMPROC_FLAG} ${others} $<TARGET_FILE:${target}> ${ARGN})
  endif()
  koinon_register_test(${name}.${ranks} ${ranks} COMMAND ${MPIEXEC_EXECUTABLE} ${MPIEXEC_PREFLAGS} ${run})
endfunction()

# Registers one ctest; reads the variables test_* of koinon_add_test.
function(koinon_register_test test_name)
  cmake_parse_arguments(PARSE_ARGV 1 run "" "" "COMMAND")
  string(REPLACE "@xml@" "${PROJECT_BINARY_DIR}/test_results/${test_name}.xml" run_COMMAND "${run_COMMAND}")
  # One thread a rank unless the test asks for more, ranks not bound to cores, more ranks than cores allowed, root
  # allowed. MPICH and programs without MPI ignore Open MPI's variables.
  set(environment
      OMP_NUM_THREADS=1
      OMP_PROC_BIND=false
      OMPI_ALLOW_RUN_AS_ROOT=1
      OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
      OMPI_MCA_rmaps_base_oversubscribe=1
      OMPI_MCA_hwloc_base_binding_policy=none
      PRTE_MCA_rmaps_default_mapping_policy=:oversubscribe)
  if(KOINON_SANITIZER) # the first report ends a test
    list(APPEND environment TSAN_OPTIONS=halt_on_error=1 UBSAN_OPTIONS=print_stacktrace=1
         ASAN_OPTIONS=detect_stack_use_after_return=1)
  endif()
  add_test(NAME ${test_name} COMMAND ${run_COMMAND} COMMAND_EXPAND_LISTS)
  set_tests_properties(${test_name} PROPERTIES TIMEOUT ${test_TIMEOUT} LABELS "${test_LABELS}"
                                               ENVIRONMENT "${environment};${test_ENVIRONMENT}")
  if(run_UNPARSED_ARGUMENTS)
    set_tests_properties(${test_name} PROPERTIES PROCESSORS ${run_UNPARSED_ARGUMENTS})
  endif()
endfunction()
