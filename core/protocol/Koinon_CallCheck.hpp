// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Koinon_Macros.hpp>
#include <protocol/Koinon_Launch.hpp>

#include <cstdint>

namespace Koinon::Impl {

/// Exchanges a hash of the call (operation, types, counts, traits, grid) with every peer before anything is read or
/// written; false: a peer's differs, which the backend has recorded. Block 0 sends; every block reads what the peers'
/// block 0 sent, so all blocks of all ranks come to one verdict, also where grids differ.
template <class Block>
[[nodiscard]] KOINON_FUNCTION bool calls_agree(Launch<Block>& launch) {
  DeviceCommunicator const& comm = launch.comm();
  LaunchNumber const k = launch.number();
  if (!launch.before_first_store()) return false;
  // Block 0's words only: the grid is part of what is compared.
  std::uint64_t const hash = comm.m_call_hash;
  if (launch.block().index() == 0) {
    for_each_peer(launch.block(), comm, [&](int p) {
      PeerWords* const at = comm.words(p, launch.rank(), 0, k);
      Block::store(&at->call, hash, Relaxed{});
      Block::store(&at->call_number, static_cast<std::uint64_t>(k) << 32 | (hash >> 32), AcquireRelease{});
    });
  }
  auto const words = [&](int p) { return comm.words(launch.rank(), p, 0, k); };
  if (!wait_for_peers(launch.block(), comm, k, [&](int p) {
        return static_cast<LaunchNumber>(Block::load(&words(p)->call_number, AcquireRelease{}) >> 32) == k;
      })) {
    return false;
  }
  bool agree = true;
  for_each_peer(launch.block(), comm, [&](int p) {
    if (!agree || Block::load(&words(p)->call, Relaxed{}) == hash) return;
    agree = false;
    Block::report_mismatch(comm, k, p);
  });
  return launch.block().all(agree);
}

}  // namespace Koinon::Impl
