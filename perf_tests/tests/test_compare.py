#!/usr/bin/env python3
# SPDX-FileCopyrightText: Koinon contributors
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tests perf_tests/compare_results."""
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

COMPARE = pathlib.Path(__file__).resolve().parent.parent / "compare_results"


def row(bytes_, time, rival):
    return {"operation": "all_reduce", "bytes": bytes_, "type": "float", "reducer": "sum", "ranks": 2, "algorithm": "auto",
            "transport": "auto", "placement": "private", "in_place": False, "graph": False, "time_us": time,
            "rivals": {"mpi": {"time_us": rival, "wrong": 0}}}


class Compare(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def file(self, name, content):
        text = content if isinstance(content, str) else json.dumps({"results": content})
        (self.folder / name).write_text(text)
        return str(self.folder / name)

    def compare(self, *arguments):
        return subprocess.run([sys.executable, str(COMPARE), *arguments], capture_output=True, text=True, check=False)

    def test_prints_the_ratio_of_each_row_and_their_mean(self):
        result = self.compare(self.file("a", [row(8, 1.0, 2.0), row(16, 2.0, 2.0)]),
                              self.file("b", [row(8, 2.0, 2.0), row(16, 16.0, 2.0)]))
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn(["8", "2", "1.000", "2.000", "2.00"], [line.split() for line in result.stdout.splitlines()])
        self.assertIn("after / before: 4.000 (2 rows)", result.stdout)

    def test_compares_the_leads_over_a_rival(self):
        result = self.compare(self.file("a", [row(8, 1.0, 2.0)]), self.file("b", [row(8, 2.0, 8.0)]), "--rival", "mpi")
        self.assertIn(["8", "2", "1.000", "2.000", "2.00", "|", "2.00", "4.00", "2.00"],
                      [line.split() for line in result.stdout.splitlines()])

    def test_takes_a_row_without_a_key_for_one_that_says_no(self):
        before = row(8, 1.0, 2.0)
        after = dict(row(8, 2.0, 2.0), borrowed=False)
        result = self.compare(self.file("a", [before]), self.file("b", [after]))
        self.assertIn("after / before: 2.000 (1 rows)", result.stdout)
        borrowed = self.compare(self.file("a", [before]), self.file("b", [after, dict(after, borrowed=True)]))
        self.assertIn("after / before: 2.000 (1 rows)", borrowed.stdout)
        self.assertIn("1 rows are not in", borrowed.stdout)

    def test_compares_no_row_under_load_with_one_without(self):
        result = self.compare(self.file("a", [row(8, 1.0, 2.0)]), self.file("b", [dict(row(8, 1.0, 2.0), load=1)]))
        self.assertIn("no measured row in common", result.stderr)

    def test_counts_rows_that_only_one_file_has(self):
        result = self.compare(self.file("a", [row(8, 1.0, 2.0), row(16, 1.0, 2.0)]), self.file("b", [row(8, 1.0, 2.0)]))
        self.assertIn("1 rows are not in", result.stdout)

    def test_names_a_file_that_it_cannot_use(self):
        good = self.file("a", [row(8, 1.0, 2.0)])
        for name, content, words in (("none", None, "cannot be read"), ("bad", "{\n,", ":2: "), ("other", "[]", "is not a result")):
            other = self.file(name, content) if content is not None else str(self.folder / name)
            result = self.compare(good, other)
            self.assertNotEqual(result.returncode, 0)
            self.assertIn(name, result.stderr)
            self.assertIn(words, result.stderr)


if __name__ == "__main__":
    unittest.main()
