// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Koinon_Perf_DeviceQueue.hpp>
#include <Koinon_Perf_Exercise.hpp>
#include <Koinon_Perf_RankGroup.hpp>

#include <cstddef>
#include <cuda_runtime_api.h>

namespace Koinon::Perf {

/// One rank's part of a GPU: its stream, its memory, its clock. All of it is made before a kernel can wait for a peer,
/// since what is made, freed or copied from pageable memory later may wait for that kernel.
class GpuRank final : public DeviceQueue {
 public:
  /// Makes the device the calling thread's. Collective.
  GpuRank(RankGroup& ranks, int device);
  ~GpuRank() override;
  GpuRank(GpuRank const&) = delete;
  GpuRank& operator=(GpuRank const&) = delete;

  RankGroup& ranks() const { return m_ranks; }
  int device() const { return m_device; }
  cudaStream_t stream() const { return m_stream; }

  /// Makes memory for arrays, and copies of an input and an output on the host. Collective; forgets what was there.
  void reserve(std::size_t arena_bytes, std::size_t mirror_bytes);
  /// Returns device memory of the reserved; the last one that is given back frees all.
  void* take(std::size_t bytes);
  void give_back() noexcept;
  void* input_mirror() const { return m_mirrors[0]; }
  void* output_mirror() const { return m_mirrors[1]; }

  /// Copy behind all that was enqueued, between device memory and a mirror, and wait.
  void upload(void* to, void const* mirror, std::size_t bytes);
  void download(void* mirror, void const* from, std::size_t bytes);
  void wait();

  /// States how ranks meet on the device, and how errors of kernels are asked for.
  void set_meeting(Call barrier, Call check);

  std::unique_ptr<DeviceWork> prepare(std::function<void()> enqueue, bool as_graph) override;

  // For the work that prepare makes.

  /// Enqueues what holds the stream until open_gate, so that long work is enqueued before it starts.
  void close_gate();
  void open_gate();
  /// Enqueues the untimed barrier, then work between two marks of the device's clock.
  /// @returns the processor time of enqueueing it
  double enqueue_timed(Call const& work);
  /// Waits and returns the seconds between the marks. @throws what a kernel failed with
  double elapsed_seconds();

  static constexpr std::size_t alignment = 4096;

 private:
  RankGroup& m_ranks;
  int m_device;
  cudaStream_t m_stream = nullptr;
  cudaEvent_t m_begin = nullptr, m_end = nullptr;
  unsigned* m_gate = nullptr;  // in host memory that the device reads
  unsigned m_gate_number = 0;
  std::byte* m_arena = nullptr;
  std::size_t m_arena_bytes = 0, m_taken_bytes = 0;
  int m_taken = 0;
  void* m_mirrors[2] = {};
  std::size_t m_mirror_bytes = 0;
  Call m_barrier, m_check;
};

}  // namespace Koinon::Perf
