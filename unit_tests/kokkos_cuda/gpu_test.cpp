// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Koinon_CoreWithoutMpi.hpp>

#include "kokkos/Koinon_KokkosRanks.hpp"

#include <gtest/gtest.h>
#include <Kokkos_Core.hpp>
#include <Kokkos_Graph.hpp>

#include <cuda_runtime_api.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <optional>

// What instances of a GPU have and hosts' have not: streams that run side by side, and graphs.
namespace {

using Koinon::Testing::KokkosRank;
using Koinon::Testing::on_each_kokkos_rank;
using Koinon::Testing::sum_of_ranks;
using Space = Kokkos::Cuda;
using Floats = Kokkos::View<float*>;
using Graph = Kokkos::Experimental::Graph<Space>;
using Range = Kokkos::RangePolicy<Space>;

constexpr std::size_t count = 1000;

// Kernels of the tests.
struct Fill {
  Floats x;
  float value;
  KOKKOS_FUNCTION void operator()(std::size_t i) const { x(i) = value; }
};
struct Double {
  Floats x;
  KOKKOS_FUNCTION void operator()(std::size_t i) const { x(i) *= 2; }
};
/// Keeps an instance busy for some hundred microseconds, and ends in Fill.
struct FillLate {
  Fill fill;
  KOKKOS_FUNCTION void operator()(std::size_t i) const {
    float volatile slow = 1;
    for (int turn = 0; turn < 20000; ++turn) slow = slow + 1;
    fill(i);
  }
};

/// Calls all_reduce, whose kernels are compiled once for these tests.
void sum(Koinon::CollectivePolicy<> const& policy, Floats const& in, Floats const& out) {
  Koinon::all_reduce("sum", policy, in, out);
}

void expect_filled(KokkosRank const& rank, Floats const& x, double value) {
  auto const found = rank.loaded(x);
  for (std::size_t i = 0; i < count; ++i) ASSERT_EQ(found(i), value) << "element " << i << " of rank " << rank.comm.rank();
}

TEST(KokkosCuda, instances_of_one_communicator_run_their_calls_in_the_order_of_the_calls) {
  on_each_kokkos_rank([](KokkosRank const& rank) {
    Floats const x("x", count);
    Space const other = Koinon::Testing::make_kokkos_space();
    Koinon::CollectivePolicy<> const second(other, rank.comm);
    rank.ready();
    for (int turn = 1; turn <= 4; ++turn) {
      Kokkos::parallel_for("late", Range(rank.space, 0, count), FillLate{{x, static_cast<float>(turn)}});
      sum(rank.policy, x, x);
      sum(second, x, x);
      sum(rank.policy, x, x);
    }
    other.fence();
    expect_filled(rank, x, 4 * std::pow(rank.comm.size(), 3));
    rank.comm.check();
  });
}

/// Makes a graph of x *= 2, y = the sum over ranks of x, y *= 2, and loads it onto the device.
Graph sum_between_kernels(KokkosRank const& rank, Floats const& x, Floats const& y) {
  Graph graph = Kokkos::Experimental::create_graph<Space>([&](auto const& root) {
    auto const before = root.then_parallel_for("before", Range(0, count), Double{x});
    auto const reduced = before.cuda_capture(rank.space, [&](Space const&) { sum(rank.policy, x, y); });
    reduced.then_parallel_for("after", Range(0, count), Double{y});
  });
  graph.instantiate();
  EXPECT_EQ(cudaGraphUpload(graph.cuda_graph_exec(), rank.space.cuda_stream()), cudaSuccess);
  rank.space.fence();
  return graph;
}

TEST(KokkosCuda, a_graph_holds_a_collective_between_kernels_and_is_replayed_among_eager_calls) {
  on_each_kokkos_rank([](KokkosRank const& rank) {
    Floats const x("x", count);
    Floats const y("y", count);
    std::optional<Graph> graph;
    rank.ready();
    // One after the other: Kokkos captures in the mode in which other threads must not take memory meanwhile.
    for (int turn = 0; turn < rank.comm.size(); ++turn) {
      if (turn == rank.comm.rank()) graph = sum_between_kernels(rank, x, y);
      rank.ready();
    }
    for (int replay = 1; replay <= 10; ++replay) {
      rank.store(x, [&](auto const& v) {
        std::fill_n(v.data(), v.size(), static_cast<float>(replay * (rank.comm.rank() + 1)));
      });
      graph->submit(rank.space);
      double expected = 4 * replay * sum_of_ranks(rank.comm.size());
      if (replay % 3 == 0) {
        sum(rank.policy, y, y);
        expected *= rank.comm.size();
      }
      expect_filled(rank, y, expected);
    }
    rank.comm.check();
  });
}

TEST(KokkosCuda, a_norm_reads_and_writes_views) {
  on_each_kokkos_rank([](KokkosRank const& rank) {
    constexpr std::size_t rows = 3;
    constexpr std::size_t columns = 24;
    using Rows = Kokkos::View<float**, Kokkos::LayoutRight>;
    Rows const in("in", rows, columns), residual("residual", rows, columns), out("out", rows, columns);
    Floats const weight("weight", columns);
    rank.ready();
    rank.store(in, [&](auto const& v) {
      std::fill_n(v.data(), v.size(), static_cast<float>(rank.comm.rank() + 1));
    });
    rank.store(residual, [](auto const& v) {
      for (std::size_t i = 0; i < rows; ++i) {
        for (std::size_t j = 0; j < columns; ++j) v(i, j) = static_cast<float>(i + j);
      }
    });
    rank.store(weight, [](auto const& v) {
      for (std::size_t j = 0; j < columns; ++j) v(j) = static_cast<float>(j % 5);
    });
    Koinon::all_reduce("norm", rank.policy, in,
                       Koinon::RmsNorm{.residual = residual, .weight = weight, .epsilon = 1e-6f,
                                       .residual_out = residual, .norm_out = out});
    auto const sums = rank.loaded(residual);
    auto const norms = rank.loaded(out);
    for (std::size_t i = 0; i < rows; ++i) {
      auto const sum_at = [&](std::size_t j) { return sum_of_ranks(rank.comm.size()) + static_cast<double>(i + j); };
      double squares = 0;
      for (std::size_t j = 0; j < columns; ++j) squares += sum_at(j) * sum_at(j);
      double const root = std::sqrt(squares / columns + 1e-6);
      for (std::size_t j = 0; j < columns; ++j) {
        EXPECT_EQ(sums(i, j), sum_at(j));
        EXPECT_NEAR(norms(i, j), sum_at(j) / root * static_cast<double>(j % 5), 1e-5);
      }
    }
  });
}

}  // namespace
