// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <collectives/Koinon_GpuWay.hpp>
#include <support/Koinon_RankRunner.hpp>

#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <numeric>
#include <string>
#include <vector>

namespace Koinon::Testing {
namespace {

using Element = std::uint16_t;

/// Is a matrix whose rows or columns may lie apart.
struct Held {
  std::vector<Element> memory;
  Array<Element, 2> array;
  Held(std::size_t rows, std::size_t columns, bool apart)
      : memory(2 * (rows + 1) * (columns + 1), Element{0xBEEF}), array(memory.data(), rows, columns) {
    if (apart) {
      array.strides[0] = 1;
      array.strides[1] = static_cast<std::ptrdiff_t>(rows + 1);
    }
  }
};

Element value_at(std::size_t row, std::size_t column) {
  return static_cast<Element>(row * 517 + column * 3 + 1);
}

/// Is every exchange of these many rows and columns, whose packets cross the ends of runs here and there.
template <class Comm, class Policy>
void expect_exchanges(Comm const& comm, Policy const& policy, std::size_t rows, std::size_t columns, bool apart) {
  auto const r = static_cast<std::size_t>(comm.size());
  auto const rank = static_cast<std::size_t>(comm.rank());
  Held shard(rows * r, columns, apart);
  Held own(rows, columns * r, !apart && rows > 1);
  Held back(rows * r, columns, false);
  for (std::size_t i = 0; i < rows * r; ++i) {
    for (std::size_t c = 0; c < columns; ++c) shard.array(i, c) = value_at(i, rank * columns + c);
  }
  shards_to_rows(policy, shard.array, own.array);
  rows_to_shards(policy, own.array, back.array);
  for (std::size_t i = 0; i < rows; ++i) {
    for (std::size_t c = 0; c < columns * r; ++c) ASSERT_EQ(own.array(i, c), value_at(rank * rows + i, c)) << rows << " x " << columns;
  }
  for (std::size_t i = 0; i < rows * r; ++i) {
    for (std::size_t c = 0; c < columns; ++c) ASSERT_EQ(back.array(i, c), shard.array(i, c)) << rows << " x " << columns;
  }

  std::vector<std::size_t> widths;
  for (std::size_t p = 0; p < r; ++p) widths.push_back(columns + p % 3);
  std::size_t const before = std::accumulate(widths.begin(), widths.begin() + comm.rank(), std::size_t{0});
  std::size_t const all = std::accumulate(widths.begin(), widths.end(), std::size_t{0});
  Held in(rows, widths[rank], apart);
  Held out(rows, all, false);
  for (std::size_t i = 0; i < rows; ++i) {
    for (std::size_t c = 0; c < widths[rank]; ++c) in.array(i, c) = value_at(i, before + c);
  }
  all_gather_columns(policy, in.array, out.array, Widths(widths));
  for (std::size_t i = 0; i < rows; ++i) {
    for (std::size_t c = 0; c < all; ++c) ASSERT_EQ(out.array(i, c), value_at(i, c)) << rows << " x " << columns;
  }

  Held given(rows * r, columns, apart);
  Held taken(rows * r, columns, false);
  for (std::size_t i = 0; i < rows * r; ++i) {
    for (std::size_t c = 0; c < columns; ++c) given.array(i, c) = value_at(rank * 1000 + i, c);
  }
  all_to_all(policy, given.array, taken.array);
  for (std::size_t i = 0; i < rows * r; ++i) {
    for (std::size_t c = 0; c < columns; ++c) {
      ASSERT_EQ(taken.array(i, c), value_at(i / rows * 1000 + rank * rows + i % rows, c)) << rows << " x " << columns;
    }
  }
}

/// As a GPU does it, on a host.
class ExchangesOfAGpu : public ::testing::TestWithParam<Algorithm> {};

TEST_P(ExchangesOfAGpu, BringEveryPieceByPacketsInRegistersAndByStagingOfTheReader) {
  for (int const ranks : rank_counts()) {
    run_ranks(ranks, [](Bootstrap& bootstrap) {
      RegisterSpace const space;
      Communicator const comm(space, bootstrap, CommunicatorOptions{.staging_bytes = std::size_t{64} << 10});
      auto const policy = require(CollectivePolicy(space, comm), Tuning{.algorithm = GetParam()});
      for (std::size_t const rows : {0u, 1u, 3u, 17u}) {
        for (std::size_t const columns : {1u, 2u, 5u, 6u, 7u, 12u, 31u}) {
          expect_exchanges(comm, policy, rows, columns, false);
          expect_exchanges(comm, policy, rows, columns, true);
        }
      }
      if (GetParam() == Algorithm::one_shot) expect_exchanges(comm, policy, 90, 401, false);  // several rounds
    });
  }
}

INSTANTIATE_TEST_SUITE_P(By, ExchangesOfAGpu, ::testing::Values(Algorithm::low_latency, Algorithm::one_shot),
                         [](auto const& i) { return std::string(to_string(i.param)); });

}  // namespace
}  // namespace Koinon::Testing
