// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <support/Koinon_FaultCalls.hpp>
#include <support/Koinon_RankKinds.hpp>

#include <gtest/gtest.h>

namespace Koinon::Testing {
namespace {

constexpr CommunicatorOptions small{.staging_bytes = std::size_t{64} << 10, .symmetric_bytes = std::size_t{64} << 10};

/// Makes, uses at once and destroys communicators, each rank late by another moment.
void make_and_destroy(Bootstrap& bootstrap, int times, CommunicatorOptions const& options) {
  for (int i = 0; i < times; ++i) {
    int const lateness = (i * 7 + bootstrap.rank() * 13) % 11;
    if (lateness == 0) std::this_thread::sleep_for(std::chrono::microseconds(50));
    Comm const comm = make_comm(bootstrap, options);
    if (lateness == 1) std::this_thread::sleep_for(std::chrono::microseconds(50));
    if (i % 3 != 0) reduce_ones(comm, "first", ways[static_cast<std::size_t>(i) % 3]);
    if (lateness == 2) std::this_thread::sleep_for(std::chrono::microseconds(50));
  }
}

class ManyCommunicators : public OnBothKinds {};
INSTANTIATE_TEST_SUITE_P(Ranks, ManyCommunicators, both_kinds(), kind_name);

TEST_P(ManyCommunicators, AThousandOneAfterAnotherLeaveNothingBehind) {
  int const times = thread_sanitized || address_sanitized ? 200 : 1000;
  run(3, [&](Bootstrap& bootstrap) {
    make_and_destroy(bootstrap, 20, small);  // what a process keeps for itself is there then
    bootstrap.barrier();
    ProcessSnapshot const before = ProcessSnapshot::take();
    bootstrap.barrier();
    make_and_destroy(bootstrap, times, small);
    bootstrap.barrier();
    ProcessSnapshot const after = ProcessSnapshot::take();
    EXPECT_EQ(after.memory_files, before.memory_files);
    if (thread_sanitized || address_sanitized) return;
    EXPECT_LT(after.resident_bytes, before.resident_bytes + (std::size_t{1} << 20));
    EXPECT_LT(after.mapped_bytes, before.mapped_bytes + (std::size_t{1} << 20));
  });
}

TEST_P(ManyCommunicators, OfDefaultSizeOneAfterAnotherLeaveNothingBehind) {
  run(2, [&](Bootstrap& bootstrap) { make_and_destroy(bootstrap, 30, {}); });
}

TEST_P(ManyCommunicators, SixtyFourAreAliveAtOnce) {
  run(3, [](Bootstrap& bootstrap) {
    std::vector<Comm> alive;
    for (int i = 0; i < 64; ++i) alive.push_back(make_comm(bootstrap, small));
    for (int turn = 0; turn < 3; ++turn) {
      for (std::size_t i = 0; i < alive.size(); ++i) reduce_ones(alive[(i * 29) % alive.size()], "x", ways[i % 3]);
    }
    while (alive.size() > 1) alive.erase(alive.begin() + static_cast<std::ptrdiff_t>(alive.size() / 2));
    reduce_ones(alive.front(), "x", ways[2]);
  });
}

/// Calls on one communicator many times, and expects the sum of its members.
void call_often(Comm const& comm, float value, float sum) {
  CollectivePolicy<HostThread> const policy(comm.space(), comm);
  for (int i = 0; i < 200; ++i) {
    std::size_t const count = i % 5 == 0 ? 9000 : 3;
    std::vector<float> const in(count, value);
    std::vector<float> out(count);
    all_reduce("x", policy, std::span(in), std::span(out));
    ASSERT_EQ(out.front(), sum);
    ASSERT_EQ(out.back(), sum);
  }
}

TEST_P(ManyCommunicators, GroupsThatOverlapWorkAtOnce) {
  run(4, [](Bootstrap& bootstrap) {
    int const rank = bootstrap.rank();
    float const value = static_cast<float>(1 << rank);
    Comm const all = make_comm(bootstrap, small);
    std::optional<Comm> const low = all.split(rank <= 1 ? 0 : -1, 0);                  // {0, 1}
    std::optional<Comm> const middle = all.split(rank == 1 || rank == 2 ? 7 : -1, 0);  // {1, 2}
    EXPECT_EQ(low.has_value(), rank <= 1);
    EXPECT_EQ(middle.has_value(), rank == 1 || rank == 2);
    std::vector<std::thread> threads;
    threads.emplace_back([&] { call_often(all, value, 15.0f); });
    if (low) threads.emplace_back([&] { call_often(*low, value, 3.0f); });
    if (middle) threads.emplace_back([&] { call_often(*middle, value, 6.0f); });
    for (std::thread& thread : threads) thread.join();
    all.check();
  });
}

TEST(SeparateGroups, OfThreadsInOneProcessWorkAtOnce) {
  std::vector<std::thread> groups;
  for (int const ranks : {2, 2, 4, 3}) {
    groups.emplace_back([ranks] {
      run_thread_ranks(ranks, [&](ThreadBootstrap& bootstrap) {
        for (int i = 0; i < 5; ++i) {
          call_often(make_comm(bootstrap, small), 1.0f, static_cast<float>(ranks));
        }
      });
    });
  }
  for (std::thread& group : groups) group.join();
}

}  // namespace
}  // namespace Koinon::Testing
