// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Koinon_HipThreads.hpp>
#include <Koinon_HipWords.hpp>
#include <Koinon_Macros.hpp>

#include <cstddef>
#include <cstdint>

namespace Koinon::Impl {

/// Copies and clears by all threads of a block of an AMD GPU, to and from memory that peers may read and write.
struct HipCopies {
  /// Bytes of a whole grid from which stores do not stay in caches (of other libraries for these GPUs: 4 MB).
  static constexpr std::size_t streams_from = std::size_t{4} << 20;

  [[nodiscard]] static KOINON_FORCE_INLINE bool streams(std::size_t bytes_of_block) {
    return bytes_of_block * static_cast<std::size_t>(HipThreads::blocks()) >= streams_from;
  }

  /// Copies vectors between the edges where both addresses lie alike between two of them, else the widest words for
  /// which they do.
  static KOINON_CALLED_FUNCTION void copy_bytes(void* to, void const* from, std::size_t bytes) {
    auto* const d = static_cast<std::byte*>(to);
    auto const* const s = static_cast<std::byte const*>(from);
    std::uintptr_t const apart = reinterpret_cast<std::uintptr_t>(d) ^ reinterpret_cast<std::uintptr_t>(s);
    if (apart % 16 != 0) return copy_unaligned(d, s, bytes, apart);
    std::size_t const head = head_of<16>(d, bytes);
    std::size_t const vectors = (bytes - head) / 16;
    if (streams(bytes)) {
      copy_vectors<true>(d + head, s + head, vectors);
    } else {
      copy_vectors<false>(d + head, s + head, vectors);
    }
    copy_edges<16>(d, s, bytes, head);
  }
  /// @pre 16-byte aligned
  static KOINON_INLINE_FUNCTION void clear(std::byte* p, std::size_t bytes) {
    std::size_t const vectors = bytes / 16;
    for (std::size_t v = first(); v < vectors; v += stride()) HipWords::store_vector(p + 16 * v, HipVector{});
    for (std::size_t i = 16 * vectors + first(); i < bytes; i += stride()) {
      HipWords::store(reinterpret_cast<std::uint8_t*>(p) + i, 0, Relaxed{});
    }
  }

 private:
  /// Accesses that each thread has under way.
  static constexpr std::size_t in_flight = 8;

  [[nodiscard]] static KOINON_FORCE_INLINE std::size_t first() {
    return static_cast<std::size_t>(HipThreads::thread());
  }
  [[nodiscard]] static KOINON_FORCE_INLINE std::size_t stride() {
    return static_cast<std::size_t>(HipThreads::threads());
  }

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
      HipWords::store(reinterpret_cast<std::uint8_t*>(to) + at,
                      HipWords::load(reinterpret_cast<std::uint8_t const*>(from) + at, Relaxed{}), Relaxed{});
    }
  }
  template <class Word>
  static KOINON_FORCE_INLINE void copy_words(std::byte* to, std::byte const* from, std::size_t bytes) {
    std::size_t const head = head_of<sizeof(Word)>(to, bytes);
    std::size_t const words = (bytes - head) / sizeof(Word);
    auto* const d = reinterpret_cast<Word*>(to + head);
    auto const* const s = reinterpret_cast<Word const*>(from + head);
    std::size_t i = first();
    for (; i + (in_flight - 1) * stride() < words; i += in_flight * stride()) {
      Word values[in_flight];
      KOINON_UNROLL
      for (std::size_t f = 0; f < in_flight; ++f) values[f] = HipWords::load(s + i + f * stride(), Relaxed{});
      KOINON_UNROLL
      for (std::size_t f = 0; f < in_flight; ++f) HipWords::store(d + i + f * stride(), values[f], Relaxed{});
    }
    for (; i < words; i += stride()) HipWords::store(d + i, HipWords::load(s + i, Relaxed{}), Relaxed{});
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
  template <bool Streams>
  static KOINON_INLINE_FUNCTION void copy_vectors(std::byte* to, std::byte const* from, std::size_t vectors) {
    auto const store = [&](std::size_t v, HipVector const& value) {
      if constexpr (Streams) {
        HipWords::stream_vector(to + 16 * v, value);
      } else {
        HipWords::store_vector(to + 16 * v, value);
      }
    };
    std::size_t v = first();
    for (; v + (in_flight - 1) * stride() < vectors; v += in_flight * stride()) {
      HipVector values[in_flight];
      KOINON_UNROLL
      for (std::size_t f = 0; f < in_flight; ++f) values[f] = HipWords::load_vector(from + 16 * (v + f * stride()));
      KOINON_UNROLL
      for (std::size_t f = 0; f < in_flight; ++f) store(v + f * stride(), values[f]);
    }
    for (; v < vectors; v += stride()) store(v, HipWords::load_vector(from + 16 * v));
  }
};

}  // namespace Koinon::Impl
