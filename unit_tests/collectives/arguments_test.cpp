// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <collectives/Koinon_Session.hpp>
#include <support/Koinon_Caught.hpp>

#include <gtest/gtest.h>

#include <array>
#include <initializer_list>
#include <string>
#include <thread>
#include <vector>

namespace Koinon::Testing {
namespace {

/// Runs a call that must be refused, and expects an error of that type whose message names operation, label, rank and
/// the rest, that can_run gives the same reason, and that no launch was made.
template <class E, class F>
void expect_refused(Session const& session, std::string const& operation, F&& call, Answer const& answer,
                    std::initializer_list<char const*> words) {
  Impl::LaunchNumber const before = session.device().m_numbers[0];
  std::string const begin = "Koinon::" + operation + " [label]: rank " + std::to_string(session.rank()) + ": ";
  try {
    call();
    ADD_FAILURE() << operation << " ran, expected: " << *words.begin();
  } catch (E const& e) {
    std::string const text = e.what();
    EXPECT_TRUE(text.starts_with(begin)) << text;
    for (char const* word : words) EXPECT_NE(text.find(word), std::string::npos) << word << " is not in: " << text;
    EXPECT_FALSE(answer);
    EXPECT_TRUE(text.ends_with(answer.reason().substr(answer.reason().find(": rank")))) << answer.reason() << "\n"
                                                                                        << text;
  }
  EXPECT_EQ(session.device().m_numbers[0], before);
}

/// Every rank makes the same wrong call, then all of them a right one.
class Arguments : public ::testing::Test {
 protected:
  using Body = std::function<void(Session const&)>;
  static void on_two_ranks(Body const& body) {
    run_ranks(ranks_as() == RanksAs::mpi ? rank_counts()[0] : 2, [&](Bootstrap& bootstrap) {
      Session const session(bootstrap, HostSpaces::index_of<HostThread>());
      body(session);
      float in = 1;
      float out = 0;
      all_reduce("after", session.policy_of<HostThread>(), std::span(&in, 1), std::span(&out, 1));
      EXPECT_EQ(out, static_cast<float>(session.size()));
    });
  }
};

TEST_F(Arguments, ExtentsThatDoNotMatchAreRefusedWithBothNumbers) {
  on_two_ranks([](Session const& s) {
    auto const& policy = s.policy_of<HostThread>();
    std::vector<float> in(24);
    std::vector<float> out(24);
    std::span const few(out.data(), 5);
    std::span const source(in.data(), 8);
    expect_refused<InvalidArgument>(s, "all_reduce", [&] { all_reduce("label", policy, source, few); },
                                    can_run<AllReduce>(policy, source, few), {"`out`", " 5 ", "8 elements"});
    int const root = s.rank();
    expect_refused<InvalidArgument>(s, "reduce", [&] { reduce("label", policy, source, few, root); },
                                    can_run<Reduce>(policy, source, few, root), {"`out`", " 5 ", "8 elements"});
    Array<float, 2> const table(in.data(), 4, 6);
    Array<float, 2> const narrow(out.data(), 2, 5);
    expect_refused<InvalidArgument>(s, "reduce_scatter", [&] { reduce_scatter("label", policy, table, narrow); },
                                    can_run<ReduceScatter>(policy, table, narrow), {"`out`", "row"});
    Array<float, 2> const many(out.data(), 4, 6);
    Counts const counts(std::vector<std::int64_t>(static_cast<std::size_t>(s.size()), 0));
    Array<float, 2> const none(in.data(), 0, 6);
    expect_refused<InvalidArgument>(
        s, "reduce_scatter", [&] { reduce_scatter("label", policy, none, many, Sum{}, counts); },
        can_run<ReduceScatter>(policy, none, many, Sum{}, counts), {"`out`", "4 rows", "the count of rank", "(0)"});
    expect_refused<InvalidArgument>(s, "all_gather", [&] { all_gather("label", policy, many, none, counts); },
                                    can_run<AllGather>(policy, many, none, counts),
                                    {"`in`", "4 rows", "the count of rank", "(0)"});
  });
}

TEST_F(Arguments, ListsOfAWrongLengthOrWithANegativeEntryOrSumAreRefusedOnEveryRank) {
  on_two_ranks([](Session const& s) {
    auto const& policy = s.policy_of<HostThread>();
    std::vector<float> memory(24);
    Array<float, 2> const in(memory.data(), 4, 2);
    Array<float, 2> const out(memory.data() + 12, 2, 2);
    auto const ranks = static_cast<std::size_t>(s.size());
    std::vector<std::int64_t> list(ranks + 1, 1);
    auto const refused = [&](Counts const& counts, std::initializer_list<char const*> words) {
      expect_refused<InvalidArgument>(
          s, "reduce_scatter", [&] { reduce_scatter("label", policy, in, out, Sum{}, counts); },
          can_run<ReduceScatter>(policy, in, out, Sum{}, counts), words);
      expect_refused<InvalidArgument>(
          s, "all_gather", [&] { all_gather("label", policy, out, in, counts); },
          can_run<AllGather>(policy, out, in, counts), words);
    };
    std::string const entries = std::to_string(ranks + 1) + " entries";
    std::string const wanted = std::to_string(ranks) + " ranks expected";
    refused(Counts(list), {"`counts`", entries.c_str(), wanted.c_str()});
    list.assign(ranks, 4);
    list.back() = -3;
    std::string const entry = "-3 for rank " + std::to_string(ranks - 1);
    refused(Counts(list), {"`counts`", entry.c_str()});
    list.assign(ranks, 7);
    std::string const sum = "the sum of the counts (" + std::to_string(7 * ranks) + ")";
    refused(Counts(list), {"4 rows", sum.c_str()});
  });
}

TEST_F(Arguments, ANullPointerIsRefusedUnlessThereIsNothing) {
  on_two_ranks([](Session const& s) {
    auto const& policy = s.policy_of<HostThread>();
    std::vector<float> memory(8);
    std::span const some(memory.data(), 4);
    std::span<float> const null(static_cast<float*>(nullptr), 4);
    std::span<float> const nothing;
    expect_refused<InvalidArgument>(s, "all_reduce", [&] { all_reduce("label", policy, null, some); },
                                    can_run<AllReduce>(policy, null, some), {"`in` is null"});
    expect_refused<InvalidArgument>(s, "all_reduce", [&] { all_reduce("label", policy, some, null); },
                                    can_run<AllReduce>(policy, some, null), {"`out` is null"});
    expect_refused<InvalidArgument>(s, "broadcast", [&] { broadcast("label", policy, null, 0); },
                                    can_run<Broadcast>(policy, null, 0), {"`array` is null"});
    expect_refused<InvalidArgument>(s, "reduce", [&] { reduce("label", policy, null, some, 0); },
                                    can_run<Reduce>(policy, null, some, 0), {"`in` is null"});
    all_reduce("label", policy, nothing, nothing);
    all_gather("label", policy, nothing, nothing);
    broadcast("label", policy, nothing, 0);
  });
}

TEST_F(Arguments, ARootThatIsNoRankIsRefusedWithTheRanksThereAre) {
  on_two_ranks([](Session const& s) {
    auto const& policy = s.policy_of<HostThread>();
    float value = 0;
    std::span const array(&value, 1);
    std::string const most = "0 .. " + std::to_string(s.size() - 1);
    for (int const root : {-1, s.size()}) {
      std::string const given = "`root` is " + std::to_string(root);
      expect_refused<InvalidArgument>(s, "broadcast", [&] { broadcast("label", policy, array, root); },
                                      can_run<Broadcast>(policy, array, root), {given.c_str(), most.c_str()});
      expect_refused<InvalidArgument>(s, "reduce", [&] { reduce("label", policy, array, array, root); },
                                      can_run<Reduce>(policy, array, array, root), {given.c_str(), most.c_str()});
    }
  });
}

TEST_F(Arguments, AnOverlapThatIsNotInPlaceIsRefused) {
  on_two_ranks([](Session const& s) {
    auto const& policy = s.policy_of<HostThread>();
    auto const ranks = static_cast<std::size_t>(s.size());
    std::vector<float> memory(4 * ranks + 8);
    std::span const low(memory.data(), 4);
    std::span const shifted(memory.data() + 1, 4);
    expect_refused<InvalidArgument>(s, "all_reduce", [&] { all_reduce("label", policy, low, shifted); },
                                    can_run<AllReduce>(policy, low, shifted), {"`out` overlaps `in`"});
    int const root = s.rank();
    expect_refused<InvalidArgument>(s, "reduce", [&] { reduce("label", policy, low, shifted, root); },
                                    can_run<Reduce>(policy, low, shifted, root), {"`out` overlaps `in`"});
    std::span const whole(memory.data(), 4 * ranks);
    std::span const beside(memory.data() + 4 * static_cast<std::size_t>(s.rank()) + 1, 4);
    expect_refused<InvalidArgument>(s, "reduce_scatter", [&] { reduce_scatter("label", policy, whole, beside); },
                                    can_run<ReduceScatter>(policy, whole, beside), {"`out` overlaps `in`"});
    expect_refused<InvalidArgument>(s, "all_gather", [&] { all_gather("label", policy, beside, whole); },
                                    can_run<AllGather>(policy, beside, whole), {"`in` overlaps `out`"});
    // The transpose of itself: the same memory in another order.
    Array<float, 2> const square(memory.data(), 2, 2);
    Array<float, 2> transposed = square;
    std::swap(transposed.strides[0], transposed.strides[1]);
    expect_refused<InvalidArgument>(s, "all_reduce", [&] { all_reduce("label", policy, square, transposed); },
                                    can_run<AllReduce>(policy, square, transposed), {"`out` overlaps `in`"});
  });
}

/// The others are in the call already: the wrong calls of one rank must not count.
TEST_F(Arguments, ACorrectedCallStillMatchesTheWaitingPeers) {
  on_two_ranks([](Session const& s) {
    auto const& policy = s.policy_of<HostThread>();
    std::vector<float> in(1000, 1.0f);
    std::vector<float> out(1000);
    if (s.rank() == 0) {
      std::this_thread::sleep_for(std::chrono::milliseconds(3));
      for (int i = 0; i < 3; ++i) {
        EXPECT_THROW(all_reduce("label", policy, std::span(in), std::span(out.data(), 5)), InvalidArgument);
        EXPECT_THROW(broadcast("label", policy, std::span(out), 99), InvalidArgument);
      }
    }
    all_reduce("label", policy, std::span(in), std::span(out));
    for (float const value : out) ASSERT_EQ(value, static_cast<float>(s.size()));
  });
}

}  // namespace
}  // namespace Koinon::Testing
