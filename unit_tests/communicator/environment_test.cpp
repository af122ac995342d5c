// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Koinon_EnvironmentGuard.hpp"
#include <support/Koinon_FaultCalls.hpp>
#include <support/Koinon_RankKinds.hpp>

#include <gtest/gtest.h>

#include <cstdlib>

namespace Koinon::Testing {
namespace {

/// Takes back the default of the test programs: these tests are about the variables, and the host's multicast is no
/// device's.
class UnsetMulticast : public ::testing::Environment {
  void SetUp() override { unsetenv("KOINON_MULTICAST"); }
};
[[maybe_unused]] ::testing::Environment* const unset_multicast =
    ::testing::AddGlobalTestEnvironment(new UnsetMulticast);

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
      {"KOINON_LOG", {"off", "error", "info", "trace"}, {"warn", "ERROR", "3", "debug", "trace "}},
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
      ::testing::internal::CaptureStderr();
      run_on(RankKind::threads, 2, [&](Bootstrap& bootstrap) { reduce_ones(make_comm(bootstrap), "x", ways[0]); });
      bool const silent = value != "info" && value != "trace";
      EXPECT_EQ(::testing::internal::GetCapturedStderr().empty(), silent) << variable.name << "=" << value;
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

TEST(Environment, AVariableOfOneRankForbidsMulticastOnAllRanks) {
  if (thread_sanitized) GTEST_SKIP() << "ThreadSanitizer does not see across processes";
  for (char const* const setting :
       {"NVSHMEM_DISABLE_NVLS=1", "TORCH_SYMM_MEM_DISABLE_MULTICAST=1", "NCCL_NVLS_ENABLE=0"}) {
    expect_ends(run_forked_ranks(3, [&](ForkedRank& rank) {
      std::string const text = setting;
      std::optional<EnvironmentGuard> guard;
      if (rank.rank() == 1) guard.emplace(text.substr(0, text.find('=')), text.substr(text.find('=') + 1));
      std::string const description = make_comm(rank).describe();
      std::string const expected = "hardware multicast is off: " + text + (rank.rank() == 1 ? "\n" : " on rank 1\n");
      EXPECT_NE(description.find(expected), std::string::npos) << description;
    }));
  }
}

TEST(Environment, ValuesThatDifferOnlyAfterAHundredCharactersAreAMismatch) {
  if (thread_sanitized) GTEST_SKIP() << "ThreadSanitizer does not see across processes";
  expect_ends(run_forked_ranks(2, [](ForkedRank& rank) {
    EnvironmentGuard const guard("KOINON_TUNING", "/no/" + std::string(200, 'x') + std::to_string(rank.rank()));
    expect_error(caught([&] { (void)make_comm(rank); }), "MismatchError", "KOINON_TUNING", "rank 0 has =/no/x");
  }));
}

TEST(Environment, LogInfoDescribesTheCommunicatorOnEveryRankAlsoOfThreads) {
  EnvironmentGuard const guard("KOINON_LOG", "info");
  ::testing::internal::CaptureStderr();
  run_on(RankKind::threads, 2, [&](Bootstrap& bootstrap) { reduce_ones(make_comm(bootstrap), "x", ways[0]); });
  std::string const text = ::testing::internal::GetCapturedStderr();
  for (char const* const part : {"Koinon info: rank 0 of 2, communicator ", "Koinon info: rank 1 of 2, communicator "})
    EXPECT_NE(text.find(part), std::string::npos) << text;
}

}  // namespace
}  // namespace Koinon::Testing
