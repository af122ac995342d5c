# SPDX-FileCopyrightText: Koinon contributors
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the machine code of every kernel must be like: claims, each with code that would break it."""

import dataclasses
import re
import typing

# The bits with which accesses pass all caches that are not kept coherent: of loads, of stores.
PAST_CACHES = {"gfx942": ("sc0 sc1", "sc0 sc1"), "gfx950": ("sc0 sc1", "sc0 sc1"), "gfx90a": ("glc", "")}
WAVES_OF_A_BLOCK = 8  # of the largest, 512 threads
SIMDS = 4
REGISTERS_OF_A_LANE = 512
SHARED_BYTES = 65536
# Registers that a kernel may spill, by its body, outside loops over data: the compiler gives a thread 128 at most.
MAY_SPILL = {"LowLatencyRows<": 12, "SentinelReduceScatter<": 8}
SHARES = re.compile("ReduceScatter|AllGather|Exchange|Rows")  # bodies to whose calls counts are given
ROWS = re.compile("Rows<")
FRAME = r"scratch_|buffer_\w+ .*\bs\[\d+:\d+\], s3[23]\b"
# By body: write-backs, and invalidations, in the kernel itself: one write-back where it signals, one invalidation behind
# each wait that acquires. Packets and sentinels have neither: their data says itself that it is there. (Rows meet.) What
# happens once in 2^32 launches, or with KOINON_CHECK, is in functions of their own.
ORDER = [
    (r"LowLatencyRows<.*", 0, 1),
    (r"(LowLatency|Sentinel)\w+<.*", 0, 0),
    (r"Barrier.*", 1, 1),
    (r"(OneShotAllGatherMultiple|StoreExchange)<.*", 2, 2),
    (r"StoreAllGather<.*", 3, 2),
    (r"OneShotExchange<.*", 5, 4),
    (r"(OneShotAllGather|TwoShotRows)<.*", 6, 3),
    (r".*", 3, 3),
]


def over_packets(code):
    return re.match(r"(LowLatency|Sentinel)", code.name) is not None


def accesses(code, kind):
    return re.findall(rf"^buffer_{kind}_dwordx4 .*offen.*$", code.text, flags=re.MULTILINE)


def cache_policy(code):
    for kind, bits in zip(("load", "store"), PAST_CACHES[code.architecture]):
        for access in accesses(code, kind):
            given = access.split("offen", 1)[1].split()
            lacking = [bit for bit in bits.split() if bit not in given]
            if lacking:
                return f"has '{access}' without {lacking[0]}"
    return ""


def word_stores(code):
    """Words for other ranks are stored past the caches. What has no bits is private: by flat addresses, or in a frame."""
    bits = PAST_CACHES[code.architecture][1]
    if ROWS.search(code.name):  # the edges of a row that an epilogue stores are private, or released by a signal
        return ""
    for store in re.findall(r"^global_store_\w+ .*$", code.text, flags=re.MULTILINE):
        if bits and not store.endswith(bits):
            return f"has '{store}' without {bits}"
    return ""


def polls_of(code):
    """Returns the loops that wait: they look at the clock."""
    return code.loops_with(r"s_memrealtime")


def polls(code):
    load_bits = PAST_CACHES[code.architecture][0]
    for loop in polls_of(code):
        loads = [t for t in loop if re.match(r"(global_load_dword(x2)?|buffer_load_dwordx4) ", t)]
        if not any(t.endswith(load_bits) for t in loads):
            return f"has a poll without a load past the caches: {loads}"
        if any(t.startswith(("buffer_inv", "buffer_wb", "s_barrier")) for t in loop):
            return "invalidates or meets in a poll"
    return ""


def at_once(loop):
    """Returns how many loads of 16 bytes of a loop are under way together, in the order of the code."""
    most, under_way = 0, 0
    for text in loop:
        if re.match(r"buffer_load_dwordx4 .*offen", text):
            under_way += 1
            most = max(most, under_way)
        elif match := re.search(r"s_waitcnt .*?vmcnt\((\d+)\)", text):
            under_way = min(under_way, int(match[1]))
    return most


def pipelining(code):
    wanted = 0
    if re.match(r"(void )?HipCopies::copy_bytes", code.name):
        wanted = 8
    elif re.match(r"LowLatency(AllReduce|ReduceScatter|Rows)<", code.name):
        wanted = 8
    elif re.match(r"SentinelAllReduce<.*, false>", code.name):
        wanted = 2
    elif code.name.startswith("Sentinel"):
        wanted = 4
    if not wanted:
        return ""
    found = max((at_once(loop) for loop in code.loops()), default=0)
    # The loop of a body may hold others; then its loads lie between those.
    found = max(found, at_once([text for _, text in code.instructions]))
    return f"has {found} loads of 16 bytes under way, not {wanted}" if found < wanted else ""


def wide_accesses(code):
    lacking = [kind for kind in ("load", "store") if not accesses(code, kind)]
    copies = re.search(r"AllGatherMultiple|Exchange|Barrier|OneShot(AllGather|Rows)|TwoShotRows|StoreAllGather", code.name)
    if code.is_kernel and not copies and lacking:  # these copy by copy_bytes
        return f"has no {lacking[0]} of 16 bytes"
    return ""


def order(code):
    backs = len(re.findall(r"^buffer_wbl2", code.text, flags=re.MULTILINE))
    forgets = len(re.findall(r"^buffer_(?:inv\b|invl2)", code.text, flags=re.MULTILINE))
    wanted_backs, wanted_forgets = next((b, f) for name, b, f in ORDER if re.fullmatch(name, code.name))
    if backs != wanted_backs:
        return f"writes back {backs} times, not {wanted_backs}"
    if forgets != wanted_forgets:
        return f"forgets {forgets} times, not {wanted_forgets}"
    if code.architecture != "gfx90a" and re.search(r"^buffer_(?:wbl2|inv)(?! sc0 sc1)", code.text, flags=re.MULTILINE):
        return "orders less than the system"
    return ""


def loops_over_data(code):
    """Returns those that move 16 bytes at a time."""
    return [loop for loop in code.loops() if any(re.match(r"buffer_\w+_dwordx4 .*offen", t) for t in loop)]


def flat_accesses(code):
    # Where counts are given, offsets of shares are looked up: in the arguments, or in memory if there are many ranks.
    if ROWS.search(code.name):  # a row is in shared memory if there is room, else in staging
        return ""
    looks_up = r"flat_load_dwordx[24] " if SHARES.search(code.name) else r"(?!)"
    for loop in loops_over_data(code):
        flat = [t for t in loop if t.startswith("flat_") and not re.match(looks_up, t)]
        if flat:
            return f"has '{flat[0]}' in a loop over data"
    return ""


def spills(code):
    count = code.facts["vgpr_spill_count"]
    allowed = next((most for name, most in MAY_SPILL.items() if re.match(name, code.name)), 0)
    if count > allowed:
        return f"spills {count} registers, not {allowed}"
    # Calls for strided arrays take what they store from a frame, which the source asks for.
    for loop in loops_over_data(code):
        if not any(t.startswith("s_swappc") for t in loop) and any(re.match(FRAME, t) for t in loop):
            return "has a frame's accesses in a loop over data"
    return ""


def occupancy(code):
    facts = code.facts
    registers = facts["vgpr_count"] + (0 if facts["vgpr_count"] > 256 else facts.get("agpr_count", 0))
    waves = REGISTERS_OF_A_LANE // max(8, -(-registers // 8) * 8)
    if waves * SIMDS < WAVES_OF_A_BLOCK:
        return f"has {registers} registers: a block of {WAVES_OF_A_BLOCK} waves does not fit"
    if facts["group_segment_fixed_size"] > SHARED_BYTES:
        return f"has {facts['group_segment_fixed_size']} bytes of shared memory"
    if facts["wavefront_size"] != 64:
        return f"has waves of {facts['wavefront_size']}"
    return ""


@dataclasses.dataclass
class Rule:
    claim: str
    problem: typing.Callable
    breakage: tuple  # (pattern, replacement) of each instruction, or fields of the metadata
    kernels_only: bool = True
    proven_on: typing.Callable = lambda code: True


RULES = [
    Rule("MovesSixteenBytesPastTheCaches", cache_policy, (r" (sc1|glc)\b", ""), False,
         lambda c: accesses(c, "load")),
    Rule("StoresWordsPastTheCaches", word_stores, (r" sc1$", ""), True,
         lambda c: PAST_CACHES[c.architecture][1] and "global_store" in c.text and not ROWS.search(c.name)),
    Rule("PollsPastTheCachesAndOrdersNothingMeanwhile", polls, (r"^s_waitcnt vmcnt\(0\)", "buffer_inv sc0 sc1"), True,
         polls_of),
    Rule("HasSeveralAccessesUnderWay", pipelining, (r"^(buffer_load_dwordx4 .*)", "s_waitcnt vmcnt(0)"), False,
         lambda c: re.match(r"LowLatencyAllReduce<|Sentinel|(void )?HipCopies::copy_bytes", c.name)),
    Rule("AccessesSixteenBytes", wide_accesses, (r"_dwordx4", "_dwordx2"), True,
         lambda c: re.match(r"LowLatency(AllReduce|ReduceScatter)<|Sentinel|TwoShotAllReduce<", c.name)),
    Rule("WritesBackAndForgetsAsOftenAsItsProtocolSays", order, (r"^s_barrier", "buffer_wbl2 sc0 sc1"), True,
         lambda c: "s_barrier" in c.text),
    Rule("HasNoFlatAccessInLoopsOverData", flat_accesses, (r"^s_waitcnt vmcnt.*", "flat_load_dword v0, v[0:1]"),
         True, lambda c: re.match(r"LowLatencyAllReduce<|Sentinel|TwoShotAllReduce<", c.name)),
    Rule("SpillsNoRegister", spills, {"vgpr_spill_count": 40}),
    Rule("LeavesRoomForAWholeBlock", occupancy, {"vgpr_count": 400, "agpr_count": 0}),
]
