// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Koinon_CudaMulticastWords.hpp>
#include <Koinon_CudaRowWords.hpp>
#include <Koinon_CudaWords.hpp>
#include <Koinon_DevicePatience.hpp>
#include <Koinon_DeviceWatch.hpp>
#include <arrays/Koinon_Pack.hpp>
#include <protocol/Koinon_DeviceCommunicator.hpp>
#include <protocol/Koinon_Order.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace Koinon::Impl {

using CudaPatience = DevicePatience<CudaWords>;

/// Is 12 bytes of data and the launch number, stored and loaded as one access of 16 bytes.
struct alignas(16) CudaPacket {
  static constexpr std::size_t payload_bytes = 12;
  std::uint32_t payload[3];
  std::uint32_t number;
};

/// Is the vocabulary of an NVIDIA GPU: a block of threads.
class CudaBlock : public CudaMulticastWords<CudaBlock>, public CudaRowWords {
 public:
  using Packet = CudaPacket;
  using Patience = CudaPatience;
  static constexpr int most_ranks = DeviceCommunicator::most_device_ranks;

  template <class T>
  static constexpr std::size_t pack_elements = 16 / sizeof(T) > 1 ? 16 / sizeof(T) : 1;
  /// Packs of so many ranks are asked for before the first is used.
  static constexpr int ranks_in_flight = 4;
  static constexpr bool can_stream = false;
  /// NVLink moves a tenth more by stores than by loads, and a store is not waited for.
  static constexpr bool prefers_stores = true;
  static constexpr std::size_t own_ahead_bytes = 0;

  /// @param scratch shared memory of the block, 4 words for each of most_ranks
  /// @param beside what begin_alone returned
  explicit KOINON_FORCE_INLINE CudaBlock(std::uint64_t* scratch, std::uint32_t beside = 0)
      : m_scratch(scratch), m_beside(beside) {}

  /// Says that this launch runs, and returns to the first thread of a grid 0 if no other launch of this communicator does.
  ///
  /// Launches that run at the same time (replays of two graphs, or a replay and a call, that nothing orders) take the
  /// same number and each other's words for their own. Of two that overlap by their blocks 0 the second one finds the
  /// word set and ends the communicator before it waits for anybody (confirm_alone). The word is free again once block
  /// 0 has ended, so a launch that begins while only later blocks of the one before run is not seen.
  ///
  /// Cost: one exchange of one thread in the line that every block loads next anyway; it is under way while the launch
  /// sends, and one store at the end that nobody waits for. Whoever compares what came back waits for it: not before
  /// confirm_alone.
  [[nodiscard]] static KOINON_FORCE_INLINE std::uint32_t begin_alone(DeviceCommunicator const& comm) {
    if (index() != 0 || thread() != 0) return 0;
    return CudaWords::exchange(&launch_words_of(comm)->busy, 1, Relaxed{});
  }
  /// Frees the word. Seen by the next launch, which starts after this one has ended.
  static KOINON_FORCE_INLINE void end_alone(DeviceCommunicator const& comm) {
    if (index() == 0 && thread() == 0) CudaWords::store(&launch_words_of(comm)->busy, 0, Relaxed{});
  }

#if defined(__CUDA_ARCH__)
  [[nodiscard]] static KOINON_FORCE_INLINE int index() { return static_cast<int>(blockIdx.x); }
  [[nodiscard]] static KOINON_FORCE_INLINE int count() { return static_cast<int>(gridDim.x); }
  [[nodiscard]] static KOINON_FORCE_INLINE int thread() { return static_cast<int>(threadIdx.x); }
  [[nodiscard]] static KOINON_FORCE_INLINE int threads() { return static_cast<int>(blockDim.x); }
  static KOINON_FORCE_INLINE void barrier() { __syncthreads(); }
  [[nodiscard]] static KOINON_FORCE_INLINE bool all(bool good) { return __syncthreads_and(good) != 0; }
  [[nodiscard]] static KOINON_FORCE_INLINE bool all_are_here() { return __syncthreads_count(1) == threads(); }
#else
  [[nodiscard]] static KOINON_FORCE_INLINE int index() { return 0; }
  [[nodiscard]] static KOINON_FORCE_INLINE int count() { return 1; }
  [[nodiscard]] static KOINON_FORCE_INLINE int thread() { return 0; }
  [[nodiscard]] static KOINON_FORCE_INLINE int threads() { return 1; }
  static KOINON_FORCE_INLINE void barrier() {}
  [[nodiscard]] static KOINON_FORCE_INLINE bool all(bool good) { return good; }
  [[nodiscard]] static KOINON_FORCE_INLINE bool all_are_here() { return true; }
#endif
  [[nodiscard]] KOINON_FORCE_INLINE std::uint64_t* scratch(DeviceCommunicator const&) const { return m_scratch; }

  // Words.
  template <class Word, class Order>
  [[nodiscard]] static KOINON_FORCE_INLINE Word load(Word const* p, Order order) {
    return CudaWords::load(p, order);
  }
  template <class Word, class Order>
  static KOINON_FORCE_INLINE void store(Word* p, std::type_identity_t<Word> value, Order order) {
    CudaWords::store(p, value, order);
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
      if (reinterpret_cast<std::uintptr_t>(p) % 16 == 0) {
        CudaVector const v = CudaWords::load_vector(p);
        __builtin_memcpy(static_cast<void*>(&pack), &v, 16);
        return pack;
      }
    }
    if constexpr (N > 1 && sizeof(Pack<T, N>) == 8) {
      if (reinterpret_cast<std::uintptr_t>(p) % 8 == 0) {
        std::uint64_t const v = *reinterpret_cast<std::uint64_t const volatile*>(p);
        __builtin_memcpy(static_cast<void*>(&pack), &v, 8);
        return pack;
      }
    }
    for (int n = 0; n < N; ++n) copy_element(&pack.values[n], p + n);
    return pack;
  }
  template <class T, int N>
  static KOINON_FORCE_INLINE void store_pack(T* p, Pack<T, N> const& pack) {
    if constexpr (sizeof(Pack<T, N>) == 16) {
      if (reinterpret_cast<std::uintptr_t>(p) % 16 == 0) {
        CudaVector v;
        __builtin_memcpy(&v, &pack, 16);
        CudaWords::store_vector(p, v);
        return;
      }
    }
    if constexpr (N > 1 && sizeof(Pack<T, N>) == 8) {
      if (reinterpret_cast<std::uintptr_t>(p) % 8 == 0) {
        std::uint64_t v;
        __builtin_memcpy(&v, &pack, 8);
        *reinterpret_cast<std::uint64_t*>(p) = v;
        return;
      }
    }
    for (int n = 0; n < N; ++n) copy_element(p + n, &pack.values[n]);
  }

  /// Copies by all threads of the block: vectors between the edges where both addresses lie alike between two of them,
  /// else the widest words for which they do.
  static KOINON_CALLED_FUNCTION void copy_bytes(void* to, void const* from, std::size_t bytes) {
    auto* const d = static_cast<std::byte*>(to);
    auto const* const s = static_cast<std::byte const*>(from);
    std::uintptr_t const apart = reinterpret_cast<std::uintptr_t>(d) ^ reinterpret_cast<std::uintptr_t>(s);
    if (apart % 16 != 0) return copy_unaligned(d, s, bytes, apart);
    std::size_t const head = head_of<16>(d, bytes);
    copy_vectors(d + head, s + head, (bytes - head) / 16);
    copy_edges<16>(d, s, bytes, head);
  }
  static KOINON_FORCE_INLINE void take_bytes(void* to, void const* from, std::size_t bytes) {
    copy_bytes(to, from, bytes);
  }
  static KOINON_FORCE_INLINE bool stage_bytes(DeviceCommunicator const&, void* to, void const* from,
                                              std::size_t bytes) {
    copy_bytes(to, from, bytes);
    return false;
  }
  /// Clears by all threads of the block. @pre 16-byte aligned
  KOINON_INLINE_FUNCTION void clear(std::byte* p, std::size_t bytes) const {
    std::size_t const vectors = bytes / 16;
    for (std::size_t v = first(); v < vectors; v += stride()) CudaWords::store_vector(p + 16 * v, CudaVector{});
    for (std::size_t i = 16 * vectors + first(); i < bytes; i += stride()) p[i] = std::byte{0};
  }

  // There is nothing to stream past, and nothing to give back: caches of a GPU do not hold peers' lines.
  [[nodiscard]] static KOINON_FORCE_INLINE constexpr bool streams(DeviceCommunicator const&, std::size_t) {
    return false;
  }
  static KOINON_FORCE_INLINE constexpr void drain_streams() {}
  static KOINON_FORCE_INLINE constexpr void give_back(DeviceCommunicator const&, void const*, std::size_t) {}
  static KOINON_FORCE_INLINE constexpr void read_staged(DeviceCommunicator const&, std::size_t) {}
  static KOINON_FORCE_INLINE constexpr void own_soon(void*, std::size_t) {}

  // Sentinels: 16 bytes, stored and loaded as one access.
  using Vector = CudaVector;
  static KOINON_FORCE_INLINE void store_whole(std::byte* p, CudaVector const& v) { CudaWords::store_whole(p, v); }
  [[nodiscard]] static KOINON_FORCE_INLINE CudaVector load_whole(std::byte const* p) {
    return CudaWords::load_whole(p);
  }
  static KOINON_FORCE_INLINE void store_data(void* p, CudaVector const& v) { CudaWords::store_vector(p, v); }
  [[nodiscard]] static KOINON_FORCE_INLINE CudaVector load_data(void const* p) { return CudaWords::load_vector(p); }

  // Packets, in registers.
  using PacketContent = CudaVector;
  static constexpr int packets_in_flight = 8;
  /// Loads n of the elements that one packet carries: by words where they lie so, the last packet of an array too, which
  /// would be waited for if it took longer than the others.
  template <class T>
  [[nodiscard]] static KOINON_FORCE_INLINE CudaVector load_content(T const* from, int n) {
    CudaVector v{};
    int const by_words = reinterpret_cast<std::uintptr_t>(from) % 4 == 0 ? n * static_cast<int>(sizeof(T)) / 4 : 0;
    KOINON_UNROLL
    for (int w = 0; w < 3; ++w) {
      if (w < by_words) v.words[w] = reinterpret_cast<std::uint32_t const*>(from)[w];
    }
    return 4 * by_words == n * static_cast<int>(sizeof(T)) ? v : load_behind(from, v, by_words, n);
  }
  template <class T>
  static KOINON_FORCE_INLINE void store_content(T* to, CudaVector const& v, int n) {
    int const by_words = reinterpret_cast<std::uintptr_t>(to) % 4 == 0 ? n * static_cast<int>(sizeof(T)) / 4 : 0;
    KOINON_UNROLL
    for (int w = 0; w < 3; ++w) {
      if (w < by_words) reinterpret_cast<std::uint32_t*>(to)[w] = v.words[w];
    }
    if (4 * by_words != n * static_cast<int>(sizeof(T))) store_behind(to, v, by_words, n);
  }
  /// Returns (sets) one element; e is a constant where loops are unrolled, so it costs at most a shift.
  template <class T>
  [[nodiscard]] static KOINON_FORCE_INLINE T get(CudaVector const& v, int e) {
    T value;
    __builtin_memcpy(static_cast<void*>(&value),
                     reinterpret_cast<std::byte const*>(&v) + static_cast<std::size_t>(e) * sizeof(T), sizeof(T));
    return value;
  }
  template <class T>
  static KOINON_FORCE_INLINE void put(CudaVector& v, int e, T const& value) {
    __builtin_memcpy(reinterpret_cast<std::byte*>(&v) + static_cast<std::size_t>(e) * sizeof(T), &value, sizeof(T));
  }
  static KOINON_FORCE_INLINE void send_content(CudaPacket* to, CudaVector v, LaunchNumber number) {
    v.words[3] = number;
    CudaWords::store_whole(to, v);
  }
  /// Loads a packet; false: it has not arrived yet.
  [[nodiscard]] static KOINON_FORCE_INLINE bool load_packet(CudaPacket const* from, CudaVector& v,
                                                            LaunchNumber number) {
    v = CudaWords::load_whole(from);
    return v.words[3] == number;
  }

  /// Records that a peer made another call (KOINON_CHECK). From the thread that saw it.
  static KOINON_INLINE_FUNCTION void report_mismatch(DeviceCommunicator const& comm, LaunchNumber number, int peer) {
    CudaPatience::give_up(comm, number, peer, FailureKind::mismatch);
  }
  /// Reads what the launches before left: two or three loads that do not wait for each other.
  [[nodiscard]] static KOINON_FORCE_INLINE LaunchRecord record(DeviceCommunicator const& comm) {
    CudaVector const head = CudaWords::load_vector(&launch_words_of(comm)->failed);
    LaunchNumber number = index() == 0 ? head.words[2] : head.words[3];
    if (index() > 1) number = CudaWords::load(comm.m_numbers + index(), Relaxed{});
    LaunchNumber const known = CudaWords::load(comm.m_known + index(), Relaxed{});
    return {number, known, head.words[0] == 0};
  }
  /// Ends the communicator if the launch before has not ended.
  KOINON_FORCE_INLINE void confirm_alone(DeviceCommunicator const& comm, LaunchNumber number) const {
    if (m_beside != 0) CudaPatience::give_up(comm, number, comm.rank(), FailureKind::overlap);
  }
  /// Asks for a line that this thread will read.
  static KOINON_FORCE_INLINE void prefetch([[maybe_unused]] void const* p) {
    KOINON_PTX("prefetch.global.L1 [%0];" : : "l"(p));
  }

 private:
  /// Loads (stores) those of n elements of a packet that do not lie in its first words altogether: of odd numbers of small
  /// elements the last, of arrays that do not begin at a word all.
  template <class T>
  [[nodiscard]] static KOINON_CALLED_FUNCTION CudaVector load_behind(T const* from, CudaVector v, int words, int n) {
    KOINON_UNROLL
    for (int e = 0; e < most_in_packet<T>; ++e) {
      if (is_behind<T>(e, words, n)) put(v, e, element_at(from + e));
    }
    return v;
  }
  template <class T>
  static KOINON_CALLED_FUNCTION void store_behind(T* to, CudaVector v, int words, int n) {
    KOINON_UNROLL
    for (int e = 0; e < most_in_packet<T>; ++e) {
      if (is_behind<T>(e, words, n)) put_element(to + e, get<T>(v, e));
    }
  }
  template <class T>
  static constexpr int most_in_packet = static_cast<int>(CudaPacket::payload_bytes / sizeof(T));
  template <class T>
  [[nodiscard]] static KOINON_FORCE_INLINE bool is_behind(int e, int words, int n) {
    return e < n && (e + 1) * static_cast<int>(sizeof(T)) > 4 * words;
  }
  [[nodiscard]] static KOINON_FORCE_INLINE std::size_t first() { return static_cast<std::size_t>(thread()); }
  [[nodiscard]] static KOINON_FORCE_INLINE std::size_t stride() { return static_cast<std::size_t>(threads()); }

  /// Returns how many bytes lie before the first word of that width.
  template <std::size_t Width>
  [[nodiscard]] static KOINON_FORCE_INLINE std::size_t head_of(std::byte const* p, std::size_t bytes) {
    std::size_t const head = -reinterpret_cast<std::uintptr_t>(p) % Width;
    return head < bytes ? head : bytes;
  }
  /// Copies what lies before the first and behind the last whole word.
  template <std::size_t Width>
  static KOINON_FORCE_INLINE void copy_edges(std::byte* to, std::byte const* from, std::size_t bytes,
                                             std::size_t head) {
    std::size_t const tail = (bytes - head) % Width;
    for (std::size_t i = first(); i < head + tail; i += stride()) {
      std::size_t const at = i < head ? i : bytes - head - tail + i;
      to[at] = static_cast<std::byte>(*reinterpret_cast<unsigned char const volatile*>(from + at));
    }
  }
  template <class Word>
  static KOINON_FORCE_INLINE void copy_words(std::byte* to, std::byte const* from, std::size_t bytes) {
    constexpr std::size_t in_flight = 8;
    std::size_t const head = head_of<sizeof(Word)>(to, bytes);
    std::size_t const words = (bytes - head) / sizeof(Word);
    auto* const d = reinterpret_cast<Word*>(to + head);
    auto const volatile* const s = reinterpret_cast<Word const volatile*>(from + head);
    std::size_t i = first();
    for (; i + (in_flight - 1) * stride() < words; i += in_flight * stride()) {
      Word values[in_flight];
      KOINON_UNROLL
      for (std::size_t f = 0; f < in_flight; ++f) values[f] = s[i + f * stride()];
      KOINON_UNROLL
      for (std::size_t f = 0; f < in_flight; ++f) d[i + f * stride()] = values[f];
    }
    for (; i < words; i += stride()) d[i] = s[i];
    copy_edges<sizeof(Word)>(to, from, bytes, head);
  }
  /// @param apart what the bits of the addresses differ by
  static KOINON_INLINE_FUNCTION void copy_unaligned(std::byte* to, std::byte const* from, std::size_t bytes,
                                                    std::uintptr_t apart) {
    if (apart % 8 == 0) return copy_words<std::uint64_t>(to, from, bytes);
    if (apart % 4 == 0) return copy_words<std::uint32_t>(to, from, bytes);
    if (apart % 2 == 0) return copy_words<std::uint16_t>(to, from, bytes);
    copy_words<std::uint8_t>(to, from, bytes);
  }
  /// Keeps eight vectors of each thread in flight.
  static KOINON_INLINE_FUNCTION void copy_vectors(std::byte* to, std::byte const* from, std::size_t vectors) {
    constexpr std::size_t in_flight = 8;
    std::size_t v = first();
    for (; v + (in_flight - 1) * stride() < vectors; v += in_flight * stride()) {
      CudaVector values[in_flight];
      KOINON_UNROLL
      for (std::size_t f = 0; f < in_flight; ++f) values[f] = CudaWords::load_vector(from + 16 * (v + f * stride()));
      KOINON_UNROLL
      for (std::size_t f = 0; f < in_flight; ++f) CudaWords::store_vector(to + 16 * (v + f * stride()), values[f]);
    }
    for (; v < vectors; v += stride()) CudaWords::store_vector(to + 16 * v, CudaWords::load_vector(from + 16 * v));
  }

  std::uint64_t* m_scratch;
  std::uint32_t m_beside;
};

}  // namespace Koinon::Impl
