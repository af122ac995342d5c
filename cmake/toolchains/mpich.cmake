# SPDX-FileCopyrightText: Koinon contributors
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# MPICH where several MPIs are installed side by side, and what .deps has.
include("${CMAKE_CURRENT_LIST_DIR}/local.cmake")
find_program(MPI_C_COMPILER NAMES mpicc.mpich mpicc)
find_program(MPI_CXX_COMPILER NAMES mpicxx.mpich mpicxx)
find_program(MPIEXEC_EXECUTABLE NAMES mpiexec.mpich mpiexec)
