// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#if !defined(KOINON_TEST_CUDA)
#include <collectives/Koinon_GpuWay.hpp>
#endif
#include <collectives/Koinon_MultipleCell.hpp>
#include <support/Koinon_Caught.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <string>

namespace Koinon::Testing {
namespace {

/// Is one random call on N members: what it is made of, and what must be there when it has ended.
template <std::size_t N>
class GatherCell {
 public:
  GatherCell(int rank, int ranks, Random& shared, SpaceMemory const* memory = nullptr)
      : m_rank(rank), m_ranks(ranks), m_memory(memory), m_seed(shared.next()) {
    m_even = shared.one_in(4);
    std::size_t const most = shared.one_in(8) ? 300 : shared.one_in(3) ? 40 : 4;
    std::int64_t const total = static_cast<std::int64_t>(shared.below(most * static_cast<std::size_t>(ranks) + 1));
    if (m_even) {
      for (std::int64_t const count : even_partition(total, ranks)) m_counts.push_back(count);
    } else {
      for (int p = 0; p < ranks; ++p) {
        m_counts.push_back(shared.one_in(3) ? 0 : static_cast<std::int64_t>(shared.below(most)));
      }
    }
    std::size_t const sum =
        static_cast<std::size_t>(std::accumulate(m_counts.begin(), m_counts.end(), std::int64_t{0}));
    std::size_t const extra = m_even ? 0 : shared.below(3);
    Random own(mixed(m_seed) + static_cast<std::uint64_t>(rank));  // how arrays lie is each rank's own matter
    for (std::size_t m = 0; m < N; ++m) {
      std::size_t const columns = shared.one_in(12) ? 0 : 1 + shared.below(shared.one_in(4) ? 70 : 6);
      std::size_t const bytes = member_bytes[m % member_bytes.size()];
      CallMemory::count(m_bytes, bytes, sum + extra, columns);
      m_out.emplace_back(bytes, sum + extra, columns, own);
      m_in.emplace_back(bytes, mine() + extra, columns, own);
      m_in_place.push_back(own.one_in(4));
      for (std::size_t row = 0; row < mine(); ++row) {
        for (std::size_t c = 0; c < columns; ++c) {
          if (m_in_place[m]) {
            m_out[m].put(first() + row, c, m_seed + m, rank, row);
          } else {
            m_in[m].put(row, c, m_seed + m, rank, row);
          }
        }
      }
    }
  }

  /// Says, on all ranks alike, whether there is memory for the arrays.
  [[nodiscard]] bool has_room() const { return CallMemory(m_memory).has_room(m_bytes); }
  template <class Policy>
  void call(Policy const& policy) {
    m_before = m_out;
    m_in_before = m_in;
    CallMemory memory = place();
    call_members(policy, std::make_index_sequence<N>{});
    memory.fetch(m_in);
    memory.fetch(m_out);
  }
  template <class Policy>
  [[nodiscard]] Answer can_run(Policy const& policy) {
    (void)place();
    return ask_members(policy, std::make_index_sequence<N>{});
  }

  /// Expects every rank's rows in every output, and no other byte changed.
  void expect_gathered(std::string const& what) {
    for (std::size_t m = 0; m < N; ++m) {
      MemberRows expected = m_before[m];
      std::size_t row = 0;
      for (int p = 0; p < m_ranks; ++p) {
        for (std::size_t r = 0; r < static_cast<std::size_t>(m_counts[static_cast<std::size_t>(p)]); ++r, ++row) {
          for (std::size_t c = 0; c < expected.columns; ++c) expected.put(row, c, m_seed + m, p, r);
        }
      }
      EXPECT_EQ(expected.memory, m_out[m].memory) << what << ": out of member " << m << ", rank " << m_rank;
      EXPECT_EQ(m_in_before[m].memory, m_in[m].memory) << what << ": in of member " << m;
    }
  }

  [[nodiscard]] std::string text() const {
    std::string text = m_even ? "even" : "counts";
    for (std::int64_t const count : m_counts) text += " " + std::to_string(count);
    for (MemberRows const& out : m_out) text += ", " + std::to_string(out.columns);
    return text;
  }

 private:
  [[nodiscard]] std::size_t mine() const {
    return static_cast<std::size_t>(m_counts[static_cast<std::size_t>(m_rank)]);
  }
  [[nodiscard]] std::size_t first() const {
    return static_cast<std::size_t>(std::accumulate(m_counts.begin(), m_counts.begin() + m_rank, std::int64_t{0}));
  }
  template <std::size_t M>
  [[nodiscard]] auto member_of() {
    using T = MemberType<M>;
    auto const in = m_in_place[M] ? m_out[M].as<T const>(first(), mine()) : m_in[M].as<T const>(0, m_in[M].rows);
    return member(in, m_out[M].template as<T>(0, m_out[M].rows));
  }
  template <class Policy, std::size_t... M>
  void call_members(Policy const& policy, std::index_sequence<M...>) {
    if (m_even) return all_gather_multiple("cell", policy, member_of<M>()...);
    all_gather_multiple("cell", policy, Counts(m_counts), member_of<M>()...);
  }
  /// Brings the arrays where kernels reach them.
  CallMemory place() {
    CallMemory memory(m_memory);
    memory.place(m_in);
    memory.place(m_out);
    return memory;
  }
  template <class Policy, std::size_t... M>
  [[nodiscard]] Answer ask_members(Policy const& policy, std::index_sequence<M...>) {
    if (m_even) return Koinon::can_run<AllGatherMultiple>(policy, member_of<M>()...);
    return Koinon::can_run<AllGatherMultiple>(policy, Counts(m_counts), member_of<M>()...);
  }

  int m_rank;
  int m_ranks;
  SpaceMemory const* m_memory;
  std::uint64_t m_seed;
  bool m_even;
  std::size_t m_bytes = 0;
  std::vector<std::int64_t> m_counts;
  std::vector<MemberRows> m_in;
  std::vector<MemberRows> m_out;
  std::vector<MemberRows> m_in_before;
  std::vector<MemberRows> m_before;
  std::vector<bool> m_in_place;
};

/// Makes a random call by an algorithm, any if it is automatic; not at all if it is refused.
template <std::size_t N>
void gather(Session const& session, Random& shared, Algorithm algorithm) {
  GatherCell<N> cell(session.rank(), session.size(), shared, session.memory());
  auto const policy = require(session.policy_of<MultipleSpace>(), Tuning{.algorithm = algorithm});
  if (!cell.has_room()) return;
  if (!cell.can_run(policy)) {
    EXPECT_EQ(algorithm, Algorithm::low_latency) << cell.can_run(policy).reason();
    return;
  }
  Impl::LaunchNumber const before = session.launch_number(0);
  cell.call(policy);
  EXPECT_EQ(session.launch_number(0), Impl::next_launch_number(before)) << "more than one launch";
  cell.expect_gathered(std::to_string(N) + " members, " + std::string(to_string(algorithm)) + ", " + cell.text());
}

void gather_some(Session const& session, Random& shared) {
  Algorithm const algorithm =
      shared.pick(std::array{Algorithm::automatic, Algorithm::low_latency, Algorithm::one_shot});
  switch (shared.below(5)) {
    case 0:
      return gather<1>(session, shared, algorithm);
    case 1:
      return gather<3>(session, shared, algorithm);
    case 2:
      return gather<8>(session, shared, algorithm);
    case 3:
      return gather<9>(session, shared, algorithm);
    default:
      return gather<20>(session, shared, algorithm);
  }
}

TEST(AllGatherMultiple, EveryRankHasEveryRanksRowsOfEachArrayAndNothingElseIsWritten) {
  for (int const ranks : multiple_rank_counts()) {
    run_ranks(ranks, [ranks](Bootstrap& bootstrap) {
      Session const session(bootstrap, HostSpaces::index_of<MultipleSpace>());
      Random shared(mixed(seed() + static_cast<std::uint64_t>(ranks)));
      for (int i = 0; i < (ranks <= 8 ? 24 : 6) && !::testing::Test::HasFailure(); ++i) gather_some(session, shared);
    });
  }
}

#if !defined(KOINON_TEST_CUDA)  // arrays of the host
template <std::size_t N, class Policy>
void gather_by_registers(Policy const& policy, Random& shared) {
  GatherCell<N> cell(policy.communicator().rank(), policy.communicator().size(), shared);
  if (!cell.can_run(policy)) return;  // larger than the packets, on all ranks
  cell.call(policy);
  cell.expect_gathered("packets in registers, " + cell.text());
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

#endif

TEST(AllGatherMultiple, AnyMixWithOtherOperationsStaysRightWhileRanksAreLate) {
  for (int const ranks : few_rank_counts()) {
    for (std::uint32_t const start : {0u, 0xFFFFFFFFu - 100u}) {
      run_ranks(ranks, [start](Bootstrap& bootstrap) {
        Session const session(bootstrap, HostSpaces::index_of<MultipleSpace>(), start);
        auto const& policy = session.policy_of<MultipleSpace>();
        Random shared(mixed(seed() + start));
        Random own(mixed(seed()) + static_cast<std::uint64_t>(session.rank()));
        std::vector<float> in(3000);
        std::vector<float> out(3000);
        for (int i = 0; i < calls(80) && !::testing::Test::HasFailure(); ++i) {
          delay(own.next());
          std::size_t const other = shared.below(4);
          std::size_t const n = 1 + shared.below(3000);
          if (other == 0 && session.memory() == nullptr) {
            std::fill(in.begin(), in.end(), static_cast<float>(i));
            all_reduce("mix", policy, std::span(in).first(n), std::span(out).first(n));
            ASSERT_EQ(out[n - 1], static_cast<float>(i * session.size()));
          } else if (other <= 1) {
            barrier("mix", policy);
          } else {
            gather_some(session, shared);
          }
        }
      });
    }
  }
}

#if !defined(KOINON_TEST_CUDA)
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
