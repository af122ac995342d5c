// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#if !defined(KOINON_TEST_CUDA)
#include <collectives/Koinon_GpuWay.hpp>
#endif
#include <collectives/Koinon_MultipleCell.hpp>
#include <support/Koinon_Caught.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <string>

namespace Koinon::Testing {
namespace {

using Gradients = std::tuple<float>;
using Mixed = std::tuple<float, bfloat16, std::int64_t, std::uint8_t>;

/// Returns a rank's element: a whole number so small that sums over 33 ranks are exact in every type.
int whole_number(std::uint64_t seed, int rank, std::size_t index) {
  return static_cast<int>(element_bits(seed, rank, index) % 4);
}
template <class T>
T element_of(double value) {
  if constexpr (std::is_same_v<T, bfloat16>) {
    return T(static_cast<float>(value));
  } else {
    return static_cast<T>(value);
  }
}

/// Is one random call on N members, the types in turn those of Types.
template <class Types, std::size_t N>
class ReduceCell {
  template <std::size_t M>
  using TypeOf = std::tuple_element_t<M % std::tuple_size_v<Types>, Types>;

 public:
  ReduceCell(int rank, int ranks, std::size_t most, Random& shared, SpaceMemory const* memory = nullptr)
      : m_rank(rank), m_ranks(ranks), m_memory(memory), m_seed(shared.next()) {
    Random own(mixed(m_seed) + static_cast<std::uint64_t>(rank));  // how arrays lie is each rank's own matter
    add_members(shared, own, most, std::make_index_sequence<N>{});
  }

  /// Says, on all ranks alike, whether there is memory for the arrays.
  [[nodiscard]] bool has_room() const { return CallMemory(m_memory).has_room(m_bytes); }
  template <class Policy, class R>
  void call(Policy const& policy, R const& reducer) {
    m_before = m_out;
    m_in_before = m_in;
    CallMemory memory = place();
    [&]<std::size_t... M>(std::index_sequence<M...>) {
      all_reduce_multiple("cell", policy, reducer, member_of<M>()...);
    }
    (std::make_index_sequence<N>{});
    memory.fetch(m_in);
    memory.fetch(m_out);
  }
  template <class Policy, class R>
  [[nodiscard]] Answer can_run(Policy const& policy, R const& reducer) {
    (void)place();
    return [&]<std::size_t... M>(std::index_sequence<M...>) {
      return Koinon::can_run<AllReduceMultiple>(policy, reducer, member_of<M>()...);
    }
    (std::make_index_sequence<N>{});
  }

  /// Brings the arrays where kernels reach them.
  CallMemory place() {
    CallMemory memory(m_memory);
    memory.place(m_in);
    memory.place(m_out);
    return memory;
  }

  template <class R>
  void expect_reduced(R const&, std::string const& what) {
    [&]<std::size_t... M>(std::index_sequence<M...>) {
      (expect_member<M, R>(what), ...);
    }
    (std::make_index_sequence<N>{});
  }

 private:
  template <std::size_t... M>
  void add_members(Random& shared, Random& own, std::size_t most, std::index_sequence<M...>) {
    (add_member<TypeOf<M>>(shared, own, most, M), ...);
  }
  template <class T>
  void add_member(Random& shared, Random& own, std::size_t most, std::size_t m) {
    std::size_t const columns = 1 + shared.below(7);
    std::size_t const rows = shared.one_in(8) ? 0 : shared.below(most / columns + 1);
    CallMemory::count(m_bytes, sizeof(T), rows, columns);
    m_in.emplace_back(sizeof(T), rows, columns, own);
    m_out.emplace_back(sizeof(T), rows, columns, own);
    m_in_place.push_back(own.one_in(3));
    for (std::size_t r = 0; r < rows; ++r) {
      for (std::size_t c = 0; c < columns; ++c) {
        put(m_in_place[m] ? m_out[m] : m_in[m], r, c, element_of<T>(whole_number(m_seed + m, m_rank, r * columns + c)));
      }
    }
  }
  template <class T>
  static void put(MemberRows& rows, std::size_t r, std::size_t c, T const& value) {
    std::memcpy(rows.at(r, c), &value, sizeof(T));
  }
  template <std::size_t M>
  [[nodiscard]] auto member_of() {
    using T = TypeOf<M>;
    auto& in = m_in_place[M] ? m_out[M] : m_in[M];
    return member(in.template as<T const>(0, in.rows), m_out[M].template as<T>(0, m_out[M].rows));
  }
  template <std::size_t M, class R>
  void expect_member(std::string const& what) {
    using T = TypeOf<M>;
    MemberRows expected = m_before[M];
    for (std::size_t r = 0; r < expected.rows; ++r) {
      for (std::size_t c = 0; c < expected.columns; ++c) {
        int result = whole_number(m_seed + M, 0, r * expected.columns + c);
        for (int p = 1; p < m_ranks; ++p) {
          int const value = whole_number(m_seed + M, p, r * expected.columns + c);
          result = std::is_same_v<R, Max> ? std::max(result, value) : result + value;
        }
        put(expected, r, c, element_of<T>(result));
      }
    }
    EXPECT_EQ(expected.memory, m_out[M].memory) << what << ": out of member " << M << ", rank " << m_rank;
    EXPECT_EQ(m_in_before[M].memory, m_in[M].memory) << what << ": in of member " << M;
  }

  int m_rank;
  int m_ranks;
  SpaceMemory const* m_memory;
  std::size_t m_bytes = 0;
  std::uint64_t m_seed;
  std::vector<MemberRows> m_in;
  std::vector<MemberRows> m_out;
  std::vector<MemberRows> m_in_before;
  std::vector<MemberRows> m_before;
  std::vector<bool> m_in_place;
};

/// Makes a random call by an algorithm, any if it is automatic; not at all if it is refused.
template <class Types, std::size_t N, class R>
void reduce_members(Session const& session, Random& shared, Algorithm algorithm, R const& reducer) {
  std::size_t const most = shared.one_in(4) ? 3000 : shared.one_in(2) ? 200 : 12;
  ReduceCell<Types, N> cell(session.rank(), session.size(), most, shared, session.memory());
  if (!cell.has_room()) return;
  auto const policy = require(session.policy_of<MultipleSpace>(), Tuning{.algorithm = algorithm});
  if (!cell.can_run(policy, reducer)) {
    EXPECT_EQ(algorithm, Algorithm::low_latency) << cell.can_run(policy, reducer).reason();
    return;
  }
  Impl::LaunchNumber const before = session.launch_number(0);
  cell.call(policy, reducer);
  EXPECT_EQ(session.launch_number(0), Impl::next_launch_number(before)) << "more than one launch";
  cell.expect_reduced(reducer, std::to_string(N) + " members, " + std::string(to_string(algorithm)));
}

void reduce_some(Session const& session, Random& shared) {
  Algorithm const algorithm =
      shared.pick(std::array{Algorithm::automatic, Algorithm::low_latency, Algorithm::two_shot});
  switch (shared.below(6)) {
    case 0:
      return reduce_members<Gradients, 1>(session, shared, algorithm, Sum{});
    case 1:
      return reduce_members<Gradients, 8>(session, shared, algorithm, Sum{});
#if !defined(KOINON_TEST_CUDA)  // each a set of kernels
    case 2:
      return reduce_members<Gradients, 20>(session, shared, algorithm, Sum{});
    case 3:
      return reduce_members<Mixed, 3>(session, shared, algorithm, Sum{});
    case 4:
      return reduce_members<Mixed, 3>(session, shared, algorithm, Max{});
#endif
    default:
      return reduce_members<Mixed, 9>(session, shared, algorithm, Sum{});
  }
}

TEST(AllReduceMultiple, EveryRankHasTheReductionOfEachArrayAndNothingElseIsWritten) {
  for (int const ranks : multiple_rank_counts()) {
    run_ranks(ranks, [ranks](Bootstrap& bootstrap) {
      Session const session(bootstrap, HostSpaces::index_of<MultipleSpace>());
      Random shared(mixed(seed() + static_cast<std::uint64_t>(ranks)));
      for (int i = 0; i < (ranks <= 8 ? 24 : 6) && !::testing::Test::HasFailure(); ++i) reduce_some(session, shared);
    });
  }
}

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
        ReduceCell<Gradients, 20> gradients(comm.rank(), comm.size(), most, shared);
        gradients.call(policy, Sum{});
        gradients.expect_reduced(Sum{}, "gradients");
        ReduceCell<Mixed, 9> mixed_types(comm.rank(), comm.size(), most, shared);
        mixed_types.call(policy, Sum{});
        mixed_types.expect_reduced(Sum{}, "mixed types");
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
        ReduceCell<Mixed, 9> cell(comm.rank(), comm.size(), i % 5 == 0 ? 600 : 12, shared);
        cell.call(policy, Sum{});
        cell.expect_reduced(Sum{}, "packets in registers");
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

#endif

TEST(AllReduceMultiple, AnyMixWithOtherOperationsStaysRightWhileRanksAreLate) {
  for (int const ranks : few_rank_counts()) {
    for (std::uint32_t const start : {0u, 0xFFFFFFFFu - 100u}) {
      run_ranks(ranks, [start](Bootstrap& bootstrap) {
        Session const session(bootstrap, HostSpaces::index_of<MultipleSpace>(), start);
        auto const& policy = session.policy_of<MultipleSpace>();
        Random shared(mixed(seed() + start));
        Random own(mixed(seed()) + static_cast<std::uint64_t>(session.rank()));
        std::vector<float> in(3000);
        std::vector<float> out(3000);
        std::vector<float> all(3000 * static_cast<std::size_t>(session.size()));
        for (int i = 0; i < calls(80) && !::testing::Test::HasFailure(); ++i) {
          delay(own.next());
          std::size_t const other = shared.below(5);
          std::size_t const n = 1 + shared.below(3000);
          std::fill(in.begin(), in.end(), static_cast<float>(i));
          if (other <= 1 && session.memory() != nullptr) {
            barrier("mix", policy);
          } else if (other == 0) {
            all_reduce("mix", policy, std::span(in).first(n), std::span(out).first(n));
            ASSERT_EQ(out[n - 1], static_cast<float>(i * session.size()));
          } else if (other == 1) {
            auto const whole = std::span(all).first(n * static_cast<std::size_t>(session.size()));
            all_gather_multiple("mix", policy, member(std::span(in).first(n), whole));
            ASSERT_EQ(whole.back(), static_cast<float>(i));
          } else {
            reduce_some(session, shared);
          }
        }
      });
    }
  }
}

#if !defined(KOINON_TEST_CUDA)
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
