// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Koinon_CoreWithoutMpi.hpp>
#include <support/Koinon_Caught.hpp>
#include <support/Koinon_ForkedRanks.hpp>
#include <support/Koinon_ProcessSnapshot.hpp>

#include <gtest/gtest.h>

#include <chrono>
#include <cstddef>
#include <span>
#include <string>
#include <thread>
#include <vector>

namespace Koinon::Testing {

using Comm = Communicator<HostThread>;
using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

/// What "within milliseconds" may take on a crowded test machine.
inline constexpr milliseconds soon{thread_sanitized || address_sanitized ? 10'000 : 1500};

/// Is a way of reducing: an algorithm, and enough elements to matter to it.
struct Way {
  Algorithm algorithm;
  std::size_t count;
};
/// Packets; staged; staged in rounds.
inline constexpr Way ways[] = {{Algorithm::low_latency, 2},
                               {Algorithm::one_shot, 5000},
                               {Algorithm::two_shot, 5000},
                               {Algorithm::two_shot, thread_sanitized ? 300'000 : 1'000'000}};

/// Reduces ones and expects the number of ranks everywhere.
inline void reduce_ones(Comm const& comm, std::string const& label, Way const& way) {
  CollectivePolicy<HostThread> const policy(comm.space(), comm);
  std::vector<float> const in(way.count, 1.0f);
  std::vector<float> out(way.count);
  all_reduce(label, prefer(policy, Tuning{.algorithm = way.algorithm}), std::span(in), std::span(out));
  for (float const value : out) ASSERT_EQ(value, static_cast<float>(comm.size()));
}

/// Returns a communicator over forked or thread ranks. Defaults: found dead ranks only, no deadline that a test
/// reaches.
inline Comm make_comm(Bootstrap& bootstrap, CommunicatorOptions const& options = {}) {
  return Comm(HostThread(), bootstrap, options);
}

inline CommunicatorOptions with_timeout(Clock::duration timeout) {
  CommunicatorOptions options;
  options.timeout = timeout;
  return options;
}

/// Expects that a failed communicator keeps failing with the same error, at every way in, and goes away at once.
inline void expect_stays_failed(Comm& comm, Caught const& first) {
  EXPECT_EQ(caught([&] { comm.check(); }).message, first.message);
  EXPECT_EQ(caught([&] { reduce_ones(comm, "later", ways[0]); }).message, first.message);
  EXPECT_EQ(caught([&] { (void)symmetric_array<float, 1>(comm, 4); }).message, first.message);
  EXPECT_EQ(caught([&] { (void)comm.split(0, 0); }).message, first.message);
  CollectivePolicy<HostThread> const policy(comm.space(), comm);
  float const in[1] = {};
  float out[1] = {};
  EXPECT_FALSE(can_run<AllReduce>(policy, std::span<float const>(in), std::span<float>(out)));
  EXPECT_FALSE(comm.describe().empty());
  auto const before = Clock::now();
  { Comm const gone = std::move(comm); }
  EXPECT_LT(Clock::now() - before, soon);
}

}  // namespace Koinon::Testing
