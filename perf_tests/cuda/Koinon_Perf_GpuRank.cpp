// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Koinon_Perf_Cuda.hpp>
#include <Koinon_Perf_GpuKernels.hpp>
#include <Koinon_Perf_GpuRank.hpp>

#include <ctime>
#include <utility>

namespace Koinon::Perf {

namespace {

double thread_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

}  // namespace

GpuRank::GpuRank(RankGroup& ranks, int device) : m_ranks(ranks), m_device(device) {
  require_cuda(cudaSetDevice(device), "choosing a GPU");
  require_cuda(cudaStreamCreateWithFlags(&m_stream, cudaStreamNonBlocking), "making a stream");
  require_cuda(cudaEventCreate(&m_begin), "making an event");
  require_cuda(cudaEventCreate(&m_end), "making an event");
  void* gate = nullptr;
  require_cuda(cudaHostAlloc(&gate, sizeof(unsigned), cudaHostAllocMapped | cudaHostAllocPortable),
               "taking host memory");
  m_gate = static_cast<unsigned*>(gate);
  *m_gate = 0;
  load_kernels();
  m_ranks.barrier();
}

GpuRank::~GpuRank() {
  (void)cudaStreamSynchronize(m_stream);
  (void)cudaFree(m_arena);
  for (auto* mirror : m_mirrors) (void)cudaFreeHost(mirror);
  (void)cudaFreeHost(m_gate);
  (void)cudaEventDestroy(m_begin);
  (void)cudaEventDestroy(m_end);
  (void)cudaStreamDestroy(m_stream);
}

void GpuRank::reserve(std::size_t arena_bytes, std::size_t mirror_bytes) {
  wait();
  m_ranks.barrier();  // no kernel waits for a peer now, nor before the other barrier
  if (arena_bytes > m_arena_bytes) {
    (void)cudaFree(std::exchange(m_arena, nullptr));
    void* arena = nullptr;
    require_cuda(cudaMalloc(&arena, arena_bytes), "taking device memory");
    m_arena = static_cast<std::byte*>(arena);
    m_arena_bytes = arena_bytes;
  }
  if (mirror_bytes > m_mirror_bytes) {
    for (auto*& mirror : m_mirrors) {
      (void)cudaFreeHost(std::exchange(mirror, nullptr));
      require_cuda(cudaHostAlloc(&mirror, mirror_bytes, cudaHostAllocPortable), "taking pinned host memory");
    }
    m_mirror_bytes = mirror_bytes;
  }
  m_ranks.barrier();
}

void* GpuRank::take(std::size_t bytes) {
  auto const begin = m_taken_bytes;
  m_taken_bytes += (bytes + alignment - 1) / alignment * alignment;
  if (m_taken_bytes > m_arena_bytes) throw std::logic_error("an exercise takes more device memory than was reserved");
  ++m_taken;
  return m_arena + begin;
}

void GpuRank::give_back() noexcept {
  if (--m_taken == 0) m_taken_bytes = 0;
}

void GpuRank::upload(void* to, void const* mirror, std::size_t bytes) {
  require_cuda(cudaMemcpyAsync(to, mirror, bytes, cudaMemcpyHostToDevice, m_stream), "copying to the device");
  wait();
}

void GpuRank::download(void* mirror, void const* from, std::size_t bytes) {
  if (bytes > m_mirror_bytes) throw std::logic_error("an exercise copies more than was reserved");
  if (bytes > 0)
    require_cuda(cudaMemcpyAsync(mirror, from, bytes, cudaMemcpyDeviceToHost, m_stream), "copying to the host");
  wait();
}

void GpuRank::wait() {
  require_cuda(cudaStreamSynchronize(m_stream), "waiting for a GPU");
}

void GpuRank::set_meeting(Call barrier, Call check) {
  m_barrier = std::move(barrier);
  m_check = std::move(check);
}

void GpuRank::close_gate() {
  launch_gate(m_gate, ++m_gate_number, m_stream);
}

void GpuRank::open_gate() {
  __atomic_store_n(m_gate, m_gate_number, __ATOMIC_RELEASE);
}

double GpuRank::enqueue_timed(Call const& work) {
  m_barrier();
  require_cuda(cudaEventRecord(m_begin, m_stream), "recording an event");
  auto const begin = thread_seconds();
  work();
  auto const seconds = thread_seconds() - begin;
  require_cuda(cudaEventRecord(m_end, m_stream), "recording an event");
  return seconds;
}

double GpuRank::elapsed_seconds() {
  wait();
  m_check();
  float milliseconds = 0;
  require_cuda(cudaEventElapsedTime(&milliseconds, m_begin, m_end), "reading the device's clock");
  return static_cast<double>(milliseconds) * 1e-3;
}

}  // namespace Koinon::Perf
