// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Koinon_DevicePatience.hpp>
#include <Koinon_DeviceWatch.hpp>
#include <Koinon_HipCopies.hpp>
#include <Koinon_HipRowWords.hpp>
#include <Koinon_HipThreads.hpp>
#include <Koinon_HipWords.hpp>
#include <arrays/Koinon_Pack.hpp>
#include <protocol/Koinon_DeviceCommunicator.hpp>
#include <protocol/Koinon_Order.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace Koinon::Impl {

using HipPatience = DevicePatience<HipWords>;

/// Is two times 4 bytes of data and the launch number, each of them 8 bytes that are seen whole; stored and loaded by one
/// access. So nothing has to be written back, emptied or waited for: a half that is there says so itself.
struct alignas(16) HipPacket {
  static constexpr std::size_t payload_bytes = 8;
  struct {
    std::uint32_t payload;
    std::uint32_t number;
  } halves[2];
};

/// Is the vocabulary of an AMD GPU: a block of threads, whose waves have 64 lanes or 32.
///
/// What one block writes another GPU's block reads by these steps (docs/hip has the argument):
///   write    any store of any wave; barrier(): each wave waits until its own stores are where all GPUs see them
///   signal   store(AcquireRelease): one wave writes back what the caches keep, waits, and stores the word past them
///   wait     load(AcquireRelease) polls past the caches; all(): every wave forgets what the caches keep
/// Data goes past the caches too, so for it alone the write-back and the forgetting would not be needed; they are for
/// what users' reducers, strided arrays and the kernels before have read and written by plain accesses.
class HipBlock : public HipCopies, public HipRowWords {
 public:
  using Packet = HipPacket;
  using Patience = HipPatience;
  static constexpr int most_ranks = DeviceCommunicator::most_device_ranks;

  template <class T>
  static constexpr std::size_t pack_elements = 16 / sizeof(T) > 1 ? 16 / sizeof(T) : 1;
  /// Packs of so many ranks are asked for before the first is used.
  static constexpr int ranks_in_flight = 4;
  /// Polls have no branch between them: there the compiler waits for what was asked for.
  static constexpr bool asks_for_all = true;
  static constexpr bool can_stream = true;
  /// xGMI carries stores as fast as loads, and a store is not waited for.
  static constexpr bool prefers_stores = true;
  static constexpr bool has_link_to_each_peer = true;
  static constexpr std::size_t own_ahead_bytes = 0;

  /// @param scratch shared memory of the block, 4 words for each of most_ranks
  /// @param beside what begin_alone returned
  explicit KOINON_FORCE_INLINE HipBlock(std::uint64_t* scratch, std::uint32_t beside = 0)
      : m_scratch(scratch), m_beside(beside) {}

  /// Says that this launch runs, and returns to the first thread of a grid 0 if no other launch of this communicator
  /// does. Whoever compares what came back waits for it: not before confirm_alone.
  ///
  /// Launches that nothing orders take the same number and each other's words for their own: of two the second one ends
  /// the communicator before it waits for anybody (confirm_alone). The word is free again once block 0 has ended, so a
  /// launch that begins while only later blocks of the one before run is not seen.
  [[nodiscard]] static KOINON_FORCE_INLINE std::uint32_t begin_alone(DeviceCommunicator const& comm) {
    if (index() != 0 || thread() != 0) return 0;
    return HipWords::exchange(&launch_words_of(comm)->busy, 1, Relaxed{});
  }
  /// Frees the word. Seen by the next launch, which starts after this one has ended.
  static KOINON_FORCE_INLINE void end_alone(DeviceCommunicator const& comm) {
    if (index() == 0 && thread() == 0) HipWords::store(&launch_words_of(comm)->busy, 0, Relaxed{});
  }

  [[nodiscard]] static KOINON_FORCE_INLINE int index() { return HipThreads::block(); }
  [[nodiscard]] static KOINON_FORCE_INLINE int count() { return HipThreads::blocks(); }
  [[nodiscard]] static KOINON_FORCE_INLINE int thread() { return HipThreads::thread(); }
  [[nodiscard]] static KOINON_FORCE_INLINE int threads() { return HipThreads::threads(); }
  /// Brings the threads together behind their stores: a barrier by itself waits for none of other waves'.
  static KOINON_FORCE_INLINE void barrier() {
    HipWords::drain();
    HipThreads::meet();
  }
  /// Completes what loads with AcquireRelease have found: from here on the block sees what was released to any of them.
  [[nodiscard]] static KOINON_FORCE_INLINE bool all(bool good) {
    HipWords::drain();
    bool const agreed = HipThreads::vote(good);
    HipWords::acquire();
    return agreed;
  }
  [[nodiscard]] static KOINON_FORCE_INLINE bool all_are_here() {
    HipWords::drain();
    return HipThreads::vote(true);
  }
  [[nodiscard]] KOINON_FORCE_INLINE std::uint64_t* scratch(DeviceCommunicator const&) const { return m_scratch; }

  // Words.
  template <class Word, class Order>
  [[nodiscard]] static KOINON_FORCE_INLINE Word load(Word const* p, Order order) {
    return HipWords::load(p, order);
  }
  template <class Word, class Order>
  static KOINON_FORCE_INLINE void store(Word* p, std::type_identity_t<Word> value, Order order) {
    HipWords::store(p, value, order);
  }
  // The kernel before has ended, and with it all that it read and wrote: its boundary orders what a release would.
  [[nodiscard]] static KOINON_FORCE_INLINE std::uint32_t load_started(std::uint32_t const* p) {
    return load(p, Relaxed{});
  }
  static KOINON_FORCE_INLINE void store_started(std::uint32_t* p, std::uint32_t number) { store(p, number, Relaxed{}); }

  // Data.
  template <class T, int N>
  [[nodiscard]] static KOINON_FORCE_INLINE Pack<T, N> load_pack(T const* p) {
    Pack<T, N> pack;
    if constexpr (sizeof(Pack<T, N>) == 16) {
      if (lies_well(p)) {
        HipVector const v = HipWords::load_vector(p);
        __builtin_memcpy(static_cast<void*>(&pack), &v, 16);
        return pack;
      }
    }
    for (int n = 0; n < N; ++n) HipWords::load_element(&pack.values[n], p + n);
    return pack;
  }
  template <class T, int N>
  static KOINON_FORCE_INLINE void store_pack(T* p, Pack<T, N> const& pack) {
    if constexpr (sizeof(Pack<T, N>) == 16) {
      if (lies_well(p)) return HipWords::store_vector(p, vector_of(pack));
    }
    for (int n = 0; n < N; ++n) HipWords::store_element(p + n, &pack.values[n]);
  }
  template <class T, int N>
  static KOINON_FORCE_INLINE void stream_pack(T* p, Pack<T, N> const& pack) {
    if constexpr (sizeof(Pack<T, N>) == 16) {
      if (lies_well(p)) return HipWords::stream_vector(p, vector_of(pack));
    }
    for (int n = 0; n < N; ++n) HipWords::store_element(p + n, &pack.values[n]);
  }

  static KOINON_FORCE_INLINE void take_bytes(void* to, void const* from, std::size_t bytes) {
    copy_bytes(to, from, bytes);
  }
  /// Copies streams where they are large, and needs no other signal for them: barrier() waits for every store.
  static KOINON_FORCE_INLINE bool stage_bytes(DeviceCommunicator const&, void* to, void const* from,
                                              std::size_t bytes) {
    copy_bytes(to, from, bytes);
    return false;
  }
  /// Says whether a block's part of that many bytes is streamed.
  [[nodiscard]] static KOINON_FORCE_INLINE bool streams(DeviceCommunicator const&, std::size_t bytes) {
    return HipCopies::streams(bytes);
  }
  static KOINON_FORCE_INLINE constexpr void drain_streams() {}
  // There is nothing to give back: caches of a GPU do not hold peers' lines.
  static KOINON_FORCE_INLINE constexpr void give_back(DeviceCommunicator const&, void const*, std::size_t) {}
  static KOINON_FORCE_INLINE constexpr void read_staged(DeviceCommunicator const&, std::size_t) {}
  static KOINON_FORCE_INLINE constexpr void own_soon(void*, std::size_t) {}
  /// Asks for nothing: there is no such instruction, and a load nobody uses is not compiled.
  static KOINON_FORCE_INLINE constexpr void prefetch(void const*) {}

  // Sentinels: 16 bytes by one access, each half seen whole.
  using Vector = HipVector;
  static KOINON_FORCE_INLINE void store_whole(std::byte* p, HipVector const& v) { HipWords::store_vector(p, v); }
  [[nodiscard]] static KOINON_FORCE_INLINE HipVector load_whole(std::byte const* p) { return HipWords::load_whole(p); }
  static KOINON_FORCE_INLINE void store_data(void* p, HipVector const& v) { HipWords::store_vector(p, v); }
  [[nodiscard]] static KOINON_FORCE_INLINE HipVector load_data(void const* p) { return HipWords::load_vector(p); }

  // Packets, in registers: as they are sent, numbers included.
  using PacketContent = HipVector;
  static constexpr int packets_in_flight = 8;
  /// Loads n of the elements that one packet carries. @pre memory of a device or a host, not a thread's own
  template <class T>
  [[nodiscard]] static KOINON_FORCE_INLINE HipVector load_content(T const* from, int n) {
    constexpr int most = static_cast<int>(HipPacket::payload_bytes / sizeof(T));
    HipVector v{};
    if (moves_words<T>(from, n)) {
      KOINON_UNROLL
      for (int w = 0; w < 2; ++w) {
        v.words[2 * w] = HipWords::load(reinterpret_cast<std::uint32_t const*>(from) + w, Relaxed{});
      }
    } else {
      KOINON_UNROLL
      for (int e = 0; e < most; ++e) {
        if (e >= n) continue;
        T value;
        HipWords::load_element(&value, from + e);
        put(v, e, value);
      }
    }
    return v;
  }
  template <class T>
  static KOINON_FORCE_INLINE void store_content(T* to, HipVector const& v, int n) {
    constexpr int most = static_cast<int>(HipPacket::payload_bytes / sizeof(T));
    if (moves_words<T>(to, n)) {
      KOINON_UNROLL
      for (int w = 0; w < 2; ++w) {
        HipWords::store(reinterpret_cast<std::uint32_t*>(to) + w, v.words[2 * w], Relaxed{});
      }
    } else {
      KOINON_UNROLL
      for (int e = 0; e < most; ++e) {
        if (e >= n) continue;
        T const value = get<T>(v, e);
        HipWords::store_element(to + e, &value);
      }
    }
  }
  /// Returns (sets) one element; e is a constant where loops are unrolled, so it costs at most a shift.
  template <class T>
  [[nodiscard]] static KOINON_FORCE_INLINE T get(HipVector const& v, int e) {
    std::uint32_t const payload[2] = {v.words[0], v.words[2]};
    T value;
    __builtin_memcpy(static_cast<void*>(&value),
                     reinterpret_cast<std::byte const*>(payload) + static_cast<std::size_t>(e) * sizeof(T), sizeof(T));
    return value;
  }
  template <class T>
  static KOINON_FORCE_INLINE void put(HipVector& v, int e, T const& value) {
    std::uint32_t payload[2] = {v.words[0], v.words[2]};
    __builtin_memcpy(reinterpret_cast<std::byte*>(payload) + static_cast<std::size_t>(e) * sizeof(T), &value,
                     sizeof(T));
    v.words[0] = payload[0];
    v.words[2] = payload[1];
  }
  static KOINON_FORCE_INLINE void send_content(HipPacket* to, HipVector v, LaunchNumber number) {
    v.words[1] = v.words[3] = number;
    HipWords::store_vector(to, v);
  }
  /// Loads a packet, and says whether what was loaded is that of a launch: apart, so that several are under way.
  [[nodiscard]] static KOINON_FORCE_INLINE HipVector fetch_packet(HipPacket const* from) {
    return HipWords::load_whole(from);
  }
  [[nodiscard]] static KOINON_FORCE_INLINE bool has_arrived(HipVector const& v, LaunchNumber number) {
    return (v.words[1] == number) & (v.words[3] == number);
  }
  /// Does both; false: it has not arrived yet.
  [[nodiscard]] static KOINON_FORCE_INLINE bool load_packet(HipPacket const* from, HipVector& v, LaunchNumber number) {
    v = fetch_packet(from);
    return has_arrived(v, number);
  }

  /// Records that a peer made another call (KOINON_CHECK). From the thread that saw it.
  static KOINON_INLINE_FUNCTION void report_mismatch(DeviceCommunicator const& comm, LaunchNumber number, int peer) {
    HipPatience::give_up(comm, number, peer, FailureKind::mismatch);
  }
  /// Reads what the launches before left: two or three loads that do not wait for each other.
  [[nodiscard]] static KOINON_FORCE_INLINE LaunchRecord record(DeviceCommunicator const& comm) {
    HipVector const head = HipWords::load_vector(&launch_words_of(comm)->failed);
    LaunchNumber number = index() == 0 ? head.words[2] : head.words[3];
    if (index() > 1) number = HipWords::load(comm.m_numbers + index(), Relaxed{});
    LaunchNumber const known = HipWords::load(comm.m_known + index(), Relaxed{});
    return {number, known, head.words[0] == 0};
  }
  /// Ends the communicator if the launch before has not ended.
  KOINON_FORCE_INLINE void confirm_alone(DeviceCommunicator const& comm, LaunchNumber number) const {
    if (m_beside != 0) HipPatience::give_up(comm, number, comm.rank(), FailureKind::overlap);
  }

 private:
  template <class P>
  [[nodiscard]] static KOINON_FORCE_INLINE HipVector vector_of(P const& pack) {
    HipVector v;
    __builtin_memcpy(&v, &pack, 16);
    return v;
  }
  /// Says whether the wave's packs lie at multiples of 16 bytes. Where some lanes' do not, all go by elements: two ways
  /// at once would make each wait for the other's registers.
  [[nodiscard]] static KOINON_FORCE_INLINE bool lies_well(void const* p) {
    return HipThreads::all_lanes(reinterpret_cast<std::uintptr_t>(p) % 16 == 0);
  }
  /// Says whether n elements are a whole packet's in every lane, at an address of words.
  template <class T>
  [[nodiscard]] static KOINON_FORCE_INLINE bool moves_words(T const* p, int n) {
    constexpr int most = static_cast<int>(HipPacket::payload_bytes / sizeof(T));
    return most * sizeof(T) == HipPacket::payload_bytes &&
           HipThreads::all_lanes(n == most && reinterpret_cast<std::uintptr_t>(p) % 4 == 0);
  }

  std::uint64_t* m_scratch;
  std::uint32_t m_beside;
};

}  // namespace Koinon::Impl
