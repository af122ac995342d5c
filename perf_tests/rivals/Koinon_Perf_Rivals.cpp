// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Koinon_Config.hpp>
#include <Koinon_Perf_Errors.hpp>
#include <Koinon_Perf_Rival.hpp>

#include <fmt/format.h>

namespace Koinon::Perf {

using MakeRival = std::unique_ptr<Rival> (*)(RankGroup&, GpuRank*);

#if defined(KOINON_ENABLE_MPI)
std::unique_ptr<Rival> make_mpi_rival(RankGroup& ranks, GpuRank* gpu);
#endif
#if defined(KOINON_ENABLE_CUDA)
std::unique_ptr<Rival> make_prototype_rival(RankGroup& ranks, GpuRank* gpu);
#endif
#if defined(KOINON_PERF_HAS_NCCL)
std::unique_ptr<Rival> make_nccl_rival(RankGroup& ranks, GpuRank* gpu);
#endif

namespace {

struct Entry {
  std::string_view name;
  MakeRival make;
};

/// A new rival is one file and one line here.
std::vector<Entry> entries() {
  return {
#if defined(KOINON_ENABLE_MPI)
    {"mpi", make_mpi_rival},
#endif
#if defined(KOINON_ENABLE_CUDA)
        {"prototype", make_prototype_rival},
#endif
#if defined(KOINON_PERF_HAS_NCCL)
        {"nccl", make_nccl_rival},
#endif
  };
}

}  // namespace

std::vector<std::string> rivals_of_this_build() {
  std::vector<std::string> names;
  for (auto const& entry : entries()) names.emplace_back(entry.name);
  return names;
}

std::unique_ptr<Rival> make_rival(std::string const& name, RankGroup& ranks, GpuRank* gpu) {
  std::string list;
  for (auto const& entry : entries()) {
    if (entry.name == name) return entry.make(ranks, gpu);
    (list += " ") += entry.name;
  }
  throw UsageError(fmt::format("--rivals: no '{}' in this build; there are:{}", name, list.empty() ? " none" : list));
}

}  // namespace Koinon::Perf
