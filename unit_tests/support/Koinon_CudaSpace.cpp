// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <support/Koinon_CudaSpace.hpp>
#include <support/Koinon_DeviceSpace.hpp>

#include <stdexcept>
#include <string>

namespace Koinon::Testing {

namespace {

void require(cudaError_t error, char const* step) {
  if (error != cudaSuccess) throw std::runtime_error(std::string(step) + ": " + cudaGetErrorString(error));
}

struct Runtime {
  using Stream = cudaStream_t;
  using Graph = cudaGraph_t;
  using GraphExec = cudaGraphExec_t;
  static constexpr auto to_device = cudaMemcpyHostToDevice;
  static constexpr auto to_host = cudaMemcpyDeviceToHost;

  static int count_devices() {
    int devices = 0;
    require(cudaGetDeviceCount(&devices), "counting devices");
    return devices;
  }
  static void use_device(int device) { require(cudaSetDevice(device), "choosing a device"); }
  static Stream make_stream() {
    Stream stream = nullptr;
    require(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "making a stream");
    return stream;
  }
  static void* take_memory(std::size_t bytes) {
    void* memory = nullptr;
    require(cudaMalloc(&memory, bytes), "taking device memory");
    return memory;
  }
  static void wait(Stream stream, char const* step) { require(cudaStreamSynchronize(stream), step); }
  static void copy(void* to, void const* from, std::size_t bytes, cudaMemcpyKind kind, Stream stream) {
    require(cudaMemcpyAsync(to, from, bytes, kind, stream), "copying");
  }

  static void begin_capture(Stream stream) {
    require(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal), "beginning a capture");
  }
  /// Returns null where the capture has failed.
  static Graph end_capture(Stream stream) {
    Graph graph = nullptr;
    cudaStreamEndCapture(stream, &graph);
    return graph;
  }
  static void discard(Graph graph) {
    if (graph != nullptr) cudaGraphDestroy(graph);
  }
  /// Takes the graph.
  static GraphExec make_ready(Graph graph, Stream stream) {
    if (graph == nullptr) throw std::runtime_error("ending a capture: it has failed");
    GraphExec ready = nullptr;
    cudaError_t const error = cudaGraphInstantiate(&ready, graph, 0);
    discard(graph);
    require(error, "making a graph ready");
    require(cudaGraphUpload(ready, stream), "uploading a graph");
    wait(stream, "uploading a graph");
    return ready;
  }
  static void destroy(GraphExec graph) { cudaGraphExecDestroy(graph); }
  static void launch(GraphExec graph, Stream stream) { require(cudaGraphLaunch(graph, stream), "launching a graph"); }
};

}  // namespace

struct EmulatedCudaStream::Held {
  DeviceLane<Runtime> lane;
  CudaStream stream{lane.stream()};
};

EmulatedCudaStream::EmulatedCudaStream() : m_held(std::make_shared<Held const>()) {}

CudaStream const& EmulatedCudaStream::stream() const {
  return m_held->stream;
}

std::unique_ptr<SpaceMemory const> make_space_memory(EmulatedCudaStream const& space) {
  return std::make_unique<DeviceSpaceMemory<Runtime>>(space.m_held->lane);
}

}  // namespace Koinon::Testing
