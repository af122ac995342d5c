# SPDX-FileCopyrightText: Koinon contributors
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The loops of machine code: what a branch back to a block that all ways lead through encloses."""

import re


def target_of(address, text):
    """Returns where a branch goes, or None."""
    match = re.match(r"s_c?branch\w* (\d+)", text)
    if not match:
        return None
    distance = int(match[1]) - (1 << 16 if int(match[1]) >= 1 << 15 else 0)
    return address + 4 + 4 * distance


def blocks_of(instructions):
    """Returns [[text]] and, for each block, the numbers of those that follow it."""
    targets = {target for address, text in instructions if (target := target_of(address, text)) is not None}
    blocks, starts, last = [], {}, None
    for address, text in instructions:
        if last is None or address in targets or re.match(r"s_(c?branch|endpgm|setpc)", last):
            starts[address] = len(blocks)
            blocks.append([])
        blocks[-1].append((address, text))
        last = text
    followers = []
    for number, block in enumerate(blocks):
        address, text = block[-1]
        after = set()
        if (target := target_of(address, text)) is not None and target in starts:
            after.add(starts[target])
        if not re.match(r"s_(branch|endpgm|setpc)", text) and number + 1 < len(blocks):
            after.add(number + 1)
        followers.append(after)
    return [[text for _, text in block] for block in blocks], followers


def dominators_of(followers):
    """Returns for each block those that every way to it leads through; None: no way does."""
    before = [set() for _ in followers]
    for number, after in enumerate(followers):
        for other in after:
            before[other].add(number)
    dominators = [None] * len(followers)
    dominators[0] = {0}
    changed = True
    while changed:
        changed = False
        for number in range(1, len(followers)):
            known = [dominators[p] for p in before[number] if dominators[p] is not None]
            if known and (new := set.intersection(*known) | {number}) != dominators[number]:
                dominators[number] = new
                changed = True
    return dominators, before


def loops_of(instructions):
    """Returns the loops as sets of block numbers, smaller ones first, and the blocks."""
    blocks, followers = blocks_of(instructions)
    dominators, before = dominators_of(followers)
    loops = {}
    for number, after in enumerate(followers):
        for head in after:
            if dominators[number] is None or head not in dominators[number]:
                continue
            inside, waiting = {head}, [number]
            while waiting:
                block = waiting.pop()
                if block not in inside:
                    inside.add(block)
                    waiting += [p for p in before[block] if dominators[p] is not None]
            loops[head] = loops.get(head, set()) | inside
    return sorted(loops.values(), key=len), blocks
