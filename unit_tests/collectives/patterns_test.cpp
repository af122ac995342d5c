// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <collectives/Koinon_Session.hpp>
#include <support/Koinon_Oracle.hpp>

#include <gtest/gtest.h>

#include <array>
#include <type_traits>
#include <vector>

namespace Koinon::Testing {
namespace {

constexpr std::array ways{Tuning{.algorithm = Algorithm::low_latency}, Tuning{.algorithm = Algorithm::one_shot},
                          Tuning{.algorithm = Algorithm::two_shot},
                          Tuning{.algorithm = Algorithm::one_shot, .transport = Transport::multimem}};

template <class T, class R, class Policy>
void expect_sums(Session const& session, Policy const& policy, std::vector<T> const& patterns, std::size_t shift,
                 Tuning const& way) {
  // Rank p holds the pattern that is p * shift further on: every pattern meets many others.
  auto const value_of = [&](int rank, std::size_t i) {
    return patterns[(i + static_cast<std::size_t>(rank) * shift) % patterns.size()];
  };
  std::vector<T> in(patterns.size());
  std::vector<T> out(patterns.size());
  for (std::size_t i = 0; i < in.size(); ++i) in[i] = value_of(session.rank(), i);
  // In pieces that low latency takes.
  constexpr std::size_t piece = 1024;
  for (std::size_t at = 0; at < in.size(); at += piece) {
    all_reduce("patterns", prefer(policy, way), std::span<T const>(in).subspan(at, piece),
               std::span(out).subspan(at, piece), R{});
  }
  bool const multimem = way.transport == Transport::multimem && Impl::HostBackend::multimem_refusal<T, R> == nullptr;
  std::vector<T> values(static_cast<std::size_t>(session.size()));
  for (std::size_t i = 0; i < in.size(); ++i) {
    for (int p = 0; p < session.size(); ++p) values[static_cast<std::size_t>(p)] = value_of(p, i);
    ASSERT_TRUE((is_reduction<T, R>(out[i], values.data(), session.size(), {.before_division = multimem})))
        << reducer_name<R>() << ", pattern " << i << ", shift " << shift << ", way " << to_string(way.algorithm);
  }
}

template <class T>
void expect_all_patterns(int ranks) {
  run_ranks(ranks, [](Bootstrap& bootstrap) {
    Session const session(bootstrap, HostSpaces::index_of<HostThread>());
    std::vector<T> patterns;
    for (unsigned bits = 0; bits < Oracle::patterns<T>; ++bits) {
      patterns.push_back(T::from_bits(static_cast<typename T::storage_type>(bits)));
    }
    auto const& policy = session.policy_of<HostThread>();
    for (Tuning const& way : ways) {
      // All ranks the same: -0.0 on all ranks stays -0.0, a NaN is a NaN; and ranks apart.
      for (std::size_t const shift : {std::size_t{0}, std::size_t{12345}}) {
        expect_sums<T, Sum>(session, policy, patterns, shift, way);
        expect_sums<T, Max>(session, policy, patterns, shift, way);
        expect_sums<T, Average>(session, policy, patterns, shift, way);
      }
      expect_sums<T, Prod>(session, policy, patterns, 54321, way);
      expect_sums<T, Min>(session, policy, patterns, 54321, way);
    }
  });
}

class Patterns : public ::testing::TestWithParam<int> {};

TEST_P(Patterns, AllOfBfloat16GoThroughEveryOperationWithTheRightBits) {
  expect_all_patterns<bfloat16>(GetParam());
}

INSTANTIATE_TEST_SUITE_P(Ranks, Patterns, ::testing::ValuesIn(few_rank_counts()),
                         [](auto const& i) { return ranks_name(i.param); });

}  // namespace
}  // namespace Koinon::Testing
