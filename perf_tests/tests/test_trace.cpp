// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Koinon_Perf_Cases.hpp>
#include <Koinon_Perf_Errors.hpp>
#include <Koinon_Perf_Trace.hpp>

#include <gtest/gtest.h>

#include <numeric>
#include <string>

using namespace Koinon::Perf;

namespace {

/// Returns the message of the FileError that the text causes; empty: none.
std::string complaint(std::string const& text) {
  try {
    parse_trace(text, "t.json");
  } catch (FileError const& error) {
    return error.what();
  }
  return {};
}

Trace shipped(std::string const& name) {
  return read_trace(std::string(KOINON_PERF_TRACES) + "/" + name + ".json");
}

std::size_t elements(TraceStep const& step) {
  return std::accumulate(step.calls.begin(), step.calls.end(), std::size_t{0},
                         [](std::size_t sum, TraceCall const& call) { return sum + call.rows() * call.columns(); });
}

}  // namespace

TEST(PerfTrace, IsAPlainListOfCalls) {
  if (!is_built(ElementType::f64) || !is_built(ReducerName::max)) GTEST_SKIP() << "this build lacks double or max";
  auto const trace = parse_trace(R"([{"operation": "all_reduce", "shape": [2, 3], "type": "double", "reducer": "max",
                                      "label": "x", "repeat": 3}, {"operation": "barrier"}])",
                                 "plain");
  ASSERT_EQ(trace.steps.size(), 1u);
  auto const& step = trace.steps[0];
  ASSERT_EQ(step.calls.size(), 2u);
  EXPECT_EQ(step.order, (std::vector<std::size_t>{0, 0, 0, 1}));
  EXPECT_EQ(step.calls[0].rows(), 2u);
  EXPECT_EQ(step.calls[0].columns(), 3u);
  EXPECT_EQ(step.calls[0].type, ElementType::f64);
  EXPECT_EQ(step.calls[0].reducer, ReducerName::max);
  EXPECT_EQ(step.calls[0].label, "x");
  EXPECT_EQ(step.bytes(), 3u * 6 * 8);
}

TEST(PerfTrace, HasReductionsWithNorms) {
  if (!is_built(ElementType::f32)) GTEST_SKIP() << "this build lacks float";
  auto const trace = parse_trace(R"([{"operation": "all_reduce_rms_norm", "shape": [2, 8]},
      {"operation": "reduce_scatter_rms_norm", "variant": "fp8", "shape": [2, 8]}, {"operation": "all_reduce", "shape": [1]}])",
                                 "norms");
  auto const& calls = trace.steps.at(0).calls;
  EXPECT_EQ(calls.at(0).operation, Koinon::Operation::all_reduce);
  EXPECT_EQ(calls.at(0).norm, Norm::residual);
  EXPECT_EQ(calls.at(1).operation, Koinon::Operation::reduce_scatter);
  EXPECT_EQ(calls.at(1).norm, Norm::fp8);
  EXPECT_EQ(calls.at(2).norm, Norm::none);
  EXPECT_EQ(complaint("[{\"operation\": \"all_reduce\",\n\"variant\": \"fp8\", \"shape\": [1]}]"),
            "t.json:2: only operations with a norm have variants");
  if (is_built(ElementType::i32)) {
    EXPECT_EQ(complaint("[{\"operation\": \"all_reduce_rms_norm\", \"type\": \"int32\", \"shape\": [1]}]"),
              "t.json:1: all_reduce_rms_norm sums float, float16 or bfloat16");
  }
}

TEST(PerfTrace, RepeatsASequenceInItsOrder) {
  auto const trace = parse_trace(R"({"name": "n", "source": "s", "steps": {"a": [
      {"repeat": 2, "calls": [{"operation": "broadcast", "shape": [1]}, {"operation": "all_gather", "shape": [4], "repeat": 2}]},
      {"operation": "barrier"}]}})",
                                 "group");
  EXPECT_EQ(trace.name, "n");
  EXPECT_EQ(trace.source, "s");
  EXPECT_EQ(trace.steps[0].name, "a");
  EXPECT_EQ(trace.steps[0].order, (std::vector<std::size_t>{0, 1, 1, 0, 1, 1, 2}));
}

TEST(PerfTrace, ThatIsNoJsonIsRefusedWithTheLine) {
  auto const text = complaint("[\n  {\"operation\": \"all_reduce\",\n   \"shape\" [1]}\n]");
  EXPECT_EQ(text.rfind("t.json:3: syntax error", 0), 0u) << text;
  EXPECT_EQ(complaint("[\n\n").rfind("t.json:3: ", 0), 0u) << complaint("[\n\n");
  EXPECT_EQ(complaint("").rfind("t.json:1: ", 0), 0u) << complaint("");
}

TEST(PerfTrace, ThatMeansNothingIsRefusedWithTheLineAndTheReason) {
  auto const call = [](std::string const& more) {
    return complaint("[\n{\"operation\": \"all_reduce\", \"shape\": [1]},\n{\"operation\": \"all_reduce\",\n" + more +
                     "}\n]");
  };
  EXPECT_EQ(call("\"shape\": [1], \"type\": \"half\"").rfind("t.json:4: no type 'half'; there are: float", 0), 0u);
  EXPECT_EQ(call("\"shape\": [1],\n\"reducer\": \"avg\"").rfind("t.json:5: no reducer 'avg'", 0), 0u);
  EXPECT_EQ(call("\"shape\": [-1]"), "t.json:4: \"shape\" needs whole numbers of at least 1, not -1");
  EXPECT_EQ(call("\"shape\": 4"), "t.json:4: \"shape\" must be a list of extents");
  EXPECT_EQ(call("\"label\": \"x\""), "t.json:3: a call without \"shape\"");
  EXPECT_EQ(
      call("\"shape\": [1], \"count\": 1").rfind("t.json:4: unknown key \"count\"; there are: operation shape", 0), 0u);
  EXPECT_EQ(call("\"shape\": [1], \"repeat\": 0"), "t.json:4: \"repeat\" needs whole numbers of at least 1, not 0");
  EXPECT_EQ(call("\"shape\": [1], \"repeat\": 99999999").rfind("t.json:4: more than", 0), 0u);
  if (is_built(ReducerName::bor)) {
    EXPECT_EQ(call("\"shape\": [1], \"reducer\": \"bor\""), "t.json:4: a bitwise reducer needs an integer type");
  }
  EXPECT_EQ(complaint("[\n{\"shape\": [1]}]"), "t.json:2: a call without \"operation\"");
  EXPECT_EQ(
      complaint("[{\"operation\": \"scan\", \"shape\": [1]}]").rfind("t.json:1: no operation 'scan'", 0),
      0u);
  EXPECT_EQ(complaint("[]"), "t.json:1: step \"step\" has no calls");
  EXPECT_EQ(complaint("{\n\"steps\": []}"), "t.json:2: \"steps\" must be an object of lists of calls");
  EXPECT_EQ(complaint("{\n\"steps\":\n{}}"), "t.json:2: no step to replay");
  EXPECT_EQ(complaint("3").rfind("t.json:1: expected a list of calls", 0), 0u);
}

TEST(PerfTrace, ThatCannotBeReadIsNamed) {
  try {
    read_trace("/nowhere/x.json");
    FAIL() << "read a file that does not exist";
  } catch (FileError const& error) {
    EXPECT_STREQ(error.what(), "/nowhere/x.json: cannot be read");
  }
}

TEST(PerfTrace, OfResnet50HasAllGradientsOnceInBothSteps) {
  auto const trace = shipped("resnet50");
  ASSERT_EQ(trace.steps.size(), 2u);
  EXPECT_EQ(trace.steps[0].calls.size(), 161u);
  EXPECT_EQ(elements(trace.steps[0]), 25'557'032u);
  EXPECT_EQ(elements(trace.steps[1]), 25'557'032u);
  for (auto const& bucket : trace.steps[1].calls) EXPECT_LE(bucket.bytes(), std::size_t{25} << 20);
}

TEST(PerfTrace, OfConjugateGradientsReducesFourDoublesAnIteration) {
  if (!is_built(ElementType::f64)) GTEST_SKIP() << "this build lacks double";
  auto const step = shipped("cg").steps.at(0);
  EXPECT_EQ(step.order.size(), 50u * 4 + 1);
  EXPECT_EQ(step.bytes(), (50u * 4 + 1) * 8);
}

TEST(PerfTrace, OfDecodingReducesAndNormalizesTwiceALayerThenSamples) {
  if (!is_built(ElementType::bf16) || !is_built(ElementType::f32)) GTEST_SKIP() << "this build lacks bfloat16 or float";
  struct Model {
    char const* name;
    std::size_t layers, hidden, vocabulary;
  };
  for (auto const& model : {Model{"llama-3.1-70b-decode", 80, 8192, 128256}, Model{"deepseek-v3-decode", 61, 7168, 129280},
                            Model{"gpt-oss-120b-decode", 36, 2880, 201088}}) {
    auto const trace = shipped(model.name);
    ASSERT_EQ(trace.steps.size(), 3u) << model.name;
    std::size_t const batches[] = {1, 8, 64};
    for (std::size_t i = 0; i < 3; ++i) {
      auto const& step = trace.steps[i];
      ASSERT_EQ(step.order.size(), 2 * model.layers + 2) << model.name;
      EXPECT_EQ(step.bytes(), batches[i] * (2 * model.layers * model.hidden * 2 + model.vocabulary * 2 + 9 * 4));
      EXPECT_EQ(step.calls[step.order[0]].norm, Norm::residual);
      EXPECT_EQ(step.calls[step.order[2 * model.layers]].operation, Koinon::Operation::shards_to_rows);
      EXPECT_EQ(step.calls[step.order.back()].operation, Koinon::Operation::all_gather_multiple);
    }
    EXPECT_FALSE(trace.source.empty());
  }
}

TEST(PerfTrace, HasLogitsPaddedToWhatTheRanksDivide) {
  TraceCall call;
  call.operation = Koinon::Operation::shards_to_rows;
  call.shape = {7, 10};
  auto const what = case_of(call, Options{}, 4);
  EXPECT_EQ(what.rows, 2u) << "of each rank";
  EXPECT_EQ(what.columns, 12u);
  EXPECT_EQ(what.counts, (std::vector<std::size_t>{3, 3, 3, 3}));
}
