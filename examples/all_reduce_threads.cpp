// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Koinon_Core.hpp>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <span>
#include <vector>

/// Adds and maximizes over four ranks that are threads of this process, with private and with symmetric arrays.
int main() {
  constexpr int ranks = 4;
  std::atomic<int> right = 0;
  Koinon::run_thread_ranks(ranks, [&](Koinon::ThreadBootstrap& bootstrap) {
    Koinon::HostThread const exec;
    Koinon::Communicator const comm(exec, bootstrap);
    Koinon::CollectivePolicy const policy(exec, comm);

    // Any array works: this one is staged through the communicator's own memory, in rounds if it is large.
    std::vector<double> const mine(100'000, comm.rank() + 1.0);
    std::vector<double> sum(mine.size());
    Koinon::all_reduce("sum", policy, std::span(mine), std::span(sum));

    // A symmetric array is used where it is: peers read and write it directly. Here in place.
    auto const shared = Koinon::symmetric_array<float, 2>(comm, 100, 300);
    std::fill_n(shared.data(), shared.size(), static_cast<float>(comm.rank()));
    Koinon::all_reduce("max", policy, shared, shared, Koinon::Max{});

    bool const sums = std::all_of(sum.begin(), sum.end(), [](double x) { return x == 1 + 2 + 3 + 4; });
    bool const maxima =
        std::all_of(shared.data(), shared.data() + shared.size(), [](float x) { return x == ranks - 1; });
    if (sums && maxima) ++right;
    Koinon::free_symmetric(comm, shared);
  });
  std::printf("all_reduce_threads: %d of %d ranks have the right results\n", right.load(), ranks);
  return right == ranks ? 0 : 1;
}
