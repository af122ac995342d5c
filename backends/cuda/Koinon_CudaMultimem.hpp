// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Koinon_CudaMultimemForms.hpp>
#include <Koinon_CudaWords.hpp>
#include <arrays/Koinon_Pack.hpp>
#include <protocol/Koinon_DeviceCommunicator.hpp>
#include <transports/Koinon_EmulatedMulticast.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace Koinon::Impl {

/// Reduces and stores a pack by the multicast address: 16 bytes at once where the hardware can and the address allows
/// it, else by its smallest units. What is smaller than 4 bytes, at the edge of a half or byte type, goes by the peers'
/// own addresses. @pre there is one: comm.m_multicast
///
/// Every access is relaxed at system scope. CudaBlock::before_multicast says what orders it with accesses by unicast.
template <class Block>
struct CudaMultimem {
  template <class T, class R, int N>
  [[nodiscard]] static KOINON_FORCE_INLINE Pack<T, N> load_reduce(DeviceCommunicator const& comm, T const* own) {
    static_assert(multicast_refusal<T, R>() == nullptr);
    using Forms = CudaMultimemForms<T, R>;
    std::byte const* const at = comm.multicast_pointer(own);
    Pack<T, N> pack;
    if constexpr (Forms::has_vector && sizeof pack == 16) {
      if (is_multiple(at, 16)) {
        put(pack, 0, Forms::load_vector(at));
        return pack;
      }
    }
    if constexpr (sizeof(T) >= 4) {
      KOINON_UNROLL
      for (int n = 0; n < N; ++n) put(pack, n, Forms::load_unit(at + n * sizeof(T)));
    } else if constexpr (N == 1) {
      pack = EmulatedMulticast<Block>::template load_reduce<T, R, 1>(comm, own);
    } else {
      static_assert(sizeof(T) == 2 && N % 2 == 0);
      if (is_multiple(at, 4)) {
        KOINON_UNROLL
        for (int n = 0; n < N; n += 2) put(pack, n, Forms::load_unit(at + n * sizeof(T)));
      } else {
        put(pack, 0, EmulatedMulticast<Block>::template load_reduce<T, R, 1>(comm, own));
        KOINON_UNROLL
        for (int n = 1; n < N - 1; n += 2) put(pack, n, Forms::load_unit(at + n * sizeof(T)));
        put(pack, N - 1, EmulatedMulticast<Block>::template load_reduce<T, R, 1>(comm, own + (N - 1)));
      }
    }
    return pack;
  }

  template <class T, int N>
  static KOINON_FORCE_INLINE void store(DeviceCommunicator const& comm, T* own, Pack<T, N> const& pack) {
    constexpr std::size_t bytes = sizeof(Pack<T, N>);
    std::byte* const at = comm.multicast_pointer(own);
    if constexpr (bytes == 16) {
      if (is_multiple(at, 16)) {
        CudaVector v;
        __builtin_memcpy(&v, &pack, 16);
        CudaMultimemStores::store_vector(at, v);
        return;
      }
    }
    if constexpr (bytes == 8 && sizeof(T) == 4) {  // a thread's eight bytes of a row's record
      if (is_multiple(at, 8)) {
        std::uint64_t words;
        __builtin_memcpy(&words, &pack, 8);
        CudaMultimemStores::store_pair(at, words);
        return;
      }
    }
    // The least distance of an element from a multiple of 4.
    constexpr std::size_t unit = alignof(T) % 4 == 0 ? 4 : alignof(T);
    std::size_t const beyond = reinterpret_cast<std::uintptr_t>(at) % 4;
    if (unit == 4 || beyond == 0) return store_words<T, N, 0>(comm, own, pack);
    if constexpr (unit == 1) {
      if (beyond == 1) return store_words<T, N, 3>(comm, own, pack);
      if (beyond == 3) return store_words<T, N, 1>(comm, own, pack);
    }
    if constexpr (unit < 4) store_words<T, N, 2>(comm, own, pack);
  }

 private:
  [[nodiscard]] static KOINON_FORCE_INLINE bool is_multiple(void const* p, std::uintptr_t of) {
    return reinterpret_cast<std::uintptr_t>(p) % of == 0;
  }
  /// Puts the bits of a value into a pack from element n on.
  template <class T, int N, class Value>
  static KOINON_FORCE_INLINE void put(Pack<T, N>& pack, int n, Value const& value) {
    static_assert(std::is_trivially_copyable_v<Value>);
    __builtin_memcpy(static_cast<void*>(pack.values + n), &value, sizeof value);
  }

  /// Stores words of 4 bytes from byte Head on, and what is before and behind them to each rank.
  template <class T, int N, int Head>
  static KOINON_FORCE_INLINE void store_words(DeviceCommunicator const& comm, T* own, Pack<T, N> const& pack) {
    constexpr int bytes = static_cast<int>(sizeof(Pack<T, N>));
    constexpr int head = Head < bytes ? Head : bytes;
    constexpr int tail = head + (bytes - head) / 4 * 4;
    auto const* const from = reinterpret_cast<std::byte const*>(&pack);
    std::byte* const at = comm.multicast_pointer(own);
    KOINON_UNROLL
    for (int b = head; b < tail; b += 4) {
      std::uint32_t word;
      __builtin_memcpy(&word, from + b, 4);
      CudaMultimemStores::store_word(at + b, word);
    }
    if constexpr (head > 0 || tail < bytes) {
      constexpr int edge = alignof(T) == 1 ? 1 : 2;
      for (int p = 0; p < comm.size(); ++p) {
        auto* const to = reinterpret_cast<std::byte*>(comm.peer_pointer(p, own));
        KOINON_UNROLL
        for (int b = 0; b < bytes; b += edge) {
          if (b < head || b >= tail) __builtin_memcpy(__builtin_assume_aligned(to + b, edge), from + b, edge);
        }
      }
    }
  }
};

}  // namespace Koinon::Impl
