// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <support/Koinon_ExecutionSpaces.hpp>
#include <support/Koinon_FaultCalls.hpp>
#include <support/Koinon_RankKinds.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <span>
#include <stdexcept>
#include <utility>
#include <vector>

namespace Koinon::Testing {
namespace {

struct Fault : std::runtime_error {
  using std::runtime_error::runtime_error;
};

TEST(Throw, OnAThreadRankIsRethrownAndItsPeersAreToldTheRank) {
  for (int round = 0; round < 50; ++round) {
    std::atomic<int> told{0};
    EXPECT_THROW(run_thread_ranks(4,
                                  [&](ThreadBootstrap& bootstrap) {
                                    Comm comm = make_comm(bootstrap);
                                    reduce_ones(comm, "before", ways[0]);
                                    bootstrap.barrier();  // an abort also ends calls that are just returning
                                    if (bootstrap.rank() == 2) throw Fault("mine");
                                    Caught const found = caught([&] { reduce_ones(comm, "after", ways[round % 3]); });
                                    expect_error(found, "AbortedError", "rank 2", "unwound");
                                    EXPECT_EQ(found.rank, 2);
                                    if (found.rank == 2) ++told;
                                    if (round % 2 == 0) comm.check();  // the peer's own exception must not win
                                  }),
                 Fault);
    EXPECT_EQ(told, 3);
  }
}

TEST(Throw, OnAThreadRankReachesPeersThatWaitInTheBootstrap) {
  EXPECT_THROW(run_thread_ranks(3,
                                [&](ThreadBootstrap& bootstrap) {
                                  if (bootstrap.rank() == 0) throw Fault("early");
                                  Caught const found = caught([&] { (void)make_comm(bootstrap); });
                                  expect_error(found, "AbortedError", "thread rank 0 threw");
                                  EXPECT_EQ(found.rank, 0);
                                }),
               Fault);
}

TEST(Throw, InOneProcessAbortsTheOthersAndEndsOnlyThatOne) {
  if (thread_sanitized) GTEST_SKIP() << "ThreadSanitizer does not see across processes";
  auto const ends = run_forked_ranks(3, [](ForkedRank& rank) {
    ProcessSnapshot const before = ProcessSnapshot::take();
    {
      Comm comm = make_comm(rank);
      reduce_ones(comm, "before", ways[0]);
      rank.barrier();
      if (rank.rank() == 1) throw Fault("mine");
      Caught const found = caught([&] { reduce_ones(comm, "after", ways[2]); });
      expect_error(found, "AbortedError", "rank 1 aborted the communicator", "unwound");
      EXPECT_EQ(found.rank, 1);
      expect_stays_failed(comm, found);
    }
    expect_nothing_left(before);
  });
  EXPECT_EQ(ends, (std::vector<RankEnd>{clean_end, threw_end, clean_end}));
}

/// A reducer that throws on one rank.
struct Faulty {
  bool throws = false;
  void init(float& value) const { value = 0; }
  float join(float a, float b) const {
    if (throws) throw Fault("reducer");
    return a + b;
  }
};

template <class Space>
void expect_reducers_fault_to_end(Bootstrap& bootstrap, Algorithm algorithm, std::size_t count) {
  Space const space;
  Communicator const comm(space, bootstrap, CommunicatorOptions{.timeout = std::chrono::seconds(30)});
  auto const policy =
      require(CollectivePolicy(space, comm), Tuning{.algorithm = algorithm, .blocks = comm.max_blocks()});
  std::vector<float> in(count, 1);
  std::vector<float> out(count);
  auto const reduce = [&](bool throws) {
    all_reduce("sum", policy, std::span(in), std::span(out), Faulty{throws});
  };
  reduce(false);
  EXPECT_EQ(out[count - 1], 2);
  if (comm.rank() == 1) {
    EXPECT_THROW(reduce(true), Fault);
  } else {
    (void)caught([&] { reduce(false); });  // right, or told already
  }
  bootstrap.barrier();
  Caught const found = caught([&] { reduce(false); });
  expect_error(found, "AbortedError", "rank 1", "a reducer threw");
}

/// Half a launch would leave this rank a number behind: its peers' next results would be wrong.
TEST(Throw, FromAReducerReachesTheCallerAndEndsTheCommunicatorForAll) {
  for (auto const& [algorithm, count] : {std::pair(Algorithm::low_latency, std::size_t{100}),
                                         std::pair(Algorithm::one_shot, std::size_t{5000}),
                                         std::pair(Algorithm::two_shot, std::size_t{5000})}) {
    for (bool const team : {false, true}) {
      run_thread_ranks(2, [&, chosen = algorithm, elements = count](ThreadBootstrap& bootstrap) {
        if (team) {
          expect_reducers_fault_to_end<TeamOf<3>>(bootstrap, chosen, elements);
        } else {
          expect_reducers_fault_to_end<HostThread>(bootstrap, chosen, elements);
        }
      });
    }
  }
}

class Abort : public OnBothKinds {};
INSTANTIATE_TEST_SUITE_P(Ranks, Abort, both_kinds(), kind_name);

TEST_P(Abort, OfParentAndChildCommunicatorsByOneThrow) {
  run(3, [](Bootstrap& bootstrap) {
    Caught const own = caught([&] {
      Comm parent = make_comm(bootstrap);
      auto child = parent.split(0, -bootstrap.rank());
      if (bootstrap.rank() == 0) throw Fault("mine");
      Caught const in_child = caught([&] { reduce_ones(*child, "x", ways[1]); });
      expect_error(in_child, "AbortedError");
      EXPECT_EQ(in_child.rank, 2) << "rank 0 is the last of the child";
      Caught const in_parent = caught([&] { reduce_ones(parent, "x", ways[1]); });
      expect_error(in_parent, "AbortedError");
      EXPECT_EQ(in_parent.rank, 0);
    });
    EXPECT_EQ(own.type, bootstrap.rank() == 0 ? "another exception" : "nothing") << own.message;
  });
}

TEST_P(Abort, FromAnotherThreadEndsEveryWait) {
  for (Way const& way : ways) {
    run(3, [&](Bootstrap& bootstrap) {
      Comm comm = make_comm(bootstrap);
      std::thread breaker;
      if (bootstrap.rank() == 0) {
        breaker = std::thread([&] {
          std::this_thread::sleep_for(milliseconds(30));
          comm.abort("the user closed the window");
        });
      }
      auto const since = Clock::now();
      Caught found;
      if (bootstrap.rank() == 2) {  // never calls; is told nevertheless
        while (found.type == "nothing" && Clock::now() - since < soon) found = caught([&] { comm.check(); });
      } else {
        found = caught([&] { reduce_ones(comm, std::string("a label that is gone afterwards"), way); });
      }
      if (breaker.joinable()) breaker.join();
      expect_error(found, "AbortedError", "rank 0 aborted the communicator: the user closed the window");
      EXPECT_EQ(found.rank, 0);
      EXPECT_LT(Clock::now() - since, soon);
      expect_stays_failed(comm, found);
    });
  }
}

TEST_P(Abort, ByAllRanksAtOnceKeepsOneReasonARank) {
  run(4, [](Bootstrap& bootstrap) {
    Comm comm = make_comm(bootstrap);
    bootstrap.barrier();
    comm.abort("rank " + std::to_string(bootstrap.rank()));
    comm.abort("second");
    Caught const found = caught([&] { comm.check(); });
    expect_error(found, "AbortedError", "rank " + std::to_string(found.rank) + " aborted");
    EXPECT_FALSE(found.says("second"));
    expect_stays_failed(comm, found);
  });
}

TEST_P(Abort, WithALongReasonIsCutNotLost) {
  run(2, [](Bootstrap& bootstrap) {
    Comm comm = make_comm(bootstrap);
    if (bootstrap.rank() == 1) comm.abort(std::string(5000, 'y'));
    expect_error(caught([&] { reduce_ones(comm, "x", ways[0]); }), "AbortedError", std::string(200, 'y'));
  });
}

class Left : public OnBothKinds {};
INSTANTIATE_TEST_SUITE_P(Ranks, Left, both_kinds(), kind_name);

TEST_P(Left, ACommunicatorThatOneRankDestroyedEndsTheOthersCall) {
  for (Way const& way : ways) {
    run(3, [&](Bootstrap& bootstrap) {
      std::optional<Comm> comm = make_comm(bootstrap);
      reduce_ones(*comm, "first", way);
      bootstrap.barrier();  // all have returned from it: what fails next is "second"
      auto const since = Clock::now();
      if (bootstrap.rank() == 1) {
        comm.reset();
      } else {
        Caught const found = caught([&] { reduce_ones(*comm, "second", way); });
        expect_missing(found, {1});
        expect_error(found, "TimeoutError", "rank 1 has destroyed its communicator", "second");
        EXPECT_EQ(found.launch_number, 2u);
        expect_stays_failed(*comm, found);
      }
      EXPECT_LT(Clock::now() - since, soon);
    });
  }
}

TEST_P(Left, ACommunicatorThatOneRankDestroyedEndsTheOthersAllocation) {
  run(2, [&](Bootstrap& bootstrap) {
    std::optional<Comm> comm = make_comm(bootstrap);
    if (bootstrap.rank() == 0) {
      comm.reset();
    } else {
      Caught const found = caught([&] { (void)symmetric_array<float, 1>(*comm, 10); });
      expect_missing(found, {0});
      expect_error(found, "TimeoutError", "destroyed its communicator");
    }
  });
}

// A message that came just before the farewell must be read, however late its reader looks.
TEST_P(Left, RightAfterAnAllocationIsNoFailure) {
  run(2, [&](Bootstrap& bootstrap) {
    CommunicatorOptions const small{.staging_bytes = 1 << 16, .symmetric_bytes = 1 << 16};
    for (int i = 0; i < 200; ++i) {
      Comm const comm = make_comm(bootstrap, small);
      (void)symmetric_array<float, 1>(comm, 10);
    }
  });
}

}  // namespace
}  // namespace Koinon::Testing
