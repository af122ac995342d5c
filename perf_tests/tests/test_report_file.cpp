// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Koinon_Perf_Errors.hpp>
#include <Koinon_Perf_ReportFile.hpp>

#include <gtest/gtest.h>

#include <cstdio>
#include <fstream>
#include <string>
#include <vector>

using namespace Koinon::Perf;

namespace {

std::vector<std::string> keys(nlohmann::ordered_json const& object) {
  std::vector<std::string> names;
  for (auto const& [key, value] : object.items()) names.push_back(key);
  return names;
}

Report one_row() {
  Report report{{{"processor", "p"}}, "koinon_perf_tests all_reduce", {}};
  Result result;
  result.bytes = 4000;
  result.count = 1000;
  result.ranks = 4;
  result.time = {2, 1, 4};
  result.rivals = {{"mpi", "", {5, 5, 6}, 0}, {"other", "not here", {}, 0}};
  report.results.push_back(result);
  return report;
}

}  // namespace

TEST(PerfReportFile, HasTheKeysOfTheDocuments) {
  auto const json = to_json(one_row());
  EXPECT_EQ(keys(json), (std::vector<std::string>{"machine", "command", "results"}));
  auto const& row = json["results"][0];
  EXPECT_EQ(keys(row),
            (std::vector<std::string>{"operation", "bytes", "count", "type", "reducer", "ranks", "algorithm",
                                      "transport", "placement", "in_place", "borrowed", "graph", "load", "time_us", "time_us_min",
                                      "time_us_max", "rewrite_us", "algbw_gbps", "busbw_gbps", "wrong", "rivals"}));
  EXPECT_EQ(row["time_us"], 2.0);
  EXPECT_EQ(row["busbw_gbps"], 3.0);
  EXPECT_EQ(row["rivals"]["mpi"]["time_us"], 5.0);
  EXPECT_EQ(row["rivals"]["mpi"]["wrong"], 0);
  EXPECT_EQ(row["rivals"]["other"]["not_run"], "not here");
}

TEST(PerfReportFile, SaysOnGpusWhatACallTakesOnTheHostAndWhichTraitsItHad) {
  auto report = one_row();
  report.results[0].device = Device::cuda;
  report.results[0].graph = true;
  report.results[0].early_trigger = true;
  report.results[0].host = 1.5;
  report.results[0].rivals[0].host = 2.5;
  auto const row = to_json(report)["results"][0];
  EXPECT_EQ(row["device"], "cuda");
  EXPECT_EQ(row["graph"], true);
  EXPECT_EQ(row["early_trigger"], true);
  EXPECT_EQ(row["dependent_launch"], false);
  EXPECT_EQ(row["host_us"], 1.5);
  EXPECT_EQ(row["rivals"]["mpi"]["host_us"], 2.5);
}

TEST(PerfReportFile, NamesTheStepOfATrace) {
  auto report = one_row();
  report.results[0].trace = "cg";
  report.results[0].step = "iteration";
  report.results[0].calls = 5;
  auto const row = to_json(report)["results"][0];
  EXPECT_EQ(row["operation"], "trace");
  EXPECT_EQ(row["trace"], "cg");
  EXPECT_EQ(row["step"], "iteration");
  EXPECT_EQ(row["calls"], 5);
}

TEST(PerfReportFile, SaysNullForWhatWasNotChecked) {
  auto report = one_row();
  report.results[0].checked = false;
  EXPECT_TRUE(to_json(report)["results"][0]["wrong"].is_null());
}

TEST(PerfReportFile, ThatCannotBeWrittenIsNamedWithTheReason) {
  try {
    claim_file("/nowhere/x.json");
    FAIL() << "wrote into a folder that does not exist";
  } catch (FileError const& error) {
    EXPECT_STREQ(error.what(), "/nowhere/x.json: cannot be written: No such file or directory");
  }
  EXPECT_THROW(write_file("/dev/full", "text"), FileError);
}

TEST(PerfReportFile, HoldsWhatWasWritten) {
  auto const file = testing::TempDir() + "koinon_perf_report.json";
  write_file(file, "text");
  std::ifstream stream(file);
  std::string text;
  stream >> text;
  EXPECT_EQ(text, "text");
  std::remove(file.c_str());
}
