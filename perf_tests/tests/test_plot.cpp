// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Koinon_Perf_Plot.hpp>

#include <gtest/gtest.h>

#include <cstdio>
#include <string>

using namespace Koinon::Perf;

namespace {

std::size_t occurrences(std::string const& text, std::string const& word) {
  std::size_t count = 0;
  for (auto at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) ++count;
  return count;
}

Report two_rows() {
  Report report{{}, "koinon_perf_tests <all_reduce>", {}};
  for (std::size_t const bytes : {8u, 1024u}) {
    Result result;
    result.bytes = bytes;
    result.time = {static_cast<double>(bytes), 1, 1};
    result.rivals = {{"mpi", "", {2.0 * static_cast<double>(bytes), 1, 1}, 0}};
    report.results.push_back(result);
  }
  return report;
}

}  // namespace

TEST(PerfPlot, DrawsALineForEachSideAndAPointForEachRow) {
  auto const svg = plot_svg(two_rows());
  EXPECT_EQ(svg.rfind("<svg ", 0), 0u);
  EXPECT_EQ(occurrences(svg, "<polyline"), 2u);
  EXPECT_EQ(occurrences(svg, "<circle"), 4u);
  EXPECT_EQ(occurrences(svg, "</svg>"), 1u);
  EXPECT_NE(svg.find(">Koinon</text>"), std::string::npos);
  EXPECT_NE(svg.find(">mpi</text>"), std::string::npos);
  EXPECT_NE(svg.find("&lt;all_reduce&gt;"), std::string::npos);
}

TEST(PerfPlot, PutsLargerFurtherRightAndSlowerFurtherUp) {
  auto const svg = plot_svg(two_rows());
  auto const points = svg.substr(svg.find("points=\"") + 8);
  double x[2], y[2];
  ASSERT_EQ(std::sscanf(points.c_str(), "%lf,%lf %lf,%lf", &x[0], &y[0], &x[1], &y[1]), 4);
  EXPECT_LT(x[0], x[1]);
  EXPECT_GT(y[0], y[1]);
}

TEST(PerfPlot, LeavesOutWhatDidNotRun) {
  auto report = two_rows();
  report.results[0].rivals[0].refusal = "no";
  EXPECT_EQ(occurrences(plot_svg(report), "<circle"), 3u);
  report.results.clear();
  EXPECT_EQ(occurrences(plot_svg(report), "<circle"), 0u);
}
