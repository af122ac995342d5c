# SPDX-FileCopyrightText: Koinon contributors
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# Conveniences of the presets, used where the machine has them; nothing depends on them.
find_program(KOINON_CCACHE ccache)
if(KOINON_CCACHE AND NOT DEFINED CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_C_COMPILER_LAUNCHER "${KOINON_CCACHE}" CACHE STRING "")
  set(CMAKE_CXX_COMPILER_LAUNCHER "${KOINON_CCACHE}" CACHE STRING "")
endif()
