// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Koinon_CoreWithoutMpi.hpp>
#include <support/Koinon_Caught.hpp>
#include <support/Koinon_RankRunner.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <string>
#include <vector>

namespace Koinon::Testing {
namespace {

using Policy = CollectivePolicy<HostThread>;
using Row = Policy::row_type;

/// Calls body(communicator, policy) on every rank.
template <class Body>
void on_epilogue_ranks(std::vector<int> const& counts, Body const& body) {
  for (int const ranks : counts) {
    run_ranks(ranks, [&](Bootstrap& bootstrap) {
      HostThread const space;
      Communicator const communicator(space, bootstrap);
      body(communicator, Policy(space, communicator));
    });
  }
}

template <class Body>
void on_epilogue_ranks(Body const& body) {
  on_epilogue_ranks(few_rank_counts(), body);
}
std::vector<int> const one_to_eight{1, 2, 3, 4, 8};

/// Is a matrix of small whole numbers: their sums are exact in any order.
std::vector<float> whole_numbers(int rank, std::size_t count) {
  std::vector<float> values(count);
  for (std::size_t i = 0; i < count; ++i) values[i] = static_cast<float>((i * 7 + static_cast<std::size_t>(rank) * 3) % 16);
  return values;
}
double sum_of(int ranks, std::size_t i) {
  double sum = 0;
  for (int p = 0; p < ranks; ++p) sum += static_cast<double>((i * 7 + static_cast<std::size_t>(p) * 3) % 16);
  return sum;
}

constexpr std::size_t rows = 5;
constexpr std::size_t columns = 37;
constexpr Algorithm algorithms[] = {Algorithm::automatic, Algorithm::low_latency, Algorithm::one_shot, Algorithm::two_shot};
/// Multicast beside them: whole numbers of floats lose nothing by it.
constexpr Tuning epilogue_ways[] = {{},
                                    {.algorithm = Algorithm::low_latency},
                                    {.algorithm = Algorithm::one_shot},
                                    {.algorithm = Algorithm::two_shot},
                                    {.transport = Transport::multimem},
                                    {.algorithm = Algorithm::one_shot, .transport = Transport::multimem},
                                    {.algorithm = Algorithm::two_shot, .transport = Transport::multimem}};

TEST(RowEpilogue, AFunctorWithTheRowTypeOfThePolicyReadsAndWritesArraysOfAnyType) {
  on_epilogue_ranks(one_to_eight, [](auto const& communicator, Policy const& policy) {
    auto const in = whole_numbers(communicator.rank(), rows * columns);
    std::vector<int> bias(columns);
    std::iota(bias.begin(), bias.end(), 0);
    std::vector<double> wide(rows * columns);
    std::vector<bfloat16> narrow(rows * columns);
    Array<double, 2> const wide_out(wide.data(), rows, columns);
    Array<bfloat16, 2> const narrow_out(narrow.data(), rows, columns);
    Array<int const, 1> const added(bias.data(), columns);
    for (Tuning const& way : epilogue_ways) {
      all_reduce("epilogue", require(policy, way), Array<float const, 2>(in.data(), rows, columns),
                 row_epilogue([=](Row& row) {
                   row.load(added, [](std::size_t, float value, float b) { return value + b; });
                   row.store(wide_out);
                   row.store(narrow_out, [](std::size_t column, float value) { return column % 2 == 0 ? value : -value; });
                 }));
      for (std::size_t i = 0; i < rows * columns; ++i) {
        double const expected = sum_of(communicator.size(), i) + static_cast<double>(i % columns);
        ASSERT_EQ(wide[i], expected) << i;
        ASSERT_EQ(static_cast<double>(narrow[i]), i % columns % 2 == 0 ? expected : -expected) << i;
      }
      std::fill(wide.begin(), wide.end(), 0.0);
      std::fill(narrow.begin(), narrow.end(), bfloat16(0.0f));
    }
  });
}

/// Normalizes to sum 1, and keeps what it found.
struct Shares {
  Array<float, 2> out;
  float* sums;
  float* most;

  template <class AnyRow>
  KOINON_FUNCTION void operator()(AnyRow& row) const {
    float const sum = row.reduce_sum([](std::size_t, float value) { return value; });
    float const largest = row.reduce_max([](std::size_t column, float value) { return column == 0 ? -1.0f : value; });
    row.transform([sum](std::size_t, float value) { return value / sum; });
    row.store(out);
    row.for_each(1, [&](std::size_t) {
      sums[row.index()] = sum;
      most[row.index()] = largest;
    });
  }
};

TEST(RowEpilogue, ReductionsOverTheRowReachEveryThreadAndRowsOfAReduceScatterAreNumberedFromZero) {
  on_epilogue_ranks(one_to_eight, [](auto const& communicator, Policy const& policy) {
    auto const in = whole_numbers(communicator.rank(), rows * columns);
    auto const even = even_partition(rows, communicator.size());
    std::vector<float> out(rows * columns);
    std::vector<float> sums(rows);
    std::vector<float> most(rows);
    Shares const shares{Array<float, 2>(out.data(), rows, columns), sums.data(), most.data()};
    Array<float const, 2> const source(in.data(), rows, columns);
    for (Tuning const& way : epilogue_ways) {
      if (way.algorithm == Algorithm::two_shot) continue;
      reduce_scatter("epilogue", require(policy, way), source, row_epilogue(shares));
      for (std::size_t r = 0; r < static_cast<std::size_t>(even.count(communicator.rank())); ++r) {
        std::size_t const first = (static_cast<std::size_t>(even.offset(communicator.rank())) + r) * columns;
        double sum = 0;
        double largest = -1;
        for (std::size_t c = 0; c < columns; ++c) {
          sum += sum_of(communicator.size(), first + c);
          if (c > 0) largest = std::max(largest, sum_of(communicator.size(), first + c));
        }
        ASSERT_EQ(static_cast<double>(sums[r]), sum);
        ASSERT_EQ(static_cast<double>(most[r]), largest);
        for (std::size_t c = 0; c < columns; ++c) {
          ASSERT_EQ(out[r * columns + c], static_cast<float>(sum_of(communicator.size(), first + c)) / static_cast<float>(sum));
        }
      }
      std::fill(out.begin(), out.end(), 0.0f);
      std::fill(sums.begin(), sums.end(), 0.0f);
    }
  });
}

/// A largest bfloat16 and one less than half a place: the sum in bfloat16 would lose what an average in float keeps.
TEST(RowEpilogue, TheRowIsCompletedAndNotRounded) {
  on_epilogue_ranks([](auto const& communicator, Policy const& policy) {
    std::vector<bfloat16> const in(columns, bfloat16(communicator.rank() == 0 ? 256.0f : 1.0f));
    std::vector<float> out(columns);
    Array<float, 2> const result(out.data(), 1, columns);
    for (Algorithm const algorithm : algorithms) {
      all_reduce("epilogue", require(policy, Tuning{.algorithm = algorithm}), Array<bfloat16 const, 2>(in.data(), 1, columns),
                 Average{}, row_epilogue([=](Row& row) { row.store(result); }));
      auto const ranks = static_cast<float>(communicator.size());
      for (float const value : out) ASSERT_EQ(value, (256.0f + (ranks - 1)) / ranks);
      std::fill(out.begin(), out.end(), 0.0f);
    }
  });
}

TEST(RowEpilogue, AnEpilogueMayReplaceItsInput) {
  on_epilogue_ranks(one_to_eight, [](auto const& communicator, Policy const& policy) {
    auto const array = symmetric_array<float, 2>(communicator, rows, columns);
    for (Tuning const& way : epilogue_ways) {
      auto const in = whole_numbers(communicator.rank(), rows * columns);
      std::copy(in.begin(), in.end(), array.data());
      barrier(policy);
      all_reduce("epilogue", require(policy, way), array, row_epilogue([=](Row& row) { row.store(array); }));
      for (std::size_t i = 0; i < rows * columns; ++i) {
        ASSERT_EQ(static_cast<double>(array.data()[i]), sum_of(communicator.size(), i)) << i;
      }
      barrier(policy);
    }
  });
}

/// Counts that differ, so that a rank's rows begin anywhere; the rows of others stay as they are.
TEST(RowEpilogue, AnEpilogueMayReplaceTheRowsOfItsRankInAReduceScatter) {
  on_epilogue_ranks(one_to_eight, [](auto const& communicator, Policy const& policy) {
    std::vector<std::int64_t> counts;
    for (int p = 0; p < communicator.size(); ++p) counts.push_back((p * 3 + 1) % 4);
    auto const begin_of = [&](int p) {
      return static_cast<std::size_t>(std::accumulate(counts.begin(), counts.begin() + p, std::int64_t{0}));
    };
    auto const array = symmetric_array<float, 2>(communicator, begin_of(communicator.size()), columns);
    std::size_t const first = begin_of(communicator.rank());
    auto const own = static_cast<std::size_t>(counts[static_cast<std::size_t>(communicator.rank())]);
    Array<float, 2> const mine(array.data() + first * columns, own, columns);
    for (Tuning const& way : epilogue_ways) {
      if (way.algorithm == Algorithm::two_shot) continue;
      auto const in = whole_numbers(communicator.rank(), array.size());
      std::copy(in.begin(), in.end(), array.data());
      barrier(policy);
      // What is stored depends on no sum: reads that were still under way would see it.
      reduce_scatter("epilogue", require(policy, way), array, Sum{}, Counts(counts), row_epilogue([=](Row& row) {
                       if (row.index() % 2 == 0) row.store(mine);
                       if (row.index() % 2 != 0) row.store(mine, [](std::size_t, float) { return -1.0f; });
                     }));
      for (std::size_t i = 0; i < array.size(); ++i) {
        bool const is_mine = i >= first * columns && i < (first + own) * columns;
        double const expected = !is_mine ? static_cast<double>(in[i])
                                : (i / columns - first) % 2 == 0 ? sum_of(communicator.size(), i)
                                                                 : -1.0;
        ASSERT_EQ(static_cast<double>(array.data()[i]), expected) << i;
      }
      barrier(policy);
    }
  });
}

/// The same numbers by multicast, whose sums are of bfloat16: 256 and ones, one after the other in float, then rounded.
TEST(RowEpilogue, ByMulticastTheSumIsRoundedToItsElementBeforeItIsCompleted) {
  on_epilogue_ranks([](auto const& communicator, Policy const& policy) {
    std::vector<bfloat16> const in(columns, bfloat16(communicator.rank() == 0 ? 256.0f : 1.0f));
    std::vector<float> out(columns);
    Array<float, 2> const result(out.data(), 1, columns);
    auto const ranks = static_cast<float>(communicator.size());
    float const rounded = static_cast<float>(bfloat16(256.0f + (ranks - 1)));
    ASSERT_TRUE(communicator.size() != 2 || rounded != 257.0f);
    for (Tuning const& way : epilogue_ways) {
      if (way.transport != Transport::multimem) continue;
      all_reduce("epilogue", require(policy, way), Array<bfloat16 const, 2>(in.data(), 1, columns), Average{},
                 row_epilogue([=](Row& row) { row.store(result); }));
      for (float const value : out) ASSERT_EQ(value, rounded / ranks);
      std::fill(out.begin(), out.end(), 0.0f);
    }
  });
}

/// Narrow elements in rows of any width, from any place: minima lose nothing by rounding.
TEST(RowEpilogue, ByMulticastRowsOfHalfTypesHaveTheirExtremaAtEveryWidthAndPlace) {
  on_epilogue_ranks(one_to_eight, [](auto const& communicator, Policy const& policy) {
    for (std::size_t const width : {std::size_t{1}, std::size_t{7}, std::size_t{8}, std::size_t{37}, std::size_t{136}}) {
      for (std::size_t const shift : {std::size_t{0}, std::size_t{1}, std::size_t{8}}) {
        auto const memory = symmetric_array<bfloat16, 1>(communicator, rows * width + shift);
        std::vector<float> out(rows * width, -1.0f);
        Array<float, 2> const result(out.data(), rows, width);
        auto const at = [](int rank, std::size_t i) {
          return static_cast<float>((i * 5 + static_cast<std::size_t>(rank) * 11) % 64);
        };
        for (std::size_t i = 0; i < rows * width; ++i) memory.data()[shift + i] = bfloat16(at(communicator.rank(), i));
        for (Tuning const& way : epilogue_ways) {
          if (way.transport != Transport::multimem) continue;
          all_reduce("extrema", require(policy, way), Array<bfloat16 const, 2>(memory.data() + shift, rows, width), Min{},
                     row_epilogue([=](Row& row) { row.store(result); }));
          for (std::size_t i = 0; i < rows * width; ++i) {
            float least = at(0, i);
            for (int p = 1; p < communicator.size(); ++p) least = std::min(least, at(p, i));
            ASSERT_EQ(out[i], least) << i << " of rows of " << width << ", " << shift << " elements off";
          }
          std::fill(out.begin(), out.end(), -1.0f);
        }
      }
    }
  });
}

/// Expects of rows that multicast hardware cannot reduce that this is said, and that a preference falls back.
template <class T, class R>
void expect_no_multicast(Policy const& policy, std::string const& reason) {
  std::vector<T> const in(columns);
  std::vector<float> out(columns, -1.0f);
  Array<T const, 2> const source(in.data(), 1, columns);
  Array<float, 2> const result(out.data(), 1, columns);
  auto const epilogue = row_epilogue([=](Row& row) { row.store(result); });
  Tuning const multicast{.transport = Transport::multimem};
  Answer const answer = can_run<AllReduce>(require(policy, multicast), source, R{}, epilogue);
  EXPECT_FALSE(answer);
  EXPECT_NE(answer.reason().find(reason), std::string::npos) << answer.reason();
  Caught const error = caught([&] { all_reduce("rows", require(policy, multicast), source, R{}, epilogue); });
  EXPECT_EQ(error.type, "UnsupportedError");
  EXPECT_TRUE(error.says(reason)) << error.message;
  all_reduce("rows", prefer(policy, multicast), source, R{}, epilogue);
  EXPECT_EQ(out, std::vector<float>(columns, 0.0f));
}

TEST(RowEpilogue, MulticastIsRefusedWithItsReasonWhereTheHardwareHasNoSuchReductionOrNoOrder) {
  on_epilogue_ranks([](auto const&, Policy const& policy) {
    expect_no_multicast<float, Min>(policy, "no minimum or maximum of them");
    expect_no_multicast<bfloat16, Prod>(policy, "it has no such reducer");
    expect_no_multicast<float8_e4m3, Sum>(policy, "knows 32- and 64-bit integers");
    float const in = 1;
    float out = 0;
    Array<float, 2> const result(&out, 1, 1);
    auto const epilogue = row_epilogue([=](Row& row) { row.store(result); });
    auto const strict = require(require(policy, Deterministic{}), Tuning{.transport = Transport::multimem});
    Answer const answer = can_run<AllReduce>(strict, Array<float const, 2>(&in, 1, 1), epilogue);
    EXPECT_NE(answer.reason().find("deterministic is required"), std::string::npos) << answer.reason();
  });
}

TEST(RowEpilogue, ColumnsOfStrideAreReadAndWrittenByTheEpilogueButNotTakenAsInput) {
  on_epilogue_ranks([](auto const& communicator, Policy const& policy) {
    auto const in = whole_numbers(communicator.rank(), rows * columns);
    std::vector<float> out(rows * columns * 2);
    Array<float, 2> result(out.data(), rows, columns);
    result.strides[0] = 1;
    result.strides[1] = rows;
    all_reduce("epilogue", policy, Array<float const, 2>(in.data(), rows, columns),
               row_epilogue([=](Row& row) { row.store(result); }));
    for (std::size_t r = 0; r < rows; ++r) {
      for (std::size_t c = 0; c < columns; ++c) {
        ASSERT_EQ(static_cast<double>(result(r, c)), sum_of(communicator.size(), r * columns + c));
      }
    }
    auto const epilogue = row_epilogue([=](Row& row) { row.store(result); });
    Caught const error = caught([&] { all_reduce("strided", policy, result, epilogue); });
    EXPECT_EQ(error.type, "UnsupportedError");
    EXPECT_TRUE(error.says("`in`")) << error.message;
    EXPECT_FALSE(can_run<AllReduce>(policy, result, epilogue));
  });
}

/// Sums of 1 and many small numbers depend on their order; the tree is that of the columns alone.
TEST(RowEpilogue, TheOrderOfASumDependsOnTheColumnsAlone) {
  on_epilogue_ranks([](auto const& communicator, Policy const& policy) {
    for (std::size_t const width : {std::size_t{1}, std::size_t{9}, std::size_t{1000}, std::size_t{5000}}) {
      std::vector<float> const in(width, communicator.rank() == 0 ? 0.1f : 0.0f);
      float found = 0;
      float* const to = &found;
      for (Tuning const& way : epilogue_ways) {
        auto const strict = require(policy, way);
        auto const epilogue = row_epilogue([=](Row& row) {
          float const sum = row.reduce_sum([](std::size_t column, float value) { return value * static_cast<float>(column); });
          row.for_each(1, [&](std::size_t) { *to = sum; });
        });
        Array<float const, 2> const source(in.data(), 1, width);
        if (!can_run<AllReduce>(strict, source, epilogue)) continue;
        found = 0;
        all_reduce("order", strict, source, epilogue);
        // The same tree, written down: halves of a power of two.
        std::size_t padded = 1;
        while (padded < width) padded *= 2;
        std::vector<float> level(padded, 0.0f);
        for (std::size_t c = 0; c < width; ++c) level[c] = 0.1f * static_cast<float>(c);
        for (; padded > 1; padded /= 2) {
          for (std::size_t c = 0; c < padded / 2; ++c) level[c] = level[2 * c] + level[2 * c + 1];
        }
        ASSERT_EQ(found, level[0]) << width;
      }
    }
  });
}

}  // namespace
}  // namespace Koinon::Testing
