// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <collectives/Koinon_Session.hpp>
#include <support/Koinon_UserTypes.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <thread>
#include <vector>

namespace Koinon::Testing {
namespace {

/// Arrays of ranks other than the matrix's two, values that it draws rarely, and what happens between calls.
class Arrays : public ::testing::TestWithParam<int> {
 protected:
  static void on_ranks(std::function<void(Session const&)> const& body) {
    run_ranks(GetParam(), [&](Bootstrap& bootstrap) { body(Session(bootstrap, HostSpaces::index_of<HostThread>())); });
  }
};

TEST_P(Arrays, OfRankZeroAreOneElementForEveryOperation) {
  on_ranks([](Session const& s) {
    auto const& policy = s.policy_of<HostThread>();
    float in = static_cast<float>(s.rank() + 1);
    float out = 0;
    Array<float const, 0> const source(&in);
    Array<float, 0> const result(&out);
    float const sum = static_cast<float>(s.size() * (s.size() + 1)) / 2;
    all_reduce("scalar", policy, source, result);
    EXPECT_EQ(out, sum);
    out = 0;
    reduce("scalar", policy, source, result, s.size() - 1);
    EXPECT_EQ(out, s.rank() == s.size() - 1 ? sum : 0);
    broadcast("scalar", policy, Array<float, 0>(&in), 0);
    EXPECT_EQ(in, 1);
  });
}

TEST_P(Arrays, OfThreeDimensionsInAnyOrderOfStridesAreNumberedByTheirIndices) {
  on_ranks([](Session const& s) {
    auto const& policy = s.policy_of<HostThread>();
    std::vector<int> from(3 * 5 * 7);
    std::vector<int> to(3 * 5 * 7, -1);
    Array<int, 3> in(from.data(), 3, 5, 7);
    Array<int, 3> out(to.data(), 3, 5, 7);
    out.strides[0] = 1;  // columns first, and the middle dimension last
    out.strides[2] = 3;
    out.strides[1] = 21;
    for (std::size_t i = 0; i < 3; ++i) {
      for (std::size_t j = 0; j < 5; ++j) {
        for (std::size_t k = 0; k < 7; ++k) in(i, j, k) = static_cast<int>(i * 100 + j * 10 + k) + s.rank();
      }
    }
    for (Algorithm const algorithm : {Algorithm::low_latency, Algorithm::one_shot, Algorithm::two_shot}) {
      all_reduce("cube", prefer(policy, Tuning{.algorithm = algorithm}), in, out);
      int const ranks = s.size();
      for (std::size_t i = 0; i < 3; ++i) {
        for (std::size_t j = 0; j < 5; ++j) {
          for (std::size_t k = 0; k < 7; ++k) {
            ASSERT_EQ(out(i, j, k), ranks * static_cast<int>(i * 100 + j * 10 + k) + ranks * (ranks - 1) / 2);
          }
        }
      }
    }
  });
}

TEST_P(Arrays, RowsOfTwelveWithCountsOneTwoThreeStartAtAnyOffset) {
  on_ranks([](Session const& s) {
    auto const& policy = s.policy_of<HostThread>();
    std::vector<std::int64_t> list(static_cast<std::size_t>(s.size()));
    std::size_t rows = 0;
    std::size_t offset = 0;
    for (int p = 0; p < s.size(); ++p) {
      list[static_cast<std::size_t>(p)] = p + 1;
      if (p < s.rank()) offset += static_cast<std::size_t>(p) + 1;
      rows += static_cast<std::size_t>(p) + 1;
    }
    std::size_t const mine = static_cast<std::size_t>(s.rank()) + 1;
    std::vector<double> in(rows * 12);
    std::vector<double> out(mine * 12);
    std::vector<double> back(rows * 12);
    for (std::size_t i = 0; i < in.size(); ++i) in[i] = static_cast<double>(i) + s.rank();
    reduce_scatter("rows", policy, Array<double const, 2>(in.data(), rows, 12), Array<double, 2>(out.data(), mine, 12),
                   Sum{}, Counts(list));
    int const ranks = s.size();
    auto const expected = [&](std::size_t i) { return ranks * static_cast<double>(i) + ranks * (ranks - 1) / 2; };
    for (std::size_t i = 0; i < out.size(); ++i) ASSERT_EQ(out[i], expected(offset * 12 + i));
    all_gather("rows", policy, Array<double const, 2>(out.data(), mine, 12), Array<double, 2>(back.data(), rows, 12),
               Counts(list.data(), list.size()));
    for (std::size_t i = 0; i < back.size(); ++i) ASSERT_EQ(back[i], expected(i));
  });
}

TEST_P(Arrays, NegativeZeroOnAllRanksStaysNegativeAndInfinitiesOfBothSignsGiveNaN) {
  on_ranks([](Session const& s) {
    auto const& policy = s.policy_of<HostThread>();
    constexpr float infinity = std::numeric_limits<float>::infinity();
    for (Algorithm const algorithm : {Algorithm::low_latency, Algorithm::one_shot, Algorithm::two_shot}) {
      std::vector<float> in(200, -0.0f);
      for (std::size_t i = 100; i < 200; ++i) in[i] = s.rank() == 0 ? infinity : -infinity;
      std::vector<float> out(200);
      all_reduce("zeros", prefer(policy, Tuning{.algorithm = algorithm}), std::span(in), std::span(out));
      for (std::size_t i = 0; i < 100; ++i) ASSERT_TRUE(out[i] == 0 && std::signbit(out[i])) << out[i];
      for (std::size_t i = 100; i < 200; ++i) ASSERT_TRUE(s.size() == 1 ? out[i] == infinity : std::isnan(out[i]));
    }
  });
}

TEST_P(Arrays, AUsersReducerKeepsItsMembersAndRunsOnBuiltInElements) {
  on_ranks([](Session const& s) {
    auto const& policy = s.policy_of<HostThread>();
    for (std::size_t const count : {std::size_t{1}, std::size_t{5000}}) {
      std::vector<float> in(count);
      std::vector<float> out(count);
      for (std::size_t i = 0; i < count; ++i) in[i] = static_cast<float>(i % 7) + static_cast<float>(s.rank());
      all_reduce("clamped", policy, std::span<float const>(in), std::span(out), ClampedMax{.limit = 4.5f});
      for (std::size_t i = 0; i < count; ++i) {
        float const largest = static_cast<float>(i % 7) + static_cast<float>(s.size() - 1);
        ASSERT_EQ(out[i], s.size() == 1 ? in[i] : std::min(largest, 4.5f)) << i;
      }
    }
  });
}

/// The slow rank still reads while the fast ones overwrite what they gave and make their next call.
TEST_P(Arrays, AnInputMayBeOverwrittenRightAfterTheCallThoughASlowRankStillReads) {
  on_ranks([](Session const& s) {
    auto const& policy = s.policy_of<HostThread>();
    for (std::size_t const count : {std::size_t{2}, std::size_t{3000}, std::size_t{60000}}) {
      float* const symmetric = reinterpret_cast<float*>(s.in_arena());
      std::vector<float> own(count);
      std::vector<float> out(count);
      for (Algorithm const algorithm : {Algorithm::low_latency, Algorithm::one_shot, Algorithm::two_shot}) {
        for (int turn = 0; turn < 12; ++turn) {
          float* const in = turn % 2 == 0 ? symmetric : own.data();
          for (std::size_t i = 0; i < count; ++i) in[i] = static_cast<float>(turn + s.rank() * 100);
          if (turn % s.size() == s.rank()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
          all_reduce("overwrite", prefer(policy, Tuning{.algorithm = algorithm}), std::span<float const>(in, count),
                     std::span(out));
          for (std::size_t i = 0; i < count; ++i) in[i] = -1e6f;
          float const expected = static_cast<float>(s.size() * turn + 50 * s.size() * (s.size() - 1));
          for (float const value : out) ASSERT_EQ(value, expected) << count << " elements, turn " << turn;
        }
      }
    }
  });
}

/// A reduction of a concatenation is the concatenation of reductions, and 100 calls give the same bits, by any
/// algorithm, with other allocations between, and by another communicator.
TEST_P(Arrays, ASumHasTheSameBitsByEveryAlgorithmPlacementAndCommunicator) {
  run_ranks(GetParam(), [](Bootstrap& bootstrap) {
    constexpr std::size_t count = 10007;
    std::vector<float> in(count);
    for (std::size_t i = 0; i < count; ++i)
      in[i] = 1.0f / static_cast<float>(i % 1000 + 3 * static_cast<std::size_t>(bootstrap.rank()) + 1);
    std::vector<float> first;
    for (int made = 0; made < 2; ++made) {
      Session const session(bootstrap, HostSpaces::index_of<HostThread>());
      for (int turn = 0; turn < 25; ++turn) {
        std::vector<float> const between(static_cast<std::size_t>(turn) * 777);
        std::vector<float> out(count);
        Algorithm const algorithm = turn % 2 == 0 ? Algorithm::one_shot : Algorithm::two_shot;
        auto const policy =
            prefer(require(session.policy_of<HostThread>(), Deterministic{}), Tuning{.algorithm = algorithm});
        std::size_t const cut = turn % 3 == 0 ? 0 : static_cast<std::size_t>(turn) * 399;
        all_reduce("left", policy, std::span(in).first(cut), std::span(out).first(cut));
        all_reduce("right", policy, std::span(in).subspan(cut), std::span(out).subspan(cut));
        if (first.empty()) first = out;
        ASSERT_EQ(std::memcmp(first.data(), out.data(), count * sizeof(float)), 0) << "turn " << turn;
      }
    }
  });
}

/// One row of a strided whole is dense: peers read it where it is, so not even its own bits may be written over it. Only
/// ThreadSanitizer sees a rank that does.
TEST_P(Arrays, OneRowOfAStridedWholeIsGatheredInPlaceAndStaysUntouchedMeanwhile) {
  on_ranks([](Session const& s) {
    auto const& policy = require(s.policy_of<HostThread>(), Tuning{.algorithm = Algorithm::one_shot});
    auto const ranks = static_cast<std::size_t>(s.size());
    auto const rank = static_cast<std::size_t>(s.rank());
    constexpr std::size_t columns = 500;
    Array<double, 2> whole(reinterpret_cast<double*>(s.out_arena()), ranks, columns);
    whole.strides[0] = columns + 3;
    Array<double, 2> const row(&whole(rank, 0), std::size_t{1}, columns);
    for (int turn = 0; turn < 50; ++turn) {
      for (std::size_t j = 0; j < columns; ++j) row(0, j) = static_cast<double>(rank * 1000 + j) + turn;
      all_gather("rows", policy, row, whole);
      for (std::size_t p = 0; p < ranks; ++p) {
        ASSERT_EQ(whole(p, 0), static_cast<double>(p * 1000) + turn);
        ASSERT_EQ(whole(p, columns - 1), static_cast<double>(p * 1000 + columns - 1) + turn);
      }
      s.barrier();
    }
  });
}

INSTANTIATE_TEST_SUITE_P(Ranks, Arrays, ::testing::ValuesIn(rank_counts()),
                         [](auto const& i) { return ranks_name(i.param); });

}  // namespace
}  // namespace Koinon::Testing
