// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Koinon_Macros.hpp>
#include <protocol/Koinon_Launch.hpp>

#include <cstdint>

namespace Koinon::Impl {

/// Is what a barrier launches with: nothing.
struct BarrierArguments {};

/// Tells every peer that this rank arrived (release: all that its instance wrote before) and waits for all (acquire).
///
///   rank 0 ◄──► rank 1 ◄──► rank 2 ◄──► rank 0      one word each way between every two ranks
struct BarrierBody {
  template <class Block>
  KOINON_FORCE_INLINE void operator()(Launch<Block>& launch, BarrierArguments const&) const {
    if (!launch.before_first_store()) return;
    DeviceCommunicator const& comm = launch.comm();
    int const b = launch.block().index();
    LaunchNumber const k = launch.number();
    launch.block().barrier();
    for (int i = 1; i < launch.size() && launch.block().thread() == 0; ++i) {
      Block::store(&comm.words(launch.peer(i), launch.rank(), b, k)->arrived, k, AcquireRelease{});
    }
    for (int i = 1; i < launch.size(); ++i) {
      int const p = launch.peer(i);
      std::uint32_t const* const word = &comm.words(launch.rank(), p, b, k)->arrived;
      if (!wait_until(launch.block(), comm, k, p, [&] { return Block::load(word, AcquireRelease{}) == k; })) return;
      launch.learn(p);
    }
    launch.block().barrier();
  }
};

}  // namespace Koinon::Impl
