// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <bootstrap/Koinon_ThreadBootstrap.hpp>
#include <support/Koinon_ForkedRanks.hpp>
#include <support/Koinon_ProcessSnapshot.hpp>

#include <gtest/gtest.h>

#include <functional>
#include <string>

namespace Koinon::Testing {

/// What ranks are: threads of the test, or its children.
enum class RankKind { threads, processes };

/// Runs body on ranks of a kind and expects that all end well and leave nothing behind.
inline void run_on(RankKind kind, int ranks, std::function<void(Bootstrap&)> const& body) {
  if (kind == RankKind::processes) {
    expect_ends(run_forked_ranks(ranks, [&](ForkedRank& rank) {
      ProcessSnapshot const before = ProcessSnapshot::take();
      body(rank);
      expect_nothing_left(before);
    }));
    return;
  }
  ProcessSnapshot const before = ProcessSnapshot::take();
  run_thread_ranks(ranks, body);
  expect_nothing_left(before, std::size_t{1} << 40);  // stacks of threads that ended are kept for the next
}

/// Is the base of tests that hold for both kinds; forked ranks are left out where a sanitizer does not see across them.
class OnBothKinds : public ::testing::TestWithParam<RankKind> {
 protected:
  void run(int ranks, std::function<void(Bootstrap&)> const& body) { run_on(GetParam(), ranks, body); }
};

inline std::string kind_name(::testing::TestParamInfo<RankKind> const& info) {
  return info.param == RankKind::threads ? "threads" : "processes";
}

inline auto both_kinds() {
  return thread_sanitized ? ::testing::ValuesIn(std::vector{RankKind::threads})
                          : ::testing::ValuesIn(std::vector{RankKind::threads, RankKind::processes});
}

}  // namespace Koinon::Testing
