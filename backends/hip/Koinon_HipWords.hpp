// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Koinon_HipCachePolicy.hpp>
#include <Koinon_HipLanguage.hpp>
#include <Koinon_Macros.hpp>
#include <protocol/Koinon_Order.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace Koinon::Impl {

/// Holds the 16 bytes of one access, of which the machine promises that each half is seen whole, not more.
struct alignas(16) HipVector {
  static constexpr int whole_words = 2;
  std::uint32_t words[4];
};

/// Is the largest word of which an element consists, and at whose multiples it lies.
template <class T>
using hip_element_word =
    std::conditional_t<alignof(T) % 8 == 0, std::uint64_t,
                       std::conditional_t<alignof(T) == 4, std::uint32_t,
                                          std::conditional_t<alignof(T) == 2, std::uint16_t, std::uint8_t>>>;

/// Single accesses that other GPUs see: all go past the caches that are not kept coherent, at system scope.
///
/// So relaxed accesses need no cache to be written back or emptied to be seen; what order needs says drain() for a
/// wave's stores, release() and acquire() for what else may be cached.
struct HipWords {
  template <class Word>
  [[nodiscard]] static KOINON_FORCE_INLINE Word load([[maybe_unused]] Word const* p, Relaxed) {
#if KOINON_DEVICE_PASS
    return __hip_atomic_load((KOINON_HIP_GLOBAL Word const*)p, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_SYSTEM);
#else
    return {};
#endif
  }
  /// What follows stays behind it. Caches are another matter: acquire(), once, when what was polled for is there.
  template <class Word>
  [[nodiscard]] static KOINON_FORCE_INLINE Word load(Word const* p, AcquireRelease) {
    Word const value = load(p, Relaxed{});
    drain();
    return value;
  }
  template <class Word>
  static KOINON_FORCE_INLINE void store([[maybe_unused]] Word* p, [[maybe_unused]] std::type_identity_t<Word> value,
                                        Relaxed) {
#if KOINON_DEVICE_PASS
    __hip_atomic_store((KOINON_HIP_GLOBAL Word*)p, value, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_SYSTEM);
#endif
  }
  /// Releases what this wave wrote, and what other waves of the block had drained before the barrier in front of it.
  template <class Word>
  static KOINON_FORCE_INLINE void store(Word* p, std::type_identity_t<Word> value, AcquireRelease) {
    release();
    store(p, value, Relaxed{});
  }

  /// Waits until this wave's stores are where every GPU sees them, and its loads have returned.
  static KOINON_FORCE_INLINE void drain() {
#if KOINON_DEVICE_PASS
    asm volatile(KOINON_HIP_DRAIN : : : "memory");
#endif
  }
  /// Writes back what this multiprocessor's second-level cache keeps of memory that others may cache too, and waits.
  static KOINON_FORCE_INLINE void release() {
#if KOINON_DEVICE_PASS
    __builtin_amdgcn_fence(__ATOMIC_RELEASE, "");
#endif
  }
  /// Forgets what the caches of this multiprocessor keep of such memory.
  static KOINON_FORCE_INLINE void acquire() {
#if KOINON_DEVICE_PASS
    __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "");
#endif
  }
  /// Orders all that this thread did before and after it, for all processors.
  static KOINON_FORCE_INLINE void fence() {
    release();
    acquire();
  }

  // 16 bytes at once, many of them under way. There is no such atomic access, and volatile ones are waited for one by
  // one: buffer instructions are not, and say themselves which caches they pass.
  static KOINON_FORCE_INLINE HipVector load_vector([[maybe_unused]] void const* p) {
    HipVector v{};
#if KOINON_DEVICE_PASS
    Window const at(p);
    auto const loaded = __builtin_amdgcn_raw_buffer_load_b128(at.resource(), at.offset(p), 0, HipCachePolicy::load);
    __builtin_memcpy(&v, &loaded, 16);
#endif
    return v;
  }
  static KOINON_FORCE_INLINE void store_vector(void* p, HipVector const& v) {
    store_by<HipCachePolicy::store>(p, v);
  }
  /// Stores what this GPU does not read soon.
  static KOINON_FORCE_INLINE void stream_vector(void* p, HipVector const& v) {
    store_by<HipCachePolicy::stream>(p, v);
  }
  /// Loads what a peer may store meanwhile: anew each time.
  static KOINON_FORCE_INLINE HipVector load_whole(void const* p) {
    forget_loaded();
    return load_vector(p);
  }

  /// Loads (stores) an element as words, each seen whole. Peers may have written it since.
  template <class T>
  static KOINON_FORCE_INLINE void load_element(T* to, T const* from) {
    using Word = hip_element_word<T>;
    Word words[sizeof(T) / sizeof(Word)];
    KOINON_UNROLL
    for (std::size_t w = 0; w < sizeof(T) / sizeof(Word); ++w) {
      words[w] = load(reinterpret_cast<Word const*>(from) + w, Relaxed{});
    }
    __builtin_memcpy(static_cast<void*>(to), words, sizeof(T));
  }
  template <class T>
  static KOINON_FORCE_INLINE void store_element(T* to, T const* from) {
    using Word = hip_element_word<T>;
    Word words[sizeof(T) / sizeof(Word)];
    __builtin_memcpy(words, static_cast<void const*>(from), sizeof(T));
    KOINON_UNROLL
    for (std::size_t w = 0; w < sizeof(T) / sizeof(Word); ++w) {
      store(reinterpret_cast<Word*>(to) + w, words[w], Relaxed{});
    }
  }

  static constexpr std::uint64_t ticks_between_looks = 2000;  // 20 us: every GPU's clock has 100 MHz
  /// Returns ticks of a clock that all threads of the device share: wall_clock64().
  static KOINON_FORCE_INLINE std::uint64_t ticks() {
#if KOINON_DEVICE_PASS
    return __builtin_readsteadycounter();
#else
    return 0;
#endif
  }
  /// Exchanges a word of this device's memory and returns what it was.
  static KOINON_FORCE_INLINE std::uint32_t exchange(std::uint32_t* p, std::uint32_t value) {
    release();
    std::uint32_t const before = exchange(p, value, Relaxed{});
    acquire();
    return before;
  }
  /// The same for kernels of this device alone, and nothing else is ordered by it.
  static KOINON_FORCE_INLINE std::uint32_t exchange([[maybe_unused]] std::uint32_t* p,
                                                    [[maybe_unused]] std::uint32_t value, Relaxed) {
#if KOINON_DEVICE_PASS
    return __hip_atomic_exchange((KOINON_HIP_GLOBAL std::uint32_t*)p, value, __ATOMIC_RELAXED,
                                 __HIP_MEMORY_SCOPE_AGENT);
#else
    return 0;
#endif
  }
  /// Adds to a count in this device's memory.
  static KOINON_FORCE_INLINE void add([[maybe_unused]] std::uint64_t* p, [[maybe_unused]] std::uint64_t value) {
#if KOINON_DEVICE_PASS
    __hip_atomic_fetch_add((KOINON_HIP_GLOBAL std::uint64_t*)p, value, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
#endif
  }

 private:
#if KOINON_DEVICE_PASS
  /// Is the 4 GiB around the address of a wave's first thread: what one buffer resource reaches.
  /// @pre all threads of the wave that take part have addresses within 2 GiB of it, as those of one array's pieces
  class Window {
   public:
    explicit KOINON_FORCE_INLINE Window(void const* p) {
      auto const at = reinterpret_cast<std::uintptr_t>(p);
      auto const low = static_cast<std::uint32_t>(__builtin_amdgcn_readfirstlane(static_cast<int>(at)));
      auto const high = static_cast<std::uint32_t>(__builtin_amdgcn_readfirstlane(static_cast<int>(at >> 32)));
      m_base = (static_cast<std::uintptr_t>(high) << 32 | low) - half;
    }
    [[nodiscard]] KOINON_FORCE_INLINE __amdgpu_buffer_rsrc_t resource() const {
      return __builtin_amdgcn_make_buffer_rsrc(reinterpret_cast<void*>(m_base), 0, -1, HipCachePolicy::resource);
    }
    [[nodiscard]] KOINON_FORCE_INLINE int offset(void const* p) const {
      return static_cast<int>(static_cast<std::uint32_t>(reinterpret_cast<std::uintptr_t>(p) - m_base));
    }

   private:
    static constexpr std::uintptr_t half = std::uintptr_t{1} << 31;
    std::uintptr_t m_base;
  };
#endif
  template <int Policy>
  static KOINON_FORCE_INLINE void store_by([[maybe_unused]] void* p, [[maybe_unused]] HipVector const& v) {
#if KOINON_DEVICE_PASS
    using Four = KOINON_HIP_FOUR_WORDS;
    Window const at(p);
    __builtin_amdgcn_raw_buffer_store_b128(Four{v.words[0], v.words[1], v.words[2], v.words[3]}, at.resource(),
                                           at.offset(p), 0, Policy);
#endif
  }
  /// Keeps the compiler from taking a load for one that it has seen. No instruction.
  static KOINON_FORCE_INLINE void forget_loaded() {
#if KOINON_DEVICE_PASS
    asm volatile("" : : : "memory");
#endif
  }
};

}  // namespace Koinon::Impl
