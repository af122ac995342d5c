# SPDX-FileCopyrightText: Koinon contributors
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# HIP by the machine's ROCm where it has one; else by clang with what scripts/install_dependencies left in .deps, which
# compiles and links for any GPU: programs start without one, and run kernels where ROCm is.
include("${CMAKE_CURRENT_LIST_DIR}/local.cmake")
if(EXISTS "${koinon_deps}/hip")
  file(GLOB koinon_clang /usr/lib/llvm-19/bin/clang++ /usr/lib/llvm-2[0-9]/bin/clang++)
  list(SORT koinon_clang COMPARE NATURAL)
  list(GET koinon_clang 0 CMAKE_HIP_COMPILER)
  set(CMAKE_HIP_COMPILER_ROCM_ROOT "${koinon_deps}/hip/usr")
  file(GLOB koinon_device_libraries "${koinon_deps}/hip/usr/lib/llvm-*/lib/clang/*/amdgcn/bitcode")
  # The compiler links the runtime by its name.
  file(GLOB koinon_hip_runtime "${koinon_deps}/hip/usr/lib/*/libamdhip64.so")
  cmake_path(GET koinon_hip_runtime PARENT_PATH koinon_hip_runtime)
  foreach(kind IN ITEMS EXE SHARED MODULE)
    string(APPEND CMAKE_${kind}_LINKER_FLAGS_INIT " -L${koinon_hip_runtime} -Wl,--allow-shlib-undefined")
  endforeach()
  set(CMAKE_HIP_COMPILER_ID_TEST_FLAGS_FIRST -c)  # which compiler it is: asked without the linker's flags
  # -isystem: by --rocm-path alone the headers would be looked for behind the system's.
  set(CMAKE_HIP_FLAGS_INIT
      "-isystem ${koinon_deps}/hip/usr/include --rocm-path=${koinon_deps}/hip/usr --rocm-device-lib-path=${koinon_device_libraries}")
endif()
