// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <collectives/Koinon_Session.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <initializer_list>
#include <limits>
#include <string>
#include <vector>

namespace Koinon::Testing {
namespace {

/// Runs a call that must be refused as InvalidArgument, whose message names operation, label, rank and the words, and
/// expects that can_run gives the same reason and that no launch was made.
template <class F>
void expect_invalid(Session const& session, std::string const& operation, F&& call, Answer const& answer,
                    std::initializer_list<std::string> words) {
  Impl::LaunchNumber const before = session.launch_number(0);
  try {
    call();
    ADD_FAILURE() << operation << " ran, expected: " << *words.begin();
  } catch (InvalidArgument const& e) {
    std::string const text = e.what();
    EXPECT_TRUE(text.starts_with("Koinon::" + operation + " [label]: rank " + std::to_string(session.rank()) + ": ")) << text;
    for (std::string const& word : words) EXPECT_NE(text.find(word), std::string::npos) << word << " is not in: " << text;
    EXPECT_FALSE(answer);
    EXPECT_TRUE(text.ends_with(answer.reason().substr(answer.reason().find(": rank")))) << answer.reason();
  }
  EXPECT_EQ(session.launch_number(0), before);
}

/// Every rank makes the same wrong calls, then all of them a right one.
class ExchangeArguments : public ::testing::Test {
 protected:
  using Policy = CollectivePolicy<HostThread>;
  template <class Body>
  static void on_ranks(Body const& body) {
    run_ranks(ranks_as() == RanksAs::mpi ? rank_counts()[0] : 3, [&](Bootstrap& bootstrap) {
      if (bootstrap.size() < 2) return;
      Session const session(bootstrap, HostSpaces::index_of<HostThread>());
      std::vector<float> memory(200);
      body(session, session.policy_of<HostThread>(), [&](std::size_t at, std::size_t rows, std::size_t columns) {
        return Array<float, 2>(memory.data() + at, rows, columns);
      });
      auto const r = static_cast<std::size_t>(session.size());
      std::vector<float> const in(r, static_cast<float>(session.rank()));
      std::vector<float> out(r);
      all_to_all("after", session.policy_of<HostThread>(), std::span(in), std::span(out));
      for (std::size_t p = 0; p < r; ++p) EXPECT_EQ(out[p], static_cast<float>(p));
    });
  }
};

TEST_F(ExchangeArguments, ExtentsThatDoNotDivideByTheRanksAreRefusedWithBothNumbers) {
  on_ranks([](Session const& s, auto const& policy, auto&& array) {
    auto const r = static_cast<std::size_t>(s.size());
    std::string const by = "a multiple of the " + std::to_string(r) + " ranks";
    auto const in = array(0, r + 1, 2);
    auto const out = array(100, 1, 2 * r);
    expect_invalid(s, "shards_to_rows", [&] { shards_to_rows("label", policy, in, out); },
                   can_run<ShardsToRows>(policy, in, out), {"`in` has " + std::to_string(r + 1) + " rows", by});
    auto const odd = array(100, 1, 2 * r + 1);
    auto const even = array(0, r, 2);
    expect_invalid(s, "rows_to_shards", [&] { rows_to_shards("label", policy, odd, even); },
                   can_run<RowsToShards>(policy, odd, even), {"`in` has " + std::to_string(2 * r + 1) + " columns", by});
    auto const gathered = array(100, 2, 2 * r + 1);
    auto const own = array(0, 2, 2);
    expect_invalid(s, "all_gather_columns", [&] { all_gather_columns("label", policy, own, gathered); },
                   can_run<AllGatherColumns>(policy, own, gathered),
                   {"`out` has " + std::to_string(2 * r + 1) + " columns", by, "Widths"});
    auto const other = array(100, r + 1, 2);
    expect_invalid(s, "all_to_all", [&] { all_to_all("label", policy, in, other); }, can_run<AllToAll>(policy, in, other),
                   {"`in` has " + std::to_string(r + 1) + " rows", by, "Counts"});
  });
}

TEST_F(ExchangeArguments, ExtentsThatDoNotFitEachOtherAreRefusedWithBothNumbers) {
  on_ranks([](Session const& s, auto const& policy, auto&& array) {
    auto const r = static_cast<std::size_t>(s.size());
    auto const in = array(0, 2 * r, 2);
    auto const few = array(100, 1, 2 * r);
    expect_invalid(s, "shards_to_rows", [&] { shards_to_rows("label", policy, in, few); },
                   can_run<ShardsToRows>(policy, in, few), {"`out` has 1 rows", "2 (the rows of `in`"});
    auto const narrow = array(100, 2, r);
    expect_invalid(s, "shards_to_rows", [&] { shards_to_rows("label", policy, in, narrow); },
                   can_run<ShardsToRows>(policy, in, narrow), {"`in` has 2 columns", "1 (the columns of `out`"});
    auto const wide = array(100, 2 * r, 3);
    expect_invalid(s, "all_to_all", [&] { all_to_all("label", policy, in, wide); }, can_run<AllToAll>(policy, in, wide),
                   {"`out` has 3 elements in a row", "2 (those of `in`)"});
    auto const rows = array(100, 3, 2 * r);
    expect_invalid(s, "all_gather_columns", [&] { all_gather_columns("label", policy, array(0, 2, 2), rows); },
                   can_run<AllGatherColumns>(policy, array(0, 2, 2), rows), {"`in` has 2 rows", "3 (those of `out`)"});
    expect_invalid(s, "all_gather_columns", [&] { all_gather_columns("label", policy, array(0, 3, 1), rows); },
                   can_run<AllGatherColumns>(policy, array(0, 3, 1), rows), {"`in` has 1 columns", "2 (the width of rank"});
  });
}

TEST_F(ExchangeArguments, ListsOfAWrongLengthEntryOrSumAreRefusedOnEveryRank) {
  on_ranks([](Session const& s, auto const& policy, auto&& array) {
    auto const r = static_cast<std::size_t>(s.size());
    auto const in = array(0, 2 * r, 2);
    auto const out = array(100, 2 * r, 2);
    std::vector<int> const right(r, 2);
    auto const refused = [&](std::vector<int> const& send, std::vector<int> const& receive, std::initializer_list<std::string> words) {
      expect_invalid(s, "all_to_all", [&] { all_to_all("label", policy, in, out, Counts(send), Counts(receive)); },
                     can_run<AllToAll>(policy, in, out, Counts(send), Counts(receive)), words);
    };
    std::vector<int> wrong(r + 1, 2);
    refused(wrong, right, {"`send` has " + std::to_string(r + 1) + " entries", std::to_string(r) + " ranks expected"});
    refused(right, wrong, {"`receive` has " + std::to_string(r + 1) + " entries"});
    wrong.assign(r, 2);
    wrong.back() = -1;
    refused(wrong, right, {"`send` has -1 for rank " + std::to_string(r - 1)});
    wrong.back() = 5;
    refused(right, wrong, {"`out` has " + std::to_string(2 * r) + " rows", "the sum of `receive` (" + std::to_string(2 * r + 3) + ")"});

    auto const gathered = array(100, 2, 2 * r);
    auto const widths_refused = [&](std::vector<int> const& widths, std::initializer_list<std::string> words) {
      expect_invalid(s, "all_gather_columns", [&] { all_gather_columns("label", policy, array(0, 2, 2), gathered, Widths(widths)); },
                     can_run<AllGatherColumns>(policy, array(0, 2, 2), gathered, Widths(widths)), words);
    };
    widths_refused(std::vector<int>(r - 1, 2), {"`widths` has " + std::to_string(r - 1) + " entries"});
    for (int const width : {0, -7}) {
      wrong.back() = width;
      widths_refused(wrong, {"`widths` has " + std::to_string(width) + " for rank " + std::to_string(r - 1), "positive"});
    }
    wrong.back() = 3;
    widths_refused(wrong, {"`out` has " + std::to_string(2 * r) + " columns", "the sum of `widths` (" + std::to_string(2 * r + 1) + ")"});
  });
}

TEST_F(ExchangeArguments, ListsWhoseSumWrapsAroundAreRefused) {
  on_ranks([](Session const& s, auto const& policy, auto&& array) {
    auto const r = static_cast<std::size_t>(s.size());
    // In 64 bits the sum is 2 r, as of the right ones.
    std::vector<std::int64_t> wrong(r, 2);
    wrong[0] = wrong[1] = std::numeric_limits<std::int64_t>::max();
    wrong.back() = r > 2 ? 8 : wrong.back();
    std::string const what = "` has " + std::to_string(wrong[1]) + " for rank 1, with which the sum exceeds 64 bits";
    std::vector<int> const right(r, 2);
    auto const in = array(0, 2 * r, 2);
    auto const out = array(100, 2 * r, 2);
    expect_invalid(s, "all_to_all", [&] { all_to_all("label", policy, in, out, Counts(wrong), Counts(right)); },
                   can_run<AllToAll>(policy, in, out, Counts(wrong), Counts(right)), {"`send" + what});
    expect_invalid(s, "all_to_all", [&] { all_to_all("label", policy, in, out, Counts(right), Counts(wrong)); },
                   can_run<AllToAll>(policy, in, out, Counts(right), Counts(wrong)), {"`receive" + what});
    auto const mine = array(0, 2, 2);
    auto const gathered = array(100, 2, 2 * r);
    expect_invalid(s, "all_gather_columns", [&] { all_gather_columns("label", policy, mine, gathered, Widths(wrong)); },
                   can_run<AllGatherColumns>(policy, mine, gathered, Widths(wrong)), {"`widths" + what});
    // Rows times columns wrap too, and a workspace has no room for either.
    Workspace const workspace(policy.communicator(), 64);
    for (std::int64_t const width : {wrong[0], std::int64_t{1} << 62}) {
      Widths const widths(std::vector<std::int64_t>(r, width));
      EXPECT_THROW((void)all_gather_columns_borrowed("big", policy, workspace, array(0, 4, 2), widths), ResourceError);
    }
  });
}

TEST_F(ExchangeArguments, AnOverlapAndANullPointerAreRefused) {
  on_ranks([](Session const& s, auto const& policy, auto&& array) {
    auto const r = static_cast<std::size_t>(s.size());
    auto const in = array(0, 2 * r, 2);
    auto const shifted = array(1, 2 * r, 2);
    Array<float, 2> const null(nullptr, 2 * r, 2);
    for (auto const& out : {in, shifted}) {
      expect_invalid(s, "all_to_all", [&] { all_to_all("label", policy, in, out); }, can_run<AllToAll>(policy, in, out),
                     {"`out` overlaps `in`"});
    }
    expect_invalid(s, "all_to_all", [&] { all_to_all("label", policy, in, null); }, can_run<AllToAll>(policy, in, null),
                   {"`out` is null"});
    expect_invalid(s, "all_to_all", [&] { all_to_all("label", policy, null, in); }, can_run<AllToAll>(policy, null, in),
                   {"`in` is null"});
  });
}

TEST_F(ExchangeArguments, ALentResultBeyondTheWorkspaceIsRefusedWithBothNumbers) {
  on_ranks([](Session const& s, auto const& policy, auto&& array) {
    Workspace const workspace(policy.communicator(), 64);
    std::string const needed = std::to_string(20 * 2 * sizeof(float) * static_cast<std::size_t>(s.size()));
    for (bool const columns : {true, false}) {
      std::size_t const rows = columns ? 20 : 20 * static_cast<std::size_t>(s.size());
      try {
        if (columns) {
          (void)all_gather_columns_borrowed("big", policy, workspace, array(0, rows, 2));
        } else {
          (void)shards_to_rows_borrowed("big", policy, workspace, array(0, rows, 2));
        }
        ADD_FAILURE() << "the result does not fit and was lent";
      } catch (ResourceError const& error) {
        std::string const text = error.what();
        for (std::string const& word : {needed, std::string("64"), std::string("big")}) {
          EXPECT_NE(text.find(word), std::string::npos) << word << " is not in: " << text;
        }
      }
    }
  });
}

}  // namespace
}  // namespace Koinon::Testing
