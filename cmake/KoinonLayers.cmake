# SPDX-FileCopyrightText: Koinon contributors
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# What kernels for AMD GPUs need: bodies hand lambdas to functions that are inlined, and one that is too large to be inlined
# itself would have its captures, and all that these refer to, in memory.
set(koinon_hip_options $<$<COMPILE_LANGUAGE:HIP>:-std=c++20>
                       "$<$<COMPILE_LANGUAGE:HIP>:SHELL:-Xarch_device -mllvm=-inline-threshold=100000>")

# koinon_add_layer(NAME HEADERS <files> [KOKKOS_HEADERS <files>] [MPI_HEADERS <files>] [SOURCES <files>]
#                  [KOKKOS_SOURCES <files>] [LINKS <public libraries>] [PRIVATE_LINKS <libraries>] [OPERATIONS <names>])
#
# OPERATIONS are those of the headers collectives/Koinon_<name>.hpp that users may include alone, as <Koinon_<name>.hpp>.
# Files under KOKKOS_ and MPI_ belong to the layer only where that part is on.
# Makes the target koinon_NAME whose only include root of its own is the current folder, and hands its headers and
# objects to the library (KoinonLibrary). Every header is compiled alone against this layer and those it links to by
# the target all_verify_interface_header_sets.
function(koinon_add_layer name)
  cmake_parse_arguments(PARSE_ARGV 1 layer "" "" 
                        "HEADERS;KOKKOS_HEADERS;MPI_HEADERS;SOURCES;KOKKOS_SOURCES;LINKS;PRIVATE_LINKS;OPERATIONS")
  if(layer_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "koinon_add_layer(${name}): unknown arguments ${layer_UNPARSED_ARGUMENTS}")
  endif()
  foreach(part IN ITEMS KOKKOS MPI)
    if(Koinon_ENABLE_${part})
      list(APPEND layer_HEADERS ${layer_${part}_HEADERS})
      list(APPEND layer_SOURCES ${layer_${part}_SOURCES})
    endif()
  endforeach()
  # A Kokkos that was compiled as CUDA has headers for that language only, and every file sees some of them.
  if(Koinon_ENABLE_KOKKOS AND "${Kokkos_COMPILE_LANGUAGE}" STREQUAL CUDA)
    set_source_files_properties(${layer_SOURCES} PROPERTIES LANGUAGE CUDA)
  endif()
  set(target koinon_${name})
  set(scope INTERFACE)
  if(layer_SOURCES)
    set(scope PUBLIC)
    add_library(${target} OBJECT)
    target_sources(${target} PRIVATE ${layer_SOURCES})
    target_link_libraries(${target} PRIVATE ${layer_PRIVATE_LINKS})
    target_compile_options(${target} PRIVATE "$<$<COMPILE_LANG_AND_ID:CUDA,NVIDIA>:-std=c++20;--static-global-template-stub=true>"
                           ${koinon_hip_options} $<$<COMPILE_LANGUAGE:HIP>:-Wno-pass-failed>)
    set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE ON CXX_EXTENSIONS OFF
                                               CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON)
  else()
    add_library(${target} INTERFACE)
  endif()
  add_library(Koinon::${name} ALIAS ${target})
  target_sources(${target} ${scope} FILE_SET ${name} TYPE HEADERS BASE_DIRS "${CMAKE_CURRENT_SOURCE_DIR}"
                           FILES ${layer_HEADERS})
  target_link_libraries(${target} ${scope} ${layer_LINKS})
  set_target_properties(${target} PROPERTIES VERIFY_INTERFACE_HEADER_SETS ON)

  set_property(GLOBAL APPEND PROPERTY koinon_layers ${name})
  set_property(GLOBAL APPEND PROPERTY koinon_operations ${layer_OPERATIONS})
  set_property(GLOBAL PROPERTY koinon_${name}_root "${CMAKE_CURRENT_SOURCE_DIR}")
  set_property(GLOBAL PROPERTY koinon_${name}_headers "${layer_HEADERS}")
  set_property(GLOBAL PROPERTY koinon_${name}_compiled "${layer_SOURCES}")
endfunction()

# What every layer sees: the generated configuration, the language, threads.
set(koinon_generated "${CMAKE_CURRENT_BINARY_DIR}/generated")
foreach(part IN ITEMS KOKKOS MPI HOST CUDA HIP INSTANTIATIONS)
  set(KOINON_ENABLE_${part} ${Koinon_ENABLE_${part}})
endforeach()
list(JOIN Koinon_BACKENDS " " KOINON_BACKENDS)
set(KOINON_SHARED_LIBRARY ${BUILD_SHARED_LIBS})
configure_file(cmake/templates/Koinon_Config.hpp.in "${koinon_generated}/base/Koinon_Config.hpp" @ONLY)
configure_file(cmake/templates/Koinon_Export.hpp.in "${koinon_generated}/base/Koinon_Export.hpp" @ONLY)

add_library(koinon_base INTERFACE)
target_sources(koinon_base INTERFACE FILE_SET base TYPE HEADERS BASE_DIRS "${koinon_generated}/base"
                           FILES "${koinon_generated}/base/Koinon_Config.hpp" "${koinon_generated}/base/Koinon_Export.hpp")
target_compile_features(koinon_base INTERFACE cxx_std_20)

# What core and the backends see besides: the libraries in their public headers.
add_library(koinon_dependencies INTERFACE)
target_link_libraries(koinon_dependencies INTERFACE Threads::Threads)
if(Koinon_ENABLE_KOKKOS)
  target_link_libraries(koinon_dependencies INTERFACE Kokkos::kokkos)
endif()
if(Koinon_ENABLE_MPI)
  target_link_libraries(koinon_dependencies INTERFACE MPI::MPI_C)
  target_compile_definitions(koinon_dependencies INTERFACE OMPI_SKIP_MPICXX MPICH_SKIP_MPICXX)
endif()
