// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Koinon_HostTeam.hpp>

#include <atomic>

namespace Koinon::Impl {

namespace {
std::atomic<unsigned long> regions{0};
}

void run_on_threads(int count, void (*work)(void*, int), void* argument) {
  regions.fetch_add(1, std::memory_order_relaxed);
#if defined(_OPENMP)
#pragma omp parallel for num_threads(count) schedule(static, 1)
#endif
  for (int index = 0; index < count; ++index) work(argument, index);
}

unsigned long parallel_regions() { return regions.load(std::memory_order_relaxed); }

}  // namespace Koinon::Impl
