#!/usr/bin/env python3
# SPDX-FileCopyrightText: Koinon contributors
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks the machine code of all kernels in some objects, and of the functions that they call.

check_hip_machine_code.py --tools FOLDER --xml REPORT [--prove] OBJECT...
FOLDER has llvm-objdump and its like.
"""

import dataclasses
import os
import pathlib
import sys

sys.path.append(str(pathlib.Path(__file__).resolve().parents[2] / "support"))

import machine_code_report
from hip_dumps import codes_of
from hip_rules import RULES

PROGRAMS = ("llvm-objcopy", "llvm-objdump", "llvm-readobj", "clang-offload-bundler")


class HipReader(machine_code_report.Reader):
    suite = "HipMachineCode"
    rules = RULES

    def __init__(self, tools):
        self.tools = tools

    def lacking(self):
        return next((name for name in PROGRAMS if not os.access(os.path.join(self.tools, name), os.X_OK)), "")

    def read(self, objects):
        return codes_of(self.tools, objects)

    def is_kernel(self, code):
        return code.is_kernel

    def concerns(self, rule, code):
        return code.is_kernel or not rule.kernels_only

    def broken(self, rule, code):
        if isinstance(rule.breakage, dict):
            return dataclasses.replace(code, facts={**code.facts, **rule.breakage})
        return code.replace(*rule.breakage)


if __name__ == "__main__":
    words = machine_code_report.parse(__doc__, "tools")
    sys.exit(machine_code_report.report(HipReader(words.tools), words))
