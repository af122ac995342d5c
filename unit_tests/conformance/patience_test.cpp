// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <conformance/Koinon_Vocabularies.hpp>

#include <chrono>
#include <mutex>
#include <set>
#include <thread>

namespace Koinon::Testing {
namespace {

using Clock = std::chrono::steady_clock;

template <class Vocabulary>
class Patience : public ::testing::Test {};
TYPED_TEST_SUITE(Patience, Vocabularies, VocabularyName);

TYPED_TEST(Patience, AWaitEndsWhenItIsReady) {
  using Block = typename TypeParam::Block;
  TypeParam::on_ranks(2, [](auto& communicator, Block const& block) {
    int asked = 0;
    EXPECT_TRUE(
        Impl::wait_until(block, communicator.device(), 1, 1 - communicator.rank(), [&] { return ++asked == 3000; }));
    EXPECT_EQ(asked, 3000);
    barrier("both", CollectivePolicy(communicator.space(), communicator));  // a peer that leaves ends the wait, too
  });
}

TYPED_TEST(Patience, AWaitIsGivenUpSoonAfterAnAbortAndTheReasonIsRecorded) {
  using Block = typename TypeParam::Block;
  TypeParam::on_ranks(2, [](auto& communicator, Block const& block) {
    if (communicator.rank() == 1) {
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
      communicator.abort("enough");
    }
    auto const since = Clock::now();
    EXPECT_FALSE(Impl::wait_until(block, communicator.device(), 1, 1 - communicator.rank(), [] { return false; }));
    EXPECT_LT(Clock::now() - since, std::chrono::seconds(5));
    try {
      communicator.check();
      ADD_FAILURE() << "an aborted communicator passes its check";
    } catch (AbortedError const& e) {
      EXPECT_EQ(e.rank(), 1);
      EXPECT_NE(std::string(e.what()).find("enough"), std::string::npos) << e.what();
    }
  });
}

TYPED_TEST(Patience, AWaitIsGivenUpAtTheDeadlineAndNamesThePeer) {
  using Block = typename TypeParam::Block;
  using Space = std::remove_cvref_t<decltype(HostThread())>;
  run_thread_ranks(2, [](ThreadBootstrap& bootstrap) {
    Communicator<Space> communicator(Space(), bootstrap, {.timeout = std::chrono::milliseconds(50)});
    Block const block(0, 1);
    if (communicator.rank() != 0) {
      std::this_thread::sleep_for(std::chrono::milliseconds(200));
      return;
    }
    auto const since = Clock::now();
    EXPECT_FALSE(Impl::wait_until(block, communicator.device(), 9, 1, [] { return false; }));
    EXPECT_GE(Clock::now() - since, std::chrono::milliseconds(45));
    EXPECT_THROW(communicator.check(), TimeoutError);
  });
}

TEST(RunOnThreads, CallsEveryIndexOnceAndReturnsWhenAllHaveEnded) {
  for (int const count : {1, 2, 3, 8}) {
    struct Seen {
      std::mutex mutex;
      std::multiset<int> indices;
    } seen;
    unsigned long const before = Impl::parallel_regions();
    Impl::run_on_threads(
        count,
        [](void* argument, int index) {
          auto& s = *static_cast<Seen*>(argument);
          std::scoped_lock const lock(s.mutex);
          s.indices.insert(index);
        },
        &seen);
    EXPECT_EQ(Impl::parallel_regions(), before + 1);
    EXPECT_EQ(seen.indices.size(), static_cast<std::size_t>(count));
    for (int i = 0; i < count; ++i) EXPECT_EQ(seen.indices.count(i), 1u);
  }
}

}  // namespace
}  // namespace Koinon::Testing
