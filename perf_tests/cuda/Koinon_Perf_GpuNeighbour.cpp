// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Koinon_Perf_Cuda.hpp>
#include <Koinon_Perf_GpuKernels.hpp>
#include <Koinon_Perf_GpuNeighbour.hpp>

#include <exception>

namespace Koinon::Perf {

GpuNeighbour::GpuNeighbour(int device, int blocks) : m_device(device), m_blocks_each(blocks) {
  int cache = 0;
  require_cuda(cudaSetDevice(device), "choosing a GPU");
  require_cuda(cudaDeviceGetAttribute(&m_multiprocessors, cudaDevAttrMultiProcessorCount, device), "counting multiprocessors");
  require_cuda(cudaDeviceGetAttribute(&cache, cudaDevAttrL2CacheSize, device), "asking for the cache's size");
  m_bytes = 4 * static_cast<std::size_t>(cache);
  require_cuda(cudaMalloc(&m_memory, m_bytes), "taking device memory");
  require_cuda(cudaMemset(m_memory, 0, m_bytes), "setting device memory");
  void* words = nullptr;
  require_cuda(cudaHostAlloc(&words, sizeof(Words), cudaHostAllocMapped | cudaHostAllocPortable), "taking host memory");
  m_words = static_cast<Words*>(words);
  *m_words = {};
  require_cuda(cudaStreamCreateWithFlags(&m_stream, cudaStreamNonBlocking), "making a stream");
  require_cuda(cudaEventCreateWithFlags(&m_done, cudaEventBlockingSync | cudaEventDisableTiming), "making an event");
}

GpuNeighbour::~GpuNeighbour() {
  GpuNeighbour::end();
  (void)cudaEventDestroy(m_done);
  (void)cudaStreamDestroy(m_stream);
  (void)cudaFree(m_memory);
  (void)cudaFreeHost(m_words);
}

void GpuNeighbour::begin() {
  m_ends = false;
  __atomic_store_n(&m_words->ends, 0u, __ATOMIC_RELEASE);
  m_since = std::chrono::steady_clock::now();
  auto const before = moved_bytes();
  m_thread = std::thread([this] { launch_again_and_again(); });
  while (moved_bytes() == before && !m_failed) std::this_thread::yield();
  if (!m_failed) return;
  end();
  throw std::runtime_error(m_failure);
}

void GpuNeighbour::end() noexcept {
  if (!m_thread.joinable()) return;
  m_ends = true;
  __atomic_store_n(&m_words->ends, 1u, __ATOMIC_RELEASE);
  m_thread.join();
  m_seconds += std::chrono::duration<double>(std::chrono::steady_clock::now() - m_since).count();
}

void GpuNeighbour::launch_again_and_again() noexcept {
  try {
    require_cuda(cudaSetDevice(m_device), "choosing a GPU");
    while (!m_ends) {
      launch_load(m_memory, m_bytes, &m_words->ends, &m_words->moved_bytes,
                  static_cast<unsigned>(m_blocks_each * m_multiprocessors), m_stream);
      require_cuda(cudaEventRecord(m_done, m_stream), "recording an event");
      require_cuda(cudaEventSynchronize(m_done), "waiting for the load");
    }
  } catch (std::exception const& error) {
    m_failure = error.what();
    m_failed = true;
  }
}

std::string GpuNeighbour::describe() const {
  return std::to_string(m_blocks_each) + " x " + std::to_string(m_multiprocessors) + " blocks of " +
         std::to_string(load_threads) + " threads that rewrite " + std::to_string(m_bytes >> 20) + " MiB of each GPU";
}

double GpuNeighbour::gigabytes_per_second() const {
  return m_seconds > 0 ? static_cast<double>(moved_bytes()) / m_seconds / 1e9 : 0;
}

}  // namespace Koinon::Perf
