// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <collectives/Koinon_NormRun.hpp>

#include <array>
#include <cstdint>
#include <vector>

namespace Koinon::Testing {
namespace {

using Float = NormFields<float, float, float, float, true, true, Quantized::no, false>;
using Bare = NormFields<bfloat16, bfloat16, float, bfloat16, false, true, Quantized::no, false>;
using Groups = NormFields<bfloat16, float, bfloat16, float16, true, true, Quantized::by_group_scales, false>;
using Static = NormFields<bfloat16, bfloat16, bfloat16, bfloat16, true, false, Quantized::by_one_scale, true>;

/// Calls body(session) on every rank, for every space.
template <class Body>
void on_sessions(std::vector<int> const& counts, Body const& body) {
  for (int const ranks : counts) {
    run_ranks(ranks, [&](Bootstrap& bootstrap) {
      for (int index = 0; index < HostSpaces::count; ++index) {
        HostSpaces::with(index, [&]<class Space>(Space const& space) {
          NormSession<Space> session(bootstrap, space);
          body(session);
        });
      }
    });
  }
}

constexpr std::array norm_algorithms{Algorithm::automatic, Algorithm::low_latency, Algorithm::one_shot,
                                     Algorithm::two_shot};

/// Runs a case by every algorithm and transport that it has; all give the same bits, but that multicast rounds a narrow sum
/// first. Returns how many there are without multicast.
template <class Fields, class Session>
int run_by_all(Session& session, NormCase c) {
  NormBits first;
  int ran = 0;
  int pulled = 0;
  int by_multicast = 0;
  for (Transport const transport : {Transport::automatic, Transport::multimem}) {
    bool const multicast = transport == Transport::multimem;
    if (multicast && sizeof(typename Fields::In) < sizeof(float)) first.clear();
    c.transport = transport;
    for (Algorithm const algorithm : norm_algorithms) {
      c.algorithm = algorithm;
      NormBits const bits = session.template run<Fields>(c, seed() + c.rows * 31 + c.columns);
      if (bits.empty()) continue;
      bool const pulls = algorithm == Algorithm::one_shot || algorithm == Algorithm::two_shot;
      (multicast ? by_multicast : pulled) += pulls;
      ran += !multicast;
      if (first.empty()) first = bits;
      EXPECT_TRUE(bits == first) << c.text() << ": other bits than by another algorithm";
    }
  }
  EXPECT_GT(ran, 0) << c.text() << ": " << session.refusal();
  EXPECT_EQ(by_multicast, session.has_multicast() ? pulled : 0) << c.text() << ": " << session.refusal();
  return ran;
}

struct Shape {
  std::size_t rows;
  std::size_t columns;
};
constexpr std::array shapes{Shape{0, 64}, Shape{3, 0},   Shape{1, 1},    Shape{7, 7},   Shape{1, 8},    Shape{7, 12},
                            Shape{3, 64}, Shape{5, 129}, Shape{64, 136}, Shape{2, 257}, Shape{7, 1000}, Shape{2, 4096},
                            Shape{1, 8200}, Shape{1, 16384}};

template <class Fields, class Session>
void run_shapes(Session& session) {
  for (Shape const& shape : shapes) {
    NormCase c{.rows = shape.rows, .columns = shape.columns};
    run_by_all<Fields>(session, c);
    c.operation = Operation::reduce_scatter;
    run_by_all<Fields>(session, c);
  }
}

TEST(RmsNorm, FloatRowsOfEveryShapeAreNormalizedAlikeByEveryAlgorithm) {
  on_sessions(few_rank_counts(), [](auto& session) { run_shapes<Float>(session); });
}

TEST(RmsNorm, NarrowRowsWithoutResidualAreRoundedOnce) {
  on_sessions(few_rank_counts(), [](auto& session) { run_shapes<Bare>(session); });
}

TEST(RmsNorm, GroupsOf128ColumnsHaveScalesOfTheirOwnBesideTheNorm) {
  on_sessions(few_rank_counts(), [](auto& session) {
    run_shapes<Groups>(session);
    run_by_all<Groups>(session, {.rows = 7, .columns = 300, .column_major = true});
    run_by_all<Groups>(session, {.operation = Operation::reduce_scatter, .rows = 7, .columns = 300, .column_major = true});
  });
}

TEST(RmsNorm, OneScaleQuantizesAndOwnRowsKeepTheNorm) {
  on_sessions(few_rank_counts(), [](auto& session) { run_shapes<Static>(session); });
}

TEST(RmsNorm, OneRankNormalizesAlone) {
  on_sessions({1}, [](auto& session) {
    if (session.size() > 1) return;
    run_by_all<Float>(session, {.rows = 7, .columns = 130});
    run_by_all<Groups>(session, {.operation = Operation::reduce_scatter, .rows = 7, .columns = 130});
  });
}

TEST(RmsNorm, ManyTokens) {
  on_sessions({2}, [](auto& session) {
    run_by_all<Bare>(session, {.rows = 4096, .columns = 8});
    run_by_all<Float>(session, {.operation = Operation::reduce_scatter, .rows = 4096, .columns = 8});
  });
}

/// Placement, alignment, padding, in place, offset, a limit on blocks: none changes a bit of the answer.
TEST(RmsNorm, PlacementAndPaddingChangeNoBit) {
  on_sessions(few_rank_counts(), [](auto& session) {
    for (Operation const operation : {Operation::all_reduce, Operation::reduce_scatter}) {
      for (Shape const& shape : {Shape{7, 12}, Shape{9, 265}}) {
        NormCase const plain{.operation = operation, .rows = shape.rows, .columns = shape.columns, .weight_offset = 1.0f};
        auto const bits = [&](NormCase const& c) { return session.template run<Float>(c, 42); };
        NormBits const expected = bits(plain);
        ASSERT_FALSE(expected.empty());
        for (unsigned const change : {1u, 2u, 3u, 4u, 8u, 16u, 29u, 31u}) {
          NormCase c = plain;
          c.symmetric = (change & 1u) != 0;
          c.in_place = (change & 2u) != 0;
          c.pad = (change & 4u) != 0 ? 5 : 0;
          c.shift = (change & 8u) != 0 ? 1 : 0;
          c.max_blocks = (change & 16u) != 0 ? 1 : 0;
          for (Transport const transport : {Transport::automatic, Transport::multimem}) {
            c.transport = transport;
            for (Algorithm const algorithm : norm_algorithms) {
              c.algorithm = algorithm;
              NormBits const got = bits(c);
              EXPECT_TRUE(got.empty() || got == expected) << c.text();
            }
          }
        }
      }
    }
  });
}

TEST(RmsNorm, AResidualOfOwnRowsNeedsTheOwnerAndLeavesOwnRowsOfItsSum) {
  on_sessions(few_rank_counts(), [](auto& session) {
    for (Shape const& shape : {Shape{0, 16}, Shape{1, 24}, Shape{7, 12}, Shape{64, 136}}) {
      NormCase c{.rows = shape.rows, .columns = shape.columns, .own_residual = true};
      EXPECT_EQ(run_by_all<Float>(session, c), 2);  // automatic and two_shot
      c.in_place = true;
      run_by_all<Static>(session, c);
      run_by_all<Groups>(session, c);
    }
  });
}

/// More rows than a round of staging has.
TEST(RmsNorm, RowsInRounds) {
  on_sessions({3}, [](auto& session) {
    if (session.size() != 3) return;
    for (bool const symmetric : {false, true}) {
      run_by_all<Float>(session, {.rows = 150, .columns = 500, .symmetric = symmetric});
      run_by_all<Groups>(session, {.rows = 150, .columns = 500, .symmetric = symmetric});
    }
  });
}

TEST(RmsNorm, UnevenCountsGiveEachRankItsRows) {
  on_sessions(few_rank_counts(), [](auto& session) {
    NormCase c{.operation = Operation::reduce_scatter, .columns = 12};
    c.counts.assign(static_cast<std::size_t>(session.size()), 2);
    c.counts.front() = 0;
    c.counts.back() = 5;
    c.rows = 0;
    for (std::int64_t const count : c.counts) c.rows += static_cast<std::size_t>(count);
    run_by_all<Float>(session, c);
    run_by_all<Static>(session, c);
  });
}

/// Besides the two and three of the other cases: every variant, in place, odd widths, uneven rows.
TEST(RmsNorm, MulticastGivesWhatPeersGiveForOneRankAndForManyRanks) {
  on_sessions({1, 4, 8}, [](auto& session) {
    for (Shape const& shape : {Shape{1, 1}, Shape{7, 12}, Shape{11, 129}}) {
      NormCase const plain{.rows = shape.rows, .columns = shape.columns};
      NormCase in_place = plain;
      in_place.in_place = true;
      NormCase symmetric = plain;
      symmetric.symmetric = true;
      for (NormCase c : {plain, in_place, symmetric}) {
        run_by_all<Float>(session, c);
        run_by_all<Groups>(session, c);
        c.operation = Operation::reduce_scatter;
        run_by_all<Bare>(session, c);
        run_by_all<Static>(session, c);
      }
    }
    NormCase uneven{.operation = Operation::reduce_scatter, .rows = 0, .columns = 37};
    for (int p = 0; p < session.size(); ++p) uneven.counts.push_back(p * 5 % 4);
    for (std::int64_t const count : uneven.counts) uneven.rows += static_cast<std::size_t>(count);
    run_by_all<Groups>(session, uneven);
    run_by_all<Static>(session, {.rows = 7, .columns = 37, .own_residual = true});
  });
}

#if defined(KOINON_TEST_CUDA)
/// Replays a case with other inputs each time; a call behind each has the same bits.
template <class Fields, class Session>
void replay_by_all(Session& session, NormCase c) {
  for (Transport const transport : {Transport::automatic, Transport::multimem}) {
    c.transport = transport;
    for (Algorithm const algorithm : norm_algorithms) {
      c.algorithm = algorithm;
      if (session.template run<Fields>(c, 1).empty()) continue;  // by all ranks: it is not offered
      std::vector<NormBits> replayed;
      session.replay_calls(true);
      for (std::uint64_t turn = 0; turn < 20; ++turn) replayed.push_back(session.template run<Fields>(c, seed() + turn));
      session.replay_calls(false);
      for (std::uint64_t turn = 0; turn < 20; turn += 5) {
        EXPECT_TRUE(session.template run<Fields>(c, seed() + turn) == replayed[turn]) << c.text() << ", replay " << turn;
      }
    }
  }
}

TEST(RmsNorm, ReplaysWithOtherInputsEachTimeHaveTheBitsOfCalls) {
  on_sessions(few_rank_counts(), [](auto& session) {
    for (Operation const operation : {Operation::all_reduce, Operation::reduce_scatter}) {
      for (bool const symmetric : {false, true}) {
        replay_by_all<Float>(session, {.operation = operation, .rows = 7, .columns = 129, .symmetric = symmetric});
        replay_by_all<Groups>(session, {.operation = operation, .rows = 5, .columns = 300, .symmetric = symmetric});
      }
    }
    replay_by_all<Bare>(session, {.rows = 64, .columns = 64, .in_place = true});
    replay_by_all<Static>(session, {.rows = 9, .columns = 136, .own_residual = true});
  });
}
#endif

}  // namespace
}  // namespace Koinon::Testing
