// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <collectives/Koinon_Session.hpp>
#include <support/Koinon_Oracle.hpp>
#include <support/Koinon_Random.hpp>

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace Koinon::Testing {
namespace {

constexpr Tuning by_peers{.algorithm = Algorithm::one_shot, .transport = Transport::peer_load};
constexpr Tuning by_multicast{.algorithm = Algorithm::one_shot, .transport = Transport::multimem};

template <class T, class R>
std::vector<T> reduced(Session const& session, Tuning const& tuning, std::vector<T> const& in) {
  std::vector<T> out(in.size());
  all_reduce("multimem", require(session.policy_of<HostThread>(), tuning), std::span(in), std::span(out), R{});
  return out;
}

/// Three ranks: 1, 1 and 0 + i / 128. The sum 2 + i / 128 has one bit more than bfloat16 keeps, so multicast rounds it
/// before the division; peers divide the float.
TEST(Multimem, AveragesOfBfloat16DifferFromPeersExactlyAsRoundingBeforeTheDivisionPredicts) {
  run_ranks(3, [](Bootstrap& bootstrap) {
    Session const session(bootstrap, HostSpaces::index_of<HostThread>());
    constexpr std::size_t count = 128;
    std::vector<bfloat16> in(count, bfloat16(1.0f));
    for (std::size_t i = 0; session.rank() == 2 && i < count; ++i) in[i] = bfloat16(static_cast<float>(i) / 128);
    auto const peers = reduced<bfloat16, Average>(session, by_peers, in);
    auto const multicast = reduced<bfloat16, Average>(session, by_multicast, in);
    int differing = 0;
    for (std::size_t i = 0; i < count; ++i) {
      float const sum = 2.0f + static_cast<float>(bfloat16(static_cast<float>(i) / 128));
      auto const rounded = [](float x) { return Oracle::nearest<bfloat16>(x); };
      unsigned const after = rounded(sum / 3.0f);
      unsigned const before = rounded(static_cast<float>(Oracle::value_of<bfloat16>(rounded(sum))) / 3.0f);
      EXPECT_EQ(peers[i].bits(), after) << i;
      EXPECT_EQ(multicast[i].bits(), before) << i;
      differing += after != before;
    }
    EXPECT_GT(differing, 10);
    EXPECT_LT(differing, 120);
  });
}

TEST(Multimem, SumsAndExtremaAreThoseOfPeers) {
  run_ranks(3, [](Bootstrap& bootstrap) {
    Session const session(bootstrap, HostSpaces::index_of<HostThread>());
    std::vector<bfloat16> in(1000);
    for (std::size_t i = 0; i < in.size(); ++i) {
      in[i] = bfloat16(static_cast<float>(element_bits(7, session.rank(), i) % 2001) / 37 - 27);
    }
    auto const expect_equal = [&]<class R>(R) {
      auto const peers = reduced<bfloat16, R>(session, by_peers, in);
      auto const multicast = reduced<bfloat16, R>(session, by_multicast, in);
      for (std::size_t i = 0; i < in.size(); ++i) EXPECT_EQ(peers[i].bits(), multicast[i].bits());
    };
    expect_equal(Sum{});
    expect_equal(Min{});
    expect_equal(Max{});
  });
}

/// Asks only: that a call does what can_run said is seen below, of one pair for each reason.
template <class T, class R>
void expect_no(Session const& session, std::string const& reason) {
  T const in{};
  T out{};
  auto const policy = require(session.policy_of<HostThread>(), Tuning{.transport = Transport::multimem});
  auto const answer = can_run<AllReduce>(policy, std::span<T const>(&in, 1), std::span<T>(&out, 1), R{});
  EXPECT_FALSE(answer);
  EXPECT_NE(answer.reason().find(reason), std::string::npos) << answer.reason();
}

template <class T, class R>
void expect_refused(Session const& session, std::string const& reason) {
  expect_no<T, R>(session, reason);
  T const in{};
  T out{};
  std::span<T const> const source(&in, 1);
  std::span<T> const result(&out, 1);
  auto const policy = require(session.policy_of<HostThread>(), Tuning{.transport = Transport::multimem});
  try {
    all_reduce("refused", policy, source, result, R{});
    ADD_FAILURE() << "multicast took " << element_name<T>() << " " << reducer_name<R>();
  } catch (UnsupportedError const& e) {
    EXPECT_NE(std::string(e.what()).find(reason), std::string::npos) << e.what();
    EXPECT_NE(std::string(e.what()).find("[refused]"), std::string::npos) << e.what();
  }
  // Preferred, it falls back and says so.
  all_reduce("fallback", prefer(session.policy_of<HostThread>(), Tuning{.transport = Transport::multimem}), source,
             result, R{});
  EXPECT_NE(session.describe().find("all_reduce: transport"), std::string::npos) << session.describe();
}

TEST(Multimem, PairsThatTheHardwareLacksAreRefusedWithTheirReasonAndFallBackWhenPreferred) {
  run_ranks(2, [](Bootstrap& bootstrap) {
    Session const session(bootstrap, HostSpaces::index_of<HostThread>());
    expect_refused<float, Min>(session, "no minimum or maximum of them");
    expect_no<double, Max>(session, "no minimum or maximum of them");
    expect_refused<std::int32_t, Prod>(session, "it has no such reducer");
    expect_no<Affine, Compose>(session, "it has no such reducer");
    expect_refused<std::int16_t, Sum>(session, "knows 32- and 64-bit integers");
    expect_no<float8_e4m3, Sum>(session, "knows 32- and 64-bit integers");
    expect_no<Impl::Complex<float>, Sum>(session, "knows 32- and 64-bit integers");
  });
}

TEST(Multimem, DeterministicExcludesIt) {
  run_ranks(2, [](Bootstrap& bootstrap) {
    Session const session(bootstrap, HostSpaces::index_of<HostThread>());
    auto const strict = require(session.policy_of<HostThread>(), Deterministic{});
    float const in = 1;
    float out = 0;
    std::span<float const> const source(&in, 1);
    std::span<float> const result(&out, 1);
    auto const both = require(strict, Tuning{.transport = Transport::multimem});
    EXPECT_FALSE(can_run<AllReduce>(both, source, result));
    EXPECT_THROW(all_reduce("strict", both, source, result), UnsupportedError);
    all_reduce("strict", strict, source, result);
    EXPECT_EQ(out, 2);
  });
}

}  // namespace
}  // namespace Koinon::Testing
