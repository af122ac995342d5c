// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Koinon_Macros.hpp>
#include <protocol/Koinon_LaunchNumber.hpp>
#include <protocol/Koinon_Order.hpp>
#include <protocol/Koinon_SegmentLayout.hpp>

#include <cstddef>
#include <cstdint>

namespace Koinon {

/// Is a communicator as a kernel sees it: trivially copyable, refers to memory that outlives moves of the communicator.
///
/// Hosts find rank p's segment at base + p * stride: all are mapped at one reserved range. Devices find it in a table:
/// segments may also lie wherever a driver maps them, and a look there is less code than the multiplication.
///
/// The verbs below are for users' kernels, which include <Koinon_Device.hpp>: it defines them for the device's code. Where
/// one takes an order, Relaxed orders nothing else, AcquireRelease all that the calling thread wrote before (a store), or
/// that the peer's thread wrote before what is read (a load); a block's barrier in front passes that on to the block.
/// What waits returns false once the communicator has failed or the timeout is over: check() then tells why.
class DeviceCommunicator {
 public:
  /// Returns the number of slots of signals, and of packets, that every two ranks have each way.
  [[nodiscard]] static KOINON_FORCE_INLINE constexpr int user_slots() { return Impl::UserLayout::slots; }

  /// Adds one to the signals of this rank in a slot of `rank`, which may be this one; never blocks. From one thread at a
  /// time for a slot of a rank.
  template <class Order = AcquireRelease>
  KOINON_FORCE_INLINE void signal(int rank, int slot, Order order = {}) const;
  /// Waits for the next signal of `rank` in a slot: the n-th wait for the n-th signal, over all kernels. From one thread
  /// at a time for a slot of a rank.
  template <class Order = AcquireRelease>
  [[nodiscard]] KOINON_FORCE_INLINE bool wait(int rank, int slot, Order order = {}) const;

  /// Meets the same block of all ranks. By all threads of a block, or of a team of a TeamPolicy; its grid (league) is the
  /// same on all ranks, resident, and of max_blocks() blocks at most.
  template <class Block, class Order = AcquireRelease>
  [[nodiscard]] KOINON_FORCE_INLINE bool barrier(Block const& block, Order order = {}) const;

  /// Returns the reduction over all ranks, in rank order, of what they have at p. @pre p points into symmetric memory
  template <class T, class Reducer, class Order = Relaxed>
  [[nodiscard]] KOINON_FORCE_INLINE T load_reduce(T const* p, Reducer const& reducer, Order order = {}) const;
  /// Stores at p of every rank, this one included. @pre p points into symmetric memory
  template <class T, class Order = Relaxed>
  KOINON_FORCE_INLINE void store_all(T* p, T const& value, Order order = {}) const;
  /// Returns what `rank` has at p. @pre p points into symmetric memory
  template <class T, class Order = Relaxed>
  [[nodiscard]] KOINON_FORCE_INLINE T load_from(int rank, T const* p, Order order = {}) const;
  /// Stores at p of `rank`. @pre p points into symmetric memory
  template <class T, class Order = Relaxed>
  KOINON_FORCE_INLINE void store_to(int rank, T* p, T const& value, Order order = {}) const;

  /// Sends a value of at most 12 bytes that is its own signal: one store. Never blocks. From one thread at a time for a
  /// slot of a rank. @pre the peer has received all packets of this slot but the last: two are under way at most
  template <class T, class Order = Relaxed>
  KOINON_FORCE_INLINE void send_packet(int rank, int slot, T const& value, Order order = {}) const;
  /// Waits for the next packet of `rank` in a slot.
  template <class T, class Order = Relaxed>
  [[nodiscard]] KOINON_FORCE_INLINE bool receive_packet(int rank, int slot, T& value, Order order = {}) const;
  [[nodiscard]] KOINON_FORCE_INLINE int rank() const { return m_rank; }
  [[nodiscard]] KOINON_FORCE_INLINE int size() const { return m_size; }

  /// Returns where `peer` has what this rank has at p. @pre p points into symmetric memory of this rank
  template <class T>
  [[nodiscard]] KOINON_FORCE_INLINE T* peer_pointer(int peer, T* p) const {
#if KOINON_DEVICE_PASS
    std::ptrdiff_t const distance = m_segments[peer] - m_segments[m_rank];
#else
    std::ptrdiff_t const distance = static_cast<std::ptrdiff_t>(peer - m_rank) * m_stride;
#endif
    return reinterpret_cast<T*>(reinterpret_cast<std::uintptr_t>(p) + static_cast<std::uintptr_t>(distance));
  }

  /// Returns the address by which one access reaches every rank's bytes at p; only what a backend has for multicast may
  /// touch it. @pre there is one, m_multicast; p points into symmetric memory of this rank
  template <class T>
  [[nodiscard]] KOINON_FORCE_INLINE std::byte* multicast_pointer(T* p) const {
    return m_multicast + (reinterpret_cast<std::uintptr_t>(p) - reinterpret_cast<std::uintptr_t>(segment(m_rank)));
  }

  // For the protocol, below.
  [[nodiscard]] KOINON_FORCE_INLINE std::byte* segment(int rank) const {
#if KOINON_DEVICE_PASS
    return m_segments[rank];
#else
    return m_base + static_cast<std::ptrdiff_t>(rank) * m_stride;
#endif
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
    // A slot and its place fit 32 bits: one multiplication.
    return segment(rank) + m_layout.packets +
           static_cast<std::uint64_t>(static_cast<std::uint32_t>(half * m_size + writer)) *
               static_cast<std::uint32_t>(m_layout.packet_slot_bytes);
  }
  /// Returns the sentinel buffer at `rank` that `writer` fills in launches of that half.
  [[nodiscard]] KOINON_FORCE_INLINE std::byte* sentinels(int rank, int writer, int half) const {
    return segment(rank) + m_layout.sentinels +
           static_cast<std::size_t>(half * m_size + writer) * m_layout.sentinel_slot_bytes;
  }

  // What every launch reads comes first: in few lines of a device's parameters.
  int m_rank = 0;
  int m_size = 1;
  Impl::LaunchNumber* m_numbers = nullptr;  // m_layout.max_blocks copies of the last launch number, private to the rank
  Impl::LaunchNumber* m_known = nullptr;    // [max_blocks] the last launch in which data of all peers arrived
  bool m_check_calls = false;               // KOINON_CHECK=1
  Impl::SegmentLayout m_layout;
  static constexpr int most_device_ranks = 64;
  std::byte* m_segments[most_device_ranks] = {};  // where devices find each rank's segment
  std::byte* m_base = nullptr;
  std::ptrdiff_t m_stride = 0;        // 0: they lie anywhere, m_base is the own one, and only the table tells
  std::byte* m_multicast = nullptr;   // where offsets are those of every rank's segment; null: there is no such address
  std::uint64_t* m_scratch = nullptr;  // [max_blocks][4 * ranks] for the blocks of a launch
  void* m_watch = nullptr;            // the backend's: what a long wait looks at
  void* m_launched = nullptr;         // the backend's, for its host: what it keeps of launches
  std::uint64_t m_call_hash = 0;      // of the call that is launched
};

}  // namespace Koinon
