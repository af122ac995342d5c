// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Koinon_CudaBlock.hpp>
#include <Koinon_CudaMemory.hpp>
#include <Koinon_DeviceLaunched.hpp>
#include <Koinon_DeviceWatch.hpp>
#include <Koinon_PolicyTraits.hpp>
#include <communicator/Koinon_Communicator.hpp>
#include <cuda/Koinon_FakeDriver.hpp>
#include <support/Koinon_Caught.hpp>
#include <support/Koinon_RankKinds.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

/// Communicators with the memory of the CUDA backend, and kernels that only count.
namespace Koinon::Testing {

/// Is an execution space whose kernels are what a test does in their place: the fake's memory is the host's too.
struct FakeCuda {
  Impl::CudaPlace place;
  CUstream stream = nullptr;
};

struct FakeCudaBackend {
  using Instance = Impl::CudaInstance;
  using Memory = Impl::CudaMemory;
  using Block = Impl::CudaBlock;
  template <class T, class R>
  static constexpr char const* multimem_refusal = "the fake has none";

  /// Says that this rank's kernels go on when they have advanced the numbers: until end_kernels.
  static inline thread_local bool kernels_go_on = false;

  /// Does what a kernel does that has ended.
  template <class Body, class Arguments>
  static void launch(Instance const&, DeviceCommunicator const& comm, Selection const& selection, Arguments const&) {
    auto& launched = *static_cast<Impl::DeviceLaunched*>(comm.m_launched);
    launched.order();
    Impl::LaunchNumber const number = Impl::next_launch_number(comm.m_numbers[0]);
    for (int b = 0; b < comm.m_layout.max_blocks; ++b) comm.m_numbers[b] = number;
    if (launched.counts() && !kernels_go_on) end_kernels(comm, selection.blocks);
    launched.note(selection.blocks);
  }
  static void end_kernels(DeviceCommunicator const& comm, std::uint64_t blocks) {
    std::atomic_ref(Impl::launch_words_of(comm)->ended_blocks).fetch_add(blocks);
  }
};

}  // namespace Koinon::Testing

namespace Koinon {

template <>
inline constexpr bool is_execution_space_v<Testing::FakeCuda> = true;

template <>
struct ExecutionSpaceTraits<Testing::FakeCuda> {
  using backend = Testing::FakeCudaBackend;
  static Impl::CudaInstance instance(Testing::FakeCuda const& space) { return {space.place, space.stream}; }
  static Impl::BackendFacts facts(Testing::FakeCuda const&) {
    Impl::BackendFacts backend;
    backend.facts.backend = ShortName("fake");
    backend.facts.architecture = ShortName("fake");
    backend.facts.max_blocks = 5;
    backend.default_staging_bytes = std::size_t{1} << 20;
    backend.default_symmetric_bytes = std::size_t{1} << 20;
    backend.device = "a fake GPU";
    return backend;
  }
};

}  // namespace Koinon

namespace Koinon::Testing {

using FakeComm = Communicator<FakeCuda>;

/// Runs ranks over a fake driver: one for all threads, one in every process. Rank r is on GPU r % gpus.size(). Expects
/// that no rule of the driver was broken and nothing is left. `prepare` is called before the ranks' first call.
inline void run_on_fake(
    RankKind kind, int ranks, std::vector<FakeGpu> const& gpus,
    std::function<void(FakeDriver&, FakeCuda const&, Bootstrap&)> const& body,
    std::function<void(FakeDriver&)> const& prepare = [](FakeDriver&) {}) {
  auto const be_rank = [&](FakeDriver& fake, Bootstrap& bootstrap) {
    FakeDriver::be_rank(bootstrap.rank());
    body(fake, FakeCuda{fake.place(bootstrap.rank() % static_cast<int>(gpus.size()))}, bootstrap);
  };
  auto const expect_clean = [](FakeDriver const& fake) {
    EXPECT_EQ(fake.violations(), std::vector<std::string>());
    EXPECT_EQ(fake.live(), "");
  };
  if (kind == RankKind::threads) {
    FakeDriver fake(gpus);
    prepare(fake);
    run_on(kind, ranks, [&](Bootstrap& bootstrap) { be_rank(fake, bootstrap); });
    expect_clean(fake);
    return;
  }
  run_on(kind, ranks, [&](Bootstrap& bootstrap) {
    FakeDriver fake(gpus);
    prepare(fake);
    be_rank(fake, bootstrap);
    expect_clean(fake);
  });
}

/// Returns the watch as a kernel of this rank finds it.
inline Impl::DeviceWatch& watch_of(FakeComm const& comm) {
  return *static_cast<Impl::DeviceWatch*>(comm.device().m_watch);
}

}  // namespace Koinon::Testing
