// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <collectives/Koinon_Session.hpp>

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace Koinon::Testing {
namespace {

/// Requirements and preferences in real calls.
class Policies : public ::testing::Test {
 protected:
  static void on_two_ranks(std::function<void(Session const&)> const& body) {
    run_ranks(2, [&](Bootstrap& bootstrap) { body(Session(bootstrap, HostSpaces::index_of<HostThread>())); });
  }
};

template <class Policy>
void expect_sum(Policy const& policy, std::size_t count) {
  std::vector<float> in(count, 1.5f);
  std::vector<float> out(count);
  all_reduce("sum", policy, std::span(in), std::span(out));
  for (float const value : out) ASSERT_EQ(value, 3.0f);
}

template <class Policy>
void expect_unsupported(Policy const& policy, std::size_t count, std::string const& reason) {
  std::vector<float> in(count, 1.5f);
  std::vector<float> out(count);
  Answer const answer = can_run<AllReduce>(policy, std::span(in), std::span(out));
  EXPECT_NE(answer.reason().find(reason), std::string::npos) << answer.reason();
  try {
    all_reduce("sum", policy, std::span(in), std::span(out));
    ADD_FAILURE() << "expected: " << reason;
  } catch (UnsupportedError const& e) {
    EXPECT_NE(std::string(e.what()).find(reason), std::string::npos) << e.what();
  }
}

TEST_F(Policies, LowLatencyForAMessageThatIsTooLargeIsRefusedWhenRequired) {
  on_two_ranks([](Session const& session) {
    auto const strict = require(session.policy_of<HostThread>(), LowLatency{});
    expect_sum(strict, 10);
    expect_unsupported(strict, 100000, "the message has 400000 bytes, packets have room for ");
    EXPECT_NE(session.describe().find("all kept"), std::string::npos) << session.describe();
  });
}

TEST_F(Policies, LowLatencyForAMessageThatIsTooLargeFallsBackWhenPreferredAndDescribeSaysSo) {
  on_two_ranks([](Session const& session) {
    auto const eager = prefer(session.policy_of<HostThread>(), LowLatency{});
    expect_sum(eager, 10);
    EXPECT_NE(session.describe().find("all kept"), std::string::npos) << session.describe();
    expect_sum(eager, 100000);
    EXPECT_NE(session.describe().find("not kept: all_reduce: algorithm"), std::string::npos) << session.describe();
  });
}

TEST_F(Policies, MoreBlocksThanAgreedAreRefusedWithBothNumbersWhenRequired) {
  on_two_ranks([](Session const& session) {
    auto const many = Tuning{.blocks = 1000};
    expect_unsupported(require(session.policy_of<HostThread>(), many), 10, "1000 blocks");
    expect_sum(prefer(session.policy_of<HostThread>(), many), 10);
    EXPECT_NE(session.describe().find("geometry"), std::string::npos) << session.describe();
  });
}

TEST_F(Policies, TwoRequirementsThatContradictRefuseEveryCall) {
  on_two_ranks([](Session const& session) {
    auto const both = require(require(session.policy_of<HostThread>(), Tuning{.algorithm = Algorithm::one_shot}),
                              Tuning{.algorithm = Algorithm::two_shot});
    expect_unsupported(both, 10, "contradict each other about algorithm");
  });
}

TEST_F(Policies, ATemplateTraitIsRequiredAndGivesTheSameResult) {
  on_two_ranks([](Session const& session) {
    auto const& plain = session.policy_of<HostThread>();
    CollectivePolicy<HostThread, TwoShot, PeerLoad> const tuned(plain.space(), plain.communicator());
    expect_sum(tuned, 5000);
    CollectivePolicy<HostThread, LowLatency> const fast(plain.space(), plain.communicator());
    expect_sum(fast, 10);
    expect_unsupported(fast, 100000, "packets have room for ");
  });
}

/// Whatever the operation, its algorithm and its arrays: the guarantee of the caller refuses and changes nothing.
template <class Policy>
void expect_all_operations(Policy const& policy) {
  int const ranks = policy.communicator().size();
  auto const mine = static_cast<float>(policy.communicator().rank());
  for (std::size_t const rows : {std::size_t{3}, std::size_t{40000}}) {
    std::size_t const all = rows * static_cast<std::size_t>(ranks);
    std::vector<float> const in(all, 1.5f);
    std::vector<float> out(all);
    EXPECT_TRUE(can_run<AllReduce>(policy, std::span(in), std::span(out)));
    all_reduce("skip", policy, std::span(in), std::span(out));
    EXPECT_EQ(out, std::vector<float>(all, 3.0f));
    all_to_all("skip", policy, std::span(in), std::span(out));
    EXPECT_EQ(out, in);
    std::vector<float> part(rows);
    reduce_scatter("skip", policy, std::span(in), std::span(part));
    EXPECT_EQ(part, std::vector<float>(rows, 3.0f));
    part.assign(rows, mine);
    all_gather("skip", policy, std::span<float const>(part), std::span(out));
    EXPECT_EQ(out.front(), 0.0f);
    EXPECT_EQ(out.back(), 1.0f);
    broadcast("skip", policy, std::span(part), 1);
    EXPECT_EQ(part, std::vector<float>(rows, 1.0f));
    reduce("skip", policy, std::span(in), std::span(out), 0);
    if (mine == 0.0f) {
      EXPECT_EQ(out, std::vector<float>(all, 3.0f));
    }
    barrier("skip", policy);
  }
}

TEST_F(Policies, SkipEntryBarrierIsAcceptedByEveryOperationAndChangesNoResult) {
  on_two_ranks([](Session const& session) {
    auto const& plain = session.policy_of<HostThread>();
    expect_all_operations(CollectivePolicy<HostThread, SkipEntryBarrier>(plain.space(), plain.communicator()));
    expect_all_operations(require(plain, SkipEntryBarrier{}));
    expect_all_operations(require(prefer(plain, Tuning{.transport = Transport::multimem}), SkipEntryBarrier{}));
    EXPECT_NE(session.describe().find("entry_barrier"), std::string::npos)
        << "where a barrier stays, it is told\n" << session.describe();
    Workspace const workspace(plain.communicator(), 64);
    std::vector<float> const rows(5, static_cast<float>(session.rank()));
    auto const gathered = all_gather_borrowed("skip", require(plain, SkipEntryBarrier{}), workspace,
                                              std::span(rows), TotalRows{10});
    EXPECT_EQ(gathered(0), 0.0f);
    EXPECT_EQ(gathered(9), 1.0f);
  });
}

/// The last of three blocks may have more of the shorter share than of the longer one, and one round more to do.
TEST_F(Policies, EveryBlockDoesAllRoundsOfAShorterShareThanTheLongest) {
  run_ranks(2, [](Bootstrap& bootstrap) {
    Session const session(bootstrap, HostSpaces::index_of<TeamOf<3>>());
    auto const r = static_cast<std::size_t>(session.rank());
    for (std::size_t longer = 640; longer < 2600; ++longer) {
      for (std::size_t const less : {std::size_t{1}, std::size_t{32}}) {
        std::size_t const rows[2] = {longer, longer - less};
        Counts const counts(rows, 2);
        std::vector<float> own(rows[r], static_cast<float>(r + 1));
        std::vector<float> all(rows[0] + rows[1]);
        for (Transport const transport : {Transport::peer_load, Transport::multimem}) {
          auto const policy = require(session.policy_of<TeamOf<3>>(),
                                      Tuning{.algorithm = Algorithm::one_shot, .transport = transport, .blocks = 3});
          all_gather("rounds", policy, std::span<float const>(own), std::span(all), counts);
          for (std::size_t i = 0; i < all.size(); ++i)
            ASSERT_EQ(all[i], i < longer ? 1.0f : 2.0f) << longer << " " << less;
          std::vector<float> sum(rows[r]);
          reduce_scatter("rounds", policy, std::span<float const>(all), std::span(sum), Sum{}, counts);
          for (float const value : sum) ASSERT_EQ(value, r == 0 ? 2.0f : 4.0f) << longer << " " << less;
        }
      }
    }
  });
}

TEST_F(Policies, EightBytesOpenNoParallelRegionAndALargeMessageDoes) {
  run_ranks(2, [](Bootstrap& bootstrap) {
    int const space = HostSpaces::index_of<TeamOf<3>>();
    Session const session(bootstrap, space);
    auto const& policy = session.policy_of<TeamOf<3>>();
    std::vector<float> in(1 << 20, 1.0f);
    std::vector<float> out(in.size());
    bootstrap.barrier();
    unsigned long const before = Impl::parallel_regions();
    bootstrap.barrier();
    for (int i = 0; i < 100; ++i) all_reduce("small", policy, std::span(in.data(), 2), std::span(out.data(), 2));
    bootstrap.barrier();
    EXPECT_EQ(Impl::parallel_regions(), before);
    bootstrap.barrier();
    all_reduce("large", policy, std::span(in), std::span(out));
    EXPECT_GT(Impl::parallel_regions(), before);
    EXPECT_EQ(out.back(), 2.0f);
  });
}

}  // namespace
}  // namespace Koinon::Testing
