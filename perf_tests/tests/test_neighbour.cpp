// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Koinon_Perf_HostNeighbour.hpp>
#include <Koinon_Perf_Side.hpp>

#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <thread>
#include <vector>

using namespace Koinon::Perf;

namespace {

/// Notes when it was told to begin and to end.
class NotingNeighbour final : public Neighbour {
 public:
  void begin() override { text += '('; }
  void end() noexcept override { text += ')'; }
  std::string describe() const override { return {}; }
  double gigabytes_per_second() const override { return 0; }

  std::string text;
};

class LoneRank final : public RankGroup {
 public:
  int rank() const override { return 0; }
  int size() const override { return 1; }
  bool is_processes() const override { return false; }
  void barrier() override {}
  double maximum(double value) override { return value; }
  std::uint64_t sum(std::uint64_t value) override { return value; }
  void all_gather(std::span<std::byte const>, std::span<std::byte>) override {}
};

class NothingToMeasure final : public Subject {
  std::unique_ptr<Exercise> make_exercise(Case const&) override { return nullptr; }
};

}  // namespace

TEST(PerfNeighbour, FillsMoreMemoryThanTheCacheHolds) {
  HostNeighbour const neighbour(2);
  EXPECT_GT(HostNeighbour::last_level_cache_bytes(), 0u);
  EXPECT_GT(neighbour.bytes(), HostNeighbour::last_level_cache_bytes());
  EXPECT_NE(neighbour.describe().find("2 threads"), std::string::npos) << neighbour.describe();
}

TEST(PerfNeighbour, FillsMemoryFromItsBeginningToItsEndOnly) {
  HostNeighbour neighbour(2);
  EXPECT_EQ(neighbour.moved_bytes(), 0u);
  std::uint64_t before = 0;
  for (int turn = 0; turn < 2; ++turn) {
    {
      UnderLoad const load(&neighbour);
      EXPECT_GT(neighbour.moved_bytes(), before) << "it has begun when the first batch does";
    }
    before = neighbour.moved_bytes();
    EXPECT_GT(neighbour.gigabytes_per_second(), 0);
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    EXPECT_EQ(neighbour.moved_bytes(), before) << "it has ended";
  }
}

TEST(PerfNeighbour, IsThereForAllBatchesOfAllSides) {
  NotingNeighbour neighbour;
  NothingToMeasure subject;
  LoneRank ranks;
  std::vector<std::unique_ptr<Rival>> const rivals;
  auto const batch = [&](char name) {
    return [&text = neighbour.text, name](std::size_t) {
      if (text.back() != name) text += name;
      return 1e-6;
    };
  };
  std::vector<Side> sides(2);
  sides[1].name = "rival";
  Result result;
  Bench const bench{subject, nullptr, ranks, rivals, {1, 3}, true, false, 1, &neighbour};
  time_sides(bench, sides, {batch('w'), batch('k'), batch('r')}, result);
  EXPECT_EQ(neighbour.text, "(wkrwkr)") << "warmed up, then timed";
  EXPECT_EQ(result.load, 1);
}
