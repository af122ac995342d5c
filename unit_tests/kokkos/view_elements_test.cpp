// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Koinon_CoreWithoutMpi.hpp>

#include "kokkos/Koinon_KokkosRanks.hpp"

#include <gtest/gtest.h>
#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace {

using Koinon::Testing::few_rank_counts;
using Koinon::Testing::run_ranks;

TEST(Views, members_are_Views_of_any_layout_and_borrowed_members_are_Views) {
  Koinon::Testing::on_kokkos_ranks([](auto const& policy, auto const& comm) {
    auto const ranks = static_cast<std::size_t>(comm.size());
    Kokkos::View<int*> const ids("ids", 2);
    Kokkos::View<float**, Kokkos::LayoutLeft> const scores("scores", 2, 3);
    Kokkos::View<int*> const all_ids("all ids", 2 * ranks);
    Kokkos::View<float**, Kokkos::LayoutRight> const all_scores("all scores", 2 * ranks, 3);
    for (std::size_t i = 0; i < 2; ++i) {
      ids(i) = comm.rank() * 10 + static_cast<int>(i);
      for (std::size_t j = 0; j < 3; ++j) scores(i, j) = static_cast<float>(comm.rank() * 100 + static_cast<int>(i * 3 + j));
    }
    Koinon::all_gather_multiple(policy, Koinon::member(ids, all_ids), Koinon::member(scores, all_scores));
    Koinon::Workspace const workspace(
        comm, Koinon::workspace_bytes<Koinon::AllGatherMultiple, int, float>(comm.size(), 2 * ranks, 1, 3));
    auto const [lent_ids, lent_scores] = Koinon::all_gather_multiple_borrowed(
        policy, workspace, Koinon::TotalRows{static_cast<std::int64_t>(2 * ranks)}, ids, scores);
    static_assert(Kokkos::is_view_v<std::remove_cvref_t<decltype(lent_scores)>>);
    for (std::size_t row = 0; row < 2 * ranks; ++row) {
      int const id = static_cast<int>(row / 2) * 10 + static_cast<int>(row % 2);
      EXPECT_EQ(all_ids(row), id);
      EXPECT_EQ(lent_ids(row), id);
      for (std::size_t j = 0; j < 3; ++j) {
        auto const score = static_cast<float>(row / 2 * 100 + row % 2 * 3 + j);
        EXPECT_EQ(all_scores(row, j), score);
        EXPECT_EQ(lent_scores(row, j), score);
      }
    }
    Koinon::all_reduce_multiple(policy, Koinon::Max{}, Koinon::member(ids, ids), Koinon::member(scores, scores));
    EXPECT_EQ(ids(1), (comm.size() - 1) * 10 + 1);
    EXPECT_EQ(scores(1, 2), static_cast<float>((comm.size() - 1) * 100 + 5));
  });
}

TEST(Views, kokkos_element_types_and_reducers_stand_for_ours) {
  Koinon::Testing::on_kokkos_ranks([](auto const& policy, auto const& comm) {
    Kokkos::View<Kokkos::complex<double>*> const z("z", 2);
    z(1) = Kokkos::complex<double>(1, comm.rank());
    Koinon::all_reduce(policy, z, z);
    EXPECT_EQ(z(1).real(), comm.size());
    EXPECT_EQ(z(1).imag(), comm.size() * (comm.size() - 1) / 2.0);
    Kokkos::View<int*> const n("n", 3);
    Kokkos::deep_copy(n, comm.rank());
    int unused = 0;
    Koinon::all_reduce(policy, n, n, Kokkos::Max<int>(unused));
    EXPECT_EQ(n(0), comm.size() - 1);
    using Located = Kokkos::ValLocScalar<double, int>;
    Kokkos::View<Located*> const located("located", 1);
    located(0) = Located{static_cast<double>(comm.rank() % 2), comm.rank()};
    Koinon::all_reduce(policy, located, located, Koinon::MaxLoc{});
    EXPECT_EQ(located(0).loc, 1);
  });
}

TEST(Views, a_borrowed_result_is_a_view) {
  Koinon::Testing::on_kokkos_ranks([](auto const& policy, auto const& comm) {
    Koinon::Workspace const workspace(
        comm, Koinon::workspace_bytes<Koinon::AllGather, float>(comm.size(), static_cast<std::size_t>(comm.size()), 3));
    Kokkos::View<float**> const in("in", 1, 3);
    Kokkos::deep_copy(in, static_cast<float>(comm.rank()));
    auto const all = Koinon::all_gather_borrowed("all", policy, workspace, in, Koinon::TotalRows{comm.size()});
    static_assert(Kokkos::is_view_v<std::remove_cvref_t<decltype(all)>>);
    for (int p = 0; p < comm.size(); ++p) EXPECT_EQ(all(static_cast<std::size_t>(p), 2), static_cast<float>(p));
  });
}

TEST(Views, go_with_an_instance_that_is_not_of_kokkos) {
  for (int const ranks : few_rank_counts()) {
    run_ranks(ranks, [&](Koinon::Bootstrap& bootstrap) {
      Koinon::HostThread const space;
      Koinon::Communicator const comm(space, bootstrap);
      Koinon::CollectivePolicy<Koinon::HostThread> const policy(space, comm);
      auto const x = Koinon::symmetric_view<int*, Kokkos::HostSpace>("x", comm, 5);
      Kokkos::View<int*, Kokkos::HostSpace> const y("y", 5);
      for (std::size_t i = 0; i < 5; ++i) x(i) = comm.rank();
      Koinon::all_reduce(policy, x, y, Koinon::Max{});
      for (std::size_t i = 0; i < 5; ++i) EXPECT_EQ(y(i), comm.size() - 1);
    });
  }
}

}  // namespace
