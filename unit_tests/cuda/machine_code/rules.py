# SPDX-FileCopyrightText: Koinon contributors
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the machine code of every kernel must be like: claims, each with code that would break it."""

import dataclasses
import re
import typing

OPERATIONS = {"Sum": "add", "Average": "add", "Min": "min", "Max": "max", "BAnd": "and", "BOr": "or", "BXor": "xor"}
HALVES = {"NarrowFloat<Bfloat16Format>": "bf16x2", "NarrowFloat<NarrowFormat<Float16Layout> >": "f16x2"}
INTEGERS = {"int": "s32", "unsigned int": "u32", "long": "s64", "unsigned long": "u64"}
REGISTERS_OF_A_MULTIPROCESSOR = 65536
# Bytes that a kernel may spill, by its name. Here 128 registers, all that a thread of 512 can have, are too few beside
# the calls for strided arrays: packs of four ranks are in flight. A thread's part of a row is 16 floats besides.
MAY_SPILL = {
    r"TwoShotAllReduce<NarrowFloat<Bfloat16Format>, Sum, PeerLoadTransport>": 64,
    r"TwoShotAllReduce<.*, PeerLoadTransport>": 32,
    r"OneShotReduceScatter<.*, PeerLoadTransport>": 16,
    r"TwoShotRows<float, .*, MultimemTransport>": 16,
}


def by_multicast(kernel):
    """Below sm_90 multicast is an emulation over peers."""
    return "MultimemTransport" in kernel.name and int(re.sub(r"\D", "", kernel.architecture)) >= 90


def stores_to_all(kernel):
    return kernel.name.startswith(("TwoShot", "StoreAllGather"))


def expected_forms(kernel):
    """Returns the forms of multimem.ld_reduce that a kernel has: of whole vectors, and of the smallest units."""
    # Of reductions with a row epilogue the functor stands behind the reducer.
    match = re.match(rf"\w+<(.*?), ({'|'.join(OPERATIONS)})\b.*, MultimemTransport>", kernel.name)
    if not match or not by_multicast(kernel):  # a move, or over peers
        return set()
    element, operation = match[1], OPERATIONS[match[2]]
    if element in HALVES:
        accumulator = "acc::f32." if operation == "add" else ""
        return {f"{operation}.{accumulator}v4.{HALVES[element]}", f"{operation}.{accumulator}{HALVES[element]}"}
    if element == "float":
        return {"add.v4.f32", "add.f32"}
    if element == "double":
        return {"add.f64"}
    kind = INTEGERS[element]
    if operation == "add":
        kind = kind.replace("s", "u")
    elif operation not in ("min", "max"):
        kind = "b" + kind[1:]
    return {f"{operation}.{kind}"}


def load_forms(kernel):
    found = set(re.findall(r"multimem\.ld_reduce\.relaxed\.sys\.global\.(\S+)", kernel.ptx))
    expected = expected_forms(kernel)
    return f"has {sorted(found)}, not {sorted(expected)}" if found != expected else ""


def store_forms(kernel):
    found = "multimem.st.relaxed.sys.global.v4.f32" in kernel.ptx
    wanted = by_multicast(kernel) and stores_to_all(kernel)
    return f"has {'a' if found else 'no'} multicast store" if found != wanted else ""


def other_multimem(kernel):
    """Of any kernel, PTX or not: SASS tells a multicast store from others by its address alone."""
    unknown = set(re.findall(r"multimem\.\S+", kernel.ptx)) - {
        f"multimem.ld_reduce.relaxed.sys.global.{form}" for form in expected_forms(kernel)
    }
    unknown -= {f"multimem.st.relaxed.sys.global.{form}" for form in ("v4.f32", "b64", "b32")}
    wanted = bool(expected_forms(kernel))
    if unknown:
        return f"has {sorted(unknown)}"
    return "has LDGMC or lacks it" if ("LDGMC" in kernel.sass) != wanted else ""


def fences(kernel):
    count = kernel.ptx.count("fence.proxy.alias")
    if not by_multicast(kernel):
        return f"has {count} alias fences" if count else ""
    return f"has {count} alias fences, not one on either side" if count < 2 else ""


def read_only_path(kernel):
    found = re.findall(r"\bLDG\S*CONSTANT\S*|ld\.global\S*\.nc\S*", kernel.sass + kernel.ptx)
    return f"has {found[0]}" if found else ""


def system_scope(kernel):
    # Loads, stores and fences: atomics are for words that the device alone uses. The alias fence is a fence of the device
    # where the driver says that this is enough.
    found = re.findall(r"\b(?:LD|ST)\S*\.STRONG\.(?:GPU|SM|CTA)\S*|MEMBAR\.ALL\.(?:GPU|CTA)", kernel.sass)
    found += re.findall(r"\b(?:ld|st|fence)\.(?:relaxed|acquire|release|acq_rel|sc)\.(?:cta|cluster|gpu)\S*", kernel.ptx)
    if found:
        return f"has {found[0]}"
    packets = kernel.ptx and "LowLatency" in kernel.name
    split = [op for op in ("ld", "st") if packets and f"{op}.relaxed.sys.global.b128" not in kernel.ptx]
    if split:
        return f"has packets that are no single access of 16 bytes ({split[0]})"
    # Packets and what is known by them need no fence; whoever pulls signals, and waits for signals.
    pulls = kernel.ptx and not re.search(r"LowLatency|ReducedPacks", kernel.name)
    lacking = [op for op in ("ld.acquire.sys", "st.release.sys") if pulls and op not in kernel.ptx]
    return f"lacks {lacking[0]}" if lacking else ""


def wide_accesses(kernel):
    lacking = [op for op in ("LDG.E.128.STRONG.SYS", "STG.E.128.STRONG.SYS") if op not in kernel.sass]
    if any("v4" in form for form in expected_forms(kernel)) and not re.search(r"LDGMC\S*x[48]", kernel.sass):
        lacking.append("a reducing load of 16 bytes")
    return f"lacks {lacking[0]}" if lacking else ""


def spills(kernel):
    """What the source keeps in a frame is no spill: strided arrays walk by indices (Operand), and packets of a strided
    array are put together in room."""
    allowed = next((most for name, most in MAY_SPILL.items() if re.fullmatch(name, kernel.name)), 0)
    if kernel.stack <= kernel.frame + allowed:
        return ""
    return f"has a frame of {kernel.stack} bytes, {kernel.frame} of them asked for"


def registers(kernel):
    most = REGISTERS_OF_A_MULTIPROCESSOR // kernel.threads if kernel.threads else 0
    return f"has {kernel.registers} registers of {most}" if kernel.registers > most else ""


@dataclasses.dataclass
class Rule:
    claim: str
    problem: typing.Callable
    breakage: tuple  # (pattern, replacement) of the code, or fields of the kernel
    needs_ptx: bool = False
    proven_on: typing.Callable = lambda kernel: True


def reduces_by_multicast(kernel):
    return bool(expected_forms(kernel))


RULES = [
    Rule("ReducesByTheFormOfItsElementAndReducer", load_forms, (r"acc::f32\.", ""), True,
         lambda k: any("acc" in form for form in expected_forms(k))),
    Rule("StoresByMulticastWhereResultsGoToAll", store_forms, (r"multimem\.st\.\S+\.v4", "st.global.v4"), True,
         lambda k: by_multicast(k) and stores_to_all(k)),
    Rule("TouchesMulticastByTheseInstructionsOnly", other_multimem, (r"LDGMC", "LDG"), False, reduces_by_multicast),
    Rule("FencesAliasesOnBothSidesOfMulticastAndNowhereElse", fences, (r"fence\.proxy\.alias", "fence.sc.sys"), True,
         by_multicast),
    Rule("ReadsNothingByTheReadOnlyPath", read_only_path, (r"LDG\.E\.128\.STRONG\.SYS", "LDG.E.128.CONSTANT")),
    Rule("SignalsAtSystemScope", system_scope, (r"STRONG\.SYS", "STRONG.GPU")),
    Rule("MovesSixteenBytesAtOnce", wide_accesses, (r"STG\.E\.128", "STG.E.64")),
    Rule("SpillsNoRegister", spills, {"stack": 4096}),
    Rule("HasRegistersForItsLargestBlock", registers, {"registers": 255}),
]
