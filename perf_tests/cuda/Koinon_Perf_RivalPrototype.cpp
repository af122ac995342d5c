// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Koinon_Perf_Cuda.hpp>
#include <Koinon_Perf_Errors.hpp>
#include <Koinon_Perf_GpuRank.hpp>
#include <Koinon_Perf_Prototype.hpp>
#include <Koinon_Perf_Rival.hpp>
#include <elements/Koinon_Elements.hpp>

#include <algorithm>
#include <span>
#include <vector>

namespace Koinon::Perf {

namespace {

constexpr std::size_t most_bytes = std::size_t{4} << 20;

/// The prototype of the day: the least that an exchange between ranks of one GPU can be. Machines of one kind differ;
/// what Koinon takes is compared over changes by its ratio to this.
class RivalPrototype final : public Rival {
 public:
  RivalPrototype(RankGroup& ranks, GpuRank& gpu) : m_gpu(gpu) {
    if (ranks.is_processes()) m_refusal = "it knows ranks only that are threads of one process";
    if (ranks.any(gpu.device() != 0)) m_refusal = "it knows ranks of one GPU only (--gpus 1)";
    if (ranks.size() > prototype_most_ranks) m_refusal = "it knows 8 ranks at most";
    if (!m_refusal.empty()) return;
    load_prototype();
    cudaDeviceProp properties{};
    require_cuda(cudaGetDeviceProperties(&properties, gpu.device()), "asking for a GPU's properties");
    m_blocks = std::clamp(properties.multiProcessorCount / ranks.size(), 1, prototype_most_blocks);
    m_arguments.slot_packets = most_bytes / prototype_packet_bytes + 1;
    m_arguments.rank = ranks.rank();
    m_arguments.ranks = ranks.size();
    auto const box_packets = 2 * static_cast<std::size_t>(ranks.size()) * m_arguments.slot_packets;
    m_box = zeroed(box_packets * sizeof(PrototypePacket));
    m_arguments.numbers = static_cast<std::uint32_t*>(zeroed(prototype_most_blocks * sizeof(std::uint32_t)));
    gpu.wait();
    std::vector<void*> boxes(static_cast<std::size_t>(ranks.size()));
    ranks.all_gather(std::as_bytes(std::span(&m_box, 1)), std::as_writable_bytes(std::span(boxes)));
    for (std::size_t i = 0; i < boxes.size(); ++i) m_arguments.boxes[i] = static_cast<PrototypePacket*>(boxes[i]);
  }
  ~RivalPrototype() override {
    (void)cudaFree(m_box);
    (void)cudaFree(m_arguments.numbers);
  }
  RivalPrototype(RivalPrototype const&) = delete;
  RivalPrototype& operator=(RivalPrototype const&) = delete;

  std::string name() const override { return "prototype"; }
  std::string version() const override { return "push, one shot, packets of 12 + 4 bytes"; }

  std::string refusal(Case const& what) const override {
    if (!m_refusal.empty()) return m_refusal;
    if (what.operation != Operation::all_reduce || what.norm != Norm::none || what.reducer != ReducerName::sum)
      return "it knows all_reduce, sum";
    if (what.type != ElementType::f32 && what.type != ElementType::bf16) return "it knows float and bfloat16";
    if (what.bytes() > most_bytes) return "it has room for 4 MiB";
    return {};
  }
  std::string note(Case const&) const override { return {}; }

  Call call_of(Case const& what, Arrays const& arrays) override {
    auto arguments = m_arguments;
    arguments.in = arrays.in;
    arguments.out = arrays.out;
    arguments.count = what.elements();
    constexpr std::size_t threads = 512;
    auto const packets = (what.bytes() + prototype_packet_bytes - 1) / prototype_packet_bytes;
    auto const blocks = static_cast<int>(
        std::clamp((packets + threads - 1) / threads, std::size_t{1}, static_cast<std::size_t>(m_blocks)));
    auto* const launch = what.type == ElementType::f32 ? &launch_prototype<float> : &launch_prototype<bfloat16>;
    auto const dependent = what.dependent_launch || what.early_trigger;
    return [=, stream = m_gpu.stream()] { launch(arguments, blocks, dependent, stream); };
  }

 private:
  /// Takes device memory for good; no kernel waits for a peer yet.
  void* zeroed(std::size_t bytes) {
    void* memory = nullptr;
    require_cuda(cudaMalloc(&memory, bytes), "taking device memory for the prototype");
    require_cuda(cudaMemsetAsync(memory, 0, bytes, m_gpu.stream()), "clearing the prototype's memory");
    return memory;
  }

  GpuRank& m_gpu;
  std::string m_refusal;
  int m_blocks = 1;
  void* m_box = nullptr;
  PrototypeArguments m_arguments{};
};

}  // namespace

std::unique_ptr<Rival> make_prototype_rival(RankGroup& ranks, GpuRank* gpu) {
  if (gpu == nullptr) throw UsageError("--rivals prototype: needs --device cuda");
  return std::make_unique<RivalPrototype>(ranks, *gpu);
}

}  // namespace Koinon::Perf
