// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Koinon_CudaMultimem.hpp>
#include <Koinon_CudaWords.hpp>
#include <arrays/Koinon_Pack.hpp>
#include <protocol/Koinon_DeviceCommunicator.hpp>
#include <transports/Koinon_EmulatedMulticast.hpp>

namespace Koinon::Impl {

/// Is the multicast part of a block's vocabulary: by the hardware where the communicator has an address for it, else,
/// as below sm_90, emulated over the peers.
///
/// A byte's multicast address and the ranks' own addresses of it are aliases: an access by the one and an access by the
/// other are ordered only if an alias fence lies on the path of synchronization between them. Whoever stages by its own
/// address, reads results there, or comes in a later launch (of peer loads, or a user's) knows nothing of multicast. So
/// the block that uses it fences on both sides of what it does there; every path from or to another access passes one:
///   before   own addresses ─► a barrier, or a signal that the block acquired ─► thread 0: fence ─► barrier ─► multimem
///   after    multimem ─► barrier ─► thread 0: fence ─► the barrier of the next signal or of the launch's end ─► others
/// Reads before writes too: a later launch stages where `ld_reduce` read. One thread fences for all: what synchronizes
/// is cumulative over barriers. It is a full fence of the system that empties L1, so nothing of it where there is no
/// address.
template <class Block>
struct CudaMulticastWords {
  template <class T, class R, int N>
  [[nodiscard]] static KOINON_FORCE_INLINE Pack<T, N> multimem_load_reduce(DeviceCommunicator const& comm,
                                                                           T const* own) {
#if __CUDA_ARCH__ >= 900
    if (comm.m_multicast != nullptr) return CudaMultimem<Block>::template load_reduce<T, R, N>(comm, own);
#endif
    return EmulatedMulticast<Block>::template load_reduce<T, R, N>(comm, own);
  }
  template <class T, int N>
  static KOINON_FORCE_INLINE void multimem_store(DeviceCommunicator const& comm, T* own, Pack<T, N> const& pack) {
#if __CUDA_ARCH__ >= 900
    if (comm.m_multicast != nullptr) return CudaMultimem<Block>::template store<T, N>(comm, own, pack);
#endif
    EmulatedMulticast<Block>::template store<T, N>(comm, own, pack);
  }

  /// Orders what was done by ranks' own addresses before what the block does by multicast. From all threads.
  /// @pre all threads of the block have met since
  static KOINON_FORCE_INLINE void before_multicast([[maybe_unused]] DeviceCommunicator const& comm) {
#if __CUDA_ARCH__ >= 900
    if (comm.m_multicast == nullptr) return;
    if (Block::thread() == 0) CudaWords::fence_aliases();
    Block::barrier();
#endif
  }
  /// Orders what the block did by multicast before what follows its next barrier. From all threads.
  static KOINON_FORCE_INLINE void after_multicast([[maybe_unused]] DeviceCommunicator const& comm) {
#if __CUDA_ARCH__ >= 900
    if (comm.m_multicast == nullptr) return;
    Block::barrier();
    if (Block::thread() == 0) CudaWords::fence_aliases();
#endif
  }
};

}  // namespace Koinon::Impl
