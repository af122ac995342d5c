// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <host/Koinon_ShimFibers.hpp>
#include <host/Koinon_ShimKernels.hpp>

#include <atomic>
#include <bit>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>

/// What a compiler for HIP gives without an include, on a host: included in front of every file that has kernels.
/// Keywords are nothing, the threads of a block are fibers of one thread, lanes meet in Koinon::Shim, memory is the host's.
/// Only what backends/hip uses is here: what it lacks does not compile.
#define __HIPCC__ 1
#define __HIP_DEVICE_COMPILE__ 1
#define __host__
#define __device__
#define __global__

// Of Koinon_HipLanguage.hpp.
#define KOINON_HIP_LANGUAGE 1
#define KOINON_HIP_GLOBAL                      // addresses have one space
#define KOINON_HIP_DRAIN ""                    // stores of this processor are seen in order
#define KOINON_HIP_SHARED static thread_local  // a block is a thread
#define KOINON_HIP_FOUR_WORDS std::uint32_t __attribute__((vector_size(16)))
#define KOINON_HIP_KERNEL(...) (Koinon::Shim::KernelOf<&__VA_ARGS__>::enrolled())
#define KOINON_HIP_ARGUMENTS(Arguments, comm, arguments) HipKernelArguments<Arguments>::in_place()

#if !defined(KOINON_SHIM_WAVE)
#define KOINON_SHIM_WAVE 64
#endif
#define __AMDGCN_WAVEFRONT_SIZE KOINON_SHIM_WAVE
inline bool const koinon_shim_waves = Koinon::Shim::have_waves_of(KOINON_SHIM_WAVE);

#define __HIP_MEMORY_SCOPE_SYSTEM 5
#define __HIP_MEMORY_SCOPE_AGENT 4

// Where a thread stands.
inline int __builtin_amdgcn_workgroup_id_x() { return Koinon::Shim::block(); }
inline int __builtin_amdgcn_workitem_id_x() { return Koinon::Shim::thread(); }
inline int __builtin_amdgcn_workgroup_size_x() { return Koinon::Shim::threads(); }
extern "C" inline std::size_t __ockl_get_num_groups(unsigned) {
  return static_cast<std::size_t>(Koinon::Shim::blocks());
}
inline void const* __builtin_amdgcn_kernarg_segment_ptr() { return Koinon::Shim::arguments; }

// Threads that meet.
inline void __builtin_amdgcn_s_barrier() { Koinon::Shim::barrier(); }
inline thread_local bool koinon_shim_in_part = false;  // what this fiber meets for next
#define KOINON_HIP_IN_PART(function) (koinon_shim_in_part = true, function)
inline std::uint64_t koinon_shim_ballot(bool value) {
  bool const in_part = std::exchange(koinon_shim_in_part, false);
  auto const [values, lanes] =
      in_part ? Koinon::Shim::exchange_in_part(value ? 1 : 0) : Koinon::Shim::exchange_in_wave(value ? 1 : 0);
  std::uint64_t ballot = 0;
  for (int l = 0; l < KOINON_SHIM_WAVE; ++l) ballot |= (lanes >> l & 1) != 0 ? values[l] << l : 0;
  return ballot;
}
inline std::uint64_t __builtin_amdgcn_ballot_w64(bool value) { return koinon_shim_ballot(value); }
inline std::uint32_t __builtin_amdgcn_ballot_w32(bool value) {
  return static_cast<std::uint32_t>(koinon_shim_ballot(value));
}
inline int __builtin_amdgcn_ds_bpermute(int four_times_lane, int value) {
  std::uint64_t const* const values = Koinon::Shim::exchange_in_wave(static_cast<std::uint32_t>(value)).values;
  return static_cast<int>(static_cast<std::uint32_t>(values[four_times_lane / 4 % KOINON_SHIM_WAVE]));
}
// That of a lane that is here: which, the machine does not promise where threads have parted, and this one is.
inline int __builtin_amdgcn_readfirstlane(int value) { return value; }

// Order. Fibers of a block see each other's stores anyway; other blocks are other threads.
inline void __builtin_amdgcn_fence(int, char const*) { std::atomic_thread_fence(std::memory_order_seq_cst); }
inline std::uint64_t __builtin_readsteadycounter() {  // of 100 MHz, as hipDeviceAttributeWallClockRate says
  return static_cast<std::uint64_t>(std::chrono::steady_clock::now().time_since_epoch() / std::chrono::nanoseconds(10));
}

// Words.
template <class Word>
Word __hip_atomic_load(Word const* p, int order, int) {
  Koinon::Shim::note_access();
  return __atomic_load_n(p, order);
}
template <class Word, class Value>
void __hip_atomic_store(Word* p, Value value, int order, int) {
  Koinon::Shim::note_access();
  __atomic_store_n(p, static_cast<Word>(value), order);
}
template <class Word, class Value>
Word __hip_atomic_exchange(Word* p, Value value, int order, int) {
  return __atomic_exchange_n(p, static_cast<Word>(value), order);
}
template <class Word, class Value>
Word __hip_atomic_fetch_add(Word* p, Value value, int order, int) {
  return __atomic_fetch_add(p, static_cast<Word>(value), order);
}

// 16 bytes of buffers, of which each half is one access.
struct __amdgpu_buffer_rsrc_t {
  std::byte* base;
};
inline __amdgpu_buffer_rsrc_t __builtin_amdgcn_make_buffer_rsrc(void* base, short, int, int) {
  return {static_cast<std::byte*>(base)};
}
using KoinonShimFour = std::uint32_t __attribute__((vector_size(16)));
inline std::uint64_t* koinon_shim_halves(__amdgpu_buffer_rsrc_t resource, int offset) {
  return reinterpret_cast<std::uint64_t*>(resource.base + static_cast<std::uint32_t>(offset));
}
inline KoinonShimFour __builtin_amdgcn_raw_buffer_load_b128(__amdgpu_buffer_rsrc_t resource, int offset, int, int) {
  Koinon::Shim::note_access();
  std::uint64_t halves[2];
  for (int h = 0; h < 2; ++h) halves[h] = __atomic_load_n(koinon_shim_halves(resource, offset) + h, __ATOMIC_RELAXED);
  return std::bit_cast<KoinonShimFour>(halves);
}
inline void __builtin_amdgcn_raw_buffer_store_b128(KoinonShimFour value, __amdgpu_buffer_rsrc_t resource, int offset, int,
                                                   int) {
  Koinon::Shim::note_access();
  struct Halves {
    std::uint64_t words[2];
  };
  auto const halves = std::bit_cast<Halves>(value);
  // The second first: nobody may count on an order of the two.
  for (int h = 1; h >= 0; --h) {
    __atomic_store_n(koinon_shim_halves(resource, offset) + h, halves.words[h], __ATOMIC_RELAXED);
  }
}
