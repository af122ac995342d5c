// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <collectives/Koinon_CellDraw.hpp>

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <tuple>
#include <utility>

// Few small cells in a program of few kernels, with as many ranks as run side by side under compute-sanitizer.
namespace Koinon::Testing {
namespace {

class Reduced : public ::testing::TestWithParam<std::tuple<std::string, int>> {};

TEST_P(Reduced, EveryOperationAlgorithmAndTransportHasTheReference) {
  auto const& [name, ranks] = GetParam();
  run_ranks(ranks, [&each = exercise(name)](Bootstrap& bootstrap) {
    Session const session(bootstrap, 0);
    Random random(seed());
    std::set<std::tuple<Operation, Algorithm, Transport>> done;
    for (int draws = 0; draws < 400; ++draws) {
      Cell const cell = draw_cell(session, each, random);
      std::uint64_t const inputs = random.next();
      std::size_t const elements = cell.rows * cell.columns;
      if (elements == 0 || elements > 2000 || !expected_refusal(session, each, cell).empty()) continue;
      if (done.insert({cell.operation, cell.algorithm, cell.transport}).second)
        expect_cell(session, each, cell, inputs);
    }
    session.barrier();
    bootstrap.barrier();
    EXPECT_GE(done.size(), 12u);
  });
}

INSTANTIATE_TEST_SUITE_P(Few, Reduced,
                         ::testing::Combine(::testing::Values("float_sum", "float_average", "move_uint8", "move_float"),
                                            ::testing::Values(1, 2)),
                         [](auto const& i) { return std::get<0>(i.param) + "_" + ranks_name(std::get<1>(i.param)); });

}  // namespace
}  // namespace Koinon::Testing
