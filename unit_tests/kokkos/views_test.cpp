// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Koinon_CoreWithoutMpi.hpp>

#include "kokkos/Koinon_KokkosRanks.hpp"

#include <gtest/gtest.h>
#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>
#include <utility>

// On hosts and GPUs alike: the hosts' mirror of a View of theirs is the View.
namespace {

using Koinon::Testing::KokkosRank;
using Koinon::Testing::on_each_kokkos_rank;
using Koinon::Testing::sum_of_ranks;
using Space = Koinon::Testing::KokkosSpace;

TEST(Views, the_default_instance_deduces_the_shortest_policy) {
  static_assert(std::is_same_v<Kokkos::DefaultExecutionSpace, Space>);
  static_assert(std::is_same_v<decltype(Koinon::CollectivePolicy(std::declval<Space const&>(),
                                                                 std::declval<Koinon::Communicator<Space> const&>())),
                               Koinon::CollectivePolicy<>>);
}

TEST(Views, all_reduce_takes_any_pair_of_layouts) {
  on_each_kokkos_rank([](KokkosRank const& rank) {
    Kokkos::View<float**, Kokkos::LayoutRight> const right("right", 7, 5);
    Kokkos::View<float**, Kokkos::LayoutLeft> const left("left", 7, 5);
    Kokkos::View<float**, Kokkos::LayoutRight> const back("back", 7, 5);
    rank.ready();
    rank.store(right, [&](auto const& v) {
      for (std::size_t i = 0; i < 7; ++i) {
        for (std::size_t j = 0; j < 5; ++j) v(i, j) = static_cast<float>(rank.comm.rank() + 1) * static_cast<float>(10 * i + j);
      }
    });
    Koinon::all_reduce("there", rank.policy, right, left);
    Koinon::all_reduce("and back", rank.policy, left, back);
    auto const there = rank.loaded(left);
    auto const again = rank.loaded(back);
    for (std::size_t i = 0; i < 7; ++i) {
      for (std::size_t j = 0; j < 5; ++j) {
        EXPECT_EQ(there(i, j), sum_of_ranks(rank.comm.size()) * static_cast<double>(10 * i + j));
        EXPECT_EQ(again(i, j), there(i, j) * static_cast<float>(rank.comm.size()));
      }
    }
  });
}

TEST(Views, subviews_are_reduced_where_they_lie_and_nothing_beside_them_is_written) {
  on_each_kokkos_rank([](KokkosRank const& rank) {
    Kokkos::View<float**, Kokkos::LayoutRight> const columns("columns", 6, 4);
    Kokkos::View<float**, Kokkos::LayoutLeft> const rows("rows", 4, 6);
    rank.ready();
    rank.store(columns, [](auto const& v) { std::fill_n(v.data(), v.size(), -1.0f); });
    rank.store(rows, [&](auto const& v) {
      std::fill_n(v.data(), v.size(), -1.0f);
      for (std::size_t i = 0; i < 6; ++i) v(1, i) = static_cast<float>(rank.comm.rank() + 1) * static_cast<float>(i);
    });
    Koinon::all_reduce(rank.policy, Kokkos::subview(rows, 1, Kokkos::ALL), Kokkos::subview(columns, Kokkos::ALL, 2));
    auto const written = rank.loaded(columns);
    for (std::size_t i = 0; i < 6; ++i) {
      for (std::size_t j = 0; j < 4; ++j) {
        EXPECT_EQ(written(i, j), j == 2 ? sum_of_ranks(rank.comm.size()) * static_cast<double>(i) : -1.0);
      }
    }
  });
}

TEST(Views, rank_0_and_zero_extents_work) {
  on_each_kokkos_rank([](KokkosRank const& rank) {
    Kokkos::View<float> const scalar("scalar");
    Kokkos::View<float**> const empty("empty", 0, 3);
    rank.ready();
    rank.store(scalar, [&](auto const& v) { v() = static_cast<float>(rank.comm.rank() + 1); });
    Koinon::all_reduce(rank.policy, scalar, scalar);
    EXPECT_EQ(rank.loaded(scalar)(), sum_of_ranks(rank.comm.size()));
    EXPECT_NO_THROW(Koinon::all_reduce(rank.policy, empty, empty));
    EXPECT_NO_THROW(Koinon::broadcast(rank.policy, empty, 0));
    rank.space.fence();
  });
}

TEST(Views, rows_of_left_layout_are_scattered_and_gathered_as_rows) {
  on_each_kokkos_rank([](KokkosRank const& rank) {
    std::size_t const total = 2 * static_cast<std::size_t>(rank.comm.size()) + 1;
    auto const partition = Koinon::even_partition(static_cast<std::int64_t>(total), rank.comm.size());
    auto const mine = static_cast<std::size_t>(partition.count(rank.comm.rank()));
    Kokkos::View<float**, Kokkos::LayoutLeft> const whole("whole", total, 3), gathered("gathered", total, 3);
    Kokkos::View<float**, Kokkos::LayoutLeft> const part("part", mine, 3);
    rank.ready();
    rank.store(whole, [&](auto const& v) {
      for (std::size_t i = 0; i < total; ++i) {
        for (std::size_t j = 0; j < 3; ++j) v(i, j) = static_cast<float>(i * 10 + j);
      }
    });
    Koinon::reduce_scatter("rs", rank.policy, whole, part);
    Koinon::all_gather("ag", rank.policy, part, gathered);
    auto const all = rank.loaded(gathered);
    for (std::size_t i = 0; i < total; ++i) {
      for (std::size_t j = 0; j < 3; ++j) EXPECT_EQ(all(i, j), static_cast<double>((i * 10 + j)) * rank.comm.size());
    }
  });
}

TEST(Views, symmetric_views_are_zeroed_plain_views_used_where_they_are) {
  on_each_kokkos_rank([](KokkosRank const& rank) {
    auto const x = Koinon::symmetric_view<float**, Kokkos::LayoutRight>("x", rank.comm, 4, 8);
    EXPECT_EQ(x.use_count(), 0);
    EXPECT_NE(rank.comm.describe().find("`x`"), std::string::npos);
    auto const before = rank.loaded(x);
    for (std::size_t i = 0; i < 32; ++i) EXPECT_EQ(before.data()[i], 0.0f);
    Koinon::barrier(rank.policy);
    rank.store(x, [&](auto const& v) {
      std::fill_n(v.data(), v.size(), static_cast<float>(rank.comm.rank() + 1));
    });
    Koinon::all_reduce("x", rank.policy, x, x);
    auto const after = rank.loaded(x);
    for (std::size_t i = 0; i < 32; ++i) EXPECT_EQ(after.data()[i], sum_of_ranks(rank.comm.size()));
    Koinon::free_symmetric(rank.comm, x);
    EXPECT_EQ(rank.comm.describe().find("`x`"), std::string::npos);
  });
}

TEST(Views, two_thread_ranks_with_one_instance_are_refused) {
  if (Koinon::Testing::ranks_as() != Koinon::Testing::RanksAs::threads) GTEST_SKIP() << "ranks are processes";
  Space const shared;
  Koinon::Testing::run_ranks(2, [&](Koinon::Bootstrap& bootstrap) {
    EXPECT_THROW(Koinon::Communicator(shared, bootstrap), Koinon::InvalidArgument);
  });
}

}  // namespace
