// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Koinon_CoreWithoutMpi.hpp>

#include "kokkos/Koinon_KokkosRanks.hpp"

#include <gtest/gtest.h>
#include <Kokkos_Core.hpp>

#include <cmath>
#include <cstddef>
#include <string>

namespace {

constexpr std::size_t rows = 5;
constexpr std::size_t columns = 12;

float value_at(std::size_t row, std::size_t column) {
  return static_cast<float>((row * 7 + column * 3) % 11) - 4.0f;
}

/// Expects the norms of rows that every rank gave alike, weighted by 2 and rounded to float.
template <class Norms>
void expect_norms(Norms const& norms, int ranks) {
  for (std::size_t i = 0; i < norms.extent(0); ++i) {
    double squares = 0;
    for (std::size_t j = 0; j < columns; ++j) squares += std::pow(ranks * static_cast<double>(value_at(i, j)), 2);
    double const factor = 2.0 / std::sqrt(squares / columns + 1e-6);
    for (std::size_t j = 0; j < columns; ++j) {
      double const expected = ranks * static_cast<double>(value_at(i, j)) * factor;
      EXPECT_NEAR(static_cast<double>(norms(i, j)), expected, 4e-6 * std::abs(expected)) << i << ", " << j;
    }
  }
}

TEST(NormsOfViews, columns_of_a_wider_view_are_normalized_where_they_lie_and_nothing_beside_them_is_written) {
  Koinon::Testing::on_kokkos_ranks([](auto const& policy, auto const& comm) {
    Kokkos::View<float**, Kokkos::LayoutRight> const in("in", rows, columns + 3), norm("norm", rows, columns + 5);
    Kokkos::View<float*> const weight("weight", columns);
    Kokkos::deep_copy(norm, -7.0f);
    Kokkos::deep_copy(weight, 2.0f);
    auto const source = Kokkos::subview(in, Kokkos::ALL, Kokkos::pair<std::size_t, std::size_t>(2, 2 + columns));
    auto const result = Kokkos::subview(norm, Kokkos::ALL, Kokkos::pair<std::size_t, std::size_t>(1, 1 + columns));
    for (std::size_t i = 0; i < rows; ++i) {
      for (std::size_t j = 0; j < columns; ++j) source(i, j) = value_at(i, j);
    }
    Koinon::all_reduce("norm", policy, source, Koinon::RmsNorm{.weight = weight, .norm_out = result});
    expect_norms(result, comm.size());
    for (std::size_t i = 0; i < rows; ++i) {
      EXPECT_EQ(norm(i, 0), -7.0f);
      for (std::size_t j = 1 + columns; j < columns + 5; ++j) EXPECT_EQ(norm(i, j), -7.0f);
    }
    // A single row of LayoutLeft has neighbouring columns too; more of them have not, and are refused by name.
    Kokkos::View<float**, Kokkos::LayoutLeft> const left("left", 1, columns), more("more", rows, columns);
    Koinon::all_reduce("row", policy, Kokkos::subview(source, Kokkos::pair<std::size_t, std::size_t>(0, 1), Kokkos::ALL),
                       Koinon::RmsNorm{.weight = weight, .norm_out = left});
    expect_norms(left, comm.size());
    try {
      Koinon::all_reduce("left", policy, source, Koinon::RmsNorm{.weight = weight, .norm_out = more});
      ADD_FAILURE() << "columns that lie apart were taken";
    } catch (Koinon::UnsupportedError const& error) {
      EXPECT_NE(std::string(error.what()).find("`norm_out`"), std::string::npos) << error.what();
    }
  });
}

TEST(NormsOfViews, zero_extents_and_a_scale_of_rank_0_work) {
  Koinon::Testing::on_kokkos_ranks([](auto const& policy, auto const&) {
    Kokkos::View<float**, Kokkos::LayoutRight> const in("in", 0, columns), narrow("narrow", rows, 0);
    Kokkos::View<float**, Kokkos::LayoutRight> const norm("norm", 0, columns), none("none", rows, 0);
    Kokkos::View<float*> const weight("weight", columns), no_weight("no weight", 0);
    EXPECT_NO_THROW(Koinon::all_reduce(policy, in, Koinon::RmsNorm{.weight = weight, .norm_out = norm}));
    EXPECT_NO_THROW(Koinon::all_reduce(policy, narrow, Koinon::RmsNorm{.weight = no_weight, .norm_out = none}));
    Kokkos::View<float**, Kokkos::LayoutRight> const ones("ones", 2, columns);
    Kokkos::View<Koinon::float8_e4m3**, Kokkos::LayoutRight> const quantized("quantized", 2, columns);
    Kokkos::View<float> const scale("scale");
    scale() = 0.5f;
    Kokkos::deep_copy(ones, 1.0f);
    Kokkos::deep_copy(weight, 3.0f);
    Koinon::all_reduce(policy, ones, Koinon::RmsNorm{.weight = weight, .quantized_out = quantized, .scale = scale});
    for (std::size_t j = 0; j < columns; ++j) EXPECT_EQ(static_cast<float>(quantized(1, j)), 6.0f);
  });
}

TEST(ExchangesOfViews, any_layout_is_cut_into_its_rows_and_columns) {
  Koinon::Testing::on_kokkos_ranks([](auto const& policy, auto const& comm) {
    auto const ranks = static_cast<std::size_t>(comm.size());
    auto const rank = static_cast<std::size_t>(comm.rank());
    auto const value = [](std::size_t from, std::size_t to) { return static_cast<int>(from * 100 + to); };
    // A column of LayoutRight goes to a row of LayoutLeft.
    Kokkos::View<int**, Kokkos::LayoutRight> const wide("wide", ranks, 4);
    Kokkos::View<int**, Kokkos::LayoutLeft> const tall("tall", 3, ranks);
    Kokkos::deep_copy(tall, -1);
    auto const column = Kokkos::subview(wide, Kokkos::ALL, 2);
    auto const row = Kokkos::subview(tall, 1, Kokkos::ALL);
    for (std::size_t p = 0; p < ranks; ++p) column(p) = value(rank, p);
    Koinon::all_to_all("column to row", policy, column, row);
    for (std::size_t p = 0; p < ranks; ++p) {
      EXPECT_EQ(row(p), value(p, rank));
      EXPECT_EQ(tall(0, p), -1);
      EXPECT_EQ(tall(2, p), -1);
    }
    // Shards become rows and shards again.
    Kokkos::View<int**, Kokkos::LayoutLeft> const shard("shard", 3 * ranks, 5), again("again", 3 * ranks, 5);
    Kokkos::View<int**, Kokkos::LayoutRight> const own("own", 3, 5 * ranks);
    for (std::size_t i = 0; i < 3 * ranks; ++i) {
      for (std::size_t j = 0; j < 5; ++j) shard(i, j) = static_cast<int>(1000 * i + 5 * rank + j);
    }
    Koinon::shards_to_rows("rows", policy, shard, own);
    for (std::size_t i = 0; i < 3; ++i) {
      for (std::size_t j = 0; j < 5 * ranks; ++j) EXPECT_EQ(own(i, j), static_cast<int>(1000 * (3 * rank + i) + j));
    }
    Koinon::rows_to_shards("shards", policy, own, again);
    for (std::size_t i = 0; i < 3 * ranks; ++i) {
      for (std::size_t j = 0; j < 5; ++j) EXPECT_EQ(again(i, j), shard(i, j));
    }
    Kokkos::View<int**, Kokkos::LayoutLeft> const all("all", 3 * ranks, 5 * ranks);
    Koinon::all_gather_columns("columns", policy, shard, all);
    for (std::size_t i = 0; i < 3 * ranks; ++i) {
      for (std::size_t j = 0; j < 5 * ranks; ++j) EXPECT_EQ(all(i, j), static_cast<int>(1000 * i + j));
    }
    Kokkos::View<int**> const nothing("nothing", 0, 5), no_rows("no rows", 0, 5 * ranks);
    EXPECT_NO_THROW(Koinon::shards_to_rows(policy, nothing, no_rows));
    EXPECT_NO_THROW(Koinon::all_to_all(policy, nothing, nothing));
    Kokkos::View<int> const one("one");
    Kokkos::View<int*> const ones("ones", ranks);
    one() = comm.rank();
    Koinon::all_gather_multiple(policy, Koinon::member(Kokkos::View<int*>(one.data(), 1), ones));
    for (std::size_t p = 0; p < ranks; ++p) EXPECT_EQ(ones(p), static_cast<int>(p));
  });
}

}  // namespace
