// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <support/Koinon_HipSpace.hpp>
#include <support/Koinon_RankRunner.hpp>

#include <hip/hip_runtime_api.h>

#include <map>
#include <mutex>
#include <stdexcept>
#include <string>
#include <vector>

namespace Koinon::Testing {

namespace {

void require(hipError_t error, char const* step) {
  if (error != hipSuccess) throw std::runtime_error(std::string(step) + ": " + hipGetErrorName(error));
}

/// Is a stream with memory, of a few that the program makes once a device: what is made and freed while a kernel waits
/// for a peer may wait for the kernel, and streams of one hardware queue wait for each other.
struct Lane {
  static constexpr std::size_t bytes = std::size_t{4} << 20;
  int device = 0;
  hipStream_t stream = nullptr;
  std::byte* memory = nullptr;
};

class Lanes {
 public:
  /// Takes one of the device of the calling thread's rank, and makes that device the thread's.
  Lane take() {
    int devices = 0;
    require(hipGetDeviceCount(&devices), "counting devices");
    int const device = rank_of_thread() % devices;
    require(hipSetDevice(device), "choosing a device");
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
    require(hipStreamCreateWithFlags(&lane.stream, hipStreamNonBlocking), "making a stream");
    require(hipMalloc(&memory, Lane::bytes), "taking device memory");
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

class HipRecording final : public Recording {
 public:
  HipRecording(hipStream_t stream, std::function<void()> const& body) : m_stream(stream) {
    require(hipStreamBeginCapture(stream, hipStreamCaptureModeThreadLocal), "beginning a capture");
    hipGraph_t graph = nullptr;
    try {
      body();
    } catch (...) {
      (void)hipStreamEndCapture(stream, &graph);
      if (graph != nullptr) (void)hipGraphDestroy(graph);
      throw;
    }
    require(hipStreamEndCapture(stream, &graph), "ending a capture");
    hipError_t const error = hipGraphInstantiate(&m_graph, graph, nullptr, nullptr, 0);
    (void)hipGraphDestroy(graph);
    require(error, "making a graph ready");
  }
  ~HipRecording() override {
    if (m_graph != nullptr) (void)hipGraphExecDestroy(m_graph);
  }
  void replay() const override { require(hipGraphLaunch(m_graph, m_stream), "launching a graph"); }

 private:
  hipStream_t m_stream;
  hipGraphExec_t m_graph = nullptr;
};

class HipSpaceMemory final : public SpaceMemory {
 public:
  HipSpaceMemory(HeldHipStream const& space, std::byte* memory) : m_space(space), m_memory(memory) {}
  [[nodiscard]] std::byte* private_memory() const override { return m_memory; }
  [[nodiscard]] std::size_t private_bytes() const override { return Lane::bytes; }
  void upload(std::byte* to, std::byte const* from, std::size_t count) const override {
    copy(to, from, count, hipMemcpyHostToDevice);
  }
  void download(std::byte* to, std::byte const* from, std::size_t count) const override {
    copy(to, from, count, hipMemcpyDeviceToHost);
  }
  [[nodiscard]] std::unique_ptr<Recording const> record(std::function<void()> const& body) const override {
    return std::make_unique<HipRecording>(m_space.stream().stream(), body);
  }

 private:
  void copy(std::byte* to, std::byte const* from, std::size_t count, hipMemcpyKind kind) const {
    hipStream_t const stream = m_space.stream().stream();
    // First: a copy of pageable memory may hold the driver while it waits, and the peers could not launch.
    require(hipStreamSynchronize(stream), "waiting for a kernel");
    require(hipMemcpyAsync(to, from, count, kind, stream), "copying");
    require(hipStreamSynchronize(stream), "waiting for a copy");
  }

  HeldHipStream m_space;
  std::byte* m_memory;
};

}  // namespace

struct HeldHipStream::Held {
  Lane lane = lanes().take();
  HipStream stream{lane.stream};
  ~Held() { lanes().give(lane); }
};

HeldHipStream::HeldHipStream() : m_held(std::make_shared<Held const>()) {}

HipStream const& HeldHipStream::stream() const {
  return m_held->stream;
}

std::unique_ptr<SpaceMemory const> make_space_memory(HeldHipStream const& space) {
  return std::make_unique<HipSpaceMemory>(space, space.m_held->lane.memory);
}

}  // namespace Koinon::Testing
