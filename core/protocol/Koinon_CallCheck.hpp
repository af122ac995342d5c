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
/// @pre the first-store rule holds
template <class Block>
[[nodiscard]] KOINON_COLD_FUNCTION bool calls_agree(Block const block, DeviceCommunicator const& comm, LaunchNumber k) {
  // Block 0's words only: the grid is part of what is compared.
  std::uint64_t const hash = comm.m_call_hash;
  if (block.index() == 0) {
    for_each_peer(block, comm, [&](int p) {
      PeerWords* const at = comm.words(p, comm.rank(), 0, k);
      Block::store(&at->call, hash, Relaxed{});
      Block::store(&at->call_number, static_cast<std::uint64_t>(k) << 32 | (hash >> 32), AcquireRelease{});
    });
  }
  auto const words = [&](int p) { return comm.words(comm.rank(), p, 0, k); };
  if (!wait_for_peers(block, comm, k, [&](int p) {
        return static_cast<LaunchNumber>(Block::load(&words(p)->call_number, AcquireRelease{}) >> 32) == k;
      })) {
    return false;
  }
  bool agree = true;
  for_each_peer(block, comm, [&](int p) {
    if (!agree || Block::load(&words(p)->call, Relaxed{}) == hash) return;
    agree = false;
    Block::report_mismatch(comm, k, p);
  });
  return block.all(agree);
}

}  // namespace Koinon::Impl
