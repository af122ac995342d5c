// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Koinon_Perf_Names.hpp>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <array>
#include <cstdio>
#include <fstream>
#include <string>
#include <sys/wait.h>

using namespace Koinon::Perf;

namespace {

struct Run {
  int status;
  std::string output;
};

/// Runs the program with ranks that are threads, and gives what it printed on both channels.
/// @param variables of the environment, as a shell has them before a command
Run run(std::string const& arguments, std::string const& variables = {}) {
  auto const command = variables + " " + std::string(KOINON_PERF_PROGRAM) + " " + arguments + " 2>&1";
  auto* const pipe = popen(command.c_str(), "r");
  Run result{-1, {}};
  std::array<char, 4096> part{};
  while (auto const read = std::fread(part.data(), 1, part.size(), pipe)) result.output.append(part.data(), read);
  auto const status = pclose(pipe);
  if (WIFEXITED(status)) result.status = WEXITSTATUS(status);
  return result;
}

constexpr auto quick = " --device host --thread-ranks 3 --iterations 3 --repetitions 2 ";

void expect_nothing_wrong(std::string const& arguments) {
  auto const result = run(arguments + quick);
  EXPECT_EQ(result.status, 0) << arguments << "\n" << result.output;
  EXPECT_NE(result.output.find("# wrong elements: 0"), std::string::npos) << arguments << "\n" << result.output;
  EXPECT_EQ(result.output.find("not run"), std::string::npos) << arguments << "\n" << result.output;
}

/// Says whether a call went by an algorithm, of a run with KOINON_LOG=trace.
bool took(Run const& result, std::string const& algorithm) {
  return result.output.find(", " + algorithm + ", peer_load") != std::string::npos;
}

}  // namespace

TEST(PerfProgram, MeasuresEveryOperationInBothPlacements) {
  for (auto const* operation : {"all_reduce", "reduce_scatter", "all_gather", "broadcast", "reduce", "barrier"})
    for (auto const* placement : {"private", "symmetric"})
      expect_nothing_wrong(std::string(operation) + " --max-bytes 100K --factor 7 --placement " + placement);
}

TEST(PerfProgram, MeasuresExchangesOfEqualAndOfUnequalPieces) {
  for (auto const* what : {"all_to_all", "all_to_all --counts 5,0,2 --columns 3", "shards_to_rows", "rows_to_shards --columns 21",
                           "all_gather_columns", "all_gather_columns --widths 5,1,2"})
    for (auto const* placement : {"private", "symmetric"})
      expect_nothing_wrong(std::string(what) + " --max-bytes 100K --factor 9 --placement " + placement);
}

TEST(PerfProgram, MeasuresBorrowedResults) {
  for (auto const* what : {"reduce_scatter", "reduce_scatter --counts 3,0,2 --columns 12", "all_gather", "all_gather --counts 3,0,2",
                           "shards_to_rows", "all_gather_columns", "all_gather_columns --widths 5,1,2",
                           "all_gather_columns --skip-entry-barrier", "all_gather_multiple --columns 9",
                           "all_gather_multiple --columns 2", "all_gather_multiple --counts 3,0,2 --columns 12"})
    for (auto const* placement : {"private", "symmetric"})
      expect_nothing_wrong(std::string(what) + " --borrowed --max-bytes 100K --factor 9 --placement " + placement);
}

TEST(PerfProgram, MeasuresBorrowedResultsThatPeersStoreEarly) {
  for (auto const* operation : {"all_gather_columns --rows 4096", "shards_to_rows --rows 1365"})  // stored in place
    for (auto const* entry : {"", " --skip-entry-barrier"})
      expect_nothing_wrong(std::string(operation) + " --columns 768 --borrowed" + entry);
}

TEST(PerfProgram, SaysThatAResultWasBorrowed) {
  auto const file = testing::TempDir() + "koinon_perf_borrowed.json";
  auto const result = run("all_gather --max-bytes 8 --borrowed --json " + file + quick);
  ASSERT_EQ(result.status, 0) << result.output;
  EXPECT_NE(result.output.find("# borrowed results"), std::string::npos) << result.output;
  EXPECT_NE(result.output.find(" lent "), std::string::npos) << result.output;
  EXPECT_EQ(nlohmann::json::parse(std::ifstream(file))["results"][0]["borrowed"], true);
  std::remove(file.c_str());
}

TEST(PerfProgram, MeasuresBesideANeighbourThatFillsMemory) {
  auto const file = testing::TempDir() + "koinon_perf_load.json";
  auto const result = run("all_reduce --max-bytes 64K --factor 64 --load 2 --json " + file + quick);
  ASSERT_EQ(result.status, 0) << result.output;
  EXPECT_NE(result.output.find("# wrong elements: 0"), std::string::npos) << result.output;
  EXPECT_NE(result.output.find("# under load: all sides"), std::string::npos) << result.output;
  EXPECT_NE(result.output.find("# load: 2 threads that rewrite"), std::string::npos) << result.output;
  auto const json = nlohmann::json::parse(std::ifstream(file));
  for (auto const& row : json["results"]) EXPECT_EQ(row["load"], 2);
  EXPECT_TRUE(json["machine"].contains("load")) << json["machine"];
  EXPECT_EQ(run(std::string("all_reduce --max-bytes 8") + quick).output.find("load"), std::string::npos);
  std::remove(file.c_str());
}

TEST(PerfProgram, MeasuresOperationsOnSeveralArrays) {
  for (auto const* arguments : {"all_gather_multiple --columns 9", "all_gather_multiple --columns 2", "all_reduce_multiple",
                                "all_reduce_multiple --in-place --placement symmetric"})
    expect_nothing_wrong(std::string(arguments) + " --max-bytes 100K --factor 7");
}

TEST(PerfProgram, MeasuresReductionsWithEveryNorm) {
  for (auto const& type : names<ElementType>) {
    if (!is_built(type.value) || !is_normed(type.value)) continue;
    for (auto const& variant : names<Norm>) {
      auto const with = " --type " + std::string(type.text) + " --variant " + std::string(variant.text);
      expect_nothing_wrong("all_reduce_rms_norm --rows 5 --columns 300" + with);
      expect_nothing_wrong("reduce_scatter_rms_norm --counts 3,0,2 --columns 136 --placement symmetric" + with);
    }
  }
  if (is_built(ElementType::f32)) expect_nothing_wrong("all_reduce_rms_norm --max-bytes 300K --factor 4");
}

TEST(PerfProgram, MeasuresNormsByMulticast) {
  for (auto const& type : names<ElementType>) {
    if (!is_built(type.value) || !is_normed(type.value)) continue;
    for (auto const* algorithm : {"one_shot", "two_shot"}) {
      auto const with = std::string(" --transport multimem --variant fp8_groups --type ") + std::string(type.text);
      expect_nothing_wrong("all_reduce_rms_norm --rows 5 --columns 300 --algorithm " + std::string(algorithm) + with);
    }
    expect_nothing_wrong("reduce_scatter_rms_norm --counts 3,0,2 --columns 136 --transport multimem --type " +
                         std::string(type.text));
  }
}

TEST(PerfProgram, MeasuresInPlace) {
  for (auto const* operation : {"all_reduce", "reduce_scatter", "all_gather", "reduce"})
    for (auto const* placement : {"private", "symmetric"})
      expect_nothing_wrong(std::string(operation) + " --in-place --max-bytes 10K --factor 7 --placement " + placement);
}

TEST(PerfProgram, MeasuresEveryType) {
  for (auto const& type : names<ElementType>)
    if (is_built(type.value))
      expect_nothing_wrong("all_reduce --min-bytes 1000 --max-bytes 1000 --type " + std::string(type.text));
}

TEST(PerfProgram, MeasuresEveryReducer) {
  for (auto const& reducer : names<ReducerName>) {
    if (!is_built(reducer.value)) continue;
    auto const with = " --min-bytes 1000 --max-bytes 1000 --reducer " + std::string(reducer.text);
    if (is_built(ElementType::i32)) expect_nothing_wrong("reduce_scatter --type int32" + with);
    if (is_built(ElementType::bf16) && !is_bitwise(reducer.value))
      expect_nothing_wrong("all_reduce --type bfloat16" + with);
  }
}

TEST(PerfProgram, MeasuresUnevenRows) {
  for (auto const* operation : {"reduce_scatter", "all_gather", "all_gather_multiple"})
    expect_nothing_wrong(std::string(operation) + " --counts 3,0,2 --columns 12");
}

TEST(PerfProgram, ReplaysATraceAndChecksIt) {
  if (!is_built(ElementType::f64)) GTEST_SKIP() << "this build lacks double";
  auto const result =
      run("trace " KOINON_PERF_TRACES "/cg.json --repeat 2 --repetitions 2 --device host --thread-ranks 2");
  EXPECT_EQ(result.status, 0) << result.output;
  EXPECT_NE(result.output.find("50 iterations"), std::string::npos) << result.output;
  EXPECT_NE(result.output.find("Golub"), std::string::npos) << "the source is named";
  EXPECT_NE(result.output.find("# wrong elements: 0"), std::string::npos) << result.output;
}

TEST(PerfProgram, ReplaysTheDecodingOfAModel) {
  if (!is_built(ElementType::bf16) || !is_built(ElementType::f32)) GTEST_SKIP() << "this build lacks bfloat16 or float";
  auto const result = run("trace " KOINON_PERF_TRACES
                          "/gpt-oss-120b-decode.json --repeat 1 --repetitions 1 --device host --thread-ranks 2");
  EXPECT_EQ(result.status, 0) << result.output;
  EXPECT_NE(result.output.find("batch 64"), std::string::npos) << result.output;
  EXPECT_EQ(result.output.find("not run"), std::string::npos) << result.output;
  EXPECT_NE(result.output.find("# wrong elements: 0"), std::string::npos) << result.output;
}

TEST(PerfProgram, SaysWhyMpiIsNoRivalOfThreads) {
  auto const result = run(std::string("all_reduce --max-bytes 8 --rivals mpi") + quick);
  if (result.status == 2) {
    EXPECT_NE(result.output.find("no 'mpi' in this build"), std::string::npos) << result.output;
  } else {
    EXPECT_EQ(result.status, 0) << result.output;
    EXPECT_NE(result.output.find("mpi not measured: the ranks are threads"), std::string::npos) << result.output;
  }
}

TEST(PerfProgram, WritesJsonAndAPicture) {
  auto const file = testing::TempDir() + "koinon_perf_program";
  auto const result = run("all_reduce --max-bytes 64 --json " + file + ".json --plot " + file + ".svg" + quick);
  ASSERT_EQ(result.status, 0) << result.output;
  auto const json = nlohmann::json::parse(std::ifstream(file + ".json"));
  EXPECT_EQ(json["results"].size(), 4u);
  EXPECT_EQ(json["results"][0]["ranks"], 3);
  EXPECT_GT(json["results"][0]["time_us"], 0);
  std::string first;
  std::ifstream(file + ".svg") >> first;
  EXPECT_EQ(first, "<svg");
  std::remove((file + ".json").c_str());
  std::remove((file + ".svg").c_str());
}

TEST(PerfProgram, WritesATuningThatTheLibraryReadsAndFollows) {
  auto const file = testing::TempDir() + "koinon_perf_tuning.json";
  std::string const small = "all_reduce --max-bytes 8" + std::string(quick);
  for (std::string const algorithm : {"one_shot", "two_shot"}) {
    auto const tuned = run("all_reduce --max-bytes 1000 --factor 10 --algorithm " + algorithm + " --tune " + file + quick);
    ASSERT_EQ(tuned.status, 0) << tuned.output;
    auto const table = nlohmann::json::parse(std::ifstream(file));
    ASSERT_EQ(table.size(), 1u) << table;
    EXPECT_EQ(table[0]["operation"], "all_reduce");
    EXPECT_EQ(table[0]["ranks"], 3);
    EXPECT_EQ(table[0]["algorithm"], algorithm);
    auto const followed = run(small, "KOINON_LOG=trace KOINON_TUNING=" + file);
    EXPECT_EQ(followed.status, 0) << followed.output;
    EXPECT_TRUE(took(followed, algorithm) && !took(followed, "low_latency")) << followed.output;
  }
  EXPECT_TRUE(took(run(small, "KOINON_LOG=trace"), "low_latency")) << "what the library takes by itself";
  std::remove(file.c_str());
}

TEST(PerfProgram, WritesATuningOfWhatRunsOnly) {
  auto const file = testing::TempDir() + "koinon_perf_tuning.json";
  auto const some = run("all_reduce --min-bytes 64 --max-bytes 4M --factor 65536 --algorithm low_latency --tune " + file + quick);
  EXPECT_EQ(some.status, 0) << some.output;
  EXPECT_NE(some.output.find("none: not in the table"), std::string::npos) << some.output;
  EXPECT_EQ(nlohmann::json::parse(std::ifstream(file)).size(), 1u);
  auto const none = run("all_reduce --min-bytes 4M --max-bytes 4M --algorithm low_latency --tune " + file + quick);
  EXPECT_NE(none.status, 0) << none.output;
  EXPECT_EQ(nlohmann::json::parse(std::ifstream(file)), nlohmann::json::array());
  std::remove(file.c_str());
}

TEST(PerfProgram, SaysThatThereIsNoGpu) {
  if (!is_built(Device::cuda)) GTEST_SKIP() << "this build has no CUDA";
  auto const result = run("all_reduce --max-bytes 1K --thread-ranks 2 --graph --iterations 3 --repetitions 2");
  if (result.status == 0) GTEST_SKIP() << "there is a GPU";
  EXPECT_EQ(result.status, 4) << result.output;
  EXPECT_NE(result.output.find("there is no NVIDIA GPU that this program can use"), std::string::npos) << result.output;
  EXPECT_NE(result.output.find("--device host measures the host"), std::string::npos) << result.output;
}

TEST(PerfProgram, SaysThatRivalsOnGpusAreNoneOnTheHost) {
  if (!is_built(Device::cuda)) GTEST_SKIP() << "this build has no CUDA";
  auto const result = run(std::string("all_reduce --max-bytes 8 --rivals prototype") + quick);
  EXPECT_EQ(result.status, 2) << result.output;
  EXPECT_NE(result.output.find("--rivals prototype: needs --device cuda"), std::string::npos) << result.output;
}

TEST(PerfProgram, MeasuresOnAGpu) {
  if (!is_built(Device::cuda)) GTEST_SKIP() << "this build has no CUDA";
  auto const probe = run("barrier --thread-ranks 1 --iterations 1 --repetitions 1");
  if (probe.output.find("there is no NVIDIA GPU") != std::string::npos) GTEST_SKIP() << probe.output;
  for (auto const* mode : {"", " --graph", " --graph --dependent-launch"})
    for (auto const* placement : {"private", "symmetric"})
      for (auto const* operation : {"all_reduce --rivals prototype", "reduce_scatter", "all_gather --type bfloat16"}) {
        auto const arguments = std::string(operation) + mode + " --placement " + placement +
                               " --max-bytes 100K --factor 7 --thread-ranks 3 --gpus 1 --iterations 20 --repetitions 2";
        auto const result = run(arguments);
        EXPECT_EQ(result.status, 0) << arguments << "\n" << result.output;
        EXPECT_NE(result.output.find("# wrong elements: 0"), std::string::npos) << arguments << "\n" << result.output;
        EXPECT_EQ(result.output.find("not run"), std::string::npos) << arguments << "\n" << result.output;
      }
}

TEST(PerfProgram, TellsByItsStatusWhatWentWrong) {
  EXPECT_EQ(run("all_reduce --type half").status, 2);
  EXPECT_EQ(run("all_gather --counts 1,2" + std::string(quick)).status, 2);
  EXPECT_EQ(run("all_reduce --rivals nobody" + std::string(quick)).status, 2);
  EXPECT_EQ(run("trace /nowhere/x.json" + std::string(quick)).status, 3);
  auto const unwritable = run("all_reduce --max-bytes 8 --json /nowhere/x.json" + std::string(quick));
  EXPECT_EQ(unwritable.status, 3);
  EXPECT_NE(unwritable.output.find("/nowhere/x.json: cannot be written"), std::string::npos) << unwritable.output;
  EXPECT_EQ(unwritable.output.find("algbw"), std::string::npos) << "found out before anything is measured";
}

TEST(PerfProgram, ListsWhatThisBuildHas) {
  auto const result = run("--list");
  EXPECT_EQ(result.status, 0);
  for (auto const* line : {"operations: all_reduce", "types: float", "reducers: sum", "algorithms: auto",
                           "transports: auto", "placements: private", "devices: host", "rivals: "})
    EXPECT_NE(result.output.find(line), std::string::npos) << line;
  EXPECT_EQ(run("--help").status, 0);
}
