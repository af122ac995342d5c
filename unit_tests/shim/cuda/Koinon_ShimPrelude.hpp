// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>

/// What a compiler for HIP gives without an include, where the GPU is NVIDIA's: included in front of every file that has
/// kernels. A wave is a warp. Only what backends/hip uses is here: what it lacks does not compile.
#define __HIPCC__ 1
#define __AMDGCN_WAVEFRONT_SIZE 32
#define __HIP_MEMORY_SCOPE_SYSTEM 5
#define __HIP_MEMORY_SCOPE_AGENT 4

// Of Koinon_HipLanguage.hpp.
#define KOINON_HIP_LANGUAGE 1
#define KOINON_HIP_GLOBAL
#define KOINON_HIP_DRAIN "fence.acq_rel.sys;"
#define KOINON_HIP_SHARED __shared__
#define KOINON_HIP_IN_PART(function) koinon_shim_ballot_in_part
#define KOINON_HIP_FOUR_WORDS KoinonShimFour
#define KOINON_HIP_KERNEL(...) reinterpret_cast<void const*>(&__VA_ARGS__)
#define KOINON_HIP_ARGUMENTS(Arguments, comm, arguments) \
  KoinonShimArguments<DeviceCommunicator, Arguments> { comm, arguments }

/// A kernel's parameters, by their names: their place has none here.
template <class Comm, class Arguments>
struct KoinonShimArguments {
  Comm const& comm;
  Arguments const& arguments;
};
__device__ void const* __builtin_amdgcn_kernarg_segment_ptr();  // named, never called

// Where a thread stands.
inline __device__ int __builtin_amdgcn_workgroup_id_x() { return static_cast<int>(blockIdx.x); }
inline __device__ int __builtin_amdgcn_workitem_id_x() { return static_cast<int>(threadIdx.x); }
inline __device__ int __builtin_amdgcn_workgroup_size_x() { return static_cast<int>(blockDim.x); }
extern "C" inline __device__ std::size_t __ockl_get_num_groups(unsigned) { return gridDim.x; }

// Threads that meet.
inline __device__ void __builtin_amdgcn_s_barrier() { __syncthreads(); }
inline __device__ std::uint32_t __builtin_amdgcn_ballot_w32(bool value) { return __ballot_sync(~0u, value); }
inline __device__ std::uint64_t __builtin_amdgcn_ballot_w64(bool value) { return __ballot_sync(~0u, value); }
inline __device__ std::uint32_t koinon_shim_ballot_in_part(bool value) { return __ballot_sync(__activemask(), value); }
inline __device__ int __builtin_amdgcn_ds_bpermute(int four_times_lane, int value) {
  return __shfl_sync(~0u, value, four_times_lane / 4);
}
// That of a lane that is here, and this one is.
inline __device__ int __builtin_amdgcn_readfirstlane(int value) { return value; }

// Order: the widest fence, whatever was asked for.
inline __device__ void __builtin_amdgcn_fence(int, char const*) { __threadfence_system(); }
inline __device__ std::uint64_t __builtin_readsteadycounter() {  // of 100 MHz, as hipDeviceAttributeWallClockRate says
  std::uint64_t nanoseconds = 0;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(nanoseconds));
  return nanoseconds / 10;
}

// Words: a volatile access is a relaxed one at system scope.
template <class Word>
__device__ Word __hip_atomic_load(Word const* p, int, int) {
  return *static_cast<Word const volatile*>(p);
}
template <class Word, class Value>
__device__ void __hip_atomic_store(Word* p, Value value, int, int) {
  *static_cast<Word volatile*>(p) = static_cast<Word>(value);
}
template <class Word, class Value>
__device__ Word __hip_atomic_exchange(Word* p, Value value, int, int) {
  static_assert(sizeof(Word) == 4);
  return atomicExch_system(reinterpret_cast<unsigned*>(p), static_cast<unsigned>(value));
}
template <class Word, class Value>
__device__ Word __hip_atomic_fetch_add(Word* p, Value value, int, int) {
  static_assert(sizeof(Word) == 8);
  return atomicAdd_system(reinterpret_cast<unsigned long long*>(p), static_cast<unsigned long long>(value));
}

// 16 bytes of buffers.
struct __amdgpu_buffer_rsrc_t {
  char* base;
};
struct alignas(16) KoinonShimFour {
  std::uint32_t words[4];
};
inline __device__ __amdgpu_buffer_rsrc_t __builtin_amdgcn_make_buffer_rsrc(void* base, short, int, int) {
  return {static_cast<char*>(base)};
}
inline __device__ KoinonShimFour __builtin_amdgcn_raw_buffer_load_b128(__amdgpu_buffer_rsrc_t resource, int offset, int,
                                                                       int) {
  KoinonShimFour v;
  asm volatile("ld.relaxed.sys.global.v4.b32 {%0, %1, %2, %3}, [%4];"
               : "=r"(v.words[0]), "=r"(v.words[1]), "=r"(v.words[2]), "=r"(v.words[3])
               : "l"(resource.base + static_cast<std::uint32_t>(offset))
               : "memory");
  return v;
}
inline __device__ void __builtin_amdgcn_raw_buffer_store_b128(KoinonShimFour v, __amdgpu_buffer_rsrc_t resource,
                                                              int offset, int, int) {
  asm volatile("st.relaxed.sys.global.v4.b32 [%0], {%1, %2, %3, %4};"
               :
               : "l"(resource.base + static_cast<std::uint32_t>(offset)), "r"(v.words[0]), "r"(v.words[1]),
                 "r"(v.words[2]), "r"(v.words[3])
               : "memory");
}
