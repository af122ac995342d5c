// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Koinon_HipBlock.hpp>
#include <Koinon_HipMemory.hpp>
#include <hip/Koinon_FakeHipRuntime.hpp>
#include <support/Koinon_Caught.hpp>
#include <support/Koinon_FakeGpu.hpp>

#include <functional>
#include <memory>
#include <vector>

namespace Koinon::Testing {

/// Names the HIP backend's parts that run over the fake runtime.
struct OverFakeHipRuntime {
  using Place = Impl::HipPlace;
  using Stream = hipStream_t;
  using Instance = Impl::HipInstance;
  using Memory = Impl::HipMemory;
  using Block = Impl::HipBlock;
};
using FakeHip = FakeGpuSpace<OverFakeHipRuntime>;
using FakeHipBackend = FakeGpuBackend<OverFakeHipRuntime>;
using FakeHipComm = Communicator<FakeHip>;

/// Runs ranks over a fake runtime (run_over_fakes). Rank r is on GPU r % gpus.size(), and expects that nothing is left in
/// its thread.
inline void run_on_fake(
    RankKind kind, int ranks, std::vector<FakeHipGpu> const& gpus,
    std::function<void(FakeHipRuntime&, FakeHip const&, Bootstrap&)> const& body,
    std::function<void(FakeHipRuntime&)> const& prepare = [](FakeHipRuntime&) {}) {
  auto const make = [&] { return std::make_unique<FakeHipRuntime>(gpus); };
  run_over_fakes(kind, ranks, make, prepare, [&](FakeHipRuntime& fake, Bootstrap& bootstrap) {
    FakeHipRuntime::be_rank(bootstrap.rank());
    body(fake, FakeHip{{bootstrap.rank() % static_cast<int>(gpus.size())}}, bootstrap);
    EXPECT_EQ(FakeHipRuntime::left_in_thread(), "");
  });
}

}  // namespace Koinon::Testing
