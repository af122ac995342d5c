# SPDX-FileCopyrightText: Koinon contributors
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How Sphinx builds these pages; the target koinon_docs passes the version and where Doxygen's XML lies."""
import pathlib
import re

from docutils import nodes
from sphinx.util import logging

project = "Koinon"
author = "Koinon contributors"
copyright = author

extensions = ["breathe"]
breathe_default_project = "Koinon"
primary_domain = "cpp"
highlight_language = "text"

html_theme = "furo"
html_title = "Koinon"
html_show_sphinx = False
exclude_patterns = ["_build"]

# The C++ domain reads declarations as Doxygen gives them, before the preprocessor.
cpp_id_attributes = ["KOINON_EXPORT", "KOINON_FUNCTION", "KOINON_INLINE_FUNCTION", "KOINON_FORCE_INLINE"]

ROOT = pathlib.Path(__file__).resolve().parent.parent
FOLDERS = ("policies", "core", "backends", "unit_tests", "perf_tests", "cmake", "scripts", "examples", "docs")
# Placeholders of the guides are in capitals; FILE.json and *.cpp are no files either.
PLACEHOLDER = re.compile(r"NAME|FILE|\*|\.\.\.|\s")


def names_a_file_that_is_not_there(text):
    """Tells whether a literal names a file or folder of the repository that does not exist."""
    if PLACEHOLDER.search(text):
        return False
    if text.split("/")[0] in FOLDERS and "/" in text:
        return not (ROOT / text).exists()
    if re.fullmatch(r"Koinon_\w+\.(hpp|cpp)", text):
        return not any(any((ROOT / folder).rglob(text)) for folder in FOLDERS)
    return False


def check_names_of_files(app, doctree, page):
    """Warns, and so fails, where a page sends its reader to a file that is gone."""
    for literal in doctree.findall(nodes.literal):
        if names_a_file_that_is_not_there(literal.astext()):
            logging.getLogger("koinon").warning("%s: there is no `%s`", page, literal.astext())


def setup(app):
    app.connect("doctree-resolved", check_names_of_files)
