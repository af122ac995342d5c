// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <support/Koinon_FaultCalls.hpp>
#include <support/Koinon_RankKinds.hpp>

#include <gtest/gtest.h>

#include <memory>
#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>
#include <vector>

namespace Koinon::Testing {
namespace {

using Resource = decltype(RLIMIT_AS);  // an enumeration in some C libraries, a number in others

/// Lowers a limit of this process for its lifetime.
class LimitGuard {
 public:
  LimitGuard(Resource resource, rlim_t limit) : m_resource(resource) {
    getrlimit(m_resource, &m_before);
    rlimit const now{limit, m_before.rlim_max};
    EXPECT_EQ(setrlimit(m_resource, &now), 0);
  }
  LimitGuard(LimitGuard const&) = delete;
  LimitGuard& operator=(LimitGuard const&) = delete;
  ~LimitGuard() { setrlimit(m_resource, &m_before); }

 private:
  Resource m_resource;
  rlimit m_before{};
};

/// Leaves this process `left` free descriptors for its lifetime.
class DescriptorGuard {
 public:
  explicit DescriptorGuard(int left) : m_limit(RLIMIT_NOFILE, 64) {
    for (int fd = dup(STDIN_FILENO); fd >= 0; fd = dup(STDIN_FILENO)) m_taken.push_back(fd);
    for (; left > 0; --left) release();
  }
  DescriptorGuard(DescriptorGuard const&) = delete;
  DescriptorGuard& operator=(DescriptorGuard const&) = delete;
  ~DescriptorGuard() {
    while (!m_taken.empty()) release();
  }

 private:
  void release() {
    close(m_taken.back());
    m_taken.pop_back();
  }
  LimitGuard m_limit;
  std::vector<int> m_taken;
};

constexpr int victim = 1;

/// Makes a communicator while rank 1 is under a guard; expects that all ranks succeed or all throw ResourceError that
/// names rank 1, that nothing is left, and that the same ranks succeed afterwards. Returns whether all succeeded.
template <class MakeGuard>
bool create_under(MakeGuard const& make_guard) {
  constexpr RankEnd creation_failed{77, 0};
  auto const ends = run_forked_ranks(3, [&](ForkedRank& rank) {
    signal(SIGXFSZ, SIG_IGN);
    (void)ProcessSnapshot::take();
    ProcessSnapshot const before = ProcessSnapshot::take();
    auto const since = Clock::now();
    Caught found;
    {
      auto const guard = rank.rank() == victim ? make_guard() : nullptr;
      found = caught([&] {
        Comm const comm = make_comm(rank);
        reduce_ones(comm, "x", ways[1]);
      });
    }
    EXPECT_LT(Clock::now() - since, 2 * soon);
    if (found.type != "nothing") {
      expect_error(found, "ResourceError", "failed on rank 1:");
      rank.word(0) += 1;
    }
    expect_nothing_left(before);
    rank.barrier();
    EXPECT_TRUE(rank.word(0) == 0 || rank.word(0) == 3) << rank.word(0) << " of 3 ranks threw";
    { reduce_ones(make_comm(rank), "again", ways[1]); }
    if (rank.word(0) != 0 && !::testing::Test::HasFailure()) _exit(creation_failed.exit_code);
  });
  for (RankEnd const& end : ends) {
    EXPECT_TRUE(end == clean_end || end == creation_failed) << ::testing::PrintToString(end);
  }
  return ends.front() == clean_end;
}

TEST(CreationFailure, AtAnyDescriptorIsToldOnAllRanks) {
  if (address_sanitized) GTEST_SKIP() << "the sanitizer needs descriptors itself";
  int failures = 0;
  while (failures < 40 && !create_under([&] { return std::make_unique<DescriptorGuard>(failures); })) ++failures;
  EXPECT_GT(failures, 3) << "creation opens more descriptors than that";
  EXPECT_LT(failures, 40) << "no creation succeeded";
}

TEST(CreationFailure, ForWantOfAddressesIsToldOnAllRanks) {
  if (address_sanitized || thread_sanitized) GTEST_SKIP() << "sanitizers need the addresses themselves";
  int failures = 0;
  bool succeeded = false;
  for (rlim_t more = rlim_t{1} << 18; more < rlim_t{1} << 28 && !succeeded; more *= 2) {
    succeeded = create_under(
        [&] { return std::make_unique<LimitGuard>(RLIMIT_AS, ProcessSnapshot::take().mapped_bytes + more); });
    failures += succeeded ? 0 : 1;
  }
  EXPECT_GT(failures, 3) << "three segments of 9 MiB do not fit";
  EXPECT_TRUE(succeeded);
}

TEST(CreationFailure, ForWantOfSharedMemoryIsToldOnAllRanks) {
  for (rlim_t const limit : {rlim_t{0}, rlim_t{4096}, rlim_t{1} << 20}) {
    EXPECT_FALSE(create_under([&] { return std::make_unique<LimitGuard>(RLIMIT_FSIZE, limit); }));
  }
}

TEST(CreationFailure, LeavesTheParentWorkingWhenASplitFails) {
  if (address_sanitized) GTEST_SKIP() << "the sanitizer needs descriptors itself";
  expect_ends(run_forked_ranks(3, [](ForkedRank& rank) {
    Comm const comm = make_comm(rank);
    {
      auto const guard = rank.rank() == victim ? std::make_unique<DescriptorGuard>(2) : nullptr;
      expect_error(caught([&] { (void)comm.split(0, 0); }), "ResourceError", "failed on rank 1:");
    }
    reduce_ones(comm, "x", ways[1]);
    auto const again = comm.split(0, 0);
    reduce_ones(*again, "x", ways[1]);
  }));
}

class BadOptions : public OnBothKinds {};
INSTANTIATE_TEST_SUITE_P(Ranks, BadOptions, both_kinds(), kind_name);

TEST_P(BadOptions, AreRefusedOnAllRanksWithTheValue) {
  struct Bad {
    CommunicatorOptions options;
    char const* text;
  };
  std::vector<Bad> const all{
      {{.staging_bytes = 1000}, "staging_bytes is 1000, at least 65536 expected"},
      {{.staging_bytes = std::size_t{1} << 40}, "1099511627776"},
      {{.symmetric_bytes = std::size_t{1} << 40}, "1099511627776"},
      // Each is allowed, but not both: an array's place would not fit the entry words.
      {{.staging_bytes = std::size_t{40} << 30, .symmetric_bytes = std::size_t{40} << 30}, "at most 68719472640 expected"},
      {{.timeout = std::chrono::seconds(-1)}, "negative timeout"},
      {{.concurrent_communicators = 0}, "concurrent_communicators is 0"},
  };
  run(2, [&](Bootstrap& bootstrap) {
    for (Bad const& bad : all) {
      expect_error(caught([&] { (void)make_comm(bootstrap, bad.options); }), "InvalidArgument", bad.text);
    }
    reduce_ones(make_comm(bootstrap), "after", ways[0]);
  });
}

TEST_P(BadOptions, ThatDifferOverRanksAreAMismatchThatSaysWhoHasWhat) {
  struct Different {
    CommunicatorOptions of_rank_1;
    char const* text;
  };
  std::vector<Different> const all{
      {{.staging_bytes = 1 << 20}, "staging_bytes differs over ranks: rank 0 has 4194304, rank 1 has 1048576"},
      {{.symmetric_bytes = 0}, "symmetric_bytes differs over ranks: rank 0 has 4194304, rank 1 has 0"},
      {{.timeout = std::chrono::seconds(7)}, "timeout in nanoseconds differs over ranks: rank 0 has 600000000000"},
      {{.concurrent_communicators = 9}, "concurrent_communicators differs over ranks: rank 0 has 4, rank 1 has 9"},
      {{.zero_copy_bytes = 256}, "zero_copy_bytes differs over ranks: rank 0 has 2097152, rank 1 has 256"},
      {{.launch_number = 77}, "launch_number differs over ranks: rank 0 has 0, rank 1 has 77"},
  };
  run(3, [&](Bootstrap& bootstrap) {
    for (Different const& different : all) {
      CommunicatorOptions const mine = bootstrap.rank() == 1 ? different.of_rank_1 : CommunicatorOptions{};
      expect_error(caught([&] { (void)make_comm(bootstrap, mine); }), "MismatchError", different.text);
    }
    reduce_ones(make_comm(bootstrap, {.symmetric_bytes = 0}), "after", ways[1]);
  });
}

}  // namespace
}  // namespace Koinon::Testing
