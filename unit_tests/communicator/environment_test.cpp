// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Koinon_EnvironmentGuard.hpp"
#include <support/Koinon_FaultCalls.hpp>
#include <support/Koinon_RankKinds.hpp>

#include <gtest/gtest.h>

namespace Koinon::Testing {
namespace {

struct Variable {
  char const* name;
  std::vector<std::string> valid;
  std::vector<std::string> invalid;
};

std::vector<Variable> const& variables() {
  static std::vector<Variable> const all{
      {"KOINON_TIMEOUT_SECONDS",
       {"1", "600", "0.25", "1e3", "9000000", "off"},
       {"0", "-1", "abc", "1s", " 1", "1 ", "inf", "nan", "9000001", "1e300", "1e-12", "OFF", "0x10", "1,5"}},
      {"KOINON_MULTICAST", {"0", "1"}, {"2", "yes", "on", "true", "01", "-1"}},
      {"KOINON_RANKS_PER_NODE", {"2", "8", "1000000"}, {"0", "-2", "two", "2.0", "99999999999"}},
      {"KOINON_CHECK", {"0", "1"}, {"2", "yes", " 1"}},
      {"KOINON_LOG", {"off", "error"}, {"warn", "ERROR", "3", "debug"}},
  };
  return all;
}

TEST(Environment, AnInvalidValueIsAnErrorThatNamesVariableAndValueOnAllRanks) {
  for (Variable const& variable : variables()) {
    for (std::string const& value : variable.invalid) {
      EnvironmentGuard const guard(variable.name, value);
      run_on(RankKind::threads, 2, [&](Bootstrap& bootstrap) {
        Caught const found = caught([&] { (void)make_comm(bootstrap); });
        expect_error(found, "InvalidArgument", std::string(variable.name) + "=" + value + " is not valid", "expected");
      });
    }
  }
}

TEST(Environment, AValidOrEmptyValueIsAccepted) {
  for (Variable const& variable : variables()) {
    std::vector<std::string> values = variable.valid;
    values.emplace_back("");
    for (std::string const& value : values) {
      EnvironmentGuard const guard(variable.name, value);
      run_on(RankKind::threads, 2, [&](Bootstrap& bootstrap) { reduce_ones(make_comm(bootstrap), "x", ways[0]); });
    }
  }
}

TEST(Environment, AValueThatDiffersOverRanksIsAMismatchThatSaysWhoHasWhat) {
  if (thread_sanitized) GTEST_SKIP() << "ThreadSanitizer does not see across processes";
  expect_ends(run_forked_ranks(3, [](ForkedRank& rank) {
    for (Variable const& variable : variables()) {
      for (std::string const& value : {variable.valid.front(), variable.invalid.front()}) {
        std::optional<EnvironmentGuard> guard;
        if (rank.rank() == 2) guard.emplace(variable.name, value);
        Caught const found = caught([&] { (void)make_comm(rank); });
        expect_error(found, "MismatchError", variable.name, "rank 0 has unset", "rank 2 has =" + value);
      }
    }
    EnvironmentGuard const guard("KOINON_TUNING", "/no/file/of/rank/" + std::to_string(rank.rank()));
    expect_error(caught([&] { (void)make_comm(rank); }), "MismatchError", "KOINON_TUNING",
                 "rank 0 has =/no/file/of/rank/0", "rank 1 has =/no/file/of/rank/1");
  }));
}

TEST(Environment, WinsOverTheOptions) {
  EnvironmentGuard const guard("KOINON_TIMEOUT_SECONDS", "0.2");
  run_on(RankKind::threads, 2, [&](Bootstrap& bootstrap) {
    Comm comm = make_comm(bootstrap, with_timeout(std::chrono::seconds(500)));
    EXPECT_NE(comm.describe().find("timeout        0.2 s"), std::string::npos) << comm.describe();
    if (bootstrap.rank() == 0) expect_missing(caught([&] { reduce_ones(comm, "x", ways[0]); }), {1});
    bootstrap.barrier();
  });
}

TEST(Environment, TimeoutOffWaitsLongerThanTheOptions) {
  EnvironmentGuard const guard("KOINON_TIMEOUT_SECONDS", "off");
  run_on(RankKind::threads, 2, [&](Bootstrap& bootstrap) {
    Comm const comm = make_comm(bootstrap, with_timeout(milliseconds(50)));
    EXPECT_NE(comm.describe().find("timeout        off"), std::string::npos) << comm.describe();
    if (bootstrap.rank() == 1) std::this_thread::sleep_for(milliseconds(300));
    reduce_ones(comm, "x", ways[2]);
  });
}

TEST(Environment, FewerRanksANodeThanRanksIsUnsupportedWithoutAnEngineBetweenNodes) {
  EnvironmentGuard const guard("KOINON_RANKS_PER_NODE", "1");
  run_on(RankKind::threads, 2, [&](Bootstrap& bootstrap) {
    expect_error(caught([&] { (void)make_comm(bootstrap); }), "UnsupportedError", "KOINON_RANKS_PER_NODE=1", "2 ranks");
  });
}

std::string description(std::vector<std::pair<char const*, char const*>> const& settings) {
  std::vector<std::unique_ptr<EnvironmentGuard>> guards;
  for (auto const& [name, value] : settings) guards.push_back(std::make_unique<EnvironmentGuard>(name, value));
  std::string text;
  run_on(RankKind::threads, 2, [&](Bootstrap& bootstrap) {
    Comm const comm = make_comm(bootstrap);
    if (bootstrap.rank() == 0) text = comm.describe();
  });
  return text;
}

TEST(Environment, AnyVariableThatForbidsMulticastWinsAndIsNamed) {
  struct Setting {
    std::vector<std::pair<char const*, char const*>> settings;
    char const* reason;  // null: multicast stays on
  };
  std::vector<Setting> const all{
      {{{"KOINON_MULTICAST", "0"}}, "KOINON_MULTICAST=0"},
      {{{"NCCL_NVLS_ENABLE", "0"}}, "NCCL_NVLS_ENABLE=0"},
      {{{"TORCH_SYMM_MEM_DISABLE_MULTICAST", "1"}}, "TORCH_SYMM_MEM_DISABLE_MULTICAST=1"},
      {{{"NVSHMEM_DISABLE_NVLS", "1"}}, "NVSHMEM_DISABLE_NVLS=1"},
      {{{"KOINON_MULTICAST", "1"}, {"NVSHMEM_DISABLE_NVLS", "1"}}, "NVSHMEM_DISABLE_NVLS=1"},
      {{{"KOINON_MULTICAST", "1"}}, nullptr},
      {{{"NCCL_NVLS_ENABLE", "1"}}, nullptr},
      {{{"NCCL_NVLS_ENABLE", "2"}}, nullptr},
      {{{"TORCH_SYMM_MEM_DISABLE_MULTICAST", "0"}, {"NVSHMEM_DISABLE_NVLS", "0"}}, nullptr},
  };
  for (Setting const& setting : all) {
    std::string const text = description(setting.settings);
    bool const off = text.find("hardware multicast is off") != std::string::npos;
    EXPECT_EQ(off, setting.reason != nullptr) << text;
    if (setting.reason != nullptr) {
      EXPECT_NE(text.find(std::string("is off: ") + setting.reason), std::string::npos) << text;
    }
  }
}

std::string log_of(char const* level) {
  EnvironmentGuard const guard("KOINON_LOG", level);
  ::testing::internal::CaptureStderr();
  run_on(RankKind::threads, 2, [&](Bootstrap& bootstrap) { reduce_ones(make_comm(bootstrap), "x", ways[0]); });
  return ::testing::internal::GetCapturedStderr();
}

TEST(Environment, LogInfoDescribesTheCommunicatorOnEveryRankAndLowerLevelsAreSilent) {
  for (char const* const level : {"info", "trace"}) {
    std::string const text = log_of(level);
    EXPECT_NE(text.find("Koinon: rank 0: "), std::string::npos) << text;
    EXPECT_NE(text.find("Koinon: rank 1: "), std::string::npos) << text;
  }
  for (char const* const level : {"off", "error"}) EXPECT_EQ(log_of(level), "");
}

}  // namespace
}  // namespace Koinon::Testing
