// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <device/Koinon_DeviceWays.hpp>

#include <gtest/gtest.h>

#include <chrono>
#include <cstddef>
#include <functional>
#include <span>
#include <thread>

// Ranks that come late, while their peers' kernels wait on the GPU that they share.
namespace Koinon::Testing {
namespace {

using std::chrono::milliseconds;

/// Makes two calls of every way, of which another rank is late each time; every rank writes over its input as soon as
/// its own call has ended.
void call_with_late_ranks(Bootstrap& bootstrap, bool symmetric, std::function<void(DeviceRank const&)> const& be_late) {
  constexpr std::size_t most = 300'000;
  DeviceRank const rank(bootstrap, std::chrono::seconds(60), 2 * most * sizeof(float));
  int const me = rank.comm.rank();
  int const size = rank.comm.size();
  auto const shared = symmetric_array<float, 1>(rank.comm, most);
  bootstrap.barrier();
  int late = 0;
  for (Way const& way : ways) {
    std::span<float> const in = symmetric ? std::span(shared.pointer, way.count) : rank.array(0, way.count);
    for (std::size_t call = 1; call <= 2; ++call) {
      fill(rank.stream(), in, static_cast<float>(100 * call) + static_cast<float>(me), 1);
      if (late++ % size == me) be_late(rank);
      sum_by(way, rank, "late", in, rank.array(call, way.count));
      fill(rank.stream(), in, -1e6f);
    }
    for (std::size_t call = 1; call <= 2; ++call) {
      rank.expect_filled(rank.array(call, way.count),
                         static_cast<float>(100 * call) * static_cast<float>(size) + ranks_sum(size),
                         static_cast<float>(size));
    }
  }
  rank.comm.check();
  bootstrap.barrier();
}

void run_with_late_ranks(std::function<void(DeviceRank const&)> const& be_late) {
  for (int const ranks : {2, 3, 8}) {
    for (bool const symmetric : {false, true}) {
      run_thread_ranks(ranks, [&](ThreadBootstrap& bootstrap) { call_with_late_ranks(bootstrap, symmetric, be_late); });
    }
  }
}

TEST(DeviceFaults, AHostThatCallsLateChangesNoResult) {
  for (milliseconds const delay : {milliseconds(1), milliseconds(100)}) {
    run_with_late_ranks([&](DeviceRank const&) { std::this_thread::sleep_for(delay); });
  }
}

TEST(DeviceFaults, AStreamThatIsBusyBeforeTheCallChangesNoResult) {
  for (milliseconds const delay : {milliseconds(1), milliseconds(100)}) {
    run_with_late_ranks([&](DeviceRank const& rank) { dawdle(rank.stream(), delay); });
  }
}

}  // namespace
}  // namespace Koinon::Testing
