// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Koinon_CoreWithoutMpi.hpp>
#include <support/Koinon_Caught.hpp>
#include <support/Koinon_RankRunner.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <initializer_list>
#include <span>
#include <string>
#include <vector>

namespace Koinon::Testing {
namespace {

constexpr std::size_t tokens = 6;
constexpr std::size_t width = 20;

/// Is what a right call has, so that each case changes one thing.
struct Arguments {
  HostThread space;
  Communicator<HostThread> communicator;
  CollectivePolicy<HostThread> policy;
  std::vector<float> memory = std::vector<float>(8 * tokens * width, 1.0f);
  std::vector<float8_e4m3> bytes = std::vector<float8_e4m3>(tokens * width);

  explicit Arguments(Bootstrap& bootstrap) : communicator(space, bootstrap), policy(space, communicator) {}
  Array<float, 2> matrix(std::size_t index, std::size_t rows = tokens, std::size_t columns = width) {
    return Array<float, 2>(memory.data() + index * tokens * width, rows, columns);
  }
  Array<float, 1> weight(std::size_t columns = width) { return Array<float, 1>(memory.data() + 7 * tokens * width, columns); }

  /// Expects that a call is refused with an error of that type and those words, by can_run too, and that a right call
  /// works after it.
  template <class E>
  void expect_refused(E const& epilogue, std::string const& type, std::initializer_list<char const*> words) {
    Array<float const, 2> const in(matrix(0));
    Caught const error = caught([&] { all_reduce("label", policy, in, epilogue); });
    EXPECT_EQ(error.type, type) << error.message;
    for (char const* word : words) EXPECT_TRUE(error.says(word)) << word << " is not in: " << error.message;
    EXPECT_FALSE(can_run<AllReduce>(policy, in, epilogue));
    all_reduce("right", policy, in, RmsNorm{.weight = weight(), .norm_out = matrix(1)});
  }
};

template <class Body>
void on_two_ranks(Body const& body) {
  run_ranks(2, [&](Bootstrap& bootstrap) {
    Arguments arguments(bootstrap);
    body(arguments);
  });
}

TEST(RmsNormArguments, ExtentsThatDoNotMatchAreRefusedWithTheFieldAndBothNumbers) {
  on_two_ranks([](Arguments& a) {
    a.expect_refused(RmsNorm{.weight = a.weight(7), .norm_out = a.matrix(1)}, "InvalidArgument", {"`weight`", " 7 ", "20"});
    a.expect_refused(RmsNorm{.weight = a.weight(), .norm_out = a.matrix(1, 5)}, "InvalidArgument", {"`norm_out`", " 5 ", "6"});
    a.expect_refused(RmsNorm{.residual = a.matrix(2, tokens, 19), .weight = a.weight(), .norm_out = a.matrix(1)},
                     "InvalidArgument", {"`residual`", " 19 ", "20"});
    a.expect_refused(RmsNorm{.residual = a.matrix(2), .weight = a.weight(), .norm_out = a.matrix(1),
                             .residual_rows = ResidualRows::own},
                     "InvalidArgument", {"`residual`", " 6 ", " 3 "});
    a.expect_refused(RmsNorm{.weight = a.weight(), .norm_out = a.matrix(1), .own_rows_norm_out = a.matrix(2)},
                     "InvalidArgument", {"`own_rows_norm_out`", " 6 ", " 3 "});
    Array<float8_e4m3, 2> const quantized(a.bytes.data(), tokens, width);
    a.expect_refused(RmsNorm{.weight = a.weight(), .quantized_out = quantized, .group_scales_out = a.matrix(2, tokens, 2)},
                     "InvalidArgument", {"`group_scales_out`", " 2 columns", "1 groups"});
    a.expect_refused(RmsNorm{.weight = a.weight(), .quantized_out = quantized, .group_scales_out = a.weight(5)},
                     "InvalidArgument", {"`group_scales_out`", " 5 ", "at least 6"});
    a.expect_refused(RmsNorm{.weight = a.weight(), .norm_out = a.matrix(1), .max_blocks = -1}, "InvalidArgument",
                     {"`max_blocks`", "-1"});
    a.expect_refused(RmsNorm{.weight = a.weight(), .norm_out = a.matrix(1), .residual_rows = ResidualRows::own},
                     "InvalidArgument", {"`residual_rows`", "`residual` is not given"});
    a.expect_refused(RmsNorm{.weight = Array<float, 1>(nullptr, width), .norm_out = a.matrix(1)}, "InvalidArgument",
                     {"`weight`", "null"});
  });
}

TEST(RmsNormArguments, OutputsOverlapNothingButWhatTheyMayBe) {
  on_two_ranks([](Arguments& a) {
    a.expect_refused(RmsNorm{.residual = a.matrix(2), .weight = a.weight(), .residual_out = a.matrix(3), .norm_out = a.matrix(2)},
                     "InvalidArgument", {"`norm_out`", "`residual`", "it may be `in`"});
    a.expect_refused(RmsNorm{.residual = a.matrix(2), .weight = a.weight(), .residual_out = a.matrix(0), .norm_out = a.matrix(1)},
                     "InvalidArgument", {"`residual_out`", "`in`", "it may be `residual`"});
    Array<float, 2> shifted = a.matrix(0);
    shifted.pointer += 1;
    a.expect_refused(RmsNorm{.weight = a.weight(), .norm_out = shifted}, "InvalidArgument", {"`norm_out`", "`in`"});
    a.expect_refused(RmsNorm{.weight = a.weight(), .residual_out = a.matrix(1), .norm_out = a.matrix(1)}, "InvalidArgument",
                     {"`norm_out`", "`residual_out`"});
  });
}

TEST(RmsNormArguments, WhatMayBeAnotherArrayHasItsElementsAndItsRowsToo) {
  on_two_ranks([](Arguments& a) {
    // As many bytes from the same place on, of elements of another size.
    Array<bfloat16, 2> residual(reinterpret_cast<bfloat16*>(a.memory.data() + 2 * tokens * width), tokens, width);
    residual.strides[0] = 3 * static_cast<std::ptrdiff_t>(width);
    Array<float, 2> sums = a.matrix(2);
    sums.strides[0] = (5 * residual.strides[0] - static_cast<std::ptrdiff_t>(width)) / 10;
    RmsNorm const epilogue{.residual = residual, .weight = a.weight(), .residual_out = sums, .norm_out = a.matrix(1)};
    Answer const answer = can_run<AllReduce>(a.policy, Array<float const, 2>(a.matrix(0)), epilogue);
    EXPECT_FALSE(answer);
    EXPECT_NE(answer.reason().find("`residual_out` overlaps `residual`"), std::string::npos) << answer.reason();
  });
}

TEST(RmsNormArguments, ElementsOfAVectorAreRowsOfOneColumn) {
  on_two_ranks([](Arguments& a) {
    Array<float const, 1> const in(a.memory.data(), tokens);
    std::vector<float> out(tokens, 7.0f);
    all_reduce("vector", a.policy, in, RmsNorm{.weight = a.weight(1), .epsilon = 0.0f, .norm_out = std::span(out)});
    EXPECT_EQ(out, std::vector<float>(tokens, 1.0f));
  });
}

TEST(RmsNormArguments, AWeightOfAnyDenseExtentsIsTheSameForEveryRow) {
  on_two_ranks([](Arguments& a) {
    Array<float const, 2> const in(a.matrix(0));
    for (std::size_t const rows : {std::size_t{1}, width}) {
      Array<float, 2> weight = a.matrix(6, rows, width / rows);  // before those of a.weight()
      for (std::size_t c = 0; c < width; ++c) weight.pointer[c] = static_cast<float>(c);
      all_reduce("extents", a.policy, in, RmsNorm{.weight = weight, .epsilon = 0.0f, .norm_out = a.matrix(1)});
      for (std::size_t i = 0; i < tokens * width; ++i) {
        ASSERT_EQ(a.matrix(1).pointer[i], static_cast<float>(i % width)) << rows << " rows, element " << i;
      }
    }
    Array<float, 2> apart = a.matrix(6, width, 1);
    apart.strides[0] = 2;
    a.expect_refused(RmsNorm{.weight = apart, .norm_out = a.matrix(1)}, "UnsupportedError", {"`weight`", "stride 1"});
  });
}

TEST(RmsNormArguments, RowsOfAnotherStrideAreUnsupportedAndNamed) {
  on_two_ranks([](Arguments& a) {
    Array<float, 2> left = a.matrix(1);
    left.strides[0] = 1;
    left.strides[1] = tokens;
    a.expect_refused(RmsNorm{.weight = a.weight(), .norm_out = left}, "UnsupportedError", {"`norm_out`", "stride 1"});
    Array<float, 1> every_other(a.memory.data() + 2 * tokens * width, width);
    every_other.strides[0] = 2;
    a.expect_refused(RmsNorm{.weight = every_other, .norm_out = a.matrix(1)}, "UnsupportedError", {"`weight`", "stride 1"});
  });
}

TEST(RmsNormArguments, AResidualOfOwnRowsExcludesAlgorithmsWithoutAnOwner) {
  on_two_ranks([](Arguments& a) {
    Array<float, 2> const residual = a.matrix(2, 3);
    RmsNorm const epilogue{.residual = residual, .weight = a.weight(), .residual_out = residual, .norm_out = a.matrix(1),
                           .residual_rows = ResidualRows::own};
    Array<float const, 2> const in(a.matrix(0));
    for (Algorithm const algorithm : {Algorithm::one_shot, Algorithm::low_latency}) {
      auto const strict = require(a.policy, Tuning{.algorithm = algorithm});
      Caught const error = caught([&] { all_reduce("label", strict, in, epilogue); });
      EXPECT_EQ(error.type, "UnsupportedError");
      EXPECT_TRUE(error.says("residual_rows")) << error.message;
      EXPECT_FALSE(can_run<AllReduce>(strict, in, epilogue));
    }
    all_reduce("owner", a.policy, in, epilogue);
  });
}

/// A row of every rank must fit a block's staging: a communicator with little of it says so, with what to change.
TEST(RmsNormArguments, ARowLongerThanTheStagingIsUnsupported) {
  run_ranks(2, [](Bootstrap& bootstrap) {
    HostThread const space;
    Communicator const communicator(space, bootstrap, {.staging_bytes = std::size_t{64} << 10});
    CollectivePolicy<HostThread> const policy(space, communicator);
    std::vector<float> in(20000, 1.0f);
    std::vector<float> out(20000);
    Array<float, 2> const result(out.data(), 1, in.size());
    RmsNorm const epilogue{.weight = std::span(in), .norm_out = result};
    Caught const error = caught([&] { all_reduce("long", policy, Array<float const, 2>(in.data(), 1, in.size()), epilogue); });
    EXPECT_EQ(error.type, "UnsupportedError");
    EXPECT_TRUE(error.says("staging_bytes")) << error.message;
  });
}

/// What was selected for fewer outputs is not taken for more, of which a record is longer.
TEST(RmsNormArguments, OutputsThatFitNoBlockAreUnsupportedAfterFewerThatDo) {
  run_ranks(2, [](Bootstrap& bootstrap) {
    HostThread const space;
    Communicator const communicator(space, bootstrap, {.staging_bytes = std::size_t{64} << 10});
    CollectivePolicy<HostThread> const any(space, communicator);
    auto const policy = require(any, Tuning{.algorithm = Algorithm::two_shot});
    std::vector<float> memory(4 * 4096, 1.0f);
    int cases = 0;
    for (std::size_t columns = 64; columns < 4096; columns += 64) {
      auto const row = [&](std::size_t at) { return Array<float, 2>(memory.data() + at * 4096, 1, columns); };
      std::span const weight(memory.data() + 3 * 4096, columns);
      RmsNorm const few{.weight = weight, .norm_out = row(1)};
      RmsNorm const more{.weight = weight, .residual_out = row(2), .norm_out = row(1)};
      Array<float const, 2> const in(row(0));
      if (can_run<AllReduce>(policy, in, more) || !can_run<AllReduce>(policy, in, few)) continue;
      ++cases;
      all_reduce("few", policy, in, few);
      Caught const error = caught([&] { all_reduce("more", policy, in, more); });
      EXPECT_EQ(error.type, "UnsupportedError") << columns;
      EXPECT_TRUE(error.says("staging_bytes")) << error.message;
    }
    EXPECT_GT(cases, 0);
  });
}

}  // namespace
}  // namespace Koinon::Testing
