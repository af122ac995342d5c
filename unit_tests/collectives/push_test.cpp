// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Koinon_CoreWithoutMpi.hpp>
#include <support/Koinon_Random.hpp>
#include <support/Koinon_RankRunner.hpp>

#include <gtest/gtest.h>

#include <bit>
#include <chrono>
#include <cmath>
#include <cstring>
#include <thread>
#include <vector>

// Reductions by pushing, which GPUs prefer, on this processor: a backend whose block says that it prefers stores.
namespace Koinon::Testing {
namespace {

struct PushingBlock : Impl::HostBlock {
  using Impl::HostBlock::HostBlock;
  static constexpr bool prefers_stores = true;

  struct alignas(16) Vector {
    std::uint32_t words[4];
  };
  static void store_whole(std::byte* p, Vector const& v) { store_data(p, v); }
  static Vector load_whole(std::byte const* p) { return load_data(p); }
  static void store_data(void* p, Vector const& v) {
    // One access of 16 bytes, which processors that have AVX make at once.
    asm volatile("movaps %1, %0" : "=m"(*static_cast<Vector*>(p)) : "x"(v) : "memory");
  }
  static Vector load_data(void const* p) {
    Vector v;
    asm volatile("movaps %1, %0" : "=x"(v) : "m"(*static_cast<Vector const*>(p)) : "memory");
    return v;
  }
};
static_assert(Impl::SentinelVocabulary<PushingBlock> && !Impl::SentinelVocabulary<Impl::HostBlock>);
struct PushingBackend : Impl::HostBackend {
  using Block = PushingBlock;
  template <class Body, class Arguments>
  static void launch(Instance const&, DeviceCommunicator const& comm, Selection const& selection,
                     Arguments const& arguments) {
    std::vector<std::thread> others;
    auto const work = [&](int index) { Impl::run<Body>(PushingBlock(index, selection.blocks), comm, arguments); };
    for (int b = 1; b < selection.blocks; ++b) others.emplace_back(work, b);
    work(0);
    for (auto& each : others) each.join();
  }
};
struct PushingTeam {};

}  // namespace
}  // namespace Koinon::Testing

namespace Koinon {

template <>
inline constexpr bool is_execution_space_v<Koinon::Testing::PushingTeam> = true;
template <>
struct ExecutionSpaceTraits<Koinon::Testing::PushingTeam> {
  using backend = Koinon::Testing::PushingBackend;
  static Impl::HostTeam instance(Koinon::Testing::PushingTeam const&) { return {.threads = 3}; }
  static Impl::BackendFacts facts(Koinon::Testing::PushingTeam const&) {
    return Impl::HostBackend::facts(Impl::HostTeam{.threads = 3});
  }
};

}  // namespace Koinon

namespace Koinon::Testing {
namespace {

constexpr std::size_t most = 30000;
constexpr CommunicatorOptions options{
    .staging_bytes = 1 << 18, .symmetric_bytes = 1 << 19, .timeout = std::chrono::seconds(120)};

/// A value of element i on a rank: sums of them depend on the order.
float value_of(std::uint64_t seed, int rank, std::size_t i) {
  return static_cast<float>(
             static_cast<std::int64_t>(mixed(seed * 64 + static_cast<std::uint64_t>(rank) + i * 1009) % 20001) -
             10000) /
         3.0f;
}
/// Returns the sum over ranks of element i, in rank order.
float sum_of(std::uint64_t seed, int ranks, std::size_t i) {
  float sum = value_of(seed, 0, i);
  for (int p = 1; p < ranks; ++p) sum += value_of(seed, p, i);
  return sum;
}

struct Rank {
  Communicator<PushingTeam> comm;
  CollectivePolicy<PushingTeam> policy;
  CollectivePolicy<PushingTeam> two_shot;
  CollectivePolicy<PushingTeam> low_latency;
  Array<float, 1> symmetric_in;
  Array<float, 1> symmetric_out;
  std::vector<float> private_in = std::vector<float>(2 * most);
  std::vector<float> private_out = std::vector<float>(2 * most);

  explicit Rank(Bootstrap& bootstrap)
      : comm(PushingTeam(), bootstrap, options),
        policy(comm),
        two_shot(require(policy, Tuning{.algorithm = Algorithm::two_shot})),
        low_latency(require(policy, Tuning{.algorithm = Algorithm::low_latency})),
        symmetric_in(symmetric_array<float, 1>(comm, most)),
        symmetric_out(symmetric_array<float, 1>(comm, most)) {
    // A GPU's memory comes so.
    DeviceCommunicator const& device = comm.device();
    Impl::SegmentLayout const& layout = device.m_layout;
    std::memset(device.segment(comm.rank()) + layout.sentinels, 0xFF,
                2 * static_cast<std::size_t>(comm.size()) * layout.sentinel_slot_bytes);
    bootstrap.barrier();
  }
  /// Says whether that many elements are more than packets, and no more than sentinels, have room for.
  [[nodiscard]] bool goes_by_sentinels(std::size_t count) const {
    return Impl::goes_by_sentinels<float, Sum, PushingBlock>(comm.device(), count, Impl::sentinel_owners(comm.size()));
  }

  void fill(Array<float, 1> const& x, std::uint64_t seed, std::size_t shift = 0) const {
    for (std::size_t i = 0; i < x.extents[0]; ++i) x(i) = value_of(seed, comm.rank(), shift + i);
  }
  void expect_sums(Array<float, 1> const& x, std::uint64_t seed, std::size_t shift = 0) const {
    for (std::size_t i = 0; i < x.extents[0]; ++i) {
      ASSERT_EQ(x(i), sum_of(seed, comm.size(), shift + i)) << "element " << i << " of " << x.extents[0];
    }
  }
};

Array<float, 1> part(float* data, std::size_t count, std::ptrdiff_t stride = 1) {
  Array<float, 1> x(data, count);
  x.strides[0] = stride;
  return x;
}

class Push : public ::testing::TestWithParam<int> {};

TEST_P(Push, AllReduceIsTheSumInRankOrderForEverySizePlacementAndStride) {
  run_ranks(GetParam(), [](Bootstrap& bootstrap) {
    Rank rank(bootstrap);
    std::uint64_t seed = 1;
    for (std::size_t const count : {std::size_t{0}, std::size_t{1}, std::size_t{33}, std::size_t{1000}, most}) {
      for (int placements = 0; placements < 4; ++placements) {
        // Rank 0's placement may differ from the others': no rank knows of its peers'.
        bool const in_is = (placements & 1) != 0 && !(placements == 3 && rank.comm.rank() == 0);
        bool const out_is = (placements & 2) != 0;
        auto const in = part(in_is ? rank.symmetric_in.data() : rank.private_in.data(), count);
        auto const out = part(out_is ? rank.symmetric_out.data() : rank.private_out.data(), count);
        rank.fill(in, ++seed);
        delay(mixed(seed) + static_cast<std::uint64_t>(rank.comm.rank()));
        all_reduce("apart", rank.two_shot, in, out);
        rank.expect_sums(out, seed);
        rank.fill(out, ++seed);
        all_reduce("in place", rank.two_shot, out, out);
        rank.expect_sums(out, seed);
      }
      auto const odd_in = part(rank.private_in.data() + 1, count, 2);
      auto const odd_out = part(rank.private_out.data() + 1, count, 2);
      rank.fill(odd_in, ++seed);
      all_reduce("strided", rank.two_shot, odd_in, odd_out);
      rank.expect_sums(odd_out, seed);
    }
  });
}

TEST_P(Push, ReduceScatterAndReduceLeaveTheOwnersTheirSums) {
  run_ranks(GetParam(), [](Bootstrap& bootstrap) {
    Rank rank(bootstrap);
    int const ranks = rank.comm.size();
    auto const one_shot = require(rank.policy, Tuning{.algorithm = Algorithm::one_shot});
    std::uint64_t seed = 1000;
    for (int turn = 0; turn < 6; ++turn) {
      std::vector<std::int64_t> counts(static_cast<std::size_t>(ranks));
      std::size_t total = 0;
      std::size_t before = 0;
      for (int p = 0; p < ranks; ++p) {
        auto& each = counts[static_cast<std::size_t>(p)];
        each = turn == 0 ? 0
                         : static_cast<std::int64_t>(mixed(static_cast<std::uint64_t>(turn * 64 + p)) %
                                                     (most / static_cast<std::size_t>(ranks)));
        if (p < rank.comm.rank()) before += static_cast<std::size_t>(each);
        total += static_cast<std::size_t>(each);
      }
      auto const in = part(turn % 2 == 0 ? rank.symmetric_in.data() : rank.private_in.data(), total);
      auto const own = static_cast<std::size_t>(counts[static_cast<std::size_t>(rank.comm.rank())]);
      rank.fill(in, ++seed);
      bool const in_place = turn > 3;
      auto const out = part(in_place ? in.data() + before : rank.private_out.data(), own);
      reduce_scatter("uneven", one_shot, in, out, Sum{}, Counts(counts));
      rank.expect_sums(out, seed, before);

      rank.fill(in, ++seed);
      int const root = turn % ranks;
      reduce("to root", one_shot, in, part(rank.private_out.data(), root == rank.comm.rank() ? total : 0), root);
      if (root == rank.comm.rank()) rank.expect_sums(part(rank.private_out.data(), total), seed);
    }
  });
}

TEST_P(Push, CallsOfEverySizeBackToBackWithLateRanksStayApart) {
  run_ranks(GetParam(), [](Bootstrap& bootstrap) {
    Rank rank(bootstrap);
    Random shared(7);
    Random own(100 + static_cast<std::uint64_t>(rank.comm.rank()));
    for (int call = 0; call < 300; ++call) {
      auto const count = shared.below(shared.one_in(4) ? most : 500);
      auto const seed = static_cast<std::uint64_t>(5000 + call);
      bool const low_latency = shared.one_in(3) && (count < 200 || rank.goes_by_sentinels(count));
      auto const in = part(shared.one_in(2) ? rank.symmetric_in.data() : rank.private_in.data(), count);
      auto const out = part(shared.one_in(2) ? rank.symmetric_out.data() : rank.private_out.data(), count);
      rank.fill(in, seed);
      delay(own.next());
      all_reduce("mixed", low_latency ? rank.low_latency : rank.two_shot, in, out);
      delay(own.next());
      rank.expect_sums(out, seed);
    }
  });
}

/// Is float's NaN of all ones: vectors of it are no data.
float all_ones() {
  return std::bit_cast<float>(~std::uint32_t{0});
}

TEST_P(Push, SentinelsReduceWhatPacketsHaveNoRoomForAndAllOnesAreNaN) {
  run_ranks(GetParam(), [](Bootstrap& bootstrap) {
    Rank rank(bootstrap);
    std::uint64_t seed = 9000;
    int went = 0;
    for (std::size_t const count : {std::size_t{4501}, std::size_t{6000}, std::size_t{9001}, std::size_t{12000}}) {
      if (!rank.goes_by_sentinels(count)) continue;
      ++went;
      for (int turn = 0; turn < 5; ++turn) {
        // Aligned, off by an element, strided; in place at last.
        std::size_t const off = turn == 1 ? 1 : 0;
        std::ptrdiff_t const stride = turn == 2 ? 2 : 1;
        auto const in = part(rank.private_in.data() + off, count, stride);
        auto const out = turn == 4 ? in : part(rank.private_out.data() + off, count, stride);
        rank.fill(in, ++seed);
        // Some ranks', some vectors', at last all.
        for (std::size_t i = 64; i < 96; ++i) {
          if (turn > 0 && rank.comm.rank() % 2 == turn % 2) in(i) = all_ones();
        }
        bool const any_ones = turn > 0 && (turn % 2 == 0 || rank.comm.size() > 1);
        delay(mixed(seed) + static_cast<std::uint64_t>(rank.comm.rank()));
        all_reduce("sentinels", rank.low_latency, in, out);
        for (std::size_t i = 0; i < count; ++i) {
          if (any_ones && i >= 64 && i < 96) {
            ASSERT_TRUE(std::isnan(out(i))) << i;
          } else {
            ASSERT_EQ(out(i), sum_of(seed, rank.comm.size(), i)) << "element " << i << " of " << count;
          }
        }
      }
    }
    EXPECT_GT(went, 1);
  });
}

TEST_P(Push, SentinelsLeaveEachRankItsRows) {
  run_ranks(GetParam(), [](Bootstrap& bootstrap) {
    Rank rank(bootstrap);
    int const ranks = rank.comm.size();
    std::uint64_t seed = 9500;
    for (int turn = 0; turn < 4; ++turn) {
      // One long share, of another rank each time, and short ones, one of them empty.
      std::vector<std::int64_t> counts(static_cast<std::size_t>(ranks), 37);
      counts[static_cast<std::size_t>((turn + 1) % ranks)] = 0;
      counts[static_cast<std::size_t>(turn % ranks)] = 3601;
      if (!Impl::goes_by_sentinels<float, Sum, PushingBlock>(rank.comm.device(), 3601, 1))
        counts[static_cast<std::size_t>(turn % ranks)] = 9001;
      std::size_t total = 0;
      std::size_t before = 0;
      for (int p = 0; p < ranks; ++p) {
        if (p < rank.comm.rank()) before += static_cast<std::size_t>(counts[static_cast<std::size_t>(p)]);
        total += static_cast<std::size_t>(counts[static_cast<std::size_t>(p)]);
      }
      auto const own = static_cast<std::size_t>(counts[static_cast<std::size_t>(rank.comm.rank())]);
      auto const in = part(rank.private_in.data(), total);
      auto const out = part(turn == 3 ? in.data() + before : rank.private_out.data(), own);
      rank.fill(in, ++seed);
      delay(mixed(seed) + static_cast<std::uint64_t>(rank.comm.rank()));
      reduce_scatter("sentinels", rank.low_latency, in, out, Sum{}, Counts(counts));
      rank.expect_sums(out, seed, before);
    }
  });
}

TEST(PushOfManyRanks, PacketsTakeWhatSentinelsHaveNoRoomFor) {
  run_ranks(33, [](Bootstrap& bootstrap) {
    Rank rank(bootstrap);
    EXPECT_EQ(rank.comm.device().m_layout.sentinel_slot_bytes, 0u);
    std::uint64_t seed = 12000;
    for (std::size_t const count : {100, 300, 500, 700}) {
      auto const in = part(rank.private_in.data(), count);
      auto const out = part(rank.private_out.data(), count);
      ASSERT_TRUE(can_run<AllReduce>(rank.low_latency, in, out))
          << can_run<AllReduce>(rank.low_latency, in, out).reason();
      rank.fill(in, ++seed);
      all_reduce("packets", rank.low_latency, in, out);
      rank.expect_sums(out, seed);
    }
  });
}

INSTANTIATE_TEST_SUITE_P(Ranks, Push, ::testing::Values(1, 2, 3, 8), [](auto const& i) { return ranks_name(i.param); });

}  // namespace
}  // namespace Koinon::Testing
