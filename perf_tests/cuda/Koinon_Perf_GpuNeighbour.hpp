// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Koinon_Perf_Neighbour.hpp>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cuda_runtime_api.h>
#include <string>
#include <thread>

namespace Koinon::Perf {

/// Blocks on a stream of their own that rewrite memory of a GPU, four times its cache, over and over. A launch ends after
/// some milliseconds and a thread makes the next: whatever waits for the whole device, waits no longer.
class GpuNeighbour final : public Neighbour {
 public:
  /// @param blocks on each multiprocessor
  GpuNeighbour(int device, int blocks);
  ~GpuNeighbour() override;
  GpuNeighbour(GpuNeighbour const&) = delete;
  GpuNeighbour& operator=(GpuNeighbour const&) = delete;

  void begin() override;
  void end() noexcept override;
  std::string describe() const override;
  double gigabytes_per_second() const override;

 private:
  void launch_again_and_again() noexcept;
  /// Is in memory of the host that the device reads and writes.
  struct Words {
    unsigned ends;
    unsigned long long moved_bytes;
  };
  unsigned long long moved_bytes() const { return __atomic_load_n(&m_words->moved_bytes, __ATOMIC_RELAXED); }

  int m_device;
  int m_blocks_each;
  int m_multiprocessors = 0;
  std::size_t m_bytes = 0;
  void* m_memory = nullptr;
  Words* m_words = nullptr;
  cudaStream_t m_stream = nullptr;
  cudaEvent_t m_done = nullptr;
  std::thread m_thread;
  std::atomic<bool> m_ends = false, m_failed = false;
  std::string m_failure;  // of the thread, before m_failed
  std::chrono::steady_clock::time_point m_since{};
  double m_seconds = 0;
};

}  // namespace Koinon::Perf
