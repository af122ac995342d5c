// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Koinon_CoreWithoutMpi.hpp>
#include <support/Koinon_RankRunner.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <span>
#include <string>
#include <thread>
#include <vector>

// Values and widths that norms elsewhere got wrong.
namespace Koinon::Testing {
namespace {

constexpr float infinity = std::numeric_limits<float>::infinity();
/// Multicast too: what it adds here are floats, or sums that its rounding leaves as they are.
constexpr std::array value_ways{Tuning{.algorithm = Algorithm::low_latency},
                                Tuning{.algorithm = Algorithm::one_shot},
                                Tuning{.algorithm = Algorithm::two_shot},
                                Tuning{.algorithm = Algorithm::one_shot, .transport = Transport::multimem},
                                Tuning{.algorithm = Algorithm::two_shot, .transport = Transport::multimem}};
std::string text_of(Tuning const& way) {
  return std::string(to_string(way.algorithm)) + " by " + std::string(to_string(way.transport));
}
constexpr std::size_t group = 128;

template <class T>
Array<T, 2> rows_of(std::vector<T>& of, std::size_t first, std::size_t rows, std::size_t columns) {
  return Array<T, 2>(of.data() + first * columns, rows, columns);
}

/// Is one rank with rows, and memory for every result of a norm with scales of groups.
struct Norm {
  HostThread space;
  Communicator<HostThread> communicator;
  CollectivePolicy<HostThread> policy;
  std::size_t rows;
  std::size_t columns;
  std::size_t groups = (columns + group - 1) / group;
  std::vector<float> in = std::vector<float>(rows * columns);
  std::vector<float> weight = std::vector<float>(columns, 1.0f);
  std::vector<float> sum = std::vector<float>(rows * columns, -7.0f);
  std::vector<float> norm = std::vector<float>(rows * columns, -7.0f);
  std::vector<float8_e4m3> quantized = std::vector<float8_e4m3>(rows * columns);
  std::vector<float> scales = std::vector<float>(rows * groups, -7.0f);
  float epsilon = 1e-30f;  // lost beside a mean of 1

  Norm(Bootstrap& bootstrap, std::size_t r, std::size_t c)
      : communicator(space, bootstrap), policy(space, communicator), rows(r), columns(c) {}

  [[nodiscard]] int rank() const { return communicator.rank(); }
  [[nodiscard]] int size() const { return communicator.size(); }
  /// Normalizes the first `some` rows of `wide` columns, which lie side by side.
  void run(Tuning const& way, std::size_t first, std::size_t some, std::size_t wide) {
    auto const matrix = [&](auto& of) { return rows_of(of, first, some, wide); };
    RmsNorm const epilogue{.weight = std::span<float const>(weight).first(wide),
                           .epsilon = epsilon,
                           .residual_out = matrix(sum),
                           .norm_out = matrix(norm),
                           .quantized_out = matrix(quantized),
                           .group_scales_out = Array<float, 1>(scales.data() + first * ((wide + group - 1) / group),
                                                               some * ((wide + group - 1) / group))};
    Array<float const, 2> const source(in.data() + first * wide, some, wide);
    all_reduce("norm", require(policy, way), source, epilogue);
  }
  void run(Tuning const& way) { run(way, 0, rows, columns); }
};

bool same(float a, float b) {
  return std::isnan(a) ? std::isnan(b) : a == b && std::signbit(a) == std::signbit(b);
}

/// Expects the scales and the quantized values of a row whose norms are known to the bit.
void expect_groups(Norm const& n, std::size_t row, std::string const& what) {
  for (std::size_t begin = 0; begin < n.columns; begin += group) {
    std::size_t const end = std::min(n.columns, begin + group);
    float most = 1e-10f;
    for (std::size_t c = begin; c < end; ++c) most = std::fmax(most, std::fabs(n.norm[row * n.columns + c]));
    float const scale = most / 448.0f;
    EXPECT_EQ(n.scales[row * n.groups + begin / group], scale) << what << ", row " << row << ", from column " << begin;
    for (std::size_t c = begin; c < end; ++c) {
      float const expected = static_cast<float>(float8_e4m3(n.norm[row * n.columns + c] / scale));
      EXPECT_TRUE(same(static_cast<float>(n.quantized[row * n.columns + c]), expected))
          << what << ", row " << row << ", column " << c << ": " << static_cast<float>(n.quantized[row * n.columns + c])
          << " instead of " << expected;
    }
  }
}

/// Rows of ones have a mean square of 1, so their norms are the weights, bit for bit.
TEST(RmsNormValues, ZerosOutliersInfinitiesAndSubnormalsSpoilNoGroupButTheirOwn) {
  for (int const ranks : few_rank_counts()) {
    run_ranks(ranks, [](Bootstrap& bootstrap) {
      enum : std::size_t { ones, zeros, one_infinity, all };
      constexpr std::size_t columns = 5 * group + 37;  // the last group is not whole
      Norm n(bootstrap, all, columns);
      std::fill(n.weight.begin(), n.weight.begin() + group, 0.0f);
      n.weight[group + 5] = 448000.0f;
      n.weight[2 * group + 9] = -infinity;
      std::fill_n(n.weight.begin() + 3 * group, group, 1e-40f);
      n.weight[4 * group] = std::numeric_limits<float>::quiet_NaN();
      n.weight[columns - 1] = -3.0f;
      if (n.rank() == 0) {
        std::fill_n(n.in.begin() + ones * columns, columns, 1.0f);
        std::fill_n(n.in.begin() + one_infinity * columns, columns, 1.0f);
        n.in[one_infinity * columns + 3] = infinity;
      }
      for (Tuning const& way : value_ways) {
        n.run(way);
        std::string const what = text_of(way);
        for (std::size_t c = 0; c < columns; ++c) {
          ASSERT_TRUE(same(n.norm[ones * columns + c], n.weight[c])) << what << ", column " << c;
          ASSERT_TRUE(same(n.norm[zeros * columns + c], 0.0f * n.weight[c])) << what << ", column " << c;
          float const scaled = (c == 3 ? infinity : 1.0f) * 0.0f;  // the root mean square is infinite
          ASSERT_TRUE(same(n.norm[one_infinity * columns + c], scaled * n.weight[c])) << what << ", column " << c;
          ASSERT_EQ(n.sum[one_infinity * columns + c], c == 3 ? infinity : 1.0f) << what;
        }
        for (std::size_t row = 0; row < all; ++row) expect_groups(n, row, what);
        // By number: an all-zero group, one with an outlier, one with an infinity, one of subnormals.
        EXPECT_EQ(n.scales[0], 1e-10f / 448.0f);
        EXPECT_EQ(n.scales[1], 1000.0f);
        EXPECT_EQ(n.scales[2], infinity);
        EXPECT_EQ(n.scales[3], 1e-10f / 448.0f);
        EXPECT_EQ(n.scales[4], 1.0f / 448.0f);
        EXPECT_EQ(n.scales[5], 3.0f / 448.0f);
        EXPECT_EQ(static_cast<float>(n.quantized[group + 5]), 448.0f);
        EXPECT_EQ(static_cast<float>(n.quantized[2 * group]), 0.0f);
        EXPECT_EQ(static_cast<float>(n.quantized[columns - 1]), -448.0f);
      }
    });
  }
}

TEST(RmsNormValues, OneScaleSaturatesOutliersAndInfinitiesAndKeepsNaN) {
  run_ranks(2, [](Bootstrap& bootstrap) {
    constexpr std::size_t columns = 41;
    Norm n(bootstrap, 2, columns);
    n.weight[1] = 448000.0f;
    n.weight[2] = -infinity;
    n.weight[3] = std::numeric_limits<float>::quiet_NaN();
    n.weight[4] = 1e-40f;
    if (n.rank() == 0) std::fill_n(n.in.begin(), columns, 1.0f);  // the second row is zero
    for (Tuning const& way : value_ways) {
      RmsNorm const epilogue{.weight = std::span<float const>(n.weight),
                             .epsilon = n.epsilon,
                             .quantized_out = rows_of(n.quantized, 0, 2, columns),
                             .scale = 0.5f};
      all_reduce("norm", require(n.policy, way),
                 Array<float const, 2>(n.in.data(), std::size_t{2}, columns), epilogue);
      for (std::size_t c = 0; c < columns; ++c) {
        float const expected[] = {2.0f, 448.0f, -448.0f, std::numeric_limits<float>::quiet_NaN(), 0.0f};
        EXPECT_TRUE(same(static_cast<float>(n.quantized[c]), expected[c < 5 ? c : 0])) << "column " << c;
        float const zero = 0.0f * n.weight[c];
        EXPECT_TRUE(same(static_cast<float>(n.quantized[columns + c]), zero)) << "column " << c << " of zeros";
      }
    }
  });
}

/// Is a number whose sums over the ranks are exact.
float small_number(int rank, std::size_t column) {
  return static_cast<float>((column * 37 + static_cast<std::size_t>(rank) * 11) % 64) / 16.0f - 2.0f;
}

TEST(RmsNormValues, EveryWidthInStepsOfEightAndOddOnesAreNormalizedToTheLastColumn) {
  run_ranks(2, [](Bootstrap& bootstrap) {
    constexpr std::size_t widest = 16384;
    Norm n(bootstrap, 1, widest + 16);
    n.epsilon = 1e-6f;
    std::vector<double> sums(widest);
    std::vector<double> squares(widest + 1);
    for (std::size_t c = 0; c < widest; ++c) {
      n.in[c] = small_number(n.rank(), c);
      n.weight[c] = small_number(5, c);
      for (int p = 0; p < n.size(); ++p) sums[c] += static_cast<double>(small_number(p, c));
      squares[c + 1] = squares[c] + sums[c] * sums[c];
    }
    std::vector<std::size_t> widths{1536, 2880, 5760, 16383};
    for (std::size_t width = 1; width <= widest; ++width) {
      if (width < 140 || width % 8 == 0 || width % 509 == 0) widths.push_back(width);
    }
    for (std::size_t i = 0; i < widths.size(); ++i) {
      std::size_t const width = widths[i];
      n.run(value_ways[i % value_ways.size()], 0, 1, width);
      double const factor = 1.0 / std::sqrt(squares[width] / static_cast<double>(width) + 1e-6);
      for (std::size_t c = 0; c < width; ++c) {
        double const expected = sums[c] * factor * static_cast<double>(n.weight[c]);
        bool const near = std::abs(static_cast<double>(n.norm[c]) - expected) <= 4e-6 * std::abs(expected);
        if (!near) FAIL() << n.norm[c] << " instead of " << expected << " in column " << c << " of " << width;
      }
      ASSERT_EQ(n.norm[width], -7.0f) << "behind " << width;
      std::fill_n(n.norm.begin(), width, -7.0f);
    }
  });
}

/// All algorithms, other communicators, allocations between and another cut into calls.
TEST(RmsNormValues, ANormHasTheSameBitsInAHundredCallsHoweverTheyAreMade) {
  for (int const ranks : few_rank_counts()) {
    run_ranks(ranks, [](Bootstrap& bootstrap) {
      constexpr std::size_t rows = 12;
      constexpr std::size_t columns = 300;
      std::vector<float> first;
      for (int made = 0; made < 4; ++made) {
        Norm n(bootstrap, rows, columns);
        for (std::size_t i = 0; i < n.in.size(); ++i) {
          n.in[i] = 1.0f / static_cast<float>(i % 1000 + 3 * static_cast<std::size_t>(n.rank()) + 1);
        }
        for (std::size_t turn = 0; turn < 25; ++turn) {
          std::vector<float> const between(turn * 777);
          std::size_t const cut = turn % 3 == 0 ? 0 : turn % rows;
          n.run(value_ways[turn % value_ways.size()], 0, cut, columns);
          n.run(value_ways[(turn + 1) % value_ways.size()], cut, rows - cut, columns);
          if (first.empty()) first = n.norm;
          ASSERT_EQ(std::memcmp(first.data(), n.norm.data(), first.size() * sizeof(float)), 0) << "turn " << turn;
        }
      }
    });
  }
}

TEST(RmsNormValues, AnInputMayBeOverwrittenRightAfterTheCallThoughASlowRankStillReads) {
  for (int const ranks : few_rank_counts()) {
    run_ranks(ranks, [](Bootstrap& bootstrap) {
      for (std::size_t const rows : {std::size_t{1}, std::size_t{40}}) {
        Norm n(bootstrap, rows, 256);
        for (Tuning const& way : value_ways) {
          for (int turn = 0; turn < 9; ++turn) {
            std::fill(n.in.begin(), n.in.end(), static_cast<float>(turn + n.rank() * 100));
            if (turn % n.size() == n.rank()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
            n.run(way);
            std::fill(n.in.begin(), n.in.end(), -1e6f);
            float const expected = static_cast<float>(n.size() * turn + 50 * n.size() * (n.size() - 1));
            for (float const value : n.sum) ASSERT_EQ(value, expected) << text_of(way) << ", turn " << turn;
          }
        }
      }
    });
  }
}

/// The other ranks have -0, so that the sum of a row is the pattern itself.
TEST(RmsNormValues, AllOfBfloat16GoThroughWithTheRightBits) {
  for (int const ranks : few_rank_counts()) {
    run_ranks(ranks, [](Bootstrap& bootstrap) {
      HostThread const space;
      Communicator const communicator(space, bootstrap);
      CollectivePolicy const policy(space, communicator);
      constexpr std::size_t edge = 256;
      std::vector<bfloat16> in(edge * edge, bfloat16(-0.0f));
      std::vector<bfloat16> out(in.size());
      std::vector<float> norm(in.size());
      std::vector<float> const weight(edge, 1.0f);
      auto const pattern = [](std::size_t i) { return bfloat16::from_bits(static_cast<std::uint16_t>(i)); };
      for (std::size_t i = 0; i < in.size() && communicator.rank() == 0; ++i) in[i] = pattern(i);
      for (Tuning const& way : value_ways) {
        for (std::size_t row = 0; row < edge; row += 8) {
          auto const rows = [&](auto& of) { return rows_of(of, row, 8, edge); };
          RmsNorm const epilogue{
              .weight = std::span(weight), .residual_out = rows(out), .norm_out = rows(norm)};
          all_reduce("patterns", require(policy, way),
                     Array<bfloat16 const, 2>(in.data() + row * edge, std::size_t{8}, edge), epilogue);
        }
        for (std::size_t i = 0; i < out.size(); ++i) {
          bool const is_nan = std::isnan(static_cast<float>(pattern(i)));
          ASSERT_TRUE(is_nan ? std::isnan(static_cast<float>(out[i])) : out[i].bits() == i) << i;
        }
      }
    });
  }
}

}  // namespace
}  // namespace Koinon::Testing
