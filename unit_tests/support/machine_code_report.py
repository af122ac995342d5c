# SPDX-FileCopyrightText: Koinon contributors
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the checks of machine code of every vendor share: rules over kernels, and a report like GoogleTest's.

A report has a case a rule, and with --prove another that breaks every kernel which the rule is about and sees it fail.
"""

import argparse
import os
import xml.etree.ElementTree as ElementTree


class Reader:
    """Is a vendor's part: its rules and how its code is read, asked and broken."""

    suite = ""
    rules = ()

    def lacking(self):
        """Returns the program that the machine lacks to read code, or an empty text."""
        raise NotImplementedError

    def read(self, objects):
        """Returns the codes of the objects, kernels and others."""
        raise NotImplementedError

    def is_kernel(self, code):
        return True

    def concerns(self, rule, code):
        """Says whether the rule is about this code."""
        raise NotImplementedError

    def broken(self, rule, code):
        """Returns the code with what the rule must find wrong."""
        raise NotImplementedError


def parse(description, tools):
    """Returns the command line's words; `tools` is the option that says where the programs are."""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(f"--{tools}", default="")
    parser.add_argument("--xml", required=True)
    parser.add_argument("--prove", action="store_true", help="also break each kernel, and see that it is noticed")
    parser.add_argument("objects", nargs="+")
    return parser.parse_args()


def violations_of(reader, rule, codes):
    concerned = [code for code in codes if reader.concerns(rule, code)]
    if not concerned:
        return ["no object has code that this is about"]
    return [f"{code.label} {problem}" for code in concerned if (problem := rule.problem(code))]


def unnoticed_by(reader, rule, codes):
    proving = [code for code in codes if reader.concerns(rule, code) and rule.proven_on(code)]
    if not proving:
        return ["no kernel to break"]
    return [f"{code.label}: broken code passed" for code in proving if not rule.problem(reader.broken(rule, code))]


def cases(reader, codes, prove):
    for rule in reader.rules:
        yield rule.claim, violations_of(reader, rule, codes)
        if prove:
            yield f"{rule.claim}IsSeenToFailOnBrokenCode", unnoticed_by(reader, rule, codes)


def report(reader, words):
    """Checks the objects, prints and writes the report, and returns the exit status."""
    suite = ElementTree.Element("testsuite", name=reader.suite)
    failed = 0
    lacking = reader.lacking()
    if lacking:
        case = ElementTree.SubElement(suite, "testcase", classname=reader.suite, name="IsRead")
        ElementTree.SubElement(case, "skipped", message=f"there is no {lacking}: scripts/install_dependencies brings it")
    else:
        codes = reader.read(words.objects)
        kernels = sum(reader.is_kernel(code) for code in codes)
        print(f"{kernels} kernels in {len(words.objects)} objects")
        for name, problems in cases(reader, codes, words.prove) if kernels else [("HasKernels", ["no kernel found"])]:
            case = ElementTree.SubElement(suite, "testcase", classname=reader.suite, name=name, status="run")
            print(f"{'FAILED' if problems else 'ok':8}{name}", *problems, sep="\n        ")
            if problems:
                ElementTree.SubElement(case, "failure", message="\n".join(problems))
                failed += 1
    os.makedirs(os.path.dirname(words.xml), exist_ok=True)
    ElementTree.ElementTree(suite).write(words.xml, encoding="utf-8", xml_declaration=True)
    return 1 if failed else 0
