// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Koinon_Perf_Cases.hpp>
#include <Koinon_Perf_Errors.hpp>
#include <Koinon_Perf_Pattern.hpp>

#include <gtest/gtest.h>

#include <vector>

using namespace Koinon::Perf;

namespace {

constexpr std::size_t count = 5003;  // several periods and chunks, and a rest

template <class T>
std::vector<T> input(Pattern<T> const& pattern, int rank, std::size_t iteration, std::size_t elements = count) {
  std::vector<T> values(elements);
  pattern.write(values.data(), elements, Pattern<T>::start(rank, iteration));
  return values;
}

template <class T>
std::vector<T> sum_of(Pattern<T> const& pattern, int ranks, std::size_t iteration) {
  std::vector<T> total = input(pattern, 0, iteration);
  for (int rank = 1; rank < ranks; ++rank) {
    auto const next = input(pattern, rank, iteration);
    for (std::size_t i = 0; i < count; ++i)
      total[i] = Koinon::round_to<T>(Koinon::widen(total[i]) + Koinon::widen(next[i]));
  }
  return total;
}

}  // namespace

template <class T>
class PerfPattern : public testing::Test {};
using Elements = testing::Types<float, double, std::int32_t, std::uint32_t, std::int64_t, std::uint64_t,
                                Koinon::float16, Koinon::bfloat16, Koinon::float8_e4m3, Koinon::float8_e5m2>;
TYPED_TEST_SUITE(PerfPattern, Elements);

TYPED_TEST(PerfPattern, AcceptsTheRightSumAndCountsEachWrongElement) {
  auto const pattern = std::make_unique<Pattern<TypeParam>>(ReducerName::sum);
  auto total = sum_of(*pattern, 3, 7);
  EXPECT_EQ(pattern->count_reduced_wrong(total.data(), count, 0, 3, 7), 0u);
  EXPECT_EQ(pattern->count_reduced_wrong(total.data() + 100, count - 100, 100, 3, 7), 0u);
  total[0] = static_cast<TypeParam>(static_cast<float>(total[0]) + 1);
  total[count - 1] = static_cast<TypeParam>(static_cast<float>(total[count - 1]) + 1);
  EXPECT_EQ(pattern->count_reduced_wrong(total.data(), count, 0, 3, 7), 2u);
}

TYPED_TEST(PerfPattern, GivesEveryRankAndCallOtherValues) {
  auto const pattern = std::make_unique<Pattern<TypeParam>>(ReducerName::sum);
  auto const first = input(*pattern, 0, 0);
  EXPECT_EQ(pattern->count_moved_wrong(first.data(), count, Pattern<TypeParam>::start(0, 0)), 0u);
  EXPECT_GT(pattern->count_moved_wrong(first.data(), count, Pattern<TypeParam>::start(1, 0)), count / 2);
  EXPECT_GT(pattern->count_moved_wrong(first.data(), count, Pattern<TypeParam>::start(0, 1)), count / 2);
  auto const few = input(*pattern, 2, 9, 16);
  EXPECT_EQ(pattern->count_moved_wrong(few.data(), 16, Pattern<TypeParam>::start(2, 9)), 0u);
}

TYPED_TEST(PerfPattern, SeesAResultOfTheCallBefore) {
  auto const pattern = std::make_unique<Pattern<TypeParam>>(ReducerName::sum);
  auto const stale = sum_of(*pattern, 2, 4);
  EXPECT_GT(pattern->count_reduced_wrong(stale.data(), count, 0, 2, 5), count / 2);
}

TEST(PerfPatternOfFloats, CountsNotANumberAsWrong) {
  auto const pattern = std::make_unique<Pattern<float>>(ReducerName::average);
  auto values = input(*pattern, 0, 0);
  values[3] = std::numeric_limits<float>::quiet_NaN();
  EXPECT_EQ(pattern->count_reduced_wrong(values.data(), count, 0, 1, 0), 1u);
}

TEST(PerfPatternOfIntegers, KnowsEveryReducer) {
  for (auto const& name : names<ReducerName>) {
    auto const pattern = std::make_unique<Pattern<std::uint32_t>>(name.value);
    auto const a = input(*pattern, 0, 1), b = input(*pattern, 1, 1);
    std::vector<std::uint32_t> total(count);
    for (std::size_t i = 0; i < count; ++i) {
      switch (name.value) {
        case ReducerName::sum:
          total[i] = a[i] + b[i];
          break;
        case ReducerName::prod:
          total[i] = a[i] * b[i];
          break;
        case ReducerName::min:
          total[i] = std::min(a[i], b[i]);
          break;
        case ReducerName::max:
          total[i] = std::max(a[i], b[i]);
          break;
        case ReducerName::band:
          total[i] = a[i] & b[i];
          break;
        case ReducerName::bor:
          total[i] = a[i] | b[i];
          break;
        case ReducerName::bxor:
          total[i] = a[i] ^ b[i];
          break;
        case ReducerName::average:
          total[i] = (a[i] + b[i]) / 2;
          break;
      }
    }
    EXPECT_EQ(pattern->count_reduced_wrong(total.data(), count, 0, 2, 1), 0u) << name.text;
    total[count / 2] ^= 1;
    EXPECT_EQ(pattern->count_reduced_wrong(total.data(), count, 0, 2, 1), 1u) << name.text;
  }
}

TEST(PerfCases, GiveOneRowASizeAndSharesThatAddUp) {
  Options options;
  options.operation = Koinon::Operation::reduce_scatter;
  options.max_bytes = 64;
  auto const cases = cases_of(options, 3);
  ASSERT_EQ(cases.size(), 4u);
  for (auto const& what : cases)
    EXPECT_EQ(what.elements_of(0) + what.elements_of(1) + what.elements_of(2), what.elements());
  EXPECT_EQ(cases.back().offset_of(2), cases.back().elements_of(0) + cases.back().elements_of(1));
}

TEST(PerfCases, DealOutColumnsEvenlyOrAsTheUserSays) {
  Options options;
  options.operation = Koinon::Operation::all_gather_columns;
  options.rows = 4;
  options.widths = {3, 1};
  auto const uneven = cases_of(options, 2).at(0);
  EXPECT_EQ(uneven.columns, 4u);
  EXPECT_EQ(uneven.input_elements(0), 12u);
  EXPECT_EQ(uneven.piece(1, 0).output_offset, 3u);
  EXPECT_THROW(cases_of(options, 3), UsageError);
  options.widths.clear();
  options.columns = 10;
  EXPECT_EQ(cases_of(options, 2).at(0).input_elements(1), 20u);
  EXPECT_THROW(cases_of(options, 3), UsageError);
}

TEST(PerfCases, RefuseCountsThatDoNotFitTheRanks) {
  Options options;
  options.operation = Koinon::Operation::all_gather;
  options.counts = {1, 2};
  EXPECT_EQ(cases_of(options, 2).at(0).rows, 3u);
  EXPECT_THROW(cases_of(options, 3), UsageError);
}

TEST(PerfCases, RefuseRowsThatNoSizeHolds) {
  Options options;
  options.columns = 1000;
  options.max_bytes = 100;
  EXPECT_THROW(cases_of(options, 2), UsageError);
}
