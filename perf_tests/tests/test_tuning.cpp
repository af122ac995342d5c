// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Koinon_Perf_Candidates.hpp>
#include <Koinon_Perf_TuningEntries.hpp>
#include <communicator/Koinon_TuningFile.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

using namespace Koinon::Perf;
using Koinon::Algorithm;
using Koinon::any_bytes;
using Koinon::ShortName;
using Koinon::Tuning;
using Koinon::TuningEntry;

namespace {

constexpr Tuning low{.algorithm = Algorithm::low_latency};
constexpr Tuning one{.algorithm = Algorithm::one_shot};
constexpr Tuning two{.algorithm = Algorithm::two_shot, .max_blocks = 16, .block_threads = 512};

TuningEntry key() {
  return {.backend = ShortName("host"), .operation = Koinon::Operation::reduce_scatter, .ranks = 3};
}

std::vector<std::int64_t> edges(std::vector<TunedSize> const& sizes) {
  std::vector<std::int64_t> all;
  for (auto const& entry : entries_of(key(), sizes)) all.push_back(entry.up_to_bytes);
  return all;
}

}  // namespace

TEST(PerfTuning, JoinsNeighboursOfOneTuning) {
  auto const entries = entries_of(key(), {{8, low}, {64, low}, {512, one}, {4096, one}, {32768, two}});
  ASSERT_EQ(entries.size(), 3u);
  EXPECT_EQ(entries[0].tuning, low);
  EXPECT_EQ(entries[1].tuning, one);
  EXPECT_EQ(entries[2].tuning, two);
  EXPECT_EQ(edges({{8, low}, {64, low}, {512, low}}), (std::vector<std::int64_t>{any_bytes}))
      << "one tuning, one entry";
}

TEST(PerfTuning, PutsTheEdgeInTheMiddleOfTheRatioAndTheLastEntryOverAllThatIsAbove) {
  EXPECT_EQ(edges({{64, low}, {1024, one}, {16384, two}}), (std::vector<std::int64_t>{256, 4096, any_bytes}));
  EXPECT_EQ(edges({{100, two}}), (std::vector<std::int64_t>{any_bytes}));
  EXPECT_EQ(edges({}), std::vector<std::int64_t>{}) << "nothing ran";
}

TEST(PerfTuning, FindsTheMeasuredTuningOfEverySizeThatWasMeasured) {
  std::vector<TunedSize> const sizes{{8, low}, {24, one}, {100, low}, {5000, two}, {70000, one}};
  auto const entries = entries_of(key(), sizes);
  for (auto const& size : sizes) {
    auto const* const found = Koinon::find_tuning(entries, {.backend = ShortName("host"),
                                                            .operation = Koinon::Operation::reduce_scatter,
                                                            .ranks = 3,
                                                            .bytes = size.message_bytes});
    ASSERT_NE(found, nullptr) << size.message_bytes;
    EXPECT_EQ(found->tuning, size.tuning) << size.message_bytes;
  }
}

TEST(PerfTuning, GivesEveryEntryTheKey) {
  for (auto const& entry : entries_of(key(), {{8, low}, {64, one}})) {
    EXPECT_EQ(entry.backend.view(), "host");
    EXPECT_EQ(entry.operation, Koinon::Operation::reduce_scatter);
    EXPECT_EQ(entry.ranks, 3);
  }
}

TEST(PerfTuning, LeavesOutOfTheFileWhatStatesNothing) {
  auto const json = to_json(entries_of(key(), {{64, low}, {1024, two}}));
  EXPECT_EQ(json.dump(), R"([{"backend":"host","operation":"reduce_scatter","ranks":3,"up_to_bytes":256,)"
                         R"("algorithm":"low_latency"},)"
                         R"({"backend":"host","operation":"reduce_scatter","ranks":3,"algorithm":"two_shot",)"
                         R"("max_blocks":16,"block_threads":512}])");
  EXPECT_EQ(to_json(std::vector<TuningEntry>{}).dump(), "[]");
}

TEST(PerfTuning, WritesWhatTheLibraryReadsAsTheSameEntries) {
  std::vector<TunedSize> sizes;
  for (auto const device : {Device::host, Device::cuda})
    for (auto const& algorithm : algorithm_candidates(Algorithm::automatic)) {
      sizes.push_back({static_cast<std::int64_t>(10 * (sizes.size() + 1)), algorithm});
      for (auto const& geometry : geometry_candidates(device, algorithm.algorithm))
        sizes.push_back({static_cast<std::int64_t>(10 * (sizes.size() + 1)), geometry});
    }
  auto const entries = entries_of(key(), sizes);
  EXPECT_EQ(entries.size(), sizes.size());
  EXPECT_EQ(Koinon::Impl::read_tuning_text("tuning.json", to_json(entries).dump(2)), entries);
}

TEST(PerfTuning, TriesEachAlgorithmOrTheOneThatWasAskedFor) {
  std::set<Algorithm> all;
  for (auto const& tuning : algorithm_candidates(Algorithm::automatic)) {
    EXPECT_EQ(tuning, Tuning{.algorithm = tuning.algorithm}) << "the geometry is the library's";
    all.insert(tuning.algorithm);
  }
  EXPECT_EQ(all, (std::set<Algorithm>{Algorithm::low_latency, Algorithm::one_shot, Algorithm::two_shot}));
  EXPECT_EQ(algorithm_candidates(Algorithm::one_shot), std::vector<Tuning>{one});
}

TEST(PerfTuning, TriesGeometriesOfGpusOnlyEachOnceAndOfTheAlgorithm) {
  for (auto const algorithm : {Algorithm::low_latency, Algorithm::one_shot, Algorithm::two_shot}) {
    EXPECT_TRUE(geometry_candidates(Device::host, algorithm).empty());
    auto const all = geometry_candidates(Device::cuda, algorithm);
    EXPECT_GT(all.size(), 3u);
    for (auto const& tuning : all) {
      EXPECT_EQ(tuning.algorithm, algorithm);
      EXPECT_EQ(std::count(all.begin(), all.end(), tuning), 1) << text_of(tuning);
    }
  }
}

TEST(PerfTuning, NamesWhatATuningStates) {
  EXPECT_EQ(text_of({}), "automatic");
  EXPECT_EQ(text_of(low), "low_latency");
  EXPECT_EQ(text_of(two), "two_shot, max_blocks 16, block_threads 512");
}
