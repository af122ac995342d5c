// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Koinon_Macros.hpp>
#include <protocol/Koinon_LaunchNumber.hpp>
#include <protocol/Koinon_SegmentLayout.hpp>

#include <cstddef>
#include <cstdint>

namespace Koinon {

/// Is a communicator as a kernel sees it: trivially copyable, refers to memory that outlives moves of the communicator.
///
/// Every rank's segment is mapped at one reserved range: the peer's address of p is p + (peer - rank) * stride.
class DeviceCommunicator {
 public:
  [[nodiscard]] KOINON_FORCE_INLINE int rank() const { return m_rank; }
  [[nodiscard]] KOINON_FORCE_INLINE int size() const { return m_size; }

  /// Returns where `peer` has what this rank has at p. @pre p points into symmetric memory of this rank
  template <class T>
  [[nodiscard]] KOINON_FORCE_INLINE T* peer_pointer(int peer, T* p) const {
    return reinterpret_cast<T*>(reinterpret_cast<std::uintptr_t>(p) +
                                static_cast<std::uintptr_t>(static_cast<std::ptrdiff_t>(peer - m_rank) * m_stride));
  }

  // For the protocol, below.
  [[nodiscard]] KOINON_FORCE_INLINE std::byte* segment(int rank) const {
    return m_base + static_cast<std::ptrdiff_t>(rank) * m_stride;
  }
  /// Returns the word at `rank` that says which launch `writer` started.
  [[nodiscard]] KOINON_FORCE_INLINE std::uint32_t* started_word(int rank, int writer) const {
    return &reinterpret_cast<Impl::StartedWord*>(segment(rank) + m_layout.started)[writer].number;
  }
  /// Returns the words at `rank` that `writer` writes for `block` in launches of the number's parity.
  [[nodiscard]] KOINON_FORCE_INLINE Impl::PeerWords* words(int rank, int writer, int block,
                                                           Impl::LaunchNumber number) const {
    std::size_t const at = (static_cast<std::size_t>(number & 1u) * static_cast<std::size_t>(m_layout.max_blocks) +
                            static_cast<std::size_t>(block)) *
                               static_cast<std::size_t>(m_size) +
                           static_cast<std::size_t>(writer);
    return reinterpret_cast<Impl::PeerWords*>(segment(rank) + m_layout.words) + at;
  }
  /// Returns the packets at `rank` that `writer` sends in launches of that half.
  [[nodiscard]] KOINON_FORCE_INLINE std::byte* packets(int rank, int writer, int half) const {
    return segment(rank) + m_layout.packets +
           (static_cast<std::size_t>(half) * static_cast<std::size_t>(m_size) + static_cast<std::size_t>(writer)) *
               m_layout.packet_slot_bytes;
  }

  std::byte* m_base = nullptr;
  std::ptrdiff_t m_stride = 0;
  int m_rank = 0;
  int m_size = 1;
  Impl::SegmentLayout m_layout;
  Impl::LaunchNumber* m_numbers = nullptr;  // m_layout.max_blocks copies of the last launch number, private to the rank
  Impl::LaunchNumber* m_known = nullptr;    // [max_blocks] the last launch in which data of all peers arrived
  std::uint64_t* m_scratch = nullptr;       // [max_blocks][4 * ranks] for the blocks of a launch
  void* m_watch = nullptr;                  // the backend's: what a long wait looks at
  void* m_launched = nullptr;               // the backend's, for its host: what it keeps of launches
  std::uint64_t m_call_hash = 0;            // of the call that is launched
  bool m_check_calls = false;               // KOINON_CHECK=1
};

}  // namespace Koinon
