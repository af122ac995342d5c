// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <collectives/Koinon_Session.hpp>
#include <support/Koinon_Caught.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

// What exchanges and gathers of lists elsewhere got wrong, each of them in turn.
namespace Koinon::Testing {
namespace {

using Policy = std::remove_cvref_t<decltype(std::declval<Session const&>().policy_of<HostThread>())>;

constexpr std::array exchange_algorithms{Algorithm::automatic, Algorithm::low_latency, Algorithm::one_shot};

/// Is an operation that brings n elements from each rank to each: all of one `in` to every rank, or piece p to rank p.
/// Their results are alike: what came from rank 0, from rank 1, and so on.
template <class T>
struct Move {
  char const* name;
  bool gathers;
  std::function<void(Policy const&, T const* in, T* out, std::size_t n, std::size_t ranks)> call;
};

template <class T>
std::vector<Move<T>> moves() {
  using Matrix = Array<T, 2>;
  using Source = Array<T const, 2>;
  using Size = std::size_t;
  return {{"all_to_all", false,
           [](Policy const& policy, T const* in, T* out, Size n, Size ranks) {
             all_to_all("move", policy, std::span(in, n * ranks), std::span(out, n * ranks));
           }},
          {"all_to_all by counts", false,
           [](Policy const& policy, T const* in, T* out, Size n, Size ranks) {
             Counts const even(std::vector<Size>(ranks, n));
             all_to_all("move", policy, std::span(in, n * ranks), std::span(out, n * ranks), even, even);
           }},
          {"shards_to_rows", false,
           [](Policy const& policy, T const* in, T* out, Size n, Size ranks) {
             shards_to_rows("move", policy, Source(in, ranks, n), Matrix(out, 1, n * ranks));
           }},
          {"rows_to_shards", false,
           [](Policy const& policy, T const* in, T* out, Size n, Size ranks) {
             rows_to_shards("move", policy, Source(in, 1, n * ranks), Matrix(out, ranks, n));
           }},
          {"all_gather_columns", true,
           [](Policy const& policy, T const* in, T* out, Size n, Size ranks) {
             if (n > 0) all_gather_columns("move", policy, Source(in, 1, n), Matrix(out, 1, n * ranks));
           }},
          {"all_gather_multiple", true, [](Policy const& policy, T const* in, T* out, Size n, Size ranks) {
             Size const left = n / 2;  // two members, whose results are put side by side again
             std::vector<T> a(left * ranks);
             std::vector<T> b((n - left) * ranks);
             all_gather_multiple("move", policy, member(Source(in, 1, left), Matrix(a.data(), ranks, left)),
                                 member(Source(in + left, 1, n - left), Matrix(b.data(), ranks, n - left)));
             for (Size p = 0; p < ranks; ++p) {
               std::copy_n(a.data() + p * left, left, out + p * n);
               std::copy_n(b.data() + p * (n - left), n - left, out + p * n + left);
             }
           }}};
}

template <class Body>
void on_ranks(std::vector<int> const& counts, Body const& body) {
  for (int const ranks : counts) {
    run_ranks(ranks, [&body](Bootstrap& bootstrap) {
      Session const session(bootstrap, HostSpaces::index_of<HostThread>());
      body(session);
    });
  }
}

/// Moves n elements from each rank to each, value(from, to, i), by an algorithm where the operation has it.
template <class T, class Value>
void expect_moved(Session const& s, Move<T> const& move, Algorithm algorithm, std::size_t n, T* in, T* out,
                  Value const& value) {
  auto const ranks = static_cast<std::size_t>(s.size());
  std::size_t const pieces = move.gathers ? 1 : ranks;
  for (std::size_t p = 0; p < pieces; ++p) {
    for (std::size_t i = 0; i < n; ++i) in[p * n + i] = value(s.rank(), move.gathers ? 0 : static_cast<int>(p), i);
  }
  move.call(prefer(s.policy_of<HostThread>(), Tuning{.algorithm = algorithm}), in, out, n, ranks);
  std::fill_n(in, pieces * n, T{77});  // a peer that still reads would see it
  for (std::size_t p = 0; p < ranks; ++p) {
    for (std::size_t i = 0; i < n; ++i) {
      T const expected = value(static_cast<int>(p), move.gathers ? 0 : s.rank(), i);
      ASSERT_EQ(out[p * n + i], expected) << move.name << " " << to_string(algorithm) << " of " << n << ": element "
                                          << i << " from rank " << p << " at rank " << s.rank();
    }
  }
}

TEST(ExchangeCases, AllPatternsOfTwoBytesKeepTheirBits) {
  on_ranks(few_rank_counts(), [](Session const& s) {
    constexpr std::size_t n = 1024;  // what packets have room for
    std::vector<std::uint16_t> in(n * static_cast<std::size_t>(s.size()));
    std::vector<std::uint16_t> out(in.size());
    for (auto const& move : moves<std::uint16_t>()) {
      for (Algorithm const algorithm : {Algorithm::low_latency, Algorithm::one_shot}) {
        for (std::size_t first = 0; first < 65536; first += n) {
          expect_moved(s, move, algorithm, n, in.data(), out.data(), [&](int from, int to, std::size_t i) {
            return static_cast<std::uint16_t>(first + i + static_cast<std::size_t>(from * 257 + to * 4099));
          });
        }
      }
    }
  });
}

TEST(ExchangeCases, EveryResidueOfTheByteCountModulo128ArrivesAndNothingBehindIt) {
  on_ranks({2, 3, 5}, [](Session const& s) {
    constexpr std::size_t most = 300;
    auto const ranks = static_cast<std::size_t>(s.size());
    std::vector<std::uint8_t> in(most * ranks + 3);
    std::vector<std::uint8_t> out(most * ranks + 3, 0xA5);
    for (auto const& move : moves<std::uint8_t>()) {
      for (std::size_t n = 0; n < most; n += n < 130 ? 1 : 17) {
        Algorithm const algorithm = exchange_algorithms[n % exchange_algorithms.size()];
        std::size_t const odd = n % 3;  // bytes off alignment
        expect_moved(s, move, algorithm, n, in.data() + odd, out.data() + odd, [&](int from, int to, std::size_t i) {
          return static_cast<std::uint8_t>(static_cast<std::size_t>(from * 31 + to * 7) + i + n);
        });
        EXPECT_EQ(out[odd + n * ranks], 0xA5) << move.name << " of " << n;
        std::fill(out.begin(), out.end(), std::uint8_t{0xA5});
      }
    }
  });
}

/// expect_moved overwrites `in` when the call returns; symmetric inputs are those that peers read where they are.
TEST(ExchangeCases, AnInputMayBeOverwrittenRightAfterTheCallThoughASlowRankStillReads) {
  on_ranks(few_rank_counts(), [](Session const& s) {
    for (std::size_t const n : {std::size_t{2}, std::size_t{9000}}) {
      std::vector<std::uint16_t> own(n * static_cast<std::size_t>(s.size()));
      std::vector<std::uint16_t> out(own.size());
      for (auto const& move : moves<std::uint16_t>()) {
        for (int turn = 0; turn < 4 * s.size(); ++turn) {
          if (turn % s.size() == s.rank()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
          std::uint16_t* const in = turn % 2 == 0 ? reinterpret_cast<std::uint16_t*>(s.in_arena()) : own.data();
          Algorithm const algorithm = exchange_algorithms[static_cast<std::size_t>(turn) % exchange_algorithms.size()];
          expect_moved(s, move, algorithm, n, in, out.data(), [&](int from, int to, std::size_t i) {
            return static_cast<std::uint16_t>(static_cast<std::size_t>(turn * 1000 + from * 100 + to) + i);
          });
        }
      }
    }
  });
}

/// Counts within a few percent of the even one, where code for even counts must not be taken.
TEST(ExchangeCases, CountsAndWidthsOneOffTheEvenOneAreNotTakenForEven) {
  on_ranks(few_rank_counts(), [](Session const& s) {
    auto const ranks = static_cast<std::size_t>(s.size());
    auto const& policy = s.policy_of<HostThread>();
    for (std::size_t const n : {std::size_t{40}, std::size_t{1000}}) {
      std::vector<std::size_t> counts(ranks, n);
      counts.front() += 1;
      counts.back() -= 1;
      std::size_t const total = n * ranks;
      std::size_t const mine = counts[static_cast<std::size_t>(s.rank())];
      auto const value = [](std::size_t p, std::size_t i) { return static_cast<std::uint16_t>(p * 20000 + i); };
      std::vector<std::uint16_t> in(total);
      for (std::size_t i = 0; i < mine; ++i) in[i] = value(static_cast<std::size_t>(s.rank()), i);
      auto const expect_all = [&](std::vector<std::uint16_t> const& out, char const* what) {
        std::size_t at = 0;
        for (std::size_t p = 0; p < ranks; ++p) {
          for (std::size_t i = 0; i < counts[p]; ++i, ++at) ASSERT_EQ(out[at], value(p, i)) << what << ", rank " << p;
        }
      };
      std::vector<std::uint16_t> out(total);
      all_gather_columns("widths", policy, Array<std::uint16_t const, 2>(in.data(), 1, mine),
                         Array<std::uint16_t, 2>(out.data(), 1, total), Widths(counts));
      expect_all(out, "all_gather_columns");
      std::vector<std::uint16_t> other(total);
      std::fill(out.begin(), out.end(), std::uint16_t{0});
      all_gather_multiple("counts", policy, Counts(counts), member(std::span(in).first(mine), std::span(out)),
                          member(std::span(in).first(mine), std::span(other)));
      expect_all(out, "all_gather_multiple");
      expect_all(other, "all_gather_multiple");
      // To every rank as many as this one has; from each as many as that one has.
      std::vector<std::uint16_t> sent(mine * ranks);
      for (std::size_t i = 0; i < sent.size(); ++i) sent[i] = value(static_cast<std::size_t>(s.rank()), i % mine);
      std::fill(out.begin(), out.end(), std::uint16_t{0});
      all_to_all("counts", policy, std::span(sent), std::span(out), Counts(std::vector<std::size_t>(ranks, mine)),
                 Counts(counts));
      expect_all(out, "all_to_all");
    }
  });
}

TEST(ExchangeCases, WhoeverHasNoRowsTakesPart) {
  on_ranks(few_rank_counts(), [](Session const& s) {
    auto const ranks = static_cast<std::size_t>(s.size());
    auto const rank = static_cast<std::size_t>(s.rank());
    auto const& policy = s.policy_of<HostThread>();
    for (std::size_t only = 0; only <= ranks; ++only) {  // the one rank that has rows; at last none
      for (std::size_t const n : {std::size_t{3}, std::size_t{5000}}) {
        std::vector<std::size_t> counts(ranks, 0);
        if (only < ranks) counts[only] = n;
        std::size_t const mine = counts[rank];
        std::vector<std::uint16_t> const in(mine * ranks, static_cast<std::uint16_t>(only + 1));
        std::vector<std::uint16_t> out(n, 0);
        std::vector<std::uint16_t> other(n, 0);
        std::size_t const total = only < ranks ? n : 0;
        all_to_all("one sends", policy, std::span(in), std::span(out).first(total),
                   Counts(std::vector<std::size_t>(ranks, mine)), Counts(counts));
        for (std::size_t i = 0; i < total; ++i) ASSERT_EQ(out[i], only + 1);
        std::fill(out.begin(), out.end(), std::uint16_t{0});
        all_gather_multiple("one has rows", policy, Counts(counts),
                            member(std::span(in).first(mine), std::span(out).first(total)),
                            member(std::span(in).first(mine), std::span(other).first(total)));
        for (std::size_t i = 0; i < total; ++i) ASSERT_EQ(out[i] + 2 * other[i], 3 * (only + 1));
      }
    }
    // No rows at all, of some columns.
    Array<std::uint16_t, 2> none(nullptr, 0, 2 * ranks);
    shards_to_rows("no rows", policy, Array<std::uint16_t const, 2>(nullptr, 0, 2), none);
    rows_to_shards("no rows", policy, Array<std::uint16_t const, 2>(nullptr, 0, 2 * ranks),
                   Array<std::uint16_t, 2>(nullptr, 0, 2));
    all_gather_columns("no rows", policy, Array<std::uint16_t const, 2>(nullptr, 0, 2), none);
    s.barrier();
  });
}

TEST(WorkspaceBytes, AreComputedIn64BitsAndRefusedBeyond) {
  constexpr std::size_t rows = std::size_t{1} << 33;
  EXPECT_GE((workspace_bytes<AllGather, double>(8, rows, 3)), rows * 24);
  EXPECT_GE((workspace_bytes<AllGatherColumns, double>(8, rows, 3)), rows * 24);
  EXPECT_GE((workspace_bytes<ShardsToRows, double>(8, rows, 24)), rows / 8 * 24 * 8);
  EXPECT_GE((workspace_bytes<ReduceScatter, double>(8, rows, 24)), rows / 8 * 24 * 8);
  EXPECT_GE((workspace_bytes<AllGatherMultiple, double, std::int8_t>(8, rows, 3, 2)), rows * 26);
  constexpr std::size_t many = std::size_t{1} << 40;
  EXPECT_EQ(caught([&] { (void)workspace_bytes<AllGather, double>(8, many, many); }).type, "ResourceError");
  EXPECT_EQ(caught([&] { (void)workspace_bytes<AllGatherMultiple, double>(8, many, many); }).type, "ResourceError");
}

}  // namespace
}  // namespace Koinon::Testing
