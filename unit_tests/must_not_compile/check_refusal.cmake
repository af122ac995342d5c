# SPDX-FileCopyrightText: Koinon contributors
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# cmake -DSOURCE= -DCOMPILER= -DFLAGS= -DINCLUDES=a|b -DDEFINITIONS=a|b -DMUST_COMPILE= -P check_refusal.cmake
#
# Fails unless the compiler refuses SOURCE with a message that matches every `// expect: ` line in it, or, with
# MUST_COMPILE, unless it accepts SOURCE.
separate_arguments(arguments UNIX_COMMAND "${FLAGS}")
string(REPLACE "|" ";" INCLUDES "${INCLUDES}")
string(REPLACE "|" ";" DEFINITIONS "${DEFINITIONS}")
foreach(folder IN LISTS INCLUDES)
  list(APPEND arguments "-I${folder}")
endforeach()
foreach(definition IN LISTS DEFINITIONS)
  list(APPEND arguments "-D${definition}")
endforeach()

set(ENV{LC_ALL} C)
execute_process(
  COMMAND "${COMPILER}" ${arguments} -fsyntax-only "${SOURCE}"
  RESULT_VARIABLE result
  OUTPUT_VARIABLE message
  ERROR_VARIABLE message)

if(MUST_COMPILE)
  if(NOT result EQUAL 0)
    message(FATAL_ERROR "${SOURCE} must compile, but the compiler says:\n${message}")
  endif()
  return()
endif()

file(STRINGS "${SOURCE}" expectations REGEX "^// expect: ")
if(NOT expectations)
  message(FATAL_ERROR "${SOURCE} has no '// expect: ' line")
endif()
if(result EQUAL 0)
  message(FATAL_ERROR "${SOURCE} compiles, but must not")
endif()
foreach(expectation IN LISTS expectations)
  string(REGEX REPLACE "^// expect: " "" expectation "${expectation}")
  if(NOT message MATCHES "${expectation}")
    message(FATAL_ERROR "${SOURCE} is refused, but not with '${expectation}':\n${message}")
  endif()
endforeach()
