// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Koinon_Config.hpp>

#if defined(KOINON_ENABLE_KOKKOS)
#include <Kokkos_Macros.hpp>
#define KOINON_FUNCTION KOKKOS_FUNCTION
#define KOINON_INLINE_FUNCTION KOKKOS_INLINE_FUNCTION
#define KOINON_LAMBDA KOKKOS_LAMBDA
#elif defined(__CUDACC__) || defined(__HIPCC__)
#define KOINON_FUNCTION __host__ __device__
#define KOINON_INLINE_FUNCTION inline __host__ __device__
#define KOINON_LAMBDA [=] __host__ __device__
#else
#define KOINON_FUNCTION
#define KOINON_INLINE_FUNCTION inline
#define KOINON_LAMBDA [=]
#endif

#if defined(__clang__)
#define KOINON_FORCE_INLINE KOINON_INLINE_FUNCTION __attribute__((always_inline))
#elif defined(__GNUC__)
#define KOINON_FORCE_INLINE KOINON_INLINE_FUNCTION __attribute__((always_inline))
#else
#define KOINON_FORCE_INLINE KOINON_INLINE_FUNCTION
#endif

// Whether this pass of a compiler makes code for a device.
#if defined(__CUDA_ARCH__) || defined(__HIP_DEVICE_COMPILE__)
#define KOINON_DEVICE_PASS 1
#else
#define KOINON_DEVICE_PASS 0
#endif

// A function that a device calls, never a copy of it; hosts decide for themselves.
#if KOINON_DEVICE_PASS
#define KOINON_CALLED_FUNCTION KOINON_INLINE_FUNCTION __attribute__((noinline))
#else
#define KOINON_CALLED_FUNCTION KOINON_INLINE_FUNCTION
#endif

// Conversions between float and the bits of a narrower format that this pass's processor does by one instruction, where
// it does: to the same bits as the code that stands beside them, NaN included. `narrow` is an uint32_t of which the lowest
// bits are wanted: the form for two numbers is several times as fast as that for one.
#if defined(__CUDA_ARCH__)
#if __CUDA_ARCH__ >= 800
#define KOINON_FLOAT_TO_FLOAT16(narrow, value) \
  asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(narrow) : "f"(0.0f), "f"(value))
#define KOINON_FLOAT_TO_BFLOAT16(narrow, value) \
  asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(narrow) : "f"(0.0f), "f"(value))
#endif
#if __CUDA_ARCH__ >= 890
#define KOINON_FLOAT_TO_FLOAT8(format, narrow, value)                                                            \
  asm("{\n.reg .b16 two;\ncvt.rn.satfinite." format "x2.f32 two, %1, %2;\nmov.b32 %0, {two, two};\n}" : "=r"(narrow) \
      : "f"(0.0f), "f"(value))
#define KOINON_FLOAT_TO_FLOAT8_E4M3(narrow, value) KOINON_FLOAT_TO_FLOAT8("e4m3", narrow, value)
#define KOINON_FLOAT_TO_FLOAT8_E5M2(narrow, value) KOINON_FLOAT_TO_FLOAT8("e5m2", narrow, value)
#endif
#define KOINON_FLOAT16_TO_FLOAT(value, bits) asm("cvt.f32.f16 %0, %1;" : "=f"(value) : "h"(bits))
#endif

// What happens once in 2^32 launches, or when something has failed: kept out of the code of every launch.
#define KOINON_COLD_FUNCTION KOINON_FUNCTION __attribute__((noinline))

#if defined(__CUDACC__) || defined(__HIPCC__)
#define KOINON_UNROLL _Pragma("unroll")
#define KOINON_KEEP_ROLLED _Pragma("unroll 1")
#else
#define KOINON_UNROLL
#define KOINON_KEEP_ROLLED
#endif

// Of a type whose objects may be read and written in place of any other's. Not needed where a thread has elements one by one.
#if defined(__GNUC__) && !defined(__CUDACC__) && !defined(__HIPCC__)
#define KOINON_MAY_ALIAS __attribute__((may_alias))
#endif

// Before a loop whose turns touch elements of their own, though arrays may be the same: it may become one over vectors.
#if defined(__CUDACC__) || defined(__HIPCC__)
#define KOINON_INDEPENDENT_ELEMENTS
#elif defined(__clang__)
#define KOINON_INDEPENDENT_ELEMENTS _Pragma("clang loop vectorize(assume_safety)")
#elif defined(__GNUC__)
#define KOINON_INDEPENDENT_ELEMENTS _Pragma("GCC ivdep")
#else
#define KOINON_INDEPENDENT_ELEMENTS
#endif
