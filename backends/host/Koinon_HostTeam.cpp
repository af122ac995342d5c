// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Koinon_HostTeam.hpp>

#include <atomic>
#include <exception>
#include <mutex>

namespace Koinon::Impl {

namespace {
std::atomic<unsigned long> regions{0};
}

void run_on_threads(int count, void (*work)(void*, int), void* argument) {
  regions.fetch_add(1, std::memory_order_relaxed);
  // An exception may not leave a parallel region: the first goes on behind it.
  std::mutex mutex;
  std::exception_ptr thrown;
#if defined(_OPENMP)
#pragma omp parallel for num_threads(count) schedule(static, 1)
#endif
  for (int index = 0; index < count; ++index) {
    try {
      work(argument, index);
    } catch (...) {
      std::lock_guard const lock(mutex);
      if (!thrown) thrown = std::current_exception();
    }
  }
  if (thrown) std::rethrow_exception(thrown);
}

unsigned long parallel_regions() { return regions.load(std::memory_order_relaxed); }

}  // namespace Koinon::Impl
