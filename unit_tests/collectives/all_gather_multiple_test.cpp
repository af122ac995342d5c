// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#if !defined(KOINON_TEST_CUDA)
#include <collectives/Koinon_GpuWay.hpp>
#endif
#include <collectives/Koinon_GatherCell.hpp>
#include <collectives/Koinon_MultipleCalls.hpp>
#include <support/Koinon_Caught.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

namespace Koinon::Testing {
namespace {

void gather_some(Session const& session, Random& shared) {
  Algorithm const algorithm =
      shared.pick(std::array{Algorithm::automatic, Algorithm::low_latency, Algorithm::one_shot});
  switch (shared.below(5)) {
    case 0:
      return call_multiple<GatherCell<1>>(session, shared, algorithm);
    case 1:
      return call_multiple<GatherCell<3>>(session, shared, algorithm);
    case 2:
      return call_multiple<GatherCell<8>>(session, shared, algorithm);
    case 3:
      return call_multiple<GatherCell<9>>(session, shared, algorithm);
    default:
      return call_multiple<GatherCell<20>>(session, shared, algorithm);
  }
}

TEST(AllGatherMultiple, EveryRankHasEveryRanksRowsOfEachArrayAndNothingElseIsWritten) {
  make_random_calls(gather_some);
}

TEST(AllGatherMultiple, AnyMixWithOtherOperationsStaysRightWhileRanksAreLate) {
  mix_with_other_operations(gather_some);
}

#if defined(KOINON_TEST_CUDA)
TEST(AllGatherMultiple, ReplaysWithOtherInputsEachTimeHaveEveryRanksRows) {
  replay_multiple_by<GatherCell<3>, GatherCell<9>>(
      {Algorithm::automatic, Algorithm::low_latency, Algorithm::one_shot});
}
#endif

#if !defined(KOINON_TEST_CUDA)  // arrays of the host
template <std::size_t N, class Policy>
void gather_by_registers(Policy const& policy, Random& shared) {
  GatherCell<N> cell(policy.communicator().rank(), policy.communicator().size(), shared);
  if (!cell.can_run(policy)) return;  // larger than the packets, on all ranks
  cell.run([&] { cell.enqueue(policy); });
  cell.expect_result("packets in registers");
}

TEST(AllGatherMultiple, PacketsOfTwelveBytesInRegistersCarryPiecesOfAnyMembers) {
  for (int const ranks : few_rank_counts()) {
    run_ranks(ranks, [](Bootstrap& bootstrap) {
      RegisterSpace const space;
      Communicator const comm(space, bootstrap);
      auto const policy = require(CollectivePolicy(space, comm), LowLatency{});
      Random shared(mixed(seed() + static_cast<std::uint64_t>(comm.size())));
      for (int i = 0; i < 25 && !::testing::Test::HasFailure(); ++i) {
        gather_by_registers<3>(policy, shared);
        gather_by_registers<9>(policy, shared);
      }
    });
  }
}

TEST(AllGatherMultiple, RowsBehindTheCountsAreNotTouchedInAPaddedBatch) {
  run_ranks(2, [](Bootstrap& bootstrap) {
    Session const s(bootstrap, HostSpaces::index_of<HostThread>());
    constexpr std::size_t capacity = 6;
    std::vector<std::int32_t> in(capacity, 10 * (s.rank() + 1));
    std::vector<std::int32_t> out(2 * capacity, -1);
    std::vector<double> more_in(3 * capacity, 0.5 + s.rank());
    std::vector<double> more_out(6 * capacity, -1);
    for (int batch = 0; batch < 20; ++batch) {
      std::size_t const first = static_cast<std::size_t>(batch % 3);
      Counts const counts{static_cast<std::int64_t>(first), 2};
      std::fill(out.begin(), out.end(), -1);
      std::fill(more_out.begin(), more_out.end(), -1.0);
      all_gather_multiple(
          "padded", s.policy_of<HostThread>(), counts, member(std::span(in), std::span(out)),
          member(Array<double, 2>(more_in.data(), capacity, 3), Array<double, 2>(more_out.data(), 2 * capacity, 3)));
      for (std::size_t i = 0; i < out.size(); ++i) {
        EXPECT_EQ(out[i], i < first ? 10 : i < first + 2 ? 20 : -1) << i;
      }
      for (std::size_t i = 0; i < more_out.size(); ++i) {
        EXPECT_EQ(more_out[i], i < 3 * first ? 0.5 : i < 3 * (first + 2) ? 1.5 : -1) << i;
      }
    }
  });
}

TEST(AllGatherMultiple, BorrowedResultsOfSmallerBatchesBeginAtTheSameAddresses) {
  for (int const ranks : few_rank_counts()) {
    run_ranks(ranks, [](Bootstrap& bootstrap) {
      HostThread const space;
      Communicator const comm(space, bootstrap);
      CollectivePolicy const policy(space, comm);
      auto const size = static_cast<std::size_t>(comm.size());
      constexpr std::size_t most = 7;
      Workspace const workspace(comm, workspace_bytes<AllGatherMultiple, std::int32_t, std::uint8_t, double>(
                                          comm.size(), most * size, 1, 5, 3));
      std::tuple<void const*, void const*, void const*> addresses;
      for (std::size_t call = 0; call < 20; ++call) {
        std::size_t const mine = call == 0 ? most : call % most;
        std::vector<std::int32_t> const tokens(mine, comm.rank() + 1);
        std::vector<std::uint8_t> const flags(mine * 5,
                                              static_cast<std::uint8_t>(static_cast<std::size_t>(comm.rank()) + call));
        std::vector<double> const weights(mine * 3, comm.rank() + 0.25);
        auto const [a, b, c] = all_gather_multiple_borrowed(
            "meta", policy, workspace, Counts(std::vector<std::size_t>(size, mine)), std::span(tokens),
            Array<std::uint8_t const, 2>(flags.data(), mine, 5), Array<double const, 2>(weights.data(), mine, 3));
        std::tuple<void const*, void const*, void const*> const now{a.data(), b.data(), c.data()};
        if (call == 0) addresses = now;
        EXPECT_EQ(now, addresses);
        ASSERT_EQ(a.extent(0), mine * size);
        for (std::size_t row = 0; row < mine * size; ++row) {
          auto const p = static_cast<int>(row / mine);
          EXPECT_EQ(a(row), p + 1);
          for (std::size_t i = 0; i < 5; ++i)
            EXPECT_EQ(b(row, i), static_cast<std::uint8_t>(static_cast<std::size_t>(p) + call));
          for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(c(row, i), p + 0.25);
        }
      }
      std::vector<double> const large(1000);
      expect_error(caught([&] {
                     (void)all_gather_multiple_borrowed("big", policy, workspace, TotalRows{1000 * comm.size()},
                                                        std::span(large), std::span(large));
                   }),
                   "ResourceError", "Koinon::all_gather_multiple_borrowed [big]", std::to_string(2 * 8000 * size),
                   std::to_string(workspace.bytes()));
      Communicator const other(space, bootstrap);
      Workspace const foreign(other, 1024);
      EXPECT_THROW((void)all_gather_multiple_borrowed(policy, foreign, TotalRows{0}, std::span(large)),
                   InvalidArgument);
    });
  }
}

TEST(AllGatherMultiple, WrongArgumentsAreRefusedByNameAndNothingIsLaunched) {
  run_ranks(2, [](Bootstrap& bootstrap) {
    Session const s(bootstrap, HostSpaces::index_of<HostThread>());
    auto const& policy = s.policy_of<HostThread>();
    std::vector<float> memory(64);
    Array<float, 2> const in(memory.data(), 2, 3);
    Array<float, 2> const out(memory.data() + 8, 4, 3);
    Array<float, 2> const other_in(memory.data() + 24, 2, 2);
    Array<float, 2> const other_out(memory.data() + 32, 4, 2);
    Impl::LaunchNumber const before = s.launch_number(0);
    auto const refused = [&](auto const& words, auto const&... arguments) {
      Caught const c = caught([&] { all_gather_multiple("label", policy, arguments...); });
      expect_error(c, "InvalidArgument", "Koinon::all_gather_multiple [label]: rank " + std::to_string(s.rank()),
                   words);
      EXPECT_FALSE(can_run<AllGatherMultiple>(policy, arguments...));
    };
    refused("`counts` has 3 entries, one for each of 2 ranks expected", Counts{1, 1, 1}, member(in, out));
    refused("`counts` has -1 for rank 1", Counts{1, -1}, member(in, out));
    refused("`out of member 1` has 3 rows, at least the sum of the counts (4) expected", Counts{2, 2}, member(in, out),
            member(other_in, Array<float, 2>(memory.data() + 32, 3, 2)));
    refused("`in of member 0` has 2 rows, at least the count of rank", Counts{3, 3},
            member(in, Array<float, 2>(memory.data() + 32, 6, 3)));
    refused("`out of member 1` has 3 rows, those of member 0 (4) expected", member(in, out),
            member(other_in, Array<float, 2>(memory.data() + 32, 3, 2)));
    refused("`in of member 1` has 1 rows, the count of rank", member(in, out),
            member(Array<float, 2>(memory.data() + 24, 1, 2), other_out));
    refused("`in of member 0` has 2 elements in a row, the row extents of `out of member 0`", member(other_in, out));
    refused("`out of member 1` is null", member(in, out), member(other_in, Array<float, 2>(nullptr, 4, 2)));
    refused("`in of member 1` is null", member(in, out), member(Array<float, 2>(nullptr, 2, 2), other_out));
    refused("`out of member 1` overlaps `out of member 0`", member(in, out),
            member(other_in, Array<float, 2>(memory.data() + 12, 4, 2)));
    refused("`in of member 1` overlaps `out of member 0`", member(in, out),
            member(Array<float, 2>(memory.data() + 12, 2, 2), other_out));
    refused("`in of member 0` overlaps `out of member 0`", member(Array<float, 2>(memory.data() + 9, 2, 3), out));
    EXPECT_EQ(s.launch_number(0), before);
    all_gather_multiple(policy, member(in, out), member(other_in, other_out));
    EXPECT_EQ(s.launch_number(0), before + 1);
  });
}

TEST(AllGatherMultiple, AnyNumberOfDenseArraysGoesInOneLaunch) {
  constexpr std::size_t many = 70;
  for (int const ranks : few_rank_counts()) {
    run_ranks(ranks, [](Bootstrap& bootstrap) {
      Session const s(bootstrap, HostSpaces::index_of<MultipleSpace>());
      auto const size = static_cast<std::size_t>(s.size());
      for (std::size_t const rows : {std::size_t{1}, std::size_t{40}}) {  // in packets, and in rounds
        std::vector<std::int32_t> in(many * rows);
        std::vector<std::int32_t> out(many * rows * size);
        for (std::size_t i = 0; i < in.size(); ++i) in[i] = static_cast<std::int32_t>(i) + 10000 * s.rank();
        auto const part = [](std::vector<std::int32_t>& of, std::size_t m, std::size_t n) {
          return std::span(of).subspan(m * n, n);
        };
        auto const call = [&]<std::size_t... M>(std::index_sequence<M...>) {
          all_gather_multiple("many", s.policy_of<MultipleSpace>(),
                              member(part(in, M, rows), part(out, M, rows * size))...);
        };
        Impl::LaunchNumber const before = s.launch_number(0);
        call(std::make_index_sequence<many>{});
        EXPECT_EQ(s.launch_number(0), before + 1);
        for (std::size_t i = 0; i < out.size(); ++i) {
          std::size_t const m = i / (rows * size);
          std::size_t const p = i / rows % size;
          ASSERT_EQ(out[i], static_cast<std::int32_t>(m * rows + i % rows + 10000 * p));
        }
        std::vector<std::int32_t> other(2 * rows * size);
        Array<std::int32_t, 1> apart(other.data(), rows * size);
        apart.strides[0] = 2;
        auto const strided = [&]<std::size_t... M>(std::index_sequence<M...>) {
          all_gather_multiple("many", s.policy_of<MultipleSpace>(),
                              member(part(in, M, rows), part(out, M, rows * size))...,
                              member(part(in, 0, rows), apart));
        };
        expect_error(caught([&] { strided(std::make_index_sequence<many>{}); }),
                     rows * size > 1 ? "UnsupportedError" : "nothing");
      }
    });
  }
}

TEST(AllGatherMultiple, WhatItCannotDoIsUnsupportedAndSaysWhy) {
  run_ranks(2, [](Bootstrap& bootstrap) {
    Session const s(bootstrap, HostSpaces::index_of<HostThread>());
    std::vector<float> in(4);
    std::vector<float> out(8);
    auto const pair = member(std::span(in), std::span(out));
    for (Tuning const& tuning : {Tuning{.transport = Transport::multimem}, Tuning{.algorithm = Algorithm::two_shot}}) {
      auto const policy = require(s.policy_of<HostThread>(), tuning);
      EXPECT_FALSE(can_run<AllGatherMultiple>(policy, pair));
      EXPECT_THROW(all_gather_multiple(policy, pair), UnsupportedError);
    }
    all_gather_multiple(s.policy_of<HostThread>(), pair);
  });
}
#endif

}  // namespace
}  // namespace Koinon::Testing
