// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Koinon_Perf_Table.hpp>

#include <gtest/gtest.h>

#include <sstream>
#include <string>

using namespace Koinon::Perf;

namespace {

Result row_of_four_ranks() {
  Result result;
  result.bytes = 4000;
  result.count = 1000;
  result.ranks = 4;
  result.time = {2, 1, 4};
  result.rewrite = 0.5;
  result.rivals = {{"mpi", "", {5, 5, 5}, 0}};
  return result;
}

std::vector<std::string> cells(std::string const& line) {
  std::istringstream stream(line);
  std::vector<std::string> words;
  for (std::string word; stream >> word;) words.push_back(word);
  return words;
}

}  // namespace

TEST(PerfTable, HasTheColumnsOfTheConventionThenTheRivals) {
  Table const table({"mpi"});
  auto const head = table.head();
  std::size_t at = 0;
  for (auto const* name : {"bytes", "count", "type", "redop", "place", "time", "algbw", "busbw", "wrong", "rewrite",
                           "spread", "mpi", "ratio", "wrong"}) {
    at = head.find(name, at);
    ASSERT_NE(at, std::string::npos) << name;
  }
  EXPECT_EQ(cells(table.row(row_of_four_ranks())),
            (std::vector<std::string>{"4000", "1000", "float", "sum", "out", "2.000", "2.00", "3.00", "0", "0.500",
                                      "150%", "|", "5.000", "2.50x", "0"}));
}

TEST(PerfTable, SaysWhereTheResultLies) {
  Table const table({"mpi"});
  auto result = row_of_four_ranks();
  EXPECT_EQ(cells(table.row(result))[4], "out");
  result.in_place = true;
  EXPECT_EQ(cells(table.row(result))[4], "in");
  result.in_place = false;
  result.borrowed = true;
  EXPECT_EQ(cells(table.row(result))[4], "lent");
}

TEST(PerfTable, ShowsTheHostsTimeOfACallWhereCallsAreEnqueued) {
  Table const table({"mpi"}, Device::cuda);
  auto result = row_of_four_ranks();
  result.host = 0.25;
  EXPECT_EQ(table.head().find("rewrite"), std::string::npos);
  EXPECT_NE(table.head().find("     host  "), std::string::npos);
  EXPECT_EQ(cells(table.row(result))[9], "0.250");
}

TEST(PerfTable, LinesUpRowsWithTheirHead) {
  Table const table({"mpi"});
  auto const head = table.head();
  auto const first_line = head.substr(0, head.find('\n'));
  auto const row = table.row(row_of_four_ranks());
  EXPECT_EQ(first_line.size() + 1, row.size());
  EXPECT_EQ(first_line.find('|'), row.find('|'));
}

TEST(PerfTable, SaysWhyARowOrARivalDidNotRun) {
  Table const table({"mpi"});
  auto result = row_of_four_ranks();
  result.rivals[0].refusal = "threads";
  EXPECT_EQ(cells(table.row(result)).back(), "-");
  EXPECT_NE(table.foot({result}).find("# mpi not measured: threads\n"), std::string::npos);
  result.refusal = "no multicast";
  EXPECT_NE(table.row(result).find("not run: no multicast"), std::string::npos);
}

TEST(PerfTable, EndsWithTheMeanRatioAndTheWrongElementsOfAll) {
  Table const table({"mpi"});
  auto fast = row_of_four_ranks();
  auto slow = row_of_four_ranks();
  slow.rivals[0].time.median = 20;
  slow.rivals[0].wrong = 3;
  fast.wrong = 1;
  auto const foot = table.foot({fast, slow});
  EXPECT_NE(foot.find("5.00 times Koinon's time (geometric mean of 2 rows)"), std::string::npos) << foot;
  EXPECT_NE(foot.find("wrong elements: 4"), std::string::npos) << foot;
}

TEST(PerfTable, ShowsAnUncheckedResultAsSuch) {
  Table const table({});
  auto result = row_of_four_ranks();
  result.rivals.clear();
  result.checked = false;
  EXPECT_NE(table.row(result).find("N/A"), std::string::npos);
  EXPECT_NE(table.foot({result}).find("not checked"), std::string::npos);
}

TEST(PerfBandwidth, CountsWhatTheLinksCarry) {
  auto result = row_of_four_ranks();
  EXPECT_DOUBLE_EQ(algorithm_bandwidth(result), 2);
  EXPECT_DOUBLE_EQ(bus_bandwidth(result), 3);
  for (auto const operation : {Koinon::Operation::reduce_scatter, Koinon::Operation::all_gather}) {
    result.operation = operation;
    EXPECT_DOUBLE_EQ(bus_bandwidth(result), 1.5);
  }
  for (auto const operation : {Koinon::Operation::broadcast, Koinon::Operation::reduce}) {
    result.operation = operation;
    EXPECT_DOUBLE_EQ(bus_bandwidth(result), 2);
  }
}
