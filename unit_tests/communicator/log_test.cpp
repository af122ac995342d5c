// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Koinon_EnvironmentGuard.hpp"
#include <support/Koinon_FaultCalls.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <sstream>
#include <sys/mman.h>
#include <unistd.h>

namespace Koinon::Testing {
namespace {

/// Runs something with standard error going to memory, and returns the lines that were written.
template <class F>
std::vector<std::string> lines_of(F&& f) {
  int const memory = memfd_create("stderr", 0);
  int const before = dup(STDERR_FILENO);
  std::fflush(stderr);
  dup2(memory, STDERR_FILENO);
  f();
  std::fflush(stderr);
  dup2(before, STDERR_FILENO);
  close(before);
  std::string text(static_cast<std::size_t>(lseek(memory, 0, SEEK_END)), '\0');
  EXPECT_EQ(pread(memory, text.data(), text.size(), 0), static_cast<ssize_t>(text.size()));
  close(memory);
  std::istringstream stream(text);
  std::vector<std::string> lines;
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

std::string joined(std::vector<std::string> const& lines) {
  std::string text;
  for (std::string const& line : lines) text += line + "\n";
  return text;
}

/// Counts the lines of a level whose message contains the text. Every line must have the head of a line of the log.
std::size_t count(std::vector<std::string> const& lines, std::string const& level, std::string const& text) {
  std::size_t found = 0;
  for (std::string const& line : lines) {
    std::array<char, 8> read{};
    unsigned rank = 0;
    unsigned ranks = 0;
    unsigned id = 0;
    std::sscanf(line.c_str(), "Koinon %7[a-z]: rank %u of %u, communicator %x", read.data(), &rank, &ranks, &id);
    std::string const its(read.data());
    std::array<char, 80> head{};  // written again and compared: std::regex took half a minute to compile
    int const length = std::snprintf(head.data(), head.size(), "Koinon %s: rank %u of %u, communicator %08x: ",
                                     its.c_str(), rank, ranks, id);
    bool const known = its == "error" || its == "info" || its == "trace";
    if (!known || !line.starts_with(head.data())) {
      ADD_FAILURE() << "no line of the log: " << line;
      continue;
    }
    found += its == level && line.find(text, static_cast<std::size_t>(length)) != std::string::npos ? 1 : 0;
  }
  return found;
}

/// Each rank is a process of its own and keeps its own lines.
class Log : public ::testing::Test {
 protected:
  void SetUp() override {
    if (thread_sanitized) GTEST_SKIP() << "ThreadSanitizer does not see across processes";
  }
};

/// Makes every kind of call that is logged, all of which succeed.
void use(Bootstrap& bootstrap) {
  Comm const comm = make_comm(bootstrap);
  CollectivePolicy<HostThread> const policy(comm.space(), comm);
  auto const x = symmetric_array<double, 1>(comm, 12);
  all_reduce("grad", require(policy, Tuning{.algorithm = Algorithm::one_shot}), x, x, Max{});
  reduce_ones(comm, "two\nlines\t\x7f", ways[0]);
  barrier(policy);
  reduce_ones(comm, "wish", {Algorithm::low_latency, 1'000'000});
  free_symmetric(comm, x);
  auto const part = comm.split(0, -comm.rank());
  reduce_ones(*part, "of the part", ways[0]);
}

TEST_F(Log, OffAndErrorAreSilentWhileNothingFails) {
  for (char const* const level : {"off", "error", ""}) {
    EnvironmentGuard const guard("KOINON_LOG", level);
    expect_ends(run_forked_ranks(2, [](ForkedRank& rank) {
      auto const lines = lines_of([&] { use(rank); });
      EXPECT_EQ(joined(lines), "");
    }));
  }
}

TEST_F(Log, InfoTellsOfCommunicatorsFromMakingToEndAndOfDroppedPreferencesOnce) {
  EnvironmentGuard const guard("KOINON_LOG", "info");
  expect_ends(run_forked_ranks(2, [](ForkedRank& rank) {
    auto const lines = lines_of([&] {
      use(rank);
      Comm const comm = make_comm(rank);
      for (int i = 0; i < 3; ++i) reduce_ones(comm, "wish", {Algorithm::low_latency, 1'000'000});
    });
    EXPECT_EQ(count(lines, "info", "made"), 3u) << joined(lines);
    EXPECT_EQ(count(lines, "info", "timeout        600 s"), 3u) << joined(lines);
    EXPECT_EQ(count(lines, "info", "destroyed after launch 4"), 1u) << joined(lines);
    EXPECT_EQ(count(lines, "info", "destroyed after launch 3"), 1u) << joined(lines);
    EXPECT_EQ(count(lines, "info", "destroyed after launch 1"), 1u) << joined(lines);
    EXPECT_EQ(count(lines, "info", "preferences not kept: all_reduce: algorithm"), 2u) << joined(lines);
    EXPECT_EQ(count(lines, "trace", ""), 0u) << joined(lines);
    EXPECT_EQ(count(lines, "error", ""), 0u) << joined(lines);
  }));
}

TEST_F(Log, TraceTellsOfEachCallItsLabelLaunchSizeAndSelectionInOneLine) {
  EnvironmentGuard const guard("KOINON_LOG", "trace");
  expect_ends(run_forked_ranks(2, [](ForkedRank& rank) {
    auto const lines = lines_of([&] { use(rank); });
    for (char const* const text :
         {"launch 1 [grad]: all_reduce(12 double, max, one_shot, peer_load, 1 blocks)",
          "launch 2 [two\\x0alines\\x09\\x7f]: all_reduce(2 float, sum, low_latency, peer_load, 1 blocks)",
          "launch 3: barrier", "launch 4 [wish]: all_reduce(1000000 float, sum, two_shot, peer_load, 1 blocks)",
          "launch 1 [of the part]: all_reduce(2 float, sum, low_latency",
          "symmetric memory [array]: 96 bytes at offset", " freed", "split by color 0, key "}) {
      EXPECT_EQ(count(lines, "trace", text), 1u) << text << " is not once in\n" << joined(lines);
    }
    EXPECT_EQ(count(lines, "trace", "ranks 1, 0 in this order"), 1u) << joined(lines);
    EXPECT_EQ(count(lines, "trace", "launch "), 5u) << joined(lines);
    EXPECT_EQ(count(lines, "info", "made"), 2u) << "a level includes those before it\n" << joined(lines);
  }));
}

TEST_F(Log, NamesEachCommunicatorAlikeOnItsRanksAndUnlikeOthers) {
  EnvironmentGuard const guard("KOINON_LOG", "info");
  expect_ends(run_forked_ranks(3, [](ForkedRank& rank) {
    auto const lines = lines_of([&] {
      for (int i = 0; i < 5; ++i) (void)make_comm(rank);
    });
    std::vector<std::int64_t> names;
    for (std::string const& line : lines) {
      if (line.find(": made") == std::string::npos) continue;
      std::string const before = "communicator ";
      names.push_back(std::stoll(line.substr(line.find(before) + before.size(), 8), nullptr, 16));
    }
    ASSERT_EQ(names.size(), 5u);
    for (std::size_t i = 0; i < 5; ++i) {
      rank.word(i) = names[i];  // each must write the same
      rank.barrier();
      EXPECT_EQ(rank.word(i), names[i]);
      rank.barrier();
    }
    std::sort(names.begin(), names.end());
    EXPECT_EQ(std::adjacent_find(names.begin(), names.end()), names.end());
  }));
}

/// Rank 1 is killed in the call; rank 0 finds it and then tries again.
std::vector<std::string> lines_of_a_killed_peer(ForkedRank& rank) {
  return lines_of([&] {
    Comm const comm = make_comm(rank);
    if (rank.rank() == 1) rank.die();
    expect_missing(caught([&] { reduce_ones(comm, "grad", ways[1]); }), {1});
    EXPECT_EQ(caught([&] { reduce_ones(comm, "again", ways[1]); }).type, "TimeoutError");
    EXPECT_EQ(caught([&] { comm.check(); }).type, "TimeoutError");
  });
}

TEST_F(Log, ErrorTellsOfAFailureOnceAndIsTheDefault) {
  for (char const* const level : {"error", ""}) {
    EnvironmentGuard const guard("KOINON_LOG", level);
    expect_ends(run_forked_ranks(2,
                                 [](ForkedRank& rank) {
                                   auto const lines = lines_of_a_killed_peer(rank);
                                   ASSERT_EQ(lines.size(), 1u) << joined(lines);
                                   EXPECT_EQ(count(lines, "error",
                                                   "failed: Koinon::all_reduce [grad], launch 1: "
                                                   "rank 0: the process of rank 1 has ended"),
                                             1u)
                                       << joined(lines);
                                 }),
                {1});
  }
}

TEST_F(Log, OffIsSilentAboutFailuresToo) {
  EnvironmentGuard const guard("KOINON_LOG", "off");
  expect_ends(run_forked_ranks(2, [](ForkedRank& rank) { EXPECT_EQ(joined(lines_of_a_killed_peer(rank)), ""); }), {1});
}

TEST_F(Log, AnAbortIsAnErrorWhereItIsMadeAndInformationWhereItIsTold) {
  for (char const* const level : {"error", "info"}) {
    EnvironmentGuard const guard("KOINON_LOG", level);
    bool const info = std::string(level) == "info";
    expect_ends(run_forked_ranks(2, [info](ForkedRank& rank) {
      auto const lines = lines_of([&] {
        Comm const comm = make_comm(rank);
        if (rank.rank() == 1) comm.abort("the input ended");
        rank.barrier();
        expect_error(caught([&] { comm.check(); }), "AbortedError", "the input ended");
      });
      std::string const text = "failed: Koinon::communicator: rank 1 aborted the communicator: the input ended";
      EXPECT_EQ(count(lines, "error", text), rank.rank() == 1 ? 1u : 0u) << joined(lines);
      EXPECT_EQ(count(lines, "info", text), info && rank.rank() == 0 ? 1u : 0u) << joined(lines);
      EXPECT_EQ(count(lines, "info", "destroyed after launch 0, failed"), info ? 1u : 0u) << joined(lines);
    }));
  }
}

TEST_F(Log, LinesOfThreadsDoNotMix) {
  EnvironmentGuard const guard("KOINON_LOG", "trace");
  expect_ends(run_forked_ranks(1, [](ForkedRank&) {  // a process of its own, whose ranks are threads
    auto const lines = lines_of([] {
      run_thread_ranks(4, [](ThreadBootstrap& bootstrap) {
        Comm const comm = make_comm(bootstrap);
        for (int i = 0; i < 50; ++i) reduce_ones(comm, std::string(100, 'x'), ways[0]);
      });
    });
    EXPECT_EQ(count(lines, "trace", "launch "), 200u);
    EXPECT_EQ(count(lines, "info", "destroyed after launch 50"), 4u);
  }));
}

TEST_F(Log, AForkedChildThatDestroysItsParentsCommunicatorSaysNothing) {
  EnvironmentGuard const guard("KOINON_LOG", "trace");
  expect_ends(run_forked_ranks(1, [](ForkedRank& rank) {
    std::optional<Comm> comm;
    EXPECT_EQ(count(lines_of([&] { comm.emplace(make_comm(rank)); }), "info", "made"), 1u);
    pid_t const child = fork();
    if (child == 0) {
      auto const lines = lines_of([&] { comm.reset(); });
      _exit(lines.empty() ? 0 : 1);
    }
    int status = -1;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
    EXPECT_EQ(count(lines_of([&] { comm.reset(); }), "info", "destroyed"), 1u);
  }));
}

TEST_F(Log, OnlyTraceHasCallsDescribeThemselves) {
  for (char const* const level : {"off", "error", "info", "trace"}) {
    EnvironmentGuard const guard("KOINON_LOG", level);
    bool const trace = std::string(level) == "trace";
    expect_ends(run_forked_ranks(1, [trace](ForkedRank& rank) {
      (void)lines_of([&] { EXPECT_EQ(make_comm(rank).state()->checks_calls(), trace); });
    }));
  }
}

}  // namespace
}  // namespace Koinon::Testing
