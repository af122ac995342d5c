// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Koinon_HostStream.hpp>
#include <Koinon_HostWatch.hpp>
#include <arrays/Koinon_Pack.hpp>
#include <protocol/Koinon_DeviceCommunicator.hpp>
#include <protocol/Koinon_Order.hpp>
#include <transports/Koinon_EmulatedMulticast.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace Koinon::Impl {

/// Is up to seventeen cache lines of data behind one number, which is a release store and read with acquire: it vouches
/// for the whole packet. The reader polls the first line only, so it takes no line from the writer that is still written
/// (measured: 1 KiB in one packet 0.9 us, in packets of one line each 2.3 us). Seventeen, so that 1 KiB is one packet.
struct alignas(64) HostPacket {
  static constexpr std::size_t payload_bytes = 1080;
  std::uint32_t number;
  std::uint32_t unused;
  std::byte payload[payload_bytes];
};
static_assert(sizeof(HostPacket) == 17 * 64);

/// Is the vocabulary of the host: a block is one thread.
class HostBlock {
 public:
  using Packet = HostPacket;
  /// Says that a packet is read where it lies, not in registers.
  static constexpr int packets_in_flight = 1;
  using Patience = HostPatience;
  /// Bytes of accumulators (float for narrow types) that a thread reduces into at a time: eight 16-byte registers.
  static constexpr std::size_t pack_bytes = 128;
  template <class T>
  static constexpr std::size_t pack_elements =
      pack_bytes / (sizeof(T) > sizeof(float) ? sizeof(T) : sizeof(float)) > 1
          ? pack_bytes / (sizeof(T) > sizeof(float) ? sizeof(T) : sizeof(float))
          : 1;
  /// Says that rows are kept in memory: in the block's staging.
  static constexpr int row_registers = 0;
  /// Packs of that many ranks are loaded before the first is used: a processor reorders by itself.
  static constexpr int ranks_in_flight = 1;

  HostBlock(int index, int count) : m_index(index), m_count(count) {}

  [[nodiscard]] int index() const { return m_index; }
  [[nodiscard]] int count() const { return m_count; }
  [[nodiscard]] static constexpr int thread() { return 0; }
  [[nodiscard]] static constexpr int threads() { return 1; }
  /// Brings the block's threads together; it has one.
  static constexpr void barrier() {}
  /// Brings them together and says whether all of them say so.
  [[nodiscard]] static constexpr bool all(bool good) { return good; }

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
  /// Copies, without a call for the sizes that hurt.
  static KOINON_FORCE_INLINE void copy_few(void* to, void const* from, std::size_t bytes) {
    if (bytes == 8) {
      std::memcpy(to, from, 8);
    } else if (bytes == 4) {
      std::memcpy(to, from, 4);
    } else if (bytes > 0) {
      std::memcpy(to, from, bytes);
    }
  }
  /// Copies from lines that a peer wrote and this rank writes next.
  static void take_bytes(void* to, void const* from, std::size_t bytes) { HostStream::take(to, from, bytes); }
  static void clear(std::byte* p, std::size_t bytes) { std::memset(p, 0, bytes); }

  static constexpr bool can_stream = true;
  /// What a peer stored must come to this cache before it is read: loading it from the peer's staging takes one way less.
  static constexpr bool prefers_stores = false;
  // Streams: stores past the caches, for data that a peer reads next (Koinon_StreamChoice.hpp says when).
  /// Says whether that many bytes for peers are streamed.
  [[nodiscard]] bool streams(DeviceCommunicator const& comm, std::size_t bytes) const {
    if (bytes < StreamChoice::bytes_from) return false;
    StreamChoice& choice = static_cast<HostWatch*>(comm.m_watch)->streams;
    if (m_index == 0) choice.look(comm);
    return choice.streams();
  }
  /// Copies to memory that peers read next. Returns whether it was streamed: then drain_streams() before the signal.
  bool stage_bytes(DeviceCommunicator const& comm, void* to, void const* from, std::size_t bytes) const {
    if (!streams(comm, bytes)) {
      copy_bytes(to, from, bytes);
      return false;
    }
    HostStream::copy(to, from, bytes);
    return true;
  }
  /// Says that this block has read what a peer staged: it takes part in the measurement by which the peer decides, though
  /// it may store nothing for peers itself.
  void read_staged(DeviceCommunicator const& comm, std::size_t bytes) const { (void)streams(comm, bytes); }
  template <class T, int N>
  static inline __attribute__((always_inline)) void stream_pack(T* p, Pack<T, N> const& pack) {
    HostStream::store<sizeof(Pack<T, N>)>(p, &pack);
  }
  /// Orders this block's streams before the stores that follow: a release alone does not.
  static void drain_streams() { HostStream::drain(); }
  /// Says that this block has read lines whose owner will write them next: they leave the caches, so that the owner need
  /// not take them back one by one.
  void give_back(DeviceCommunicator const& comm, void const* p, std::size_t bytes) const {
    if (streams(comm, bytes) && static_cast<HostWatch const*>(comm.m_watch)->can_flush) HostStream::flush(p, bytes);
  }

  // Packets.
  template <class T>
  static KOINON_FORCE_INLINE void send_packet(HostPacket* to, T const* values, int n, LaunchNumber number) {
    copy_few(to->payload, values, static_cast<std::size_t>(n) * sizeof(T));
    store(&to->number, number, AcquireRelease{});
  }
  /// Returns the packet's n elements, in the packet itself or in `room`; null: it has not arrived yet.
  template <class T>
  [[nodiscard]] static KOINON_FORCE_INLINE T const* receive_packet(HostPacket const* from, [[maybe_unused]] T* room,
                                                                   [[maybe_unused]] int n, LaunchNumber number) {
    // The lines of a short packet come at once, not the first and then the others; asked for at every poll, those of a
    // long one would be taken from the writer half written.
    std::size_t const end = offsetof(HostPacket, payload) + static_cast<std::size_t>(n) * sizeof(T);
    for (std::size_t at = 64; end <= prefetched_bytes && at < end; at += 64) {
      __builtin_prefetch(reinterpret_cast<std::byte const*>(from) + at);
    }
    if (load(&from->number, AcquireRelease{}) != number) return nullptr;
    for (std::size_t at = 64; end > prefetched_bytes && at < end; at += 64) {
      __builtin_prefetch(reinterpret_cast<std::byte const*>(from) + at);
    }
    if constexpr (alignof(T) <= offsetof(HostPacket, payload)) {
      return reinterpret_cast<T const*>(from->payload);
    } else {  // a user's type of stricter alignment than the payload's
      std::memcpy(static_cast<void*>(room), from->payload, static_cast<std::size_t>(n) * sizeof(T));
      return room;
    }
  }

  // Hints.
  /// How far ahead of its loads a loop asks for lines that it writes.
  static constexpr std::size_t own_ahead_bytes = 1024;
  /// Takes lines, to write them soon; changes nothing in them.
  static inline __attribute__((always_inline)) void own_soon(void* p, std::size_t bytes) {
    for (std::size_t at = 0; at < bytes; at += 64) HostStream::own(static_cast<std::byte*>(p) + at);
  }

  // Multicast, emulated: a multicast address is a set of peers.
  template <class T, class R, int N>
  [[nodiscard]] static Pack<T, N> multimem_load_reduce(DeviceCommunicator const& comm, T const* own) {
    return EmulatedMulticast<HostBlock>::load_reduce<T, R, N>(comm, own);
  }
  template <class T, int N>
  static void multimem_store(DeviceCommunicator const& comm, T* own, Pack<T, N> const& pack) {
    EmulatedMulticast<HostBlock>::store<T, N>(comm, own, pack);
  }
  static constexpr void before_multicast(DeviceCommunicator const&) {}
  static constexpr void after_multicast(DeviceCommunicator const&) {}

  /// A rank's launches are calls of one thread, or of threads that the gate keeps apart.
  static constexpr void confirm_alone(DeviceCommunicator const&, LaunchNumber) {}
  /// Reads what the launches before left. A failure ends a host's calls before they are launched.
  [[nodiscard]] LaunchRecord record(DeviceCommunicator const& comm) const {
    return {comm.m_numbers[m_index], comm.m_known[m_index], true};
  }
  /// Records that a peer made another call (KOINON_CHECK).
  static void report_mismatch(DeviceCommunicator const& comm, LaunchNumber number, int peer) {
    static_cast<HostWatch const*>(comm.m_watch)->health->report_mismatch(number, peer);
  }

 private:
  static constexpr std::size_t prefetched_bytes = 320;

  int m_index;
  int m_count;
};

}  // namespace Koinon::Impl
