# SPDX-FileCopyrightText: Koinon contributors
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# Every instantiation of the matrix: compiled here for hosts, and by ../device as CUDA. Presets under a sanitizer take some.
set(Koinon_TEST_EXERCISES
    float double bfloat16 narrow int32 integer long composed user move move_wide exchange
    CACHE STRING "Groups of elements and reducers that the matrix has")
set(koinon_exercise_files Koinon_Cell.cpp Koinon_CellDraw.cpp Koinon_CellPart.cpp Koinon_ExchangeCell.cpp
                          Koinon_Exercise.cpp Koinon_Placement.cpp Koinon_Session.cpp)
set(koinon_exercise_list "")
foreach(group IN LISTS Koinon_TEST_EXERCISES)
  list(APPEND koinon_exercise_files exercises_${group}.cpp)
  string(APPEND koinon_exercise_list "add_${group}_exercises(made);\n")
endforeach()
# What Koinon_Exercise.cpp adds, as <generated/Koinon_ExerciseList.hpp>.
file(CONFIGURE OUTPUT "${CMAKE_CURRENT_BINARY_DIR}/generated/Koinon_ExerciseList.hpp" CONTENT "${koinon_exercise_list}")

# With Koinon_TEST_UNITY: pairs that a preset takes both of or neither, so that presets share what they compiled, and by
# pairs so that there is work for several cores.
function(koinon_group_exercises target)
  set_target_properties(${target} PROPERTIES UNITY_BUILD_MODE GROUP)
  foreach(pair IN ITEMS "float bfloat16" "int32 user" "double narrow" "integer long" "move move_wide" "composed exchange")
    string(REPLACE " " "_" name ${pair})
    string(REGEX REPLACE "([a-z0-9_]+)" "exercises_\\1.cpp" files ${pair})
    separate_arguments(files)
    set_source_files_properties(${files} PROPERTIES UNITY_GROUP ${name})
  endforeach()
  set_source_files_properties(Koinon_CellDraw.cpp Koinon_ExchangeCell.cpp Koinon_Placement.cpp Koinon_Session.cpp
                              PROPERTIES UNITY_GROUP cells)
endfunction()

set(Koinon_TEST_STRESS_CALLS "" CACHE STRING "Random calls of each case of the stress tests; empty: as many as make 10^5")
