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
    for (int i = 1; i < launch.size() && launch.block().thread() == 0; ++i) {
      PeerWords* const at = comm.words(launch.peer(i), launch.rank(), 0, k);
      Block::store(&at->call, hash, Relaxed{});
      Block::store(&at->call_number, static_cast<std::uint64_t>(k) << 32 | (hash >> 32), AcquireRelease{});
    }
  }
  for (int i = 1; i < launch.size(); ++i) {
    int const p = launch.peer(i);
    PeerWords const* const at = comm.words(launch.rank(), p, 0, k);
    if (!wait_until(launch.block(), comm, k, p, [&] {
          return static_cast<LaunchNumber>(Block::load(&at->call_number, AcquireRelease{}) >> 32) == k;
        })) {
      return false;
    }
    if (Block::load(&at->call, Relaxed{}) != hash) {
      Block::report_mismatch(comm, k, p);
      return false;
    }
  }
  return true;
}

}  // namespace Koinon::Impl
