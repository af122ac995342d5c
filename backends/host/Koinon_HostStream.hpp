// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Koinon_Export.hpp>
#include <Koinon_Macros.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>

#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define KOINON_HOST_THREAD_SANITIZER
#endif
#endif
#if defined(__SANITIZE_THREAD__)
#define KOINON_HOST_THREAD_SANITIZER
#endif
#if defined(__SSE2__) && !defined(KOINON_HOST_THREAD_SANITIZER)
#include <emmintrin.h>
#define KOINON_HOST_STREAMS
#endif

namespace Koinon::Impl {

/// Moves data past the caches, where the processor can (x86); elsewhere, and under ThreadSanitizer, which does not see
/// such stores, by plain ones.
struct HostStream {
  static void copy(void* to, void const* from, std::size_t bytes) {
#if defined(KOINON_HOST_STREAMS)
    auto* d = static_cast<std::byte*>(to);
    auto const* s = static_cast<std::byte const*>(from);
    std::size_t const head = (64 - reinterpret_cast<std::uintptr_t>(d) % 64) % 64;
    if (bytes < head + 64) {
      if (bytes > 0) std::memcpy(d, s, bytes);
      return;
    }
    if (head > 0) std::memcpy(d, s, head);
    d += head;
    s += head;
    bytes -= head;
    for (; bytes >= 64; bytes -= 64, d += 64, s += 64) store<64>(d, s);
    if (bytes > 0) std::memcpy(d, s, bytes);
#else
    if (bytes > 0) std::memcpy(to, from, bytes);
#endif
  }

  /// Copies from lines that come to this processor's caches to be written next.
  static void take(void* to, void const* from, std::size_t bytes) {
    auto* d = static_cast<std::byte*>(to);
    auto const* s = static_cast<std::byte const*>(from);
    for (; bytes >= 64; bytes -= 64, d += 64, s += 64) {
      own(const_cast<std::byte*>(s) + 1024);
      std::memcpy(d, s, 64);
    }
    if (bytes > 0) std::memcpy(d, s, bytes);
  }

  /// Stores N bytes; whole lines are best stored at once.
  template <std::size_t N>
  static inline __attribute__((always_inline)) void store(void* to, void const* from) {
#if defined(KOINON_HOST_STREAMS)
    if (N % 16 == 0 && reinterpret_cast<std::uintptr_t>(to) % 16 == 0) {
      for (std::size_t i = 0; 16 * (i + 1) <= N; ++i) {  // of a pack of fewer bytes there are none
        _mm_stream_si128(static_cast<__m128i*>(to) + i, _mm_loadu_si128(static_cast<__m128i const*>(from) + i));
      }
      return;
    }
#endif
    std::memcpy(to, from, N);
  }

  static void drain() {
#if defined(KOINON_HOST_STREAMS)
    _mm_sfence();
#endif
  }

  /// Writes lines back and drops them from all caches. @pre can_flush()
  static void flush(void const* p, std::size_t bytes) {
#if defined(KOINON_HOST_STREAMS)
    auto const* const begin = static_cast<char const*>(p);
    for (std::size_t i = 0; i < bytes; i += 64) asm volatile("clflushopt %0" : : "m"(begin[i]) : "memory");
#else
    (void)p;
    (void)bytes;
#endif
  }

  /// Says whether this processor has the instruction of flush().
  [[nodiscard]] static KOINON_EXPORT bool can_flush();

  static inline __attribute__((always_inline)) void own(void* p) {
#if defined(KOINON_HOST_STREAMS)
    asm volatile("prefetchw %0" : : "m"(*static_cast<char*>(p)));
#else
    __builtin_prefetch(p, 1);
#endif
  }
};

}  // namespace Koinon::Impl
