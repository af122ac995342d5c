#!/usr/bin/env python3
# SPDX-FileCopyrightText: Koinon contributors
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks the machine code of all kernels in some objects.

check_hip_machine_code.py --tools FOLDER --xml REPORT [--prove] OBJECT...
FOLDER has llvm-objdump and its like. The report is like GoogleTest's: a case a rule, and with --prove another that breaks
every kernel which the rule is about.
"""

import argparse
import dataclasses
import os
import sys
import xml.etree.ElementTree as ElementTree

from hip_dumps import codes_of
from hip_rules import RULES

TOOLS = ("llvm-objcopy", "llvm-objdump", "llvm-readobj", "clang-offload-bundler")


def broken(rule, code):
    if isinstance(rule.breakage, dict):
        return dataclasses.replace(code, facts={**code.facts, **rule.breakage})
    return code.replace(*rule.breakage)


def concerned(rule, codes):
    return [code for code in codes if code.is_kernel or not rule.kernels_only]


def violations_of(rule, codes):
    return [f"{code.label} {problem}" for code in concerned(rule, codes) if (problem := rule.problem(code))]


def unnoticed_by(rule, codes):
    proving = [code for code in concerned(rule, codes) if rule.proven_on(code)]
    if not proving:
        return ["no kernel to break"]
    return [f"{code.label}: broken code passed" for code in proving if not rule.problem(broken(rule, code))]


def cases(codes, prove):
    for rule in RULES:
        yield rule.claim, violations_of(rule, codes)
        if prove:
            yield f"{rule.claim}IsSeenToFailOnBrokenCode", unnoticed_by(rule, codes)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tools", default="")
    parser.add_argument("--xml", required=True)
    parser.add_argument("--prove", action="store_true")
    parser.add_argument("objects", nargs="+")
    arguments = parser.parse_args()

    suite = ElementTree.Element("testsuite", name="HipMachineCode")
    failed = 0
    lacking = [tool for tool in TOOLS if not os.access(os.path.join(arguments.tools, tool), os.X_OK)]
    if lacking:
        case = ElementTree.SubElement(suite, "testcase", classname="HipMachineCode", name="IsRead")
        ElementTree.SubElement(case, "skipped", message=f"there is no {lacking[0]}: scripts/install_dependencies brings it")
    else:
        codes = codes_of(arguments.tools, arguments.objects)
        kernels = sum(code.is_kernel for code in codes)
        print(f"{kernels} kernels in {len(arguments.objects)} objects")
        for name, problems in cases(codes, arguments.prove) if kernels else [("HasKernels", ["no kernel found"])]:
            case = ElementTree.SubElement(suite, "testcase", classname="HipMachineCode", name=name, status="run")
            print(f"{'FAILED' if problems else 'ok':8}{name}", *problems, sep="\n        ")
            if problems:
                ElementTree.SubElement(case, "failure", message="\n".join(problems))
                failed += 1
    os.makedirs(os.path.dirname(arguments.xml), exist_ok=True)
    ElementTree.ElementTree(suite).write(arguments.xml, encoding="utf-8", xml_declaration=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
