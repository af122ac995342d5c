// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Koinon_Macros.hpp>
#include <protocol/Koinon_Order.hpp>

#include <cstdint>
#include <type_traits>

// The machine code of a device, nothing in a host's pass: the vocabulary is named in functions of both.
#if defined(__CUDA_ARCH__)
#define KOINON_PTX(...) asm volatile(__VA_ARGS__)
#else
#define KOINON_PTX(...) static_cast<void>(0)
#endif

namespace Koinon::Impl {

/// Holds the 16 bytes of one access.
struct alignas(16) CudaVector {
  std::uint32_t words[4];
};

/// Single accesses that other GPUs see: every order at system scope, every address a global one.
///
/// Vector loads are relaxed at system scope, so they come from L2 and never from lines that an earlier round left
/// in L1.
struct CudaWords {
  // clang-format off
  static KOINON_FORCE_INLINE std::uint32_t load([[maybe_unused]] std::uint32_t const* p, Relaxed) {
    std::uint32_t value = 0;
    KOINON_PTX("ld.relaxed.sys.global.u32 %0, [%1];" : "=r"(value) : "l"(p) : "memory");
    return value;
  }
  static KOINON_FORCE_INLINE std::uint32_t load([[maybe_unused]] std::uint32_t const* p, AcquireRelease) {
    std::uint32_t value = 0;
    KOINON_PTX("ld.acquire.sys.global.u32 %0, [%1];" : "=r"(value) : "l"(p) : "memory");
    return value;
  }
  static KOINON_FORCE_INLINE std::uint64_t load([[maybe_unused]] std::uint64_t const* p, Relaxed) {
    std::uint64_t value = 0;
    KOINON_PTX("ld.relaxed.sys.global.u64 %0, [%1];" : "=l"(value) : "l"(p) : "memory");
    return value;
  }
  static KOINON_FORCE_INLINE std::uint64_t load([[maybe_unused]] std::uint64_t const* p, AcquireRelease) {
    std::uint64_t value = 0;
    KOINON_PTX("ld.acquire.sys.global.u64 %0, [%1];" : "=l"(value) : "l"(p) : "memory");
    return value;
  }
  static KOINON_FORCE_INLINE void store([[maybe_unused]] std::uint32_t* p, [[maybe_unused]] std::uint32_t value,
                                        Relaxed) {
    KOINON_PTX("st.relaxed.sys.global.u32 [%0], %1;" : : "l"(p), "r"(value) : "memory");
  }
  static KOINON_FORCE_INLINE void store([[maybe_unused]] std::uint32_t* p, [[maybe_unused]] std::uint32_t value,
                                        AcquireRelease) {
    KOINON_PTX("st.release.sys.global.u32 [%0], %1;" : : "l"(p), "r"(value) : "memory");
  }
  static KOINON_FORCE_INLINE void store([[maybe_unused]] std::uint64_t* p, [[maybe_unused]] std::uint64_t value,
                                        Relaxed) {
    KOINON_PTX("st.relaxed.sys.global.u64 [%0], %1;" : : "l"(p), "l"(value) : "memory");
  }
  static KOINON_FORCE_INLINE void store([[maybe_unused]] std::uint64_t* p, [[maybe_unused]] std::uint64_t value,
                                        AcquireRelease) {
    KOINON_PTX("st.release.sys.global.u64 [%0], %1;" : : "l"(p), "l"(value) : "memory");
  }

  // 16 bytes as one access, whatever of them is used: the packet's flag vouches for the rest (NVIDIA/cccl#1780). Of a
  // v4.b32 load the assembler leaves out what nobody uses and loads the remaining words one by one: seen on sm_90 to
  // bring a new number beside old data.
  static KOINON_FORCE_INLINE CudaVector load_whole([[maybe_unused]] void const* p) {
    std::uint64_t low = 0;
    std::uint64_t high = 0;
    KOINON_PTX("{\n.reg .b128 whole;\nld.relaxed.sys.global.b128 whole, [%2];\nmov.b128 {%0, %1}, whole;\n}"
               : "=l"(low), "=l"(high) : "l"(p));
    return {{static_cast<std::uint32_t>(low), static_cast<std::uint32_t>(low >> 32), static_cast<std::uint32_t>(high),
             static_cast<std::uint32_t>(high >> 32)}};
  }
  static KOINON_FORCE_INLINE void store_whole([[maybe_unused]] void* p, CudaVector const& v) {
    [[maybe_unused]] std::uint64_t const low = v.words[0] | static_cast<std::uint64_t>(v.words[1]) << 32;
    [[maybe_unused]] std::uint64_t const high = v.words[2] | static_cast<std::uint64_t>(v.words[3]) << 32;
    KOINON_PTX("{\n.reg .b128 whole;\nmov.b128 whole, {%1, %2};\nst.relaxed.sys.global.b128 [%0], whole;\n}"
               : : "l"(p), "l"(low), "l"(high) : "memory");
  }

  // 16 bytes at once, for data: nothing hangs on their being one access.
  static KOINON_FORCE_INLINE CudaVector load_vector([[maybe_unused]] void const* p) {
    CudaVector v{};
    KOINON_PTX("ld.relaxed.sys.global.v4.b32 {%0, %1, %2, %3}, [%4];"
               : "=r"(v.words[0]), "=r"(v.words[1]), "=r"(v.words[2]), "=r"(v.words[3]) : "l"(p));
    return v;
  }
  static KOINON_FORCE_INLINE void store_vector([[maybe_unused]] void* p, [[maybe_unused]] CudaVector const& v) {
    KOINON_PTX("st.relaxed.sys.global.v4.b32 [%0], {%1, %2, %3, %4};"
               : : "l"(p), "r"(v.words[0]), "r"(v.words[1]), "r"(v.words[2]), "r"(v.words[3]) : "memory");
  }

  /// Orders all that this thread did before and after it, for all processors.
  static KOINON_FORCE_INLINE void fence() { KOINON_PTX("fence.acq_rel.sys;" : : : "memory"); }
  /// Orders accesses by different addresses of the same bytes. sm_70 and up.
  static KOINON_FORCE_INLINE void fence_aliases() { KOINON_PTX("fence.proxy.alias;" : : : "memory"); }

  static constexpr std::uint64_t ticks_between_looks = 20'000;  // of a long wait at the host's words
  /// Returns ticks of a clock that all threads of the device share: nanoseconds.
  static KOINON_FORCE_INLINE std::uint64_t ticks() {
    std::uint64_t now = 0;
    KOINON_PTX("mov.u64 %0, %%globaltimer;" : "=l"(now));
    return now;
  }
  /// Exchanges a word of this device's memory and returns what it was.
  static KOINON_FORCE_INLINE std::uint32_t exchange([[maybe_unused]] std::uint32_t* p,
                                                    [[maybe_unused]] std::uint32_t value) {
    std::uint32_t before = 0;
    KOINON_PTX("atom.acq_rel.sys.global.exch.b32 %0, [%1], %2;" : "=r"(before) : "l"(p), "r"(value) : "memory");
    return before;
  }
  /// The same for kernels of this device alone, and nothing else is ordered by it.
  static KOINON_FORCE_INLINE std::uint32_t exchange([[maybe_unused]] std::uint32_t* p,
                                                    [[maybe_unused]] std::uint32_t value, Relaxed) {
    std::uint32_t before = 0;
    KOINON_PTX("atom.relaxed.gpu.global.exch.b32 %0, [%1], %2;" : "=r"(before) : "l"(p), "r"(value) : "memory");
    return before;
  }
  /// Adds to a count in this device's memory.
  static KOINON_FORCE_INLINE void add([[maybe_unused]] std::uint64_t* p, [[maybe_unused]] std::uint64_t value) {
    KOINON_PTX("red.relaxed.gpu.global.add.u64 [%0], %1;" : : "l"(p), "l"(value) : "memory");
  }
  // clang-format on
};

}  // namespace Koinon::Impl
