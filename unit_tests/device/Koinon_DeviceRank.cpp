// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <device/Koinon_DeviceRank.hpp>

#include <gtest/gtest.h>

#include <stdexcept>
#include <vector>

namespace Koinon::Testing {

namespace {

__global__ void hold_stream(unsigned const volatile* go) {
  while (*go == 0) {
  }
}

__global__ void dawdle_on_stream(long long nanoseconds) {
  long long begin = 0;
  long long now = 0;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(begin));
  do {
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
  } while (now - begin < nanoseconds);
}

__global__ void fill_array(float* p, std::size_t count, float value, float step) {
  for (std::size_t i = threadIdx.x; i < count; i += blockDim.x) p[i] = value + step * static_cast<float>(i % 61);
}

}  // namespace

void require(cudaError_t error) {
  if (error != cudaSuccess) throw std::runtime_error(cudaGetErrorString(error));
}

void hold(cudaStream_t stream, unsigned const* go) {
  hold_stream<<<1, 1, 0, stream>>>(go);
  require(cudaGetLastError());
}

void dawdle(cudaStream_t stream, std::chrono::nanoseconds duration) {
  dawdle_on_stream<<<1, 1, 0, stream>>>(duration.count());
  require(cudaGetLastError());
}

void fill(cudaStream_t stream, std::span<float> p, float value, float step) {
  fill_array<<<1, 512, 0, stream>>>(p.data(), p.size(), value, step);
  require(cudaGetLastError());
}

void sum(std::string_view label, CollectivePolicy<EmulatedCudaStream> const& policy, std::span<float const> in,
         std::span<float> out) {
  all_reduce(label, policy, in, out);
}

DeviceRank::DeviceRank(Bootstrap& bootstrap, std::chrono::nanoseconds timeout, std::size_t symmetric_bytes)
    : comm(first, bootstrap,
           {.staging_bytes = 1 << 20, .symmetric_bytes = symmetric_bytes, .zero_copy_bytes = 256, .timeout = timeout}),
      policy(first, comm),
      other(second, comm) {}

void DeviceRank::expect_filled(std::span<float const> p, float value, float step) const {
  std::vector<float> host(p.size());
  require(cudaStreamSynchronize(second_stream()));
  memory->download(reinterpret_cast<std::byte*>(host.data()), reinterpret_cast<std::byte const*>(p.data()),
                   p.size_bytes());
  for (std::size_t i = 0; i < host.size(); ++i) {
    ASSERT_EQ(host[i], value + step * static_cast<float>(i % 61)) << "element " << i << " of rank " << comm.rank();
  }
}

}  // namespace Koinon::Testing
