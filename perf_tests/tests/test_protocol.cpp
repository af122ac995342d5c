// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Koinon_Perf_Protocol.hpp>

#include <gtest/gtest.h>

#include <stdexcept>
#include <string>

using namespace Koinon::Perf;

namespace {

/// One rank that notes what it is asked for; another rank, which is not there, is always slower by half.
class NotingRank final : public RankGroup {
 public:
  int rank() const override { return 0; }
  int size() const override { return 2; }
  bool is_processes() const override { return false; }
  void barrier() override { log += '|'; }
  double maximum(double value) override { return value * 1.5; }
  std::uint64_t sum(std::uint64_t value) override { return value; }
  void all_gather(std::span<std::byte const>, std::span<std::byte>) override {}

  std::string log;
};

}  // namespace

TEST(PerfStatistics, TakeTheMiddle) {
  auto const odd = summarize({5, 1, 3});
  EXPECT_EQ(odd.median, 3);
  EXPECT_EQ(odd.minimum, 1);
  EXPECT_EQ(odd.maximum, 5);
  EXPECT_DOUBLE_EQ(odd.spread(), 4.0 / 3);
  EXPECT_EQ(summarize({4, 1, 2, 3}).median, 2.5);
  EXPECT_THROW(summarize({}), std::invalid_argument);
}

TEST(PerfProtocol, ReportsTheSlowestRank) {
  NotingRank ranks;
  auto const times = measure_in_turns(ranks, {[](std::size_t n) { return 2e-6 * static_cast<double>(n); }}, {3, 10});
  EXPECT_NEAR(times.at(0).median, 3.0, 1e-9);
}

TEST(PerfProtocol, TakesTurnsAndABarrierBeforeEveryBatch) {
  NotingRank ranks;
  auto const batch = [&](char name) {
    return [&ranks, name](std::size_t) {
      ranks.log += name;
      return 1.0;
    };
  };
  measure_in_turns(ranks, {batch('a'), batch('b')}, {2, 20});
  EXPECT_EQ(ranks.log,
            "|a|b"
            "|a|b"
            "|b|a");  // warm-up, one round, one round backwards
}

TEST(PerfProtocol, FillsABatchWithAsManyIterationsAsItsTimeNeeds) {
  NotingRank ranks;
  std::size_t last = 0;
  TimingSettings settings;
  settings.batch_seconds = 0.03;
  measure_in_turns(ranks, {[&](std::size_t n) { return 1e-5 * static_cast<double>(last = n); }}, settings);
  EXPECT_NEAR(static_cast<double>(last), 0.03 / 1.5e-5, 1);
  measure_in_turns(ranks, {[&](std::size_t n) { return 2.0 * static_cast<double>(last = n); }}, settings);
  EXPECT_EQ(last, 1u);
}
