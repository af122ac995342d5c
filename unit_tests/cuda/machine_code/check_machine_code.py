#!/usr/bin/env python3
# SPDX-FileCopyrightText: Koinon contributors
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks the machine code of all kernels in some objects.

check_machine_code.py --cuobjdump PROGRAM --xml REPORT [--prove] OBJECT...
The report is like GoogleTest's: a case a rule, and with --prove another that breaks every kernel which the rule is about.
"""

import argparse
import dataclasses
import os
import sys
import xml.etree.ElementTree as ElementTree

from dumps import kernels_of
from rules import RULES


def broken(rule, kernel):
    if isinstance(rule.breakage, dict):
        return dataclasses.replace(kernel, **rule.breakage)
    return kernel.replace(*rule.breakage)


def violations_of(rule, kernels):
    concerned = [kernel for kernel in kernels if kernel.ptx or not rule.needs_ptx]
    if not concerned:
        return ["no object has PTX of a kernel"]
    return [f"{kernel.label} {problem}" for kernel in concerned if (problem := rule.problem(kernel))]


def unnoticed_by(rule, kernels):
    proving = [kernel for kernel in kernels if (kernel.ptx or not rule.needs_ptx) and rule.proven_on(kernel)]
    if not proving:
        return ["no kernel to break"]
    return [f"{kernel.label}: broken code passed" for kernel in proving if not rule.problem(broken(rule, kernel))]


def cases(kernels, prove):
    for rule in RULES:
        yield rule.claim, violations_of(rule, kernels)
        if prove:
            yield f"{rule.claim}IsSeenToFailOnBrokenCode", unnoticed_by(rule, kernels)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cuobjdump", default="")
    parser.add_argument("--xml", required=True)
    parser.add_argument("--prove", action="store_true")
    parser.add_argument("objects", nargs="+")
    arguments = parser.parse_args()

    suite = ElementTree.Element("testsuite", name="MachineCode")
    failed = 0
    if not os.access(arguments.cuobjdump, os.X_OK):
        case = ElementTree.SubElement(suite, "testcase", classname="MachineCode", name="IsRead")
        ElementTree.SubElement(case, "skipped", message="there is no cuobjdump: scripts/install_dependencies brings it")
    else:
        kernels = kernels_of(arguments.cuobjdump, arguments.objects)
        print(f"{len(kernels)} kernels in {len(arguments.objects)} objects")
        for name, problems in cases(kernels, arguments.prove):
            case = ElementTree.SubElement(suite, "testcase", classname="MachineCode", name=name, status="run")
            print(f"{'FAILED' if problems else 'ok':8}{name}", *problems, sep="\n        ")
            if problems:
                ElementTree.SubElement(case, "failure", message="\n".join(problems))
                failed += 1
    os.makedirs(os.path.dirname(arguments.xml), exist_ok=True)
    ElementTree.ElementTree(suite).write(arguments.xml, encoding="utf-8", xml_declaration=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
