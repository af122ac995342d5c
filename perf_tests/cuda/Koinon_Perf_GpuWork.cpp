// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Koinon_Perf_Cuda.hpp>
#include <Koinon_Perf_GpuRank.hpp>

#include <utility>

namespace Koinon::Perf {

namespace {

/// Is enqueued anew in each run, as a program without graphs does it: the device may wait for the host.
class EagerWork final : public DeviceWork {
 public:
  EagerWork(GpuRank& gpu, std::function<void()> enqueue) : m_gpu(gpu), m_enqueue(std::move(enqueue)) {}

  DeviceTimes run() override {
    auto const host = m_gpu.enqueue_timed(m_enqueue);
    return {m_gpu.elapsed_seconds(), host};
  }

 private:
  GpuRank& m_gpu;
  std::function<void()> m_enqueue;
};

/// Is captured once. A run is enqueued on every rank before it starts on any: what a launch of a long graph takes on
/// the host would else be a peer's time on the device.
class GraphWork final : public DeviceWork {
 public:
  GraphWork(GpuRank& gpu, std::function<void()> const& enqueue) : m_gpu(gpu) {
    // Only calls of this thread that cannot be captured are errors: the other ranks' threads do what they like.
    require_cuda(cudaStreamBeginCapture(gpu.stream(), cudaStreamCaptureModeThreadLocal), "beginning a capture");
    try {
      enqueue();
    } catch (...) {
      cudaGraph_t graph = nullptr;
      (void)cudaStreamEndCapture(gpu.stream(), &graph);
      (void)cudaGetLastError();
      if (graph != nullptr) (void)cudaGraphDestroy(graph);
      throw;
    }
    cudaGraph_t graph = nullptr;
    require_cuda(cudaStreamEndCapture(gpu.stream(), &graph), "ending a capture");
    auto const error = cudaGraphInstantiate(&m_graph, graph, 0);
    (void)cudaGraphDestroy(graph);
    require_cuda(error, "making a graph ready");
    require_cuda(cudaGraphUpload(m_graph, gpu.stream()), "loading a graph");
    gpu.wait();
  }
  ~GraphWork() override { (void)cudaGraphExecDestroy(m_graph); }
  GraphWork(GraphWork const&) = delete;
  GraphWork& operator=(GraphWork const&) = delete;

  DeviceTimes run() override {
    m_gpu.close_gate();
    auto const host =
        m_gpu.enqueue_timed([this] { require_cuda(cudaGraphLaunch(m_graph, m_gpu.stream()), "launching a graph"); });
    m_gpu.ranks().barrier();
    m_gpu.open_gate();
    return {m_gpu.elapsed_seconds(), host};
  }

 private:
  GpuRank& m_gpu;
  cudaGraphExec_t m_graph = nullptr;
};

}  // namespace

std::unique_ptr<DeviceWork> GpuRank::prepare(std::function<void()> enqueue, bool as_graph) {
  if (!as_graph) return std::make_unique<EagerWork>(*this, std::move(enqueue));
  // Making a graph ready may wait for the device.
  wait();
  m_ranks.barrier();
  auto work = std::make_unique<GraphWork>(*this, enqueue);
  m_ranks.barrier();
  return work;
}

}  // namespace Koinon::Perf
