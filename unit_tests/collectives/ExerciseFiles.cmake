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

set(Koinon_TEST_STRESS_CALLS "" CACHE STRING "Random calls of each case of the stress tests; empty: as many as make 10^5")
