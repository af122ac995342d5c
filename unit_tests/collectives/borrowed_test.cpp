// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/Koinon_RankRunner.hpp"
#include <Koinon_CoreWithoutMpi.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <string>
#include <vector>

namespace {

using Koinon::Testing::few_rank_counts;
using Koinon::Testing::run_ranks;

TEST(Borrowed, all_gather_lends_every_ranks_rows_at_one_address_in_every_call) {
  for (int const ranks : few_rank_counts()) {
    run_ranks(ranks, [](Koinon::Bootstrap& bootstrap) {
      Koinon::HostThread const space;
      Koinon::Communicator const comm(space, bootstrap);
      Koinon::CollectivePolicy<Koinon::HostThread> const policy(space, comm);
      constexpr std::size_t columns = 5;
      std::vector<int> counts;
      std::size_t total = 0;
      for (int p = 0; p < comm.size(); ++p) total += static_cast<std::size_t>(counts.emplace_back(p + 1));
      Koinon::Workspace const workspace(
          comm, Koinon::workspace_bytes<Koinon::AllGather, double>(comm.size(), total, columns));
      double const* address = nullptr;
      for (int call = 0; call < 20; ++call) {
        auto const mine = static_cast<std::size_t>(comm.rank() + 1);
        std::vector<double> in(mine * columns, comm.rank() * 100.0 + call);
        auto const result = Koinon::all_gather_borrowed(
            "ag", policy, workspace, Koinon::Array<double const, 2>(in.data(), mine, columns), Koinon::Counts(counts));
        if (call == 0) address = result.data();
        EXPECT_EQ(result.data(), address);
        ASSERT_EQ(result.extent(0), total);
        std::size_t row = 0;
        for (int p = 0; p < comm.size(); ++p) {
          for (int k = 0; k <= p; ++k, ++row) {
            for (std::size_t c = 0; c < columns; ++c) EXPECT_EQ(result(row, c), p * 100.0 + call);
          }
        }
      }
    });
  }
}

TEST(Borrowed, reduce_scatter_lends_this_ranks_rows) {
  for (int const ranks : few_rank_counts()) {
    run_ranks(ranks, [](Koinon::Bootstrap& bootstrap) {
      Koinon::HostThread const space;
      Koinon::Communicator const comm(space, bootstrap);
      Koinon::CollectivePolicy<Koinon::HostThread> const policy(space, comm);
      std::size_t const rows = 3 * static_cast<std::size_t>(comm.size()) + 1;
      Koinon::Workspace const workspace(comm,
                                        Koinon::workspace_bytes<Koinon::ReduceScatter, float>(comm.size(), rows, 2));
      std::vector<float> in(rows * 2);
      for (std::size_t i = 0; i < in.size(); ++i) in[i] = static_cast<float>(i);
      auto const result =
          Koinon::reduce_scatter_borrowed(policy, workspace, Koinon::Array<float const, 2>(in.data(), rows, 2));
      auto const partition = Koinon::even_partition(static_cast<std::int64_t>(rows), comm.size());
      ASSERT_EQ(result.extent(0), static_cast<std::size_t>(partition.count(comm.rank())));
      for (std::size_t i = 0; i < result.size(); ++i) {
        float const value = static_cast<float>(static_cast<std::size_t>(partition.offset(comm.rank())) * 2 + i);
        EXPECT_EQ(result.data()[i], value * static_cast<float>(comm.size()));
      }
    });
  }
}

TEST(Borrowed, a_result_beyond_the_workspace_is_refused_with_both_numbers_and_leaves_it_unchanged) {
  for (int const ranks : few_rank_counts()) {
    run_ranks(ranks, [](Koinon::Bootstrap& bootstrap) {
      Koinon::HostThread const space;
      Koinon::Communicator const comm(space, bootstrap);
      Koinon::CollectivePolicy<Koinon::HostThread> const policy(space, comm);
      Koinon::Workspace const workspace(comm, 64);
      int const mine = 7;
      auto const total = Koinon::TotalRows{comm.size()};
      auto const lent = Koinon::all_gather_borrowed(policy, workspace, Koinon::Array<int const, 1>(&mine, 1), total);
      std::vector<float> in(100);
      try {
        (void)Koinon::all_gather_borrowed("big", policy, workspace, Koinon::Array<float const, 1>(in.data(), 100),
                                          Koinon::TotalRows{100 * comm.size()});
        ADD_FAILURE() << "the result does not fit and was lent";
      } catch (Koinon::ResourceError const& error) {
        std::string const text = error.what();
        EXPECT_NE(text.find(std::to_string(400 * comm.size())), std::string::npos) << text;
        EXPECT_NE(text.find("64"), std::string::npos) << text;
        EXPECT_NE(text.find("big"), std::string::npos) << text;
      }
      for (int p = 0; p < comm.size(); ++p) EXPECT_EQ(lent(p), 7);
      Koinon::barrier(policy);
    });
  }
}

TEST(Borrowed, a_workspace_of_another_communicator_is_refused) {
  run_ranks(2, [](Koinon::Bootstrap& bootstrap) {
    Koinon::HostThread const space;
    Koinon::Communicator const comm(space, bootstrap);
    Koinon::Communicator const other(space, bootstrap);
    Koinon::Workspace const workspace(other, 64);
    Koinon::CollectivePolicy<Koinon::HostThread> const policy(space, comm);
    int const mine = 7;
    EXPECT_THROW((void)Koinon::all_gather_borrowed(policy, workspace, Koinon::Array<int const, 1>(&mine, 1),
                                                   Koinon::TotalRows{2}),
                 Koinon::InvalidArgument);
  });
}

}  // namespace
