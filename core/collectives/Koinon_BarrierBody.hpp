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
    for_each_peer(launch.block(), comm,
                  [&](int p) { Block::store(&comm.words(p, launch.rank(), b, k)->arrived, k, AcquireRelease{}); });
    launch.confirm_alone();
    if (wait_for_peers(launch.block(), comm, k, [&](int p) {
          return Block::load(&comm.words(launch.rank(), p, b, k)->arrived, AcquireRelease{}) == k;
        })) {
      launch.learn_all();
    }
  }
};

}  // namespace Koinon::Impl
