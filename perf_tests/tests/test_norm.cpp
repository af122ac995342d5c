// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Koinon_Perf_Cases.hpp>
#include <Koinon_Perf_NormLoop.hpp>
#include <Koinon_Perf_NormOracle.hpp>

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

using namespace Koinon::Perf;
using Koinon::Operation;

namespace {

constexpr int ranks = 3;
constexpr int rank = 1;
constexpr std::size_t iteration = 7;

/// One rank's arrays of a case, reduced by hand and normalized by the rivals' loop.
struct Normalized {
  explicit Normalized(Operation operation, Norm norm) {
    what.operation = operation;
    what.norm = norm;
    what.rows = 5;
    what.columns = 130;
    what.counts = even_counts(what.rows, ranks);
    in.resize(what.input_room(rank));
    out.resize(what.output_elements(rank), -77.0f);
    write_norm_inputs(what, rank, [&](std::size_t at, std::size_t count, std::size_t start) {
      pattern->write(in.data() + at, count, start);
    });
    auto const scatters = operation == Operation::reduce_scatter;
    auto const first = scatters ? what.offset_of(rank) : 0;
    auto const own = scatters ? what.elements_of(rank) : what.elements();
    for (std::size_t i = 0; i < own; ++i) {
      float sum = 0;
      for (int from = 0; from < ranks; ++from)
        sum += pattern->tile()[(Pattern<float>::start(from, iteration) + first + i) % Pattern<float>::period];
      out[what.reduced_in_output(rank) + i] = sum;
    }
    normalize_rows(what, {in.data(), out.data()}, rank);
  }

  std::uint64_t wrong() const {
    return NormOracle<float>(what, *pattern, rank, ranks, iteration).count_wrong(out.data());
  }

  /// Returns what is counted wrong with that element another one.
  std::uint64_t wrong_with(std::size_t element, float factor) {
    auto const kept = out[element];
    out[element] *= factor;
    auto const counted = wrong();
    out[element] = kept;
    return counted;
  }

  Case what;
  std::unique_ptr<Pattern<float>> pattern = std::make_unique<Pattern<float>>(ReducerName::sum);
  std::vector<float> in, out;
};

}  // namespace

TEST(PerfNorm, LoopGivesWhatTheOracleWantsAndAChangedElementIsCounted) {
  for (auto const operation : {Operation::all_reduce, Operation::reduce_scatter})
    for (auto const& variant : names<Norm>) {
      SCOPED_TRACE(std::string(name_of(operation, variant.value)) + " " + std::string(variant.text));
      Normalized normalized(operation, variant.value);
      auto const parts = normalized.what.norm_parts(rank);
      EXPECT_EQ(normalized.wrong(), 0u);
      auto const last = (operation == Operation::reduce_scatter ? 2u : 5u) * 130u - 1;
      if (!normalized.what.is_quantized()) {
        auto const some = normalized.out[parts.norm_out + last] != 0 ? last : last - 1;
        EXPECT_EQ(normalized.wrong_with(parts.norm_out + some, 1.00002f), 1u);
      }
      if (normalized.what.has_residual()) {
        auto const some = normalized.out[parts.residual_out + last] != 0 ? last : last - 1;
        EXPECT_EQ(normalized.wrong_with(parts.residual_out + some, 1.5f), 1u);
      }
      if (normalized.what.is_quantized()) {
        auto& byte = reinterpret_cast<unsigned char*>(normalized.out.data() + parts.norm_out)[last];
        byte = static_cast<unsigned char>(byte ^ 0x40u);
        EXPECT_EQ(normalized.wrong(), 1u);
        byte = static_cast<unsigned char>(byte ^ 0x40u);
      }
      if (variant.value == Norm::fp8_groups) {
        EXPECT_GE(normalized.wrong_with(parts.scales + 1, 1.5f), 1u);
      }
      EXPECT_EQ(normalized.wrong(), 0u);
    }
}

TEST(PerfNorm, CaseHasRowsOf7168ColumnsAndPartsThatDoNotOverlap) {
  Options options;
  options.norm = Norm::fp8_groups;
  options.max_bytes = 64 << 10;
  auto const cases = cases_of(options, 2);
  ASSERT_EQ(cases.size(), 2u);
  auto const& what = cases.back();
  EXPECT_EQ(what.columns, 7168u);
  EXPECT_EQ(what.rows, 2u);
  auto const parts = what.norm_parts(0);
  EXPECT_GE(parts.residual, what.elements());
  EXPECT_GE(parts.weight, parts.residual + what.elements());
  EXPECT_GE(parts.input_room, parts.weight + what.columns);
  EXPECT_GE(parts.norm_out, parts.residual_out + what.elements());
  EXPECT_GE(parts.scales, parts.norm_out + what.elements() / sizeof(float));
  EXPECT_GE(parts.output_room, parts.scales + what.rows * what.groups());
  EXPECT_EQ(what.largest_input(2), parts.input_room);
  EXPECT_EQ(what.input_elements(0), what.elements()) << "what is rewritten before a call";
}
