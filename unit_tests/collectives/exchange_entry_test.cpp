// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Koinon_CoreWithoutMpi.hpp>
#include <support/Koinon_RankRunner.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <thread>
#include <vector>

/// The entry barrier of borrowed exchanges: what it keeps from happening, and what happens where it is left out.
namespace Koinon::Testing {
namespace {

using Policy = CollectivePolicy<HostThread>;
constexpr std::size_t columns_of_rank = 400;

/// Returns what is in a lent result now. Atomic: a peer may be storing into it.
float seen(float const* lent) {
  return std::atomic_ref(*const_cast<float*>(lent)).load(std::memory_order_relaxed);
}

/// Waits until the first element of a peer's part is another, at most that long; says whether it came to be.
bool changes(float const* lent, float from, std::chrono::milliseconds within) {
  auto const end = std::chrono::steady_clock::now() + within;
  while (std::chrono::steady_clock::now() < end) {
    if (seen(lent) != from) return true;
    std::this_thread::yield();
  }
  return false;
}

/// Runs body(comm, plain, skipping, gather) on two ranks; gather(policy, value) lends a result that holds the ranks' values.
template <class Body>
void on_two_ranks(Body const& body) {
  run_ranks(ranks_as() == RanksAs::mpi ? rank_counts()[0] : 2, [&](Bootstrap& bootstrap) {
    if (bootstrap.size() < 2) return;
    HostThread const space;
    Communicator const comm(space, bootstrap, CommunicatorOptions{.zero_copy_bytes = 256});
    Policy const plain(space, comm);
    auto const one_shot = require(plain, Tuning{.algorithm = Algorithm::one_shot});
    auto const skipping = require(one_shot, SkipEntryBarrier{});
    Workspace const workspace(
        comm, workspace_bytes<AllGatherColumns, float>(comm.size(), 1, columns_of_rank * static_cast<std::size_t>(comm.size())));
    std::vector<float> in(columns_of_rank);
    body(comm, one_shot, skipping, [&](Policy const& policy, float value) {
      in.assign(columns_of_rank, value);
      auto const lent = all_gather_columns_borrowed("lent", policy, workspace, Array<float const, 2>(in.data(), 1, columns_of_rank));
      return lent.data() + columns_of_rank * static_cast<std::size_t>(comm.rank() == 0 ? 1 : 0);  // of a peer
    });
    barrier(plain);
  });
}

TEST(EntryBarrier, KeepsALentResultUntilItsRankCallsAgain) {
  on_two_ranks([](auto const& comm, Policy const& plain, Policy const&, auto&& gather) {
    float const* const lent = gather(plain, 1.0f);
    if (comm.rank() == 0) {
      EXPECT_FALSE(changes(lent, 1.0f, std::chrono::milliseconds(20))) << "the others have entered their next call";
    }
    gather(plain, 2.0f);
    EXPECT_EQ(seen(lent), 2.0f);
  });
}

/// The hazard that the trait's comment names: this rank still reads, the next call of a peer stores.
TEST(SkipEntryBarrier, LetsAPeersNextCallOverwriteALentResultThatIsStillRead) {
#if defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "it is a data race, by intent";
#endif
  on_two_ranks([](auto const& comm, Policy const& plain, Policy const& skipping, auto&& gather) {
    float const* const lent = gather(plain, 1.0f);
    if (comm.rank() == 0) {
      EXPECT_TRUE(changes(lent, 1.0f, std::chrono::seconds(20))) << "there was a barrier all the same";
    }
    gather(skipping, 2.0f);
    EXPECT_EQ(seen(lent), 2.0f);
  });
}

TEST(SkipEntryBarrier, IsSafeBehindTheCallersOwnBarrierSinceTheLastRead) {
  on_two_ranks([](auto const& comm, Policy const& plain, Policy const& skipping, auto&& gather) {
    float value = 1.0f;
    for (int call = 0; call < 20; ++call, value += 1.0f) {
      float const* const lent = gather(skipping, value);
      bool const slow = call % comm.size() == comm.rank();
      EXPECT_EQ(seen(lent), value);
      if (slow) {
        EXPECT_FALSE(changes(lent, value, std::chrono::milliseconds(2)));
      }
      barrier(plain);
    }
  });
}

}  // namespace
}  // namespace Koinon::Testing
