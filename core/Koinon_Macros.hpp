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

// What happens once in 2^32 launches, or when something has failed: kept out of the code of every launch.
#define KOINON_COLD_FUNCTION KOINON_FUNCTION __attribute__((noinline))

#if defined(__CUDACC__) || defined(__HIPCC__)
#define KOINON_UNROLL _Pragma("unroll")
#define KOINON_KEEP_ROLLED _Pragma("unroll 1")
#else
#define KOINON_UNROLL
#define KOINON_KEEP_ROLLED
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
