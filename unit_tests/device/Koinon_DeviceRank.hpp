// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Koinon_Core.hpp>
#include <support/Koinon_CudaSpace.hpp>

#include <chrono>
#include <cstddef>
#include <cuda_runtime_api.h>
#include <memory>
#include <span>
#include <string_view>

namespace Koinon::Testing {

/// Throws std::runtime_error with the runtime's reason.
void require(cudaError_t error);

// Kernels of the tests, each enqueued on a stream.
/// Stops the stream until the host stores another word than 0. @pre pinned memory
void hold(cudaStream_t stream, unsigned const* go);
/// Keeps the stream busy.
void dawdle(cudaStream_t stream, std::chrono::nanoseconds duration);
/// Fills p[i] = value + step * (i % 61).
void fill(cudaStream_t stream, std::span<float> p, float value, float step = 0);

/// Is a rank of the tests: a communicator, two streams, and 4 MiB of private memory of the device.
struct DeviceRank {
  static constexpr std::size_t count = 1000;

  EmulatedCudaStream first;
  EmulatedCudaStream second;
  Communicator<EmulatedCudaStream> comm;
  CollectivePolicy<EmulatedCudaStream> policy;
  CollectivePolicy<EmulatedCudaStream> other;
  std::unique_ptr<SpaceMemory const> memory = make_space_memory(first);
  float* x = reinterpret_cast<float*>(memory->private_memory());

  explicit DeviceRank(Bootstrap& bootstrap, std::chrono::nanoseconds timeout = std::chrono::seconds(60),
                      std::size_t symmetric_bytes = std::size_t{1} << 16);

  [[nodiscard]] cudaStream_t stream() const { return first.stream().stream(); }
  [[nodiscard]] cudaStream_t second_stream() const { return second.stream().stream(); }
  [[nodiscard]] std::span<float> array() const { return {x, count}; }
  /// Returns the n-th array of so many elements in the private memory.
  [[nodiscard]] std::span<float> array(std::size_t n, std::size_t elements) const {
    return {x + n * elements, elements};
  }
  /// Waits for both streams and expects p[i] == value + step * (i % 61).
  void expect_filled(std::span<float const> p, float value, float step = 0) const;
};

/// Calls all_reduce, whose kernels are compiled once for all tests.
void sum(std::string_view label, CollectivePolicy<EmulatedCudaStream> const& policy, std::span<float const> in,
         std::span<float> out);

/// Captures body() and returns the graph, ready to be launched.
template <class F>
[[nodiscard]] cudaGraphExec_t captured(cudaStream_t stream, F&& body) {
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t ready = nullptr;
  require(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
  body();
  require(cudaStreamEndCapture(stream, &graph));
  require(cudaGraphInstantiate(&ready, graph, 0));
  require(cudaGraphDestroy(graph));
  require(cudaGraphUpload(ready, stream));
  require(cudaStreamSynchronize(stream));
  return ready;
}

}  // namespace Koinon::Testing
