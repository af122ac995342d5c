# SPDX-FileCopyrightText: Koinon contributors
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# Every instantiation of the matrix: compiled here for hosts, and by ../device as CUDA.
set(koinon_exercise_files
    Koinon_Cell.cpp
    Koinon_CellDraw.cpp
    Koinon_Exercise.cpp
    Koinon_Placement.cpp
    Koinon_Session.cpp
    exercises_bfloat16.cpp
    exercises_composed.cpp
    exercises_double.cpp
    exercises_float.cpp
    exercises_int32.cpp
    exercises_integer.cpp
    exercises_long.cpp
    exercises_move.cpp
    exercises_narrow.cpp
    exercises_user.cpp)
