// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <support/Koinon_CudaSpace.hpp>
#include <support/Koinon_RankRunner.hpp>

#include <map>
#include <mutex>
#include <stdexcept>
#include <string>
#include <vector>

namespace Koinon::Testing {

namespace {

void require(cudaError_t error, char const* step) {
  if (error != cudaSuccess) throw std::runtime_error(std::string(step) + ": " + cudaGetErrorString(error));
}

/// Is a stream with memory, of a few that the program makes once a device: what is made and freed while a kernel waits
/// for a peer may wait for the kernel, and streams of one hardware queue wait for each other.
struct Lane {
  static constexpr std::size_t bytes = std::size_t{4} << 20;
  int device = 0;
  cudaStream_t stream = nullptr;
  std::byte* memory = nullptr;
};

class Lanes {
 public:
  /// Takes one of the device of the calling thread's rank, and makes that device the thread's.
  Lane take() {
    int devices = 0;
    require(cudaGetDeviceCount(&devices), "counting devices");
    int const device = rank_of_thread() % devices;
    require(cudaSetDevice(device), "choosing a device");
    std::lock_guard const lock(m_mutex);
    std::vector<Lane>& free = m_free[device];
    if (free.empty()) {
      for (int i = 0; i < 8; ++i) free.push_back(make(device));
    }
    Lane const lane = free.back();
    free.pop_back();
    return lane;
  }
  void give(Lane const& lane) {
    std::lock_guard const lock(m_mutex);
    m_free[lane.device].push_back(lane);
  }

 private:
  static Lane make(int device) {
    Lane lane{.device = device};
    void* memory = nullptr;
    require(cudaStreamCreateWithFlags(&lane.stream, cudaStreamNonBlocking), "making a stream");
    require(cudaMalloc(&memory, Lane::bytes), "taking device memory");
    lane.memory = static_cast<std::byte*>(memory);
    return lane;
  }
  std::mutex m_mutex;
  std::map<int, std::vector<Lane>> m_free;
};

Lanes& lanes() {
  static Lanes all;
  return all;
}

class CudaRecording final : public Recording {
 public:
  CudaRecording(cudaStream_t stream, std::function<void()> const& body) : m_stream(stream) {
    require(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal), "beginning a capture");
    cudaGraph_t graph = nullptr;
    try {
      body();
    } catch (...) {
      cudaStreamEndCapture(stream, &graph);
      if (graph != nullptr) cudaGraphDestroy(graph);
      throw;
    }
    require(cudaStreamEndCapture(stream, &graph), "ending a capture");
    cudaError_t const error = cudaGraphInstantiate(&m_graph, graph, 0);
    cudaGraphDestroy(graph);
    require(error, "making a graph ready");
    require(cudaGraphUpload(m_graph, stream), "uploading a graph");
    require(cudaStreamSynchronize(stream), "uploading a graph");
  }
  ~CudaRecording() override {
    if (m_graph != nullptr) cudaGraphExecDestroy(m_graph);
  }
  void replay() const override { require(cudaGraphLaunch(m_graph, m_stream), "launching a graph"); }

 private:
  cudaStream_t m_stream;
  cudaGraphExec_t m_graph = nullptr;
};

class CudaSpaceMemory final : public SpaceMemory {
 public:
  CudaSpaceMemory(EmulatedCudaStream const& space, std::byte* memory) : m_space(space), m_memory(memory) {}
  [[nodiscard]] std::byte* private_memory() const override { return m_memory; }
  [[nodiscard]] std::size_t private_bytes() const override { return Lane::bytes; }
  void upload(std::byte* to, std::byte const* from, std::size_t count) const override {
    copy(to, from, count, cudaMemcpyHostToDevice);
  }
  void download(std::byte* to, std::byte const* from, std::size_t count) const override {
    copy(to, from, count, cudaMemcpyDeviceToHost);
  }
  [[nodiscard]] std::unique_ptr<Recording const> record(std::function<void()> const& body) const override {
    return std::make_unique<CudaRecording>(m_space.stream().stream(), body);
  }

 private:
  void copy(std::byte* to, std::byte const* from, std::size_t count, cudaMemcpyKind kind) const {
    cudaStream_t const stream = m_space.stream().stream();
    // First: a copy of pageable memory may hold the driver while it waits, and the peers could not launch.
    require(cudaStreamSynchronize(stream), "waiting for a kernel");
    require(cudaMemcpyAsync(to, from, count, kind, stream), "copying");
    require(cudaStreamSynchronize(stream), "waiting for a copy");
  }

  EmulatedCudaStream m_space;
  std::byte* m_memory;
};

}  // namespace

struct EmulatedCudaStream::Held {
  Lane lane = lanes().take();
  CudaStream stream{lane.stream};
  ~Held() { lanes().give(lane); }
};

EmulatedCudaStream::EmulatedCudaStream() : m_held(std::make_shared<Held const>()) {}

CudaStream const& EmulatedCudaStream::stream() const {
  return m_held->stream;
}

std::unique_ptr<SpaceMemory const> make_space_memory(EmulatedCudaStream const& space) {
  return std::make_unique<CudaSpaceMemory>(space, space.m_held->lane.memory);
}

}  // namespace Koinon::Testing
