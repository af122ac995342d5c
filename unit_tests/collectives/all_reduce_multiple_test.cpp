// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#if !defined(KOINON_TEST_CUDA)
#include <collectives/Koinon_GpuWay.hpp>
#endif
#include <collectives/Koinon_MultipleCalls.hpp>
#include <collectives/Koinon_ReduceCell.hpp>
#include <support/Koinon_Caught.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <string>

namespace Koinon::Testing {
namespace {

void reduce_some(Session const& session, Random& shared) {
  Algorithm const algorithm =
      shared.pick(std::array{Algorithm::automatic, Algorithm::low_latency, Algorithm::two_shot});
  switch (shared.below(6)) {
    case 0:
      return call_multiple<ReduceCell<Gradients, 1>>(session, shared, algorithm);
    case 1:
      return call_multiple<ReduceCell<Gradients, 8>>(session, shared, algorithm);
#if !defined(KOINON_TEST_CUDA)  // each a set of kernels
    case 2:
      return call_multiple<ReduceCell<Gradients, 20>>(session, shared, algorithm);
    case 3:
      return call_multiple<ReduceCell<Mixed, 3>>(session, shared, algorithm);
    case 4:
      return call_multiple<ReduceCell<Mixed, 3, Max>>(session, shared, algorithm);
#endif
    default:
      return call_multiple<ReduceCell<Mixed, 9>>(session, shared, algorithm);
  }
}

TEST(AllReduceMultiple, EveryRankHasTheReductionOfEachArrayAndNothingElseIsWritten) {
  make_random_calls(reduce_some);
}

TEST(AllReduceMultiple, AnyMixWithOtherOperationsStaysRightWhileRanksAreLate) {
  mix_with_other_operations(reduce_some);
}

#if defined(KOINON_TEST_CUDA)
TEST(AllReduceMultiple, ReplaysWithOtherInputsEachTimeHaveTheReductions) {
  replay_multiple_by<ReduceCell<Gradients, 8>, ReduceCell<Mixed, 9>>(
      {Algorithm::automatic, Algorithm::low_latency, Algorithm::two_shot});
}
#endif

#if !defined(KOINON_TEST_CUDA)  // arrays of the host
/// The session's staging has room for a few packets; here is as much as users have.
TEST(AllReduceMultiple, PacketsOfManyArraysGoInOneTrip) {
  for (int const ranks : few_rank_counts()) {
    run_ranks(ranks, [](Bootstrap& bootstrap) {
      MultipleSpace const space;
      Communicator const comm(space, bootstrap, CommunicatorOptions{.staging_bytes = std::size_t{4} << 20});
      auto const policy = require(CollectivePolicy(space, comm), LowLatency{});
      Random shared(mixed(seed() + static_cast<std::uint64_t>(comm.size())));
      for (int i = 0; i < 30 && !::testing::Test::HasFailure(); ++i) {
        std::size_t const most = i % 3 == 0 ? 600 : 12;
        ReduceCell<Gradients, 20> gradients(comm.rank(), comm.size(), shared, nullptr, most);
        gradients.run([&] { gradients.enqueue(policy); });
        gradients.expect_result("gradients");
        ReduceCell<Mixed, 9> mixed_types(comm.rank(), comm.size(), shared, nullptr, most);
        mixed_types.run([&] { mixed_types.enqueue(policy); });
        mixed_types.expect_result("mixed types");
      }
    });
  }
}

TEST(AllReduceMultiple, PacketsOfTwelveBytesInRegistersAreReducedToo) {
  for (int const ranks : few_rank_counts()) {
    run_ranks(ranks, [](Bootstrap& bootstrap) {
      RegisterSpace const space;
      Communicator const comm(space, bootstrap);
      auto const policy = require(CollectivePolicy(space, comm), LowLatency{});
      Random shared(mixed(seed() + static_cast<std::uint64_t>(comm.size())));
      for (int i = 0; i < 25 && !::testing::Test::HasFailure(); ++i) {
        ReduceCell<Mixed, 9> cell(comm.rank(), comm.size(), shared, nullptr, i % 5 == 0 ? 600 : 12);
        cell.run([&] { cell.enqueue(policy); });
        cell.expect_result("packets in registers");
      }
    });
  }
}

TEST(AllReduceMultiple, EachArrayHasTheBitsThatAllReduceGives) {
  for (int const ranks : few_rank_counts()) {
    run_ranks(ranks, [](Bootstrap& bootstrap) {
      Session const s(bootstrap, HostSpaces::index_of<MultipleSpace>());
      auto const& policy = s.policy_of<MultipleSpace>();
      for (std::size_t const n : {std::size_t{5}, std::size_t{777}, std::size_t{20000}}) {
        std::vector<float> a(n);
        std::vector<float> b(n + 3);
        for (std::size_t i = 0; i < a.size(); ++i)
          a[i] = 0.1f * static_cast<float>(element_bits(1, s.rank(), i) % 1000);
        for (std::size_t i = 0; i < b.size(); ++i) b[i] = -0.0f / static_cast<float>(1 + s.rank());
        std::vector<float> x(n);
        std::vector<float> y(n + 3);
        std::vector<float> expected(n);
        all_reduce_multiple(policy, member(std::span(a), std::span(x)), member(std::span(b), std::span(y)));
        all_reduce(policy, std::span(a), std::span(expected));
        EXPECT_EQ(std::memcmp(x.data(), expected.data(), n * sizeof(float)), 0) << n;
        for (float const zero : y) EXPECT_TRUE(zero == 0 && std::signbit(zero)) << "-0 on all ranks stays -0";
      }
    });
  }
}

/// Adds triples, by a factor that it must be given.
class Weighted {
 public:
  explicit Weighted(int factor) : m_factor(factor) {}
  void init(Triple& value) const { value = {}; }
  Triple join(Triple const& a, Triple const& b) const {
    Triple sum;
    for (int i = 0; i < 3; ++i) sum.values[i] = a.values[i] + m_factor * b.values[i];
    return sum;
  }

 private:
  int m_factor;
};

TEST(AllReduceMultiple, AUsersFunctorReducesEveryArrayOfItsElements) {
  run_ranks(3, [](Bootstrap& bootstrap) {
    Session const s(bootstrap, HostSpaces::index_of<MultipleSpace>());
    for (std::size_t const n : {std::size_t{7}, std::size_t{4000}}) {
      std::vector<Triple> few(3, Triple{{s.rank(), 1, 2}});
      std::vector<Triple> many(n, Triple{{s.rank() + 1, 0, 5}});
      all_reduce_multiple("triples", s.policy_of<MultipleSpace>(), Weighted(10), member(std::span(few), std::span(few)),
                          member(std::span(many), std::span(many)));
      for (Triple const& t : few) {
        EXPECT_EQ(t.values[0], 30);
        EXPECT_EQ(t.values[1], 21);
      }
      for (Triple const& t : many) {
        ASSERT_EQ(t.values[0], 1 + 20 + 30);
        ASSERT_EQ(t.values[2], 105);
      }
    }
  });
}

TEST(AllReduceMultiple, AnyNumberOfDenseArraysGoesInOneLaunchAndAStridedOneIsRefused) {
  constexpr std::size_t many = 70;
  run_ranks(3, [](Bootstrap& bootstrap) {
    Session const s(bootstrap, HostSpaces::index_of<MultipleSpace>());
    auto const& policy = s.policy_of<MultipleSpace>();
    constexpr std::size_t n = 100;
    std::vector<float> in(many * n);
    std::vector<float> out(many * n);
    for (std::size_t i = 0; i < in.size(); ++i) in[i] = static_cast<float>(i % 1000) + static_cast<float>(s.rank());
    auto const part = [](std::vector<float>& of, std::size_t m) { return std::span(of).subspan(m * n, n); };
    Impl::LaunchNumber const before = s.launch_number(0);
    [&]<std::size_t... M>(std::index_sequence<M...>) {
      all_reduce_multiple("many", policy, member(part(in, M), part(out, M))...);
    }
    (std::make_index_sequence<many>{});
    EXPECT_EQ(s.launch_number(0), before + 1);
    for (std::size_t i = 0; i < out.size(); ++i) ASSERT_EQ(out[i], 3 * static_cast<float>(i % 1000) + 3);
    Array<float, 1> apart(out.data(), n / 2);
    apart.strides[0] = 2;
    expect_error(caught([&] {
                   [&]<std::size_t... M>(std::index_sequence<M...>) {
                     all_reduce_multiple("many", policy, member(part(in, M), part(in, M))..., member(apart, apart));
                   }
                   (std::make_index_sequence<many>{});
                 }),
                 "UnsupportedError", "`in of member 70` is strided; of more than 64 members each must be dense");
    EXPECT_EQ(s.launch_number(0), before + 1);
  });
}

TEST(AllReduceMultiple, WrongArgumentsAreRefusedByNameAndNothingIsLaunched) {
  run_ranks(2, [](Bootstrap& bootstrap) {
    Session const s(bootstrap, HostSpaces::index_of<HostThread>());
    auto const& policy = s.policy_of<HostThread>();
    std::vector<float> memory(64);
    std::span const a(memory.data(), 8);
    std::span const b(memory.data() + 8, 8);
    std::span const c(memory.data() + 16, 8);
    std::span<float> const null(static_cast<float*>(nullptr), 8);
    Impl::LaunchNumber const before = s.launch_number(0);
    auto const refused = [&](std::string const& words, auto const&... arguments) {
      Caught const error = caught([&] { all_reduce_multiple("label", policy, arguments...); });
      expect_error(error, "InvalidArgument", "Koinon::all_reduce_multiple [label]: rank " + std::to_string(s.rank()),
                   words);
      EXPECT_FALSE(can_run<AllReduceMultiple>(policy, arguments...));
    };
    refused("`out of member 1` has 5 elements in its extents, the extents of `in of member 1` (8 elements) expected",
            member(a, a), member(b, c.first(5)));
    refused("`in of member 1` is null", Max{}, member(a, a), member(null, c));
    refused("`out of member 0` is null", member(a, null));
    refused("`out of member 1` overlaps `out of member 0`", member(a, c), member(b, std::span(memory).subspan(20, 8)));
    refused("`out of member 0` overlaps `in of member 0`", member(a, std::span(memory).subspan(4, 8)));
    refused("`out of member 0` overlaps `in of member 1`", member(a, b), member(b, c));
    for (Tuning const& tuning : {Tuning{.transport = Transport::multimem}, Tuning{.algorithm = Algorithm::one_shot}}) {
      EXPECT_THROW(all_reduce_multiple(require(policy, tuning), member(a, b)), UnsupportedError);
    }
    EXPECT_EQ(s.launch_number(0), before);
    all_reduce_multiple(policy, member(a, a), member(b, c));
    EXPECT_EQ(s.launch_number(0), before + 1);
  });
}
#endif

}  // namespace
}  // namespace Koinon::Testing
