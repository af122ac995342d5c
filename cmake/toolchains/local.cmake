# SPDX-FileCopyrightText: Koinon contributors
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# What scripts/install_dependencies left in .deps, for build trees on this machine only: nothing of it is installed.
# Kokkos there may come from a newer Debian than the machine's; programs then start with that Debian's C runtime.
cmake_path(SET koinon_deps NORMALIZE "${CMAKE_CURRENT_LIST_DIR}/../../.deps")
if(EXISTS "${koinon_deps}/kokkos")
  list(APPEND CMAKE_PREFIX_PATH "${koinon_deps}/kokkos/usr")
endif()
file(GLOB koinon_loader "${koinon_deps}/runtime/usr/lib/*/ld-linux-*.so.*")
if(koinon_loader)
  cmake_path(GET koinon_loader PARENT_PATH koinon_runtime)
  set(CMAKE_EXE_LINKER_FLAGS_INIT
      "-Wl,--allow-shlib-undefined,--disable-new-dtags,--dynamic-linker=${koinon_loader},-rpath,${koinon_runtime}")
  set(CMAKE_SHARED_LINKER_FLAGS_INIT "-Wl,--allow-shlib-undefined")
  set(CMAKE_MODULE_LINKER_FLAGS_INIT "-Wl,--allow-shlib-undefined")
endif()
