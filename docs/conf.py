# SPDX-FileCopyrightText: Koinon contributors
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How Sphinx builds these pages; the target koinon_docs passes the version and where Doxygen's XML lies."""

project = "Koinon"
author = "Koinon contributors"
copyright = author

extensions = ["breathe", "sphinx.ext.githubpages"]
breathe_default_project = "Koinon"
primary_domain = "cpp"
highlight_language = "text"

html_theme = "furo"
html_title = "Koinon"
html_show_sphinx = False
exclude_patterns = ["_build"]

# The C++ domain reads declarations as Doxygen gives them, before the preprocessor.
cpp_id_attributes = ["KOINON_EXPORT", "KOINON_FUNCTION", "KOINON_INLINE_FUNCTION", "KOINON_FORCE_INLINE"]
