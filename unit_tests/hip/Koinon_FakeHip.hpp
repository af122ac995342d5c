// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Koinon_DeviceLaunched.hpp>
#include <Koinon_DeviceWatch.hpp>
#include <Koinon_HipBlock.hpp>
#include <Koinon_HipMemory.hpp>
#include <Koinon_PolicyTraits.hpp>
#include <communicator/Koinon_Communicator.hpp>
#include <hip/Koinon_FakeHipRuntime.hpp>
#include <support/Koinon_Caught.hpp>
#include <support/Koinon_RankKinds.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

/// Communicators with the memory of the HIP backend, and kernels that only count.
namespace Koinon::Testing {

/// Is an execution space whose kernels are what a test does in their place: the fake's memory is the host's too.
struct FakeHip {
  Impl::HipPlace place;
  hipStream_t stream = nullptr;
};

struct FakeHipBackend {
  using Instance = Impl::HipInstance;
  using Memory = Impl::HipMemory;
  using Block = Impl::HipBlock;
  template <class T, class R>
  static constexpr char const* multimem_refusal = "the fake has none";

  /// Does what a kernel does that has ended.
  template <class Body, class Arguments>
  static void launch(Instance const&, DeviceCommunicator const& comm, Selection const& selection, Arguments const&) {
    auto& launched = *static_cast<Impl::DeviceLaunched*>(comm.m_launched);
    launched.order();
    Impl::LaunchNumber const number = Impl::next_launch_number(comm.m_numbers[0]);
    for (int b = 0; b < comm.m_layout.max_blocks; ++b) comm.m_numbers[b] = number;
    if (launched.counts()) {
      std::atomic_ref(Impl::launch_words_of(comm)->ended_blocks).fetch_add(static_cast<unsigned>(selection.blocks));
    }
    launched.note(selection.blocks);
  }
};

}  // namespace Koinon::Testing

namespace Koinon {

template <>
inline constexpr bool is_execution_space_v<Testing::FakeHip> = true;

template <>
struct ExecutionSpaceTraits<Testing::FakeHip> {
  using backend = Testing::FakeHipBackend;
  static Impl::HipInstance instance(Testing::FakeHip const& space) { return {space.place, space.stream}; }
  static Impl::BackendFacts facts(Testing::FakeHip const&) {
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

using FakeHipComm = Communicator<FakeHip>;

/// Runs ranks over a fake runtime: one for all threads, one in every process. Rank r is on GPU r % gpus.size(). Expects
/// that no rule of the runtime was broken and that nothing is left, in a thread either. `prepare` is called before the
/// ranks' first call.
inline void run_on_fake(
    RankKind kind, int ranks, std::vector<FakeHipGpu> const& gpus,
    std::function<void(FakeHipRuntime&, FakeHip const&, Bootstrap&)> const& body,
    std::function<void(FakeHipRuntime&)> const& prepare = [](FakeHipRuntime&) {}) {
  auto const be_rank = [&](FakeHipRuntime& fake, Bootstrap& bootstrap) {
    FakeHipRuntime::be_rank(bootstrap.rank());
    body(fake, FakeHip{{bootstrap.rank() % static_cast<int>(gpus.size())}}, bootstrap);
    EXPECT_EQ(FakeHipRuntime::left_in_thread(), "");
  };
  auto const expect_clean = [](FakeHipRuntime const& fake) {
    EXPECT_EQ(fake.violations(), std::vector<std::string>());
    EXPECT_EQ(fake.live(), "");
  };
  if (kind == RankKind::threads) {
    FakeHipRuntime fake(gpus);
    prepare(fake);
    run_on(kind, ranks, [&](Bootstrap& bootstrap) { be_rank(fake, bootstrap); });
    expect_clean(fake);
    return;
  }
  run_on(kind, ranks, [&](Bootstrap& bootstrap) {
    FakeHipRuntime fake(gpus);
    prepare(fake);
    be_rank(fake, bootstrap);
    expect_clean(fake);
  });
}

/// Returns the watch as a kernel of this rank finds it.
inline Impl::DeviceWatch& watch_of(FakeHipComm const& comm) {
  return *static_cast<Impl::DeviceWatch*>(comm.device().m_watch);
}

/// Returns where kernels of this rank find the first symmetric byte of another.
inline std::byte* symmetric_of(FakeHipComm const& comm, int rank) {
  return comm.device().m_segments[rank] + comm.device().m_layout.symmetric;
}

}  // namespace Koinon::Testing
