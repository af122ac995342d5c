# SPDX-FileCopyrightText: Koinon contributors
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Adds arrays of two Python processes: run_two_processes.py FOLDER_OF_THE_MODULE

The ranks find each other through a pipe of Python's multiprocessing, as they could through any store. Python imports a
module with RTLD_LOCAL, so nothing here relies on symbols that are visible to other modules.
"""

import multiprocessing
import sys

import numpy

RANKS = 2


def rank_main(folder, rank, peer, results):
    sys.path.insert(0, folder)
    import koinon_extension

    def all_gather(mine):
        peer.send_bytes(mine)
        other = peer.recv_bytes()
        return mine + other if rank == 0 else other + mine

    communicator = koinon_extension.Communicator(rank, RANKS, all_gather)
    wrong = 0
    for dtype in (numpy.float32, numpy.float64, numpy.int64):
        for count in (0, 1, 1000, 1_000_003):
            source = numpy.arange(count, dtype=dtype) % 1000 + rank
            total = numpy.empty_like(source)
            communicator.all_reduce(source, total)
            wrong += int(numpy.count_nonzero(total != 2 * (numpy.arange(count, dtype=dtype) % 1000) + 1))
    try:
        communicator.all_reduce(numpy.zeros((4, 4))[:, 1], numpy.zeros(4))
        wrong += 1
    except ValueError as refusal:
        assert "dense" in str(refusal), refusal
    results.put((rank, wrong))


def main(folder):
    context = multiprocessing.get_context("spawn")
    ends = context.Pipe()
    results = context.Queue()
    processes = [context.Process(target=rank_main, args=(folder, rank, ends[rank], results)) for rank in range(RANKS)]
    for process in processes:
        process.start()
    for process in processes:
        process.join()
    if any(process.exitcode != 0 for process in processes):
        return f"a rank ended badly: exit codes {[process.exitcode for process in processes]}"
    wrong = sum(results.get()[1] for _ in range(RANKS))
    print(f"{RANKS} processes, {wrong} wrong elements")
    return 1 if wrong else 0


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    sys.exit(main(sys.argv[1]))
