// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <support/Koinon_FaultCalls.hpp>

#include <gtest/gtest.h>

namespace Koinon::Testing {
namespace {

/// Is a rank's bootstrap in which that rank dies, or throws, at its n-th exchange.
class FailingBootstrap final : public Bootstrap {
 public:
  enum class Way { dies, throws };
  FailingBootstrap(ForkedRank& rank, int at, Way way) : m_inner(rank), m_left(at), m_way(way) {}

  [[nodiscard]] int rank() const override { return m_inner.rank(); }
  [[nodiscard]] int size() const override { return m_inner.size(); }
  void all_gather(std::span<std::byte const> mine, std::span<std::byte> all) override {
    pass();
    m_inner.all_gather(mine, all);
  }
  void barrier() override {
    pass();
    m_inner.barrier();
  }

 private:
  void pass() {
    if (m_left-- != 0) return;
    if (m_way == Way::dies) m_inner.die();
    throw std::runtime_error("the store is gone");
  }

  ForkedRank& m_inner;
  int m_left;
  Way m_way;
};

constexpr int more_exchanges_than_creation_makes = 40;

constexpr int victim = 1;

/// Makes a communicator while rank 1 fails in exchange `at`, and expects every rank to end soon with an error.
std::vector<RankEnd> fail_in_exchange(int at, FailingBootstrap::Way way) {
  return run_forked_ranks(3, [&](ForkedRank& rank) {
    ProcessSnapshot const before = ProcessSnapshot::take();
    auto const since = Clock::now();
    FailingBootstrap bootstrap(rank, rank.rank() == victim ? at : 1000, way);
    Caught const found = caught([&] {
      Comm const comm = make_comm(bootstrap);
      reduce_ones(comm, "x", ways[0]);
    });
    EXPECT_LT(Clock::now() - since, soon);
    expect_nothing_left(before);
    if (found.type == "nothing") return;  // creation needs fewer exchanges
    if (rank.rank() == victim) throw std::runtime_error(found.message);
    // What the bootstrap threw, or what the set-up found out by itself.
    if (found.type == "another exception") return;
    EXPECT_TRUE(found.type == "ResourceError" || found.type == "TimeoutError") << found.message;
    EXPECT_TRUE(found.says("rank 1")) << found.message;
  });
}

TEST(Creation, EndsOnAllRanksWhicheverExchangeARankDiesIn) {
  int at = 0;
  for (; at < more_exchanges_than_creation_makes; ++at) {
    std::vector<RankEnd> const ends = fail_in_exchange(at, FailingBootstrap::Way::dies);
    if (ends[victim] == clean_end) break;
    expect_ends(ends, {victim});
  }
  EXPECT_GT(at, 5) << "creation agrees on more than that";
  EXPECT_LT(at, more_exchanges_than_creation_makes) << "no creation ended well";
}

TEST(Creation, EndsOnAllRanksWhicheverExchangeThrowsOnARank) {
  int at = 0;
  for (; at < more_exchanges_than_creation_makes; ++at) {
    std::vector<RankEnd> ends = fail_in_exchange(at, FailingBootstrap::Way::throws);
    if (ends[victim] == clean_end) break;
    EXPECT_EQ(ends[victim], threw_end);
    ends.erase(ends.begin() + victim);
    expect_ends(ends);
  }
  EXPECT_GT(at, 5);
  EXPECT_LT(at, more_exchanges_than_creation_makes);
}

// Creation over the communicator's own memory: nothing of the user's could end these waits.
TEST(Creation, NamesARankThatDiesWhileACommunicatorIsSplit) {
  for (int const microseconds : {0, 20, 50, 100, 200, 400, 800}) {
    expect_ends(run_forked_ranks(3,
                                 [&](ForkedRank& rank) {
                                   ProcessSnapshot const before = ProcessSnapshot::take();
                                   {
                                     Comm comm = make_comm(rank);
                                     rank.barrier();
                                     auto const since = Clock::now();
                                     if (rank.rank() == 2) {
                                       std::thread([&] {
                                         std::this_thread::sleep_for(std::chrono::microseconds(microseconds));
                                         rank.die();
                                       }).detach();
                                     }
                                     Caught found = caught([&] {
                                       for (;;) (void)comm.split(0, 0);
                                     });
                                     expect_missing(found, {2});
                                     EXPECT_LT(Clock::now() - since, soon + milliseconds(200));
                                     // Whoever ends before the others have looked is missing too.
                                     std::this_thread::sleep_for(milliseconds(300));
                                   }
                                   expect_nothing_left(before);
                                 }),
                {2});
  }
}

}  // namespace
}  // namespace Koinon::Testing
