// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Koinon_Perf_Errors.hpp>
#include <Koinon_Perf_Options.hpp>
#include <Koinon_Perf_Sizes.hpp>

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>
#include <vector>

using namespace Koinon::Perf;

namespace {

/// Returns the message of the UsageError that the arguments cause; empty: none.
std::string complaint(std::vector<std::string> const& arguments) {
  try {
    parse_options(arguments);
  } catch (UsageError const& error) {
    return error.what();
  }
  return {};
}

void expect_words(std::string const& text, std::vector<std::string> const& words) {
  for (auto const& word : words) EXPECT_NE(text.find(word), std::string::npos) << '"' << word << "\" not in: " << text;
}

}  // namespace

TEST(PerfOptions, HaveTheDefaultsOfTheDocuments) {
  unsetenv("OMP_NUM_THREADS");
  auto const options = parse_options({"all_reduce"});
  EXPECT_EQ(options.min_bytes, 8u);
  EXPECT_EQ(options.max_bytes, std::size_t{64} << 20);
  EXPECT_EQ(options.factor, 2u);
  EXPECT_EQ(options.type, ElementType::f32);
  EXPECT_EQ(options.reducer, ReducerName::sum);
  EXPECT_EQ(options.algorithm, Koinon::Algorithm::automatic);
  EXPECT_EQ(options.placement, Placement::private_memory);
  EXPECT_EQ(options.threads, 1);
  EXPECT_TRUE(options.check);
  EXPECT_FALSE(options.in_place);
  EXPECT_TRUE(options.rivals.empty());
}

TEST(PerfOptions, AreAllTaken) {
  if (!is_built(ElementType::bf16) || !is_built(ReducerName::max)) GTEST_SKIP() << "this build lacks bfloat16 or max";
  auto const options = parse_options({"reduce_scatter", "--min-bytes", "1K",           "--max-bytes=2G",
                                      "--factor",       "4",           "--type",       "bfloat16",
                                      "--reducer",      "max",         "--algorithm",  "two_shot",
                                      "--transport",    "peer_load",   "--placement",  "symmetric",
                                      "--in-place",     "--columns",   "128",          "--skip-entry-barrier",
                                      "--check",        "0",           "--iterations", "50",
                                      "--repetitions",  "3",           "--rivals",     "mpi,nccl",
                                      "--json",         "a.json",      "--plot",       "a.svg",
                                      "--thread-ranks", "4",           "--threads",    "2"});
  EXPECT_EQ(options.operation, Koinon::Operation::reduce_scatter);
  EXPECT_EQ(options.min_bytes, 1024u);
  EXPECT_EQ(options.max_bytes, std::size_t{2} << 30);
  EXPECT_EQ(options.factor, 4u);
  EXPECT_EQ(options.type, ElementType::bf16);
  EXPECT_EQ(options.reducer, ReducerName::max);
  EXPECT_EQ(options.algorithm, Koinon::Algorithm::two_shot);
  EXPECT_EQ(options.transport, Koinon::Transport::peer_load);
  EXPECT_EQ(options.placement, Placement::symmetric);
  EXPECT_TRUE(options.in_place);
  EXPECT_EQ(options.columns, 128u);
  EXPECT_TRUE(options.skip_entry_barrier);
  EXPECT_FALSE(options.check);
  EXPECT_EQ(options.iterations, 50u);
  EXPECT_EQ(options.repetitions, 3u);
  EXPECT_EQ(options.rivals, (std::vector<std::string>{"mpi", "nccl"}));
  EXPECT_EQ(options.json_file, "a.json");
  EXPECT_EQ(options.plot_file, "a.svg");
  EXPECT_EQ(options.thread_ranks, 4);
  EXPECT_EQ(options.threads, 2);
}

TEST(PerfOptions, TakeAListOfCountsWithZeros) {
  EXPECT_EQ(parse_options({"all_gather", "--counts", "3,0,2K"}).counts, (std::vector<std::size_t>{3, 0, 2048}));
}

TEST(PerfOptions, NameAnUnknownWordAndTheWordsThereAre) {
  expect_words(complaint({"all_reduc"}), {"all_reduc", "no such operation", "all_reduce reduce_scatter"});
  expect_words(complaint({}), {"which operation", "all_reduce", "trace FILE"});
  expect_words(complaint({"all_reduce", "--type", "half"}), {"--type", "half", built_names<ElementType>()});
  expect_words(complaint({"all_reduce", "--reducer", "mean"}), {"--reducer", "mean", built_names<ReducerName>()});
  expect_words(complaint({"all_reduce", "--algorithm", "ring"}), {"--algorithm", "ring", "auto one_shot two_shot"});
  expect_words(complaint({"all_reduce", "--transport", "tcp"}), {"--transport", "tcp", "peer_load multimem"});
  expect_words(complaint({"all_reduce", "--placement", "gpu"}), {"--placement", "gpu", "private symmetric"});
}

TEST(PerfOptions, NameAnOptionThatDoesNotExist) {
  expect_words(complaint({"all_reduce", "--maxbytes", "8"}), {"--maxbytes", "--help"});
  expect_words(complaint({"all_reduce", "--type"}), {"--type"});
  expect_words(complaint({"all_reduce", "extra"}), {"unexpected", "extra"});
}

TEST(PerfOptions, HaveANeighbourOfAsManyThreadsAsTheySay) {
  EXPECT_EQ(parse_options({"all_reduce"}).load, 0);
  EXPECT_EQ(parse_options({"all_reduce", "--load"}).load, 1);
  EXPECT_EQ(parse_options({"all_reduce", "--load", "--in-place"}).load, 1);
  EXPECT_EQ(parse_options({"all_reduce", "--load", "6", "--device", "host"}).load, 6);
  EXPECT_EQ(parse_options({"trace", "cg.json", "--load=2"}).load, 2);
  expect_words(complaint({"all_reduce", "--load", "0"}), {"--load", "at least 1"});
  expect_words(complaint({"all_reduce", "--load", "much"}), {"--load", "much"});
  if (is_built(Device::cuda))
    expect_words(complaint({"all_reduce", "--load", "5", "--device", "cuda"}), {"--load 5", "at most 4 on a GPU"});
}

TEST(PerfOptions, BorrowResultsOfOperationsThatHaveSuchAForm) {
  EXPECT_FALSE(parse_options({"all_gather"}).borrowed);
  for (auto const* operation : {"reduce_scatter", "all_gather", "all_gather_columns", "shards_to_rows", "all_gather_multiple"})
    EXPECT_TRUE(parse_options({operation, "--borrowed"}).borrowed) << operation;
  for (auto const* operation : {"all_reduce", "broadcast", "reduce", "barrier", "all_to_all", "rows_to_shards", "all_reduce_multiple"})
    expect_words(complaint({operation, "--borrowed"}), {"--borrowed", operation, "returns no borrowed result", lending_operations()});
  if (norms_are_built)
    expect_words(complaint({"reduce_scatter_rms_norm", "--borrowed"}), {"--borrowed", "reduce_scatter_rms_norm"});
  expect_words(complaint({"all_gather", "--borrowed", "--in-place"}), {"--borrowed", "--in-place"});
  expect_words(complaint({"all_gather", "--borrowed", "--tune", "t"}), {"--tune", "--borrowed"});
  expect_words(complaint({"trace", "cg.json", "--borrowed"}), {"--borrowed", "not of a trace"});
}

TEST(PerfOptions, TakeNormsWithAResidualUnlessAnotherVariantIsNamed) {
  if (!is_built(ElementType::f32)) GTEST_SKIP() << "this build lacks float";
  auto const options = parse_options({"reduce_scatter_rms_norm", "--counts", "1,2"});
  EXPECT_EQ(options.operation, Koinon::Operation::reduce_scatter);
  EXPECT_EQ(options.norm, Norm::residual);
  EXPECT_EQ(parse_options({"all_reduce_rms_norm", "--variant", "fp8_groups"}).norm, Norm::fp8_groups);
  EXPECT_EQ(parse_options({"all_reduce"}).norm, Norm::none);
  expect_words(complaint({"all_reduce", "--variant", "fp8"}), {"--variant", "operations with a norm"});
  expect_words(complaint({"all_reduce_rms_norm", "--variant", "none"}), {"--variant", "plain residual fp8 fp8_groups"});
  expect_words(complaint({"all_reduce_rms_norm", "--in-place"}), {"--in-place", "all_reduce_rms_norm"});
  expect_words(complaint({"all_reduce_rms_norm", "--reducer", "sum"}), {"--reducer", "all_reduce_rms_norm"});
  expect_words(complaint({"all_reduce_rms_norm", "--tune", "t"}), {"--tune", "norm"});
  expect_words(complaint({"all_reduce_rms_norm", "--counts", "1,2"}), {"--counts", "all_reduce_rms_norm"});
  if (is_built(ElementType::f64))
    expect_words(complaint({"all_reduce_rms_norm", "--type", "double"}), {"--type", "float, float16 and bfloat16"});
}

TEST(PerfOptions, GiveEveryRankItsColumnsOrWhatItIsSent) {
  EXPECT_EQ(parse_options({"all_gather_columns", "--widths", "3,1,2"}).widths, (std::vector<std::size_t>{3, 1, 2}));
  EXPECT_EQ(parse_options({"all_to_all", "--counts", "0,4"}).counts, (std::vector<std::size_t>{0, 4}));
  expect_words(complaint({"all_gather", "--widths", "3,1"}), {"--widths", "all_gather"});
  expect_words(complaint({"all_gather_columns", "--widths", "3,1", "--columns", "4"}), {"--widths", "--columns"});
  expect_words(complaint({"shards_to_rows", "--counts", "3,1"}), {"--counts", "shards_to_rows"});
  expect_words(complaint({"all_to_all", "--in-place"}), {"--in-place", "all_to_all"});
}

TEST(PerfOptions, TakeWhatConcernsGpusWhereThisBuildHasThem) {
  if (!is_built(Device::cuda)) {
    expect_words(complaint({"all_reduce", "--graph"}), {"--graph", "not in this build", "the host has no graphs"});
    expect_words(complaint({"all_reduce", "--device", "cuda"}), {"--device", "cuda", "in this build", "host"});
    EXPECT_EQ(parse_options({"all_reduce"}).device, Device::host);
    return;
  }
  auto const options = parse_options({"all_reduce", "--graph", "--dependent-launch", "--early-trigger", "--gpus", "2"});
  EXPECT_EQ(options.device, Device::cuda);
  EXPECT_TRUE(options.graph);
  EXPECT_TRUE(options.dependent_launch);
  EXPECT_TRUE(options.early_trigger);
  EXPECT_EQ(options.gpus, 2);
}

TEST(PerfOptions, RefuseOnTheHostWhatOnlyGpusHave) {
  EXPECT_EQ(parse_options({"all_reduce", "--device", "host"}).device, Device::host);
  expect_words(complaint({"all_reduce", "--device", "tpu"}), {"--device", "tpu", built_names<Device>()});
  expect_words(complaint({"all_reduce", "--device", "host", "--graph"}), {"--graph", "the host has no graphs"});
  expect_words(complaint({"all_reduce", "--device", "host", "--gpus", "1"}), {"--gpus", "--device cuda"});
}

TEST(PerfOptions, RefuseTypesAndReducersThatWereLeftOut) {
  for (auto const& name : names<ElementType>)
    if (!is_built(name.value))
      expect_words(complaint({"all_reduce", "--type", std::string(name.text)}),
                   {"in this build", built_names<ElementType>()});
  for (auto const& name : names<ReducerName>)
    if (!is_built(name.value))
      expect_words(complaint({"all_reduce", "--reducer", std::string(name.text)}), {"in this build"});
}

TEST(PerfOptions, RefuseWhatContradictsItself) {
  expect_words(complaint({"all_reduce", "--min-bytes", "1M", "--max-bytes", "1K"}),
               {"--min-bytes 1M", "--max-bytes 1K"});
  if (is_built(ReducerName::bor))
    expect_words(complaint({"all_reduce", "--reducer", "bor"}), {"bor", "integer", "float"});
  expect_words(complaint({"broadcast", "--reducer", "sum"}), {"--reducer", "broadcast"});
  expect_words(complaint({"all_reduce", "--counts", "1,2"}), {"--counts", "all_reduce"});
  expect_words(complaint({"all_gather", "--counts", "1,2", "--rows", "3"}), {"--counts", "--rows"});
  expect_words(complaint({"all_reduce", "--factor", "1"}), {"--factor", "at least 2"});
  expect_words(complaint({"all_reduce", "--check", "2"}), {"--check", "0 or 1"});
  expect_words(complaint({"barrier", "--in-place"}), {"--in-place", "barrier"});
  expect_words(complaint({"trace"}), {"trace", "which file"});
}

TEST(PerfOptions, TakeTheThreadsOfTheEnvironment) {
  setenv("OMP_NUM_THREADS", "3", 1);
  EXPECT_EQ(parse_options({"all_reduce"}).threads, 3);
  EXPECT_EQ(parse_options({"all_reduce", "--threads", "2"}).threads, 2);
  unsetenv("OMP_NUM_THREADS");
}

TEST(PerfSizes, AreRefusedWithTheTextThatWasGiven) {
  expect_words(complaint({"all_reduce", "--max-bytes", "1X"}), {"--max-bytes", "1X", "K, M or G"});
  expect_words(complaint({"all_reduce", "--max-bytes", "-8"}), {"--max-bytes", "-8"});
  expect_words(complaint({"all_reduce", "--max-bytes", "99999999999G"}), {"--max-bytes", "too large"});
  expect_words(complaint({"all_reduce", "--min-bytes", "0"}), {"--min-bytes", "at least 1"});
  expect_words(complaint({"all_gather", "--counts", "1,,2"}), {"--counts", "''"});
}

TEST(PerfSizes, EndWithTheLargestThatFits) {
  EXPECT_EQ(sizes_between(8, 64, 2), (std::vector<std::size_t>{8, 16, 32, 64}));
  EXPECT_EQ(sizes_between(8, 63, 2), (std::vector<std::size_t>{8, 16, 32}));
  EXPECT_EQ(sizes_between(5, 5, 2), (std::vector<std::size_t>{5}));
  auto const most = ~std::size_t{0};
  EXPECT_EQ(sizes_between(most / 2, most, 4).size(), 1u);
}
