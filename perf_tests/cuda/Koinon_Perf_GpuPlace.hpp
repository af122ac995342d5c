// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Koinon_Perf_GpuInstance.hpp>
#include <Koinon_Perf_GpuRank.hpp>
#include <Koinon_Perf_Place.hpp>

#include <functional>

namespace Koinon::Perf {

/// Measures on a GPU, each rank on a stream of its own.
class GpuPlace final : public Place {
 public:
  using MakeCommunicator = std::function<GpuCommunicator(GpuInstance const&, CommunicatorOptions const&)>;

  /// Collective.
  /// @param gpus how many GPUs the ranks are on
  GpuPlace(RankGroup& ranks, int device, int gpus, MakeCommunicator make)
      : m_gpu(ranks, device), m_gpus(gpus), m_make(std::move(make)) {}

  std::vector<std::pair<std::string, std::string>> describe() const override;
  std::unique_ptr<Subject> make_subject(std::vector<Case> const& cases) override;
  /// Leaves half of the GPU to what is not Koinon's: blocks of a launch that wait for each other have to be there at once.
  void share_with_a_neighbour() { m_communicators = 2; }
  DeviceQueue* queue() override { return &m_gpu; }
  GpuRank* gpu() override { return &m_gpu; }

 private:
  GpuRank m_gpu;
  int m_gpus;
  int m_communicators = 1;  // nothing else runs there: all blocks that there is room for
  MakeCommunicator m_make;
};

/// Makes the arrays of a case on a GPU; each element type is compiled in a file of its own. Collective.
template <ElementType Type>
std::unique_ptr<Exercise> make_gpu_exercise(Case const& what, GpuCommunicator const& comm, GpuRank& gpu);

}  // namespace Koinon::Perf
