// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Koinon_Perf_Cuda.hpp>
#include <Koinon_Perf_GpuKernels.hpp>

#include <algorithm>
#include <cstdint>

namespace Koinon::Perf {

namespace {

__device__ std::uint64_t nanoseconds() {
  std::uint64_t now;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
  return now;
}

__global__ void gate(unsigned const volatile* word, unsigned number) {
  constexpr std::uint64_t patience = 2'000'000'000;  // a host that could not enqueue what is behind never opens it
  auto const begin = nanoseconds();
  while (static_cast<int>(*word - number) < 0 && nanoseconds() - begin < patience) {
  }
}

template <class Word>
__global__ void fill(Word* to, Word const* tile, std::size_t count, unsigned start, unsigned period) {
  auto const step = static_cast<std::size_t>(gridDim.x) * blockDim.x;
  for (auto i = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < count; i += step)
    to[i] = tile[(start + i) % period];
}

__global__ void load(uint4* memory, std::size_t count, unsigned const volatile* ends, unsigned long long volatile* moved) {
  constexpr std::uint64_t patience = 20'000'000;
  auto const begin = nanoseconds();
  auto const step = static_cast<std::size_t>(gridDim.x) * blockDim.x;
  bool goes_on = true;
  while (goes_on) {
    for (auto i = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < count; i += step) {
      auto const was = memory[i];
      memory[i] = {was.x + 1, was.y, was.z, was.w};
    }
    if (blockIdx.x == 0 && threadIdx.x == 0) *moved = *moved + 2 * count * sizeof(uint4);  // the others are as far
    goes_on = __syncthreads_and(*ends == 0 && nanoseconds() - begin < patience) != 0;
  }
}

constexpr unsigned fill_threads = 256;

template <class Word>
void launch_fill_of(void* to, void const* tile, std::size_t count, unsigned start, unsigned period,
                    cudaStream_t stream) {
  auto const blocks = static_cast<unsigned>(std::min<std::size_t>((count + fill_threads - 1) / fill_threads, 64));
  fill<<<blocks, fill_threads, 0, stream>>>(static_cast<Word*>(to), static_cast<Word const*>(tile), count, start,
                                            period);
}

}  // namespace

void launch_gate(unsigned const* word, unsigned number, cudaStream_t stream) {
  gate<<<1, 1, 0, stream>>>(word, number);
  require_cuda(cudaGetLastError(), "launching the gate");
}

void launch_fill(void* to, void const* tile, std::size_t count, unsigned start, unsigned period,
                 std::size_t element_bytes, cudaStream_t stream) {
  if (count == 0) return;
  switch (element_bytes) {
    case 1:
      launch_fill_of<std::uint8_t>(to, tile, count, start, period, stream);
      break;
    case 2:
      launch_fill_of<std::uint16_t>(to, tile, count, start, period, stream);
      break;
    case 4:
      launch_fill_of<std::uint32_t>(to, tile, count, start, period, stream);
      break;
    default:
      launch_fill_of<std::uint64_t>(to, tile, count, start, period, stream);
  }
  require_cuda(cudaGetLastError(), "launching the rewriting");
}

void launch_load(void* memory, std::size_t bytes, unsigned const* ends, unsigned long long* moved, unsigned blocks,
                 cudaStream_t stream) {
  load<<<blocks, load_threads, 0, stream>>>(static_cast<uint4*>(memory), bytes / sizeof(uint4), ends, moved);
  require_cuda(cudaGetLastError(), "launching the load");
}

void load_kernels() {
  cudaFuncAttributes attributes;
  for (auto const* kernel :
       {reinterpret_cast<void const*>(&gate), reinterpret_cast<void const*>(&load),
        reinterpret_cast<void const*>(&fill<std::uint8_t>),
        reinterpret_cast<void const*>(&fill<std::uint16_t>), reinterpret_cast<void const*>(&fill<std::uint32_t>),
        reinterpret_cast<void const*>(&fill<std::uint64_t>)})
    require_cuda(cudaFuncGetAttributes(&attributes, kernel), "loading a kernel");
}

}  // namespace Koinon::Perf
