// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <collectives/Koinon_Session.hpp>

#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <thread>
#include <vector>

/// What the matrix does not ask of exchanges: shapes of language models, results that others must not touch, errors.
namespace Koinon::Testing {
namespace {

using Element = std::uint16_t;
using Matrix2 = Array<Element, 2>;
using ConstMatrix2 = Array<Element const, 2>;

/// Returns the value of a row and column of the whole; every neighbour has another.
Element value_at(std::size_t row, std::size_t column, std::size_t call = 0) {
  return static_cast<Element>(row * 40503u + column * 7u + call * 30011u);
}

/// Is the arrays of shards_to_rows over a whole [rows, columns] on one rank.
struct Logits {
  std::size_t rows, columns, ranks, rank;
  std::vector<Element> in = std::vector<Element>(rows * (columns / ranks));
  std::vector<Element> out = std::vector<Element>(rows / ranks * columns);

  [[nodiscard]] ConstMatrix2 shard() const { return ConstMatrix2(in.data(), rows, columns / ranks); }
  [[nodiscard]] Matrix2 own_rows() { return Matrix2(out.data(), rows / ranks, columns); }
  void fill(std::size_t call) {
    std::size_t const width = columns / ranks;
    for (std::size_t i = 0; i < rows; ++i) {
      for (std::size_t c = 0; c < width; ++c) in[i * width + c] = value_at(i, rank * width + c, call);
    }
  }
  template <class Result>
  [[nodiscard]] bool has_result(Result const& result, std::size_t call) const {
    for (std::size_t i = 0; i < rows / ranks; ++i) {
      for (std::size_t c = 0; c < columns; ++c) {
        if (result(i, c) != value_at(rank * (rows / ranks) + i, c, call)) return false;
      }
    }
    return true;
  }
};

template <class Ranks>
Logits logits_of(Ranks const& s, std::size_t rows_of_a_rank, std::size_t columns_of_a_rank) {
  auto const ranks = static_cast<std::size_t>(s.size());
  return {.rows = rows_of_a_rank * ranks,
          .columns = columns_of_a_rank * ranks,
          .ranks = ranks,
          .rank = static_cast<std::size_t>(s.rank())};
}

TEST(ShardsToRows, BringsLogitsOfOddRowsToTheirRanksAndRowsToShardsBringsThemBack) {
  for (int const ranks : rank_counts()) {
    run_ranks(ranks, [](Bootstrap& bootstrap) {
      Session const s(bootstrap, HostSpaces::index_of<TeamOf<3>>());
      auto const& policy = s.policy_of<TeamOf<3>>();
      for (std::size_t const columns : {std::size_t{129280}, std::size_t{24}, std::size_t{7}, std::size_t{1}}) {
        Logits logits = logits_of(s, 3, (columns + static_cast<std::size_t>(s.size()) - 1) / static_cast<std::size_t>(s.size()));
        logits.fill(1);
        shards_to_rows("logits", policy, logits.shard(), logits.own_rows());
        EXPECT_TRUE(logits.has_result(logits.own_rows(), 1)) << columns << " columns, " << s.size() << " ranks";
        std::vector<Element> back(logits.in.size());
        rows_to_shards("back", policy, ConstMatrix2(logits.own_rows()), Matrix2(back.data(), logits.rows, logits.columns / logits.ranks));
        EXPECT_EQ(back, logits.in) << columns << " columns, " << s.size() << " ranks";
      }
    });
  }
}

/// The pair with much takes rounds that no other rank knows of.
TEST(AllToAll, TwoRanksThatExchangeMuchTakeTheirRoundsWhileTheOthersExchangeNothing) {
  for (int const ranks : rank_counts()) {
    run_ranks(ranks, [](Bootstrap& bootstrap) {
      Session const s(bootstrap, HostSpaces::index_of<HostThread>());
      auto const r = static_cast<std::size_t>(s.rank());
      int const last = s.size() - 1;
      std::size_t const much = small_staging;
      std::vector<std::size_t> send(static_cast<std::size_t>(s.size()), 0);
      std::vector<std::size_t> receive(send);
      if (s.rank() == 0) send.back() = much;
      if (s.rank() == last) receive.front() = much;
      std::vector<Element> in(s.rank() == 0 ? much * 3 : 0);
      std::vector<Element> out(s.rank() == last ? much * 3 : 0);
      for (std::size_t i = 0; i < in.size(); ++i) in[i] = value_at(i, 5);
      all_to_all("one way", s.policy_of<HostThread>(), ConstMatrix2(in.data(), in.size() / 3, 3),
                 Matrix2(out.data(), out.size() / 3, 3), Counts(send), Counts(receive));
      for (std::size_t i = 0; i < out.size(); ++i) ASSERT_EQ(out[i], value_at(i, 5)) << i << " of rank " << r;
    });
  }
}

/// Each rank in turn is slow: it reads its result 1 ms after the others have begun the same operation again.
template <class Comm, class Run>
void expect_results_stay(Comm const& s, char const* what, Run&& run_and_check) {
  for (int call = 0; call < 3 * s.size(); ++call) {
    bool const right = run_and_check(static_cast<std::size_t>(call), [&] {
      if (call % s.size() == s.rank()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    });
    EXPECT_TRUE(right) << what << ", call " << call << ", rank " << s.rank() << " of " << s.size();
  }
}

TEST(Exchanges, ASlowRanksResultIsThereWhileAFastRankStartsTheSameOperationAgain) {
  for (int const ranks : few_rank_counts()) {
    run_ranks(ranks, [](Bootstrap& bootstrap) {
      HostThread const space;
      Communicator const s(space, bootstrap, CommunicatorOptions{.zero_copy_bytes = 256});
      auto const ranks_of = static_cast<std::size_t>(s.size());
      auto const rank = static_cast<std::size_t>(s.rank());
      Logits logits = logits_of(s, 4, 33);
      Workspace const workspace(s, 1 << 14);
      std::vector<Element> own(4 * 33);
      std::vector<Element> all(own.size() * ranks_of);
      for (Algorithm const algorithm : {Algorithm::low_latency, Algorithm::one_shot}) {
        auto const policy = require(CollectivePolicy<HostThread>(space, s), Tuning{.algorithm = algorithm});
        expect_results_stay(s, "shards_to_rows", [&](std::size_t call, auto&& wait) {
          logits.fill(call);
          shards_to_rows(policy, logits.shard(), logits.own_rows());
          wait();
          return logits.has_result(logits.own_rows(), call);
        });
        expect_results_stay(s, "shards_to_rows_borrowed", [&](std::size_t call, auto&& wait) {
          logits.fill(call);
          auto const lent = shards_to_rows_borrowed(policy, workspace, logits.shard());
          wait();
          return logits.has_result(lent, call);
        });
        auto const has_columns = [&](auto const& result, std::size_t call) {
          for (std::size_t i = 0; i < 4; ++i) {
            for (std::size_t c = 0; c < 33 * ranks_of; ++c) {
              if (result(i, c) != value_at(i, c, call)) return false;
            }
          }
          return true;
        };
        auto const fill_columns = [&](std::size_t call) {
          for (std::size_t e = 0; e < own.size(); ++e) own[e] = value_at(e / 33, rank * 33 + e % 33, call);
        };
        expect_results_stay(s, "all_gather_columns", [&](std::size_t call, auto&& wait) {
          fill_columns(call);
          all_gather_columns(policy, ConstMatrix2(own.data(), 4, 33), Matrix2(all.data(), 4, 33 * ranks_of));
          wait();
          return has_columns(Matrix2(all.data(), 4, 33 * ranks_of), call);
        });
        expect_results_stay(s, "all_gather_columns_borrowed", [&](std::size_t call, auto&& wait) {
          fill_columns(call);
          auto const lent = all_gather_columns_borrowed(policy, workspace, ConstMatrix2(own.data(), 4, 33));
          wait();
          return has_columns(lent, call);
        });
      }
    });
  }
}

}  // namespace
}  // namespace Koinon::Testing
