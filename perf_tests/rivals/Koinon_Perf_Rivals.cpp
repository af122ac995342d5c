// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Koinon_Config.hpp>
#include <Koinon_Perf_Errors.hpp>
#include <Koinon_Perf_Rival.hpp>

#include <fmt/format.h>

namespace Koinon::Perf {

using MakeRival = std::unique_ptr<Rival> (*)(RankGroup const&);

#if defined(KOINON_ENABLE_MPI)
std::unique_ptr<Rival> make_mpi_rival(RankGroup const& ranks);
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
  };
}

}  // namespace

std::vector<std::string> rivals_of_this_build() {
  std::vector<std::string> names;
  for (auto const& entry : entries()) names.emplace_back(entry.name);
  return names;
}

std::unique_ptr<Rival> make_rival(std::string const& name, RankGroup const& ranks) {
  std::string list;
  for (auto const& entry : entries()) {
    if (entry.name == name) return entry.make(ranks);
    (list += " ") += entry.name;
  }
  throw UsageError(fmt::format("--rivals: no '{}' in this build; there are:{}", name, list.empty() ? " none" : list));
}

}  // namespace Koinon::Perf
