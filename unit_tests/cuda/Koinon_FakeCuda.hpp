// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Koinon_CudaBlock.hpp>
#include <Koinon_CudaMemory.hpp>
#include <cuda/Koinon_FakeDriver.hpp>
#include <support/Koinon_Caught.hpp>
#include <support/Koinon_FakeGpu.hpp>

#include <functional>
#include <memory>
#include <vector>

namespace Koinon::Testing {

/// Names the CUDA backend's parts that run over the fake driver.
struct OverFakeDriver {
  using Place = Impl::CudaPlace;
  using Stream = CUstream;
  using Instance = Impl::CudaInstance;
  using Memory = Impl::CudaMemory;
  using Block = Impl::CudaBlock;
};
using FakeCuda = FakeGpuSpace<OverFakeDriver>;
using FakeCudaBackend = FakeGpuBackend<OverFakeDriver>;
using FakeComm = Communicator<FakeCuda>;

/// Runs ranks over a fake driver (run_over_fakes). Rank r is on GPU r % gpus.size().
inline void run_on_fake(
    RankKind kind, int ranks, std::vector<FakeGpu> const& gpus,
    std::function<void(FakeDriver&, FakeCuda const&, Bootstrap&)> const& body,
    std::function<void(FakeDriver&)> const& prepare = [](FakeDriver&) {}) {
  auto const make = [&] { return std::make_unique<FakeDriver>(gpus); };
  run_over_fakes(kind, ranks, make, prepare, [&](FakeDriver& fake, Bootstrap& bootstrap) {
    FakeDriver::be_rank(bootstrap.rank());
    body(fake, FakeCuda{fake.place(bootstrap.rank() % static_cast<int>(gpus.size()))}, bootstrap);
  });
}

}  // namespace Koinon::Testing
