// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Koinon_CoreWithoutMpi.hpp>

#include "kokkos/Koinon_KokkosRanks.hpp"

#include <gtest/gtest.h>
#include <Kokkos_Core.hpp>
#include <Kokkos_DualView.hpp>
#include <Kokkos_DynRankView.hpp>
#include <Kokkos_OffsetView.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace {

using Koinon::Testing::sum_of_ranks;
using Space = Kokkos::OpenMP;
template <class T, class... Properties>
using Offset = Kokkos::Experimental::OffsetView<T, Properties...>;

TEST(DynRankViews, of_every_rank_are_reduced_as_their_views) {
  Koinon::Testing::on_kokkos_ranks([](auto const& policy, auto const& comm) {
    std::size_t const extents[] = {3, 2, 4, 2, 3, 1, 2};
    for (std::size_t rank = 0; rank <= 7; ++rank) {
      // The extents that are in use; the others say that there is no such dimension.
      auto const extent = [&](std::size_t d) { return d < rank ? extents[d] : KOKKOS_INVALID_INDEX; };
      Kokkos::DynRankView<double, Kokkos::LayoutRight> const in("in", extent(0), extent(1), extent(2), extent(3),
                                                                extent(4), extent(5), extent(6));
      Kokkos::DynRankView<double, Kokkos::LayoutLeft> const out("out", extent(0), extent(1), extent(2), extent(3),
                                                                extent(4), extent(5), extent(6));
      ASSERT_EQ(in.rank(), rank);
      auto const input = in.ConstDownCast();
      auto const output = out.ConstDownCast();
      auto const for_each = [&](auto const& body) {
        std::size_t at[7] = {};
        for (std::size_t n = 0; n < in.size(); ++n) {
          body(at, static_cast<double>(n + 1));
          for (std::size_t d = rank; d-- > 0;) {
            if (++at[d] < extents[d]) break;
            at[d] = 0;
          }
        }
      };
      for_each([&](std::size_t const* i, double n) {
        input(i[0], i[1], i[2], i[3], i[4], i[5], i[6]) = n * (comm.rank() + 1);
      });
      Koinon::all_reduce("dynamic", policy, in, out);
      for_each([&](std::size_t const* i, double n) {
        ASSERT_EQ(output(i[0], i[1], i[2], i[3], i[4], i[5], i[6]), n * sum_of_ranks(comm.size())) << "rank " << rank;
      });
    }
  });
}

TEST(DynRankViews, fit_views_of_equal_extents_and_no_others) {
  Koinon::Testing::on_kokkos_ranks([](auto const& policy, auto const& comm) {
    Kokkos::DynRankView<int> const in("in", 4, 3);
    Kokkos::View<int**> const out("out", 4, 3);
    Kokkos::View<int**> const transposed("transposed", 3, 4);
    Kokkos::deep_copy(in, comm.rank());
    Koinon::all_reduce(policy, in, out, Koinon::Max{});
    EXPECT_EQ(out(3, 2), comm.size() - 1);
    EXPECT_FALSE(Koinon::can_run<Koinon::AllReduce>(policy, in, transposed));
    Kokkos::DynRankView<int> const empty("empty", 0, 3);
    EXPECT_NO_THROW(Koinon::all_reduce(policy, empty, empty));
  });
}

TEST(DynRankViews, rows_are_those_of_the_first_dimension_in_every_layout) {
  Koinon::Testing::on_kokkos_ranks([](auto const& policy, auto const& comm) {
    auto const size = static_cast<std::size_t>(comm.size());
    Kokkos::DynRankView<float, Kokkos::LayoutLeft> const whole("whole", 2 * size, 3), gathered("gathered", 2 * size, 3);
    Kokkos::DynRankView<float, Kokkos::LayoutLeft> const part("part", 2, 3);
    for (std::size_t i = 0; i < 2 * size; ++i) {
      for (std::size_t j = 0; j < 3; ++j) whole(i, j) = static_cast<float>(10 * i + j);
    }
    Koinon::reduce_scatter("rs", policy, whole, part);
    Koinon::all_gather("ag", policy, part, gathered);
    Koinon::broadcast("bc", policy, gathered, comm.size() - 1);
    for (std::size_t i = 0; i < 2 * size; ++i) {
      for (std::size_t j = 0; j < 3; ++j) ASSERT_EQ(gathered(i, j), whole(i, j) * static_cast<float>(comm.size()));
    }
  });
}

TEST(DynRankViews, subviews_are_read_where_they_lie) {
  Koinon::Testing::on_kokkos_ranks([](auto const& policy, auto const& comm) {
    Kokkos::DynRankView<int> const matrix("matrix", 5, 4);
    Kokkos::deep_copy(matrix, -1);
    auto const column = Kokkos::subdynrankview(matrix, Kokkos::ALL, 1);
    ASSERT_EQ(column.rank(), 1u);
    for (std::size_t i = 0; i < 5; ++i) column(i) = comm.rank();
    Koinon::all_reduce(policy, column, column);
    for (std::size_t i = 0; i < 5; ++i) {
      for (std::size_t j = 0; j < 4; ++j) EXPECT_EQ(matrix(i, j), j == 1 ? comm.size() * (comm.size() - 1) / 2 : -1);
    }
  });
}

TEST(DynRankViews, lend_their_shape_to_a_borrowed_view) {
  Koinon::Testing::on_kokkos_ranks([](auto const& policy, auto const& comm) {
    auto const size = static_cast<std::size_t>(comm.size());
    Koinon::Workspace const workspace(comm, Koinon::workspace_bytes<Koinon::AllGather, float>(comm.size(), size, 3));
    Kokkos::DynRankView<float> const in("in", 1, 3);
    Kokkos::deep_copy(in, static_cast<float>(comm.rank()));
    auto const all = Koinon::all_gather_borrowed("all", policy, workspace, in, Koinon::TotalRows{comm.size()});
    static_assert(Kokkos::is_view_v<std::remove_cvref_t<decltype(all)>>);
    ASSERT_EQ(all.size(), size * 3);
    for (std::size_t p = 0; p < size; ++p) EXPECT_EQ(all.data()[3 * p + 2], static_cast<float>(p));
  });
}

TEST(OffsetViews, are_reduced_as_their_views_wherever_they_begin) {
  Koinon::Testing::on_kokkos_ranks([](auto const& policy, auto const& comm) {
    Offset<double**, Kokkos::LayoutLeft> const in("in", {-2, 2}, {10, 12});
    Offset<double**, Kokkos::LayoutRight> const out("out", {5, 9}, {-1, 1});
    ASSERT_EQ(in.extent(0), 5u);
    for (std::int64_t i = 0; i < 5; ++i) {
      for (std::int64_t j = 0; j < 3; ++j) in(i - 2, j + 10) = (comm.rank() + 1) * static_cast<double>(10 * i + j + 1);
    }
    Koinon::all_reduce("offset", policy, in, out);
    for (std::int64_t i = 0; i < 5; ++i) {
      for (std::int64_t j = 0; j < 3; ++j) {
        EXPECT_EQ(out(i + 5, j - 1), sum_of_ranks(comm.size()) * static_cast<double>(10 * i + j + 1));
      }
    }
  });
}

TEST(OffsetViews, are_scattered_gathered_and_broadcast_by_rows) {
  Koinon::Testing::on_kokkos_ranks([](auto const& policy, auto const& comm) {
    std::int64_t const size = comm.size();
    Offset<int*> const part("part", {-7, -6});
    Offset<int*> const whole("whole", {-3, 2 * size - 4});
    for (std::int64_t i = 0; i < 2; ++i) part(i - 7) = static_cast<int>(2 * comm.rank() + i);
    Koinon::all_gather("ag", policy, part, whole);
    for (std::int64_t i = 0; i < 2 * size; ++i) EXPECT_EQ(whole(i - 3), i);
    Koinon::reduce_scatter("rs", policy, whole, part);
    for (std::int64_t i = 0; i < 2; ++i) EXPECT_EQ(part(i - 7), size * (2 * comm.rank() + i));
    Koinon::broadcast("bc", policy, part, comm.size() - 1);
    EXPECT_EQ(part(-7), size * (2 * size - 2));
  });
}

TEST(DualViews, are_given_as_their_device_view) {
  Koinon::Testing::on_kokkos_ranks([](auto const& policy, auto const& comm) {
    Kokkos::DualView<int*> const dual("dual", 4);
    Kokkos::deep_copy(dual.view_device(), comm.rank());
    Koinon::all_reduce(policy, dual.view_device(), dual.view_device(), Koinon::Max{});
    static_assert(!Koinon::ArrayLike<Kokkos::DualView<int*>>, "which of its two views is meant must be said");
    EXPECT_EQ(dual.view_host()(3), comm.size() - 1);
  });
}

}  // namespace
