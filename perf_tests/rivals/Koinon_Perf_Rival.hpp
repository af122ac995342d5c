// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Koinon_Perf_Case.hpp>
#include <Koinon_Perf_Exercise.hpp>
#include <Koinon_Perf_RankGroup.hpp>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace Koinon::Perf {

class GpuRank;

/// Another library that does the same collectives on the same arrays.
class Rival {
 public:
  virtual ~Rival() = default;
  virtual std::string name() const = 0;
  virtual std::string version() const = 0;
  /// Returns why it cannot do this case; empty: it can. The same on every rank.
  virtual std::string refusal(Case const& what) const = 0;
  /// Returns what a reader of the table must know about how it does this case; empty: nothing.
  virtual std::string note(Case const& what) const = 0;
  /// @pre refusal(what) is empty; the arrays outlive the call
  virtual Call call_of(Case const& what, Arrays const& arrays) = 0;
};

/// Names the rivals that this build can measure.
std::vector<std::string> rivals_of_this_build();

/// Makes a rival for arrays on the host, or on the rank's GPU. Collective.
/// @param gpu null: the host
/// @throws UsageError for a rival that this build lacks
std::unique_ptr<Rival> make_rival(std::string const& name, RankGroup& ranks, GpuRank* gpu);

}  // namespace Koinon::Perf
