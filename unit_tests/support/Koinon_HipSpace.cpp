// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <support/Koinon_HipSpace.hpp>
#include <support/Koinon_DeviceSpace.hpp>

#include <hip/hip_runtime_api.h>

#include <stdexcept>
#include <string>

namespace Koinon::Testing {

namespace {

void require(hipError_t error, char const* step) {
  if (error != hipSuccess) throw std::runtime_error(std::string(step) + ": " + hipGetErrorName(error));
}

struct Runtime {
  using Stream = hipStream_t;
  using Graph = hipGraph_t;
  using GraphExec = hipGraphExec_t;
  static constexpr auto to_device = hipMemcpyHostToDevice;
  static constexpr auto to_host = hipMemcpyDeviceToHost;

  static int count_devices() {
    int devices = 0;
    require(hipGetDeviceCount(&devices), "counting devices");
    return devices;
  }
  static void use_device(int device) { require(hipSetDevice(device), "choosing a device"); }
  static Stream make_stream() {
    Stream stream = nullptr;
    require(hipStreamCreateWithFlags(&stream, hipStreamNonBlocking), "making a stream");
    return stream;
  }
  static void* take_memory(std::size_t bytes) {
    void* memory = nullptr;
    require(hipMalloc(&memory, bytes), "taking device memory");
    return memory;
  }
  static void wait(Stream stream, char const* step) { require(hipStreamSynchronize(stream), step); }
  static void copy(void* to, void const* from, std::size_t bytes, hipMemcpyKind kind, Stream stream) {
    require(hipMemcpyAsync(to, from, bytes, kind, stream), "copying");
  }

  static void begin_capture(Stream stream) {
    require(hipStreamBeginCapture(stream, hipStreamCaptureModeThreadLocal), "beginning a capture");
  }
  /// Returns null where the capture has failed.
  static Graph end_capture(Stream stream) {
    Graph graph = nullptr;
    (void)hipStreamEndCapture(stream, &graph);
    return graph;
  }
  static void discard(Graph graph) {
    if (graph != nullptr) (void)hipGraphDestroy(graph);
  }
  /// Takes the graph.
  static GraphExec make_ready(Graph graph, Stream) {
    if (graph == nullptr) throw std::runtime_error("ending a capture: it has failed");
    GraphExec ready = nullptr;
    hipError_t const error = hipGraphInstantiate(&ready, graph, nullptr, nullptr, 0);
    discard(graph);
    require(error, "making a graph ready");
    return ready;
  }
  static void destroy(GraphExec graph) { (void)hipGraphExecDestroy(graph); }
  static void launch(GraphExec graph, Stream stream) { require(hipGraphLaunch(graph, stream), "launching a graph"); }
};

}  // namespace

struct HeldHipStream::Held {
  DeviceLane<Runtime> lane;
  HipStream stream{lane.stream()};
};

HeldHipStream::HeldHipStream() : m_held(std::make_shared<Held const>()) {}

HipStream const& HeldHipStream::stream() const {
  return m_held->stream;
}

std::unique_ptr<SpaceMemory const> make_space_memory(HeldHipStream const& space) {
  return std::make_unique<DeviceSpaceMemory<Runtime>>(space.m_held->lane);
}

}  // namespace Koinon::Testing
