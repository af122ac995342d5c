// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Koinon_Perf_GpuPlace.hpp>
#include <Koinon_Perf_Gpus.hpp>
#include <Koinon_Perf_Memory.hpp>
#include <Koinon_Perf_Pattern.hpp>

#include <algorithm>
#include <stdexcept>

namespace Koinon::Perf {

namespace {

class GpuSubject final : public Subject {
 public:
  GpuSubject(GpuRank& gpu, GpuCommunicator comm) : m_gpu(gpu), m_comm(std::move(comm)) {
    auto const policy = CollectivePolicy(m_comm);
    gpu.set_meeting([policy] { barrier("untimed", policy); }, [this] { m_comm.check(); });
  }

  std::unique_ptr<Exercise> make_exercise(Case const& what) override {
#define KOINON_PERF_MAKE(name) \
  if (what.type == ElementType::name) return make_gpu_exercise<ElementType::name>(what, m_comm, m_gpu);
    KOINON_PERF_FOR_EACH_TYPE(KOINON_PERF_MAKE)
#undef KOINON_PERF_MAKE
    throw std::invalid_argument("not an element type of this build");
  }

 private:
  GpuRank& m_gpu;
  GpuCommunicator m_comm;
};

/// Returns what an exercise takes of the device's own memory: the values to write, and private arrays.
std::size_t arena_bytes_of(Case const& what, int ranks) {
  auto const rounded = [](std::size_t bytes) {
    return (bytes + GpuRank::alignment - 1) / GpuRank::alignment * GpuRank::alignment;
  };
  auto const element = bytes_of(what.type);
  auto const tile = rounded(Pattern<std::uint8_t>::period * element);
  if (what.placement == Placement::symmetric) return tile;
  if (what.is_one_array()) return tile + rounded(what.in_place_elements() * element);
  auto const out = what.borrowed ? 0 : what.largest_output(ranks);  // in a workspace, which is symmetric memory
  return tile + rounded(what.largest_input(ranks) * element) + rounded(out * element);
}

}  // namespace

std::vector<std::pair<std::string, std::string>> GpuPlace::describe() const {
  auto entries = describe_gpu(m_gpu.device());
  entries.emplace_back("gpus", std::to_string(m_gpus));
  entries.emplace_back("instance", gpu_instance_name);
  return entries;
}

std::unique_ptr<Subject> GpuPlace::make_subject(std::vector<Case> const& cases) {
  auto const ranks = m_gpu.ranks().size();
  std::size_t arena = 0;
  std::size_t mirror = Pattern<double>::period * sizeof(double);
  for (auto const& what : cases) {
    arena += arena_bytes_of(what, ranks);
    auto const elements = std::max({what.in_place_elements(), what.largest_input(ranks), what.largest_output(ranks)});
    mirror = std::max(mirror, elements * bytes_of(what.type));
  }
  m_gpu.reserve(arena, mirror);
  CommunicatorOptions options;
  if (auto const bytes = symmetric_bytes_of(cases, ranks); bytes > 0) options.symmetric_bytes = bytes;
  options.timeout = std::chrono::seconds(30);  // a measurement is over in milliseconds
  options.concurrent_communicators = m_communicators;
  return std::make_unique<GpuSubject>(m_gpu, m_make(GpuInstance(m_gpu.stream()), options));
}

}  // namespace Koinon::Perf
