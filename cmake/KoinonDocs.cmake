# SPDX-FileCopyrightText: Koinon contributors
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# The target koinon_docs: Doxygen reads the headers, Sphinx and Breathe make build/<preset>/docs/html of them and docs/.
# Warnings are errors. Built by request only.
find_program(KOINON_DOXYGEN doxygen)
find_program(KOINON_SPHINX sphinx-build HINTS "${CMAKE_CURRENT_SOURCE_DIR}/.deps/python/bin")
if(NOT KOINON_DOXYGEN OR NOT KOINON_SPHINX)
  set(missing "koinon_docs needs doxygen and sphinx-build with breathe and furo: scripts/install_dependencies --all")
  add_custom_target(koinon_docs COMMAND "${CMAKE_COMMAND}" -E echo "${missing}" COMMAND "${CMAKE_COMMAND}" -E false)
  return()
endif()
set(koinon_docs_dir "${CMAKE_CURRENT_BINARY_DIR}/docs")
configure_file(cmake/templates/Doxyfile.in "${koinon_docs_dir}/Doxyfile" @ONLY)
add_custom_target(
  koinon_docs
  COMMAND "${KOINON_DOXYGEN}" "${koinon_docs_dir}/Doxyfile"
  COMMAND
    "${KOINON_SPHINX}" -W --keep-going -q -b html -d "${koinon_docs_dir}/doctrees" -D
    "breathe_projects.Koinon=${koinon_docs_dir}/xml" -D breathe_default_project=Koinon -D release=${Koinon_VERSION}
    "${CMAKE_CURRENT_SOURCE_DIR}/docs" "${koinon_docs_dir}/html"
  COMMAND "${CMAKE_COMMAND}" -E echo "koinon_docs: ${koinon_docs_dir}/html/index.html"
  VERBATIM)
