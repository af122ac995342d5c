// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Koinon_DeviceLaunched.hpp>
#include <Koinon_DeviceWatch.hpp>
#include <Koinon_PolicyTraits.hpp>
#include <communicator/Koinon_Communicator.hpp>
#include <support/Koinon_RankKinds.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

/// Communicators with the memory of a GPU's backend over a fake of its runtime, and kernels that only count: what a test
/// does in their place. The fake's memory is the host's too.
namespace Koinon::Testing {

/// Is an execution space of the fake that Fake names: Place and Stream, say, where it is.
template <class Fake>
struct FakeGpuSpace {
  typename Fake::Place place;
  typename Fake::Stream stream = nullptr;
};

template <class Fake>
struct FakeGpuBackend {
  using Instance = typename Fake::Instance;
  using Memory = typename Fake::Memory;
  using Block = typename Fake::Block;
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

/// Runs ranks over fakes made by make(): one for all threads, one in every process. Expects that no rule of the vendor's
/// was broken and that nothing is left. prepare(fake) is called before the ranks' first call, be_rank(fake, bootstrap)
/// for each of them.
template <class Make, class Prepare, class BeRank>
void run_over_fakes(RankKind kind, int ranks, Make const& make, Prepare const& prepare, BeRank const& be_rank) {
  auto const with_fake = [&](auto const& body) {
    auto const fake = make();
    prepare(*fake);
    body(*fake);
    EXPECT_EQ(fake->violations(), std::vector<std::string>());
    EXPECT_EQ(fake->live(), "");
  };
  if (kind == RankKind::threads) {
    with_fake([&](auto& fake) { run_on(kind, ranks, [&](Bootstrap& bootstrap) { be_rank(fake, bootstrap); }); });
  } else {
    run_on(kind, ranks, [&](Bootstrap& bootstrap) { with_fake([&](auto& fake) { be_rank(fake, bootstrap); }); });
  }
}

/// Returns the watch as a kernel of this rank finds it.
template <class Fake>
Impl::DeviceWatch& watch_of(Communicator<FakeGpuSpace<Fake>> const& comm) {
  return *static_cast<Impl::DeviceWatch*>(comm.device().m_watch);
}

/// Returns where kernels of this rank find the first symmetric byte of another.
template <class Fake>
std::byte* symmetric_of(Communicator<FakeGpuSpace<Fake>> const& comm, int rank) {
  return comm.device().m_segments[rank] + comm.device().m_layout.symmetric;
}

}  // namespace Koinon::Testing

namespace Koinon {

template <class Fake>
inline constexpr bool is_execution_space_v<Testing::FakeGpuSpace<Fake>> = true;

template <class Fake>
struct ExecutionSpaceTraits<Testing::FakeGpuSpace<Fake>> {
  using backend = Testing::FakeGpuBackend<Fake>;
  static typename Fake::Instance instance(Testing::FakeGpuSpace<Fake> const& space) { return {space.place, space.stream}; }
  static Impl::BackendFacts facts(Testing::FakeGpuSpace<Fake> const&) {
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
