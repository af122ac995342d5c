// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <bootstrap/Koinon_Bootstrap.hpp>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace Koinon::Testing {

/// Says what the ranks of this run of a test program are: --ranks-as=threads (default), forked or mpi.
enum class RanksAs { threads, forked, mpi };

[[nodiscard]] RanksAs ranks_as();

/// Returns the numbers of ranks that this run can have: of threads 1 to 8, of forked processes 1, 2, 3 and 8, of MPI
/// the number that was started.
[[nodiscard]] std::vector<int> rank_counts();
/// The same and 16 and 33 threads: more than any built-in bound.
[[nodiscard]] std::vector<int> many_rank_counts();
/// At least two ranks, few of them.
[[nodiscard]] std::vector<int> few_rank_counts();
/// Few and many, at least two.
[[nodiscard]] std::vector<int> mixed_rank_counts();

/// Runs body on `ranks` ranks, whatever they are, and returns when all have ended. Expectations may fail on any rank.
/// Ranks of MPI get the same bootstrap each time: what they make of it may live until the tests have ended.
/// @pre ranks is one of rank_counts() or, as threads, any number
void run_ranks(int ranks, std::function<void(Koinon::Bootstrap&)> const& body);

/// Returns the rank that the calling thread is in run_ranks(), 0 outside: a space with several devices takes one by it.
[[nodiscard]] int rank_of_thread();

/// Returns the seed of this run (--seed=N), a fixed one by default.
[[nodiscard]] std::uint64_t seed();
/// Returns the number of random calls of this run (--calls=N), or `otherwise`.
[[nodiscard]] int calls(int otherwise);

/// Returns the number of cells that an exercise of the matrix draws: `otherwise`, or --cells=N if that is less.
[[nodiscard]] int cells(int otherwise);

/// Returns "3_ranks" for GoogleTest's parameters.
[[nodiscard]] std::string ranks_name(int ranks);

/// Makes a rank late by a random moment: none mostly, sometimes a yield or some microseconds, rarely a millisecond.
void delay(std::uint64_t random);

}  // namespace Koinon::Testing
