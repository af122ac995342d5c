// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Koinon_Core.hpp>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <span>
#include <vector>

/// Adds four arrays, each held by a thread that is a rank, and checks that every rank has the sum.
int main() {
  std::atomic<int> right = 0;
  Koinon::run_thread_ranks(4, [&](Koinon::ThreadBootstrap& bootstrap) {
    Koinon::HostThread const exec;
    Koinon::Communicator comm(exec, bootstrap);

    std::vector<float> mine(1000, static_cast<float>(comm.rank() + 1));
    std::vector<float> sum(mine.size());
    Koinon::all_reduce("sum", Koinon::CollectivePolicy(exec, comm), std::span<float const>(mine), std::span(sum));

    if (std::all_of(sum.begin(), sum.end(), [](float x) { return x == 1 + 2 + 3 + 4; })) ++right;
  });
  std::printf("Koinon %s: %d of 4 ranks have the right sum\n", KOINON_VERSION, right.load());
  return right == 4 ? 0 : 1;
}
