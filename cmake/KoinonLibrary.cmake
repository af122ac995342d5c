# SPDX-FileCopyrightText: Koinon contributors
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# libkoinon: the objects and the headers of all layers, and the umbrella header over them.
add_library(koinon)
add_library(Koinon::koinon ALIAS koinon)

get_property(koinon_layers GLOBAL PROPERTY koinon_layers)
get_property(koinon_operations GLOBAL PROPERTY koinon_operations)
set(koinon_file_sets generated ${koinon_layers})
set(koinon_includes "#include <Koinon_Config.hpp>\n")
foreach(layer IN LISTS koinon_layers)
  foreach(property IN ITEMS root headers compiled)
    get_property(layer_${property} GLOBAL PROPERTY koinon_${layer}_${property})
  endforeach()
  set(files ${layer_headers})
  list(TRANSFORM files PREPEND "${layer_root}/")
  target_sources(koinon PUBLIC FILE_SET ${layer} TYPE HEADERS BASE_DIRS "${layer_root}" FILES ${files})
  if(layer_compiled)
    target_sources(koinon PRIVATE $<TARGET_OBJECTS:koinon_${layer}>)
  endif()
  list(TRANSFORM layer_headers REPLACE "^(.+)$" "#include <\\1>\n" OUTPUT_VARIABLE layer_includes)
  list(APPEND koinon_includes ${layer_includes})
endforeach()

# <Koinon_Core.hpp> is everything, <Koinon_CoreWithoutMpi.hpp> all that compiles alike whichever MPI there is, if any;
# <Koinon_AllReduce.hpp> and its like are one operation and what a call of it needs.
set(koinon_umbrella_headers "${koinon_generated}/base/Koinon_Config.hpp" "${koinon_generated}/base/Koinon_Export.hpp")
function(koinon_write_umbrella name)
  list(JOIN ARGN "" koinon_includes)
  configure_file(cmake/templates/Koinon_Core.hpp.in "${koinon_generated}/umbrella/Koinon_${name}.hpp" @ONLY)
  list(APPEND koinon_umbrella_headers "${koinon_generated}/umbrella/Koinon_${name}.hpp")
  set(koinon_umbrella_headers "${koinon_umbrella_headers}" PARENT_SCOPE)
endfunction()
set(koinon_mpi_include "#include <bootstrap/Koinon_Mpi.hpp>\n")
set(koinon_includes_without_mpi ${koinon_includes})
list(REMOVE_ITEM koinon_includes_without_mpi "${koinon_mpi_include}")
koinon_write_umbrella(CoreWithoutMpi ${koinon_includes_without_mpi})
if(Koinon_ENABLE_MPI)
  koinon_write_umbrella(Core "#include <Koinon_CoreWithoutMpi.hpp>\n" "${koinon_mpi_include}")
else()
  koinon_write_umbrella(Core "#include <Koinon_CoreWithoutMpi.hpp>\n")
endif()
set(koinon_common_includes ${koinon_includes})
list(FILTER koinon_common_includes EXCLUDE REGEX "<collectives/")
foreach(operation IN LISTS koinon_operations)
  koinon_write_umbrella(${operation} ${koinon_common_includes} "#include <collectives/Koinon_${operation}.hpp>\n")
endforeach()
target_sources(koinon PUBLIC FILE_SET generated TYPE HEADERS BASE_DIRS "${koinon_generated}/base"
                             "${koinon_generated}/umbrella" FILES ${koinon_umbrella_headers})

# Usage requirements: what a user's files need to include and link Koinon, and nothing that tunes their build.
target_compile_features(koinon PUBLIC cxx_std_20)
target_compile_options(koinon PUBLIC $<$<COMPILE_LANG_AND_ID:CUDA,NVIDIA>:-std=c++20>
                                     $<$<COMPILE_LANG_AND_ID:CUDA,NVIDIA>:--extended-lambda>
                                     $<$<COMPILE_LANG_AND_ID:CUDA,NVIDIA>:--static-global-template-stub=true>
                                     ${koinon_hip_options})
target_link_libraries(koinon PUBLIC Threads::Threads)
if(Koinon_ENABLE_KOKKOS)
  target_link_libraries(koinon PUBLIC Kokkos::kokkos)
  if("OPENMP" IN_LIST Kokkos_DEVICES)
    target_compile_options(koinon PUBLIC $<$<COMPILE_LANGUAGE:CUDA>:-Xcompiler=-fopenmp>)
  endif()
endif()
if(Koinon_ENABLE_CUDA)
  target_link_libraries(koinon PRIVATE $<BUILD_INTERFACE:CUDA::cudart_static> ${CMAKE_DL_LIBS})
endif()
if(Koinon_ENABLE_HIP)
  target_link_libraries(koinon PRIVATE ${CMAKE_DL_LIBS})
  if(Koinon_HIP_LANGUAGE AND Koinon_ENABLE_INSTANTIATIONS)
    # Compiled kernels enroll themselves with the runtime when a program starts.
    find_library(
      KOINON_HIP_RUNTIME amdhip64
      HINTS "${CMAKE_HIP_COMPILER_ROCM_ROOT}"
      PATH_SUFFIXES lib lib64 lib/${CMAKE_LIBRARY_ARCHITECTURE} REQUIRED
      DOC "The HIP runtime")
    target_link_libraries(koinon PRIVATE $<BUILD_INTERFACE:${KOINON_HIP_RUNTIME}> $<INSTALL_INTERFACE:amdhip64>)
  endif()
endif()
if(Koinon_ENABLE_MPI)
  # An installed Koinon takes the user's MPI, found by its config file as Koinon::mpi.
  target_link_libraries(koinon INTERFACE $<BUILD_INTERFACE:MPI::MPI_C> $<INSTALL_INTERFACE:Koinon::mpi>)
  target_compile_definitions(koinon INTERFACE OMPI_SKIP_MPICXX MPICH_SKIP_MPICXX)
endif()
set_target_properties(
  koinon
  PROPERTIES POSITION_INDEPENDENT_CODE ON
             CXX_EXTENSIONS OFF
             LINKER_LANGUAGE CXX
             VERSION ${Koinon_VERSION}
             SOVERSION ${Koinon_VERSION_MAJOR}.${Koinon_VERSION_MINOR})

# A file that includes everything and may neither throw nor ask for a type's name at run time: all throws are compiled.
# Not with Kokkos, whose own headers throw. Built by request.
if(NOT Koinon_ENABLE_KOKKOS)
  file(CONFIGURE OUTPUT "${koinon_generated}/headers_without_exceptions.cpp" CONTENT "#include <Koinon_Core.hpp>\n")
  add_library(koinon_headers_without_exceptions OBJECT EXCLUDE_FROM_ALL
                                                       "${koinon_generated}/headers_without_exceptions.cpp")
  target_link_libraries(koinon_headers_without_exceptions PRIVATE koinon)
  target_compile_options(koinon_headers_without_exceptions PRIVATE -fno-exceptions -fno-rtti)
endif()
