#!/usr/bin/env python3
# SPDX-FileCopyrightText: Koinon contributors
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks the machine code of all kernels in some objects.

check_machine_code.py --cuobjdump PROGRAM --xml REPORT [--prove] OBJECT...
"""

import dataclasses
import os
import pathlib
import sys

sys.path.append(str(pathlib.Path(__file__).resolve().parents[2] / "support"))

import machine_code_report
from dumps import kernels_of
from rules import RULES


class CudaReader(machine_code_report.Reader):
    suite = "MachineCode"
    rules = RULES

    def __init__(self, cuobjdump):
        self.cuobjdump = cuobjdump

    def lacking(self):
        return "" if os.access(self.cuobjdump, os.X_OK) else "cuobjdump"

    def read(self, objects):
        return kernels_of(self.cuobjdump, objects)

    def concerns(self, rule, code):
        return bool(code.ptx) or not rule.needs_ptx

    def broken(self, rule, code):
        if isinstance(rule.breakage, dict):
            return dataclasses.replace(code, **rule.breakage)
        return code.replace(*rule.breakage)


if __name__ == "__main__":
    words = machine_code_report.parse(__doc__, "cuobjdump")
    sys.exit(machine_code_report.report(CudaReader(words.cuobjdump), words))
