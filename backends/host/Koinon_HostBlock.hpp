// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Koinon_EmulatedMulticast.hpp>
#include <Koinon_HostWatch.hpp>
#include <arrays/Koinon_Pack.hpp>
#include <protocol/Koinon_DeviceCommunicator.hpp>
#include <protocol/Koinon_Order.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace Koinon::Impl {

/// Is one cache line of data that carries its own flag: the line's number is a release store and read with acquire, so
/// it vouches for the whole line.
struct alignas(64) HostPacket {
  static constexpr std::size_t payload_bytes = 60;
  std::byte payload[payload_bytes];
  std::uint32_t number;
};
static_assert(sizeof(HostPacket) == 64);

/// Is the vocabulary of the host: a block is one thread.
class HostBlock {
 public:
  using Packet = HostPacket;
  using Patience = HostPatience;
  /// Bytes that a thread reduces at a time: enough accumulators to fill eight 16-byte registers.
  static constexpr std::size_t pack_bytes = 128;

  HostBlock(int index, int count) : m_index(index), m_count(count) {}

  [[nodiscard]] int index() const { return m_index; }
  [[nodiscard]] int count() const { return m_count; }
  [[nodiscard]] static constexpr int thread() { return 0; }
  [[nodiscard]] static constexpr int threads() { return 1; }
  /// Brings the block's threads together; it has one.
  static constexpr void barrier() {}

  /// Returns room of the block for 4 * ranks words.
  [[nodiscard]] std::uint64_t* scratch(DeviceCommunicator const& comm) const {
    return comm.m_scratch + static_cast<std::size_t>(m_index) * 4 * static_cast<std::size_t>(comm.size());
  }

  // Words. AcquireRelease: a load acquires, a store releases.
  template <class Word>
  [[nodiscard]] static Word load(Word const* p, Relaxed) {
    return std::atomic_ref(*const_cast<Word*>(p)).load(std::memory_order_relaxed);
  }
  template <class Word>
  [[nodiscard]] static Word load(Word const* p, AcquireRelease) {
    return std::atomic_ref(*const_cast<Word*>(p)).load(std::memory_order_acquire);
  }
  template <class Word>
  static void store(Word* p, std::type_identity_t<Word> value, Relaxed) {
    std::atomic_ref(*p).store(value, std::memory_order_relaxed);
  }
  template <class Word>
  static void store(Word* p, std::type_identity_t<Word> value, AcquireRelease) {
    std::atomic_ref(*p).store(value, std::memory_order_release);
  }
  // A launch here is no kernel whose end would order what its threads read: the started words do (Launch::enter).
  [[nodiscard]] static std::uint32_t load_started(std::uint32_t const* p) { return load(p, AcquireRelease{}); }
  static void store_started(std::uint32_t* p, std::uint32_t number) { store(p, number, AcquireRelease{}); }

  // Data.
  template <class T, int N>
  [[nodiscard]] static KOINON_FORCE_INLINE Pack<T, N> load_pack(T const* p) {
    Pack<T, N> pack;
    std::memcpy(static_cast<void*>(&pack), p, sizeof pack);
    return pack;
  }
  template <class T, int N>
  static KOINON_FORCE_INLINE void store_pack(T* p, Pack<T, N> const& pack) {
    std::memcpy(static_cast<void*>(p), &pack, sizeof pack);
  }
  static void copy_bytes(void* to, void const* from, std::size_t bytes) {
    if (bytes > 0) std::memcpy(to, from, bytes);
  }
  static void clear(std::byte* p, std::size_t bytes) { std::memset(p, 0, bytes); }

  // Packets.
  template <class T>
  static KOINON_FORCE_INLINE void send_packet(HostPacket* to, T const* values, int n, LaunchNumber number) {
    constexpr int full = static_cast<int>(HostPacket::payload_bytes / sizeof(T));
    if (n == full) {
      std::memcpy(to->payload, values, static_cast<std::size_t>(full) * sizeof(T));
    } else {
      std::memcpy(to->payload, values, static_cast<std::size_t>(n) * sizeof(T));
    }
    store(&to->number, number, AcquireRelease{});
  }
  template <class T>
  [[nodiscard]] static KOINON_FORCE_INLINE bool receive_packet(HostPacket const* from, T* values, int n,
                                                               LaunchNumber number) {
    if (load(&from->number, AcquireRelease{}) != number) return false;
    constexpr int full = static_cast<int>(HostPacket::payload_bytes / sizeof(T));
    if (n == full) {
      std::memcpy(static_cast<void*>(values), from->payload, static_cast<std::size_t>(full) * sizeof(T));
    } else {
      std::memcpy(static_cast<void*>(values), from->payload, static_cast<std::size_t>(n) * sizeof(T));
    }
    return true;
  }

  // Multicast, emulated: a multicast address is a set of peers.
  template <class T, class R, int N>
  [[nodiscard]] static Pack<T, N> multimem_load_reduce(DeviceCommunicator const& comm, T const* own) {
    return EmulatedMulticast::load_reduce<T, R, N>(comm, own);
  }
  template <class T, int N>
  static void multimem_store(DeviceCommunicator const& comm, T* own, Pack<T, N> const& pack) {
    EmulatedMulticast::store<T, N>(comm, own, pack);
  }

  /// Records that a peer made another call (KOINON_CHECK).
  static void report_mismatch(DeviceCommunicator const& comm, LaunchNumber number, int peer) {
    static_cast<HostWatch const*>(comm.m_watch)->health->report_mismatch(number, peer);
  }

 private:
  int m_index;
  int m_count;
};

}  // namespace Koinon::Impl
