// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Koinon_HipLanguage.hpp>
#include <Koinon_Macros.hpp>

#include <cstddef>
#include <cstdint>

#if KOINON_DEVICE_PASS
// Of the device library, so that the version of the code object is its matter.
extern "C" __attribute__((device, const)) std::size_t __ockl_get_num_groups(unsigned dimension);
#endif

namespace Koinon::Impl {

/// Says where a thread of an AMD GPU stands, brings threads together, and moves values between the lanes of a wave.
/// Nothing of it touches memory outside the multiprocessor.
struct HipThreads {
#if KOINON_DEVICE_PASS
  /// Lanes of a wave: 64 of the data-centre GPUs, 32 of the others.
  static constexpr int wave = __AMDGCN_WAVEFRONT_SIZE;

  [[nodiscard]] static KOINON_FORCE_INLINE int block() { return static_cast<int>(__builtin_amdgcn_workgroup_id_x()); }
  [[nodiscard]] static KOINON_FORCE_INLINE int blocks() { return static_cast<int>(__ockl_get_num_groups(0)); }
  [[nodiscard]] static KOINON_FORCE_INLINE int thread() { return static_cast<int>(__builtin_amdgcn_workitem_id_x()); }
  [[nodiscard]] static KOINON_FORCE_INLINE int threads() {
    return static_cast<int>(__builtin_amdgcn_workgroup_size_x());
  }

  /// Says whether all lanes of the wave that take part say so: the same in each, so that they go one way.
  [[nodiscard]] static KOINON_FORCE_INLINE bool all_lanes(bool value) {
    return KOINON_HIP_IN_PART(ballot)(!value) == 0;
  }

  /// Brings the block's threads together: what they wrote to shared memory is seen, no other memory is waited for.
  static KOINON_FORCE_INLINE void meet() {
    __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
    __builtin_amdgcn_s_barrier();
    __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
  }
  /// Lets threads vote. By each, before any leaves the kernel.
  static KOINON_FORCE_INLINE void begin() { say(0); }
  /// Brings them together and says whether all of the block say so: false where some have left, for whom a barrier does
  /// not wait. By a wave's ballot its lanes that left say nothing, and waves that left have said 0 in begin().
  [[nodiscard]] static KOINON_FORCE_INLINE bool vote(bool good) {
    int const waves = (threads() + wave - 1) / wave;
    int const behind = threads() - thread() / wave * wave;  // threads of the block from this wave on
    std::uint64_t const whole = ~std::uint64_t{0} >> (64 - (behind < wave ? behind : wave));
    say(ballot(good) == whole ? 1 : 0);
    meet();
    std::uint32_t all = 1;
    for (int w = 0; w < waves; ++w) all &= votes()[w];
    meet();
    say(0);  // until the next vote
    return all != 0;
  }
  /// Returns what the thread of another lane of this wave has. By all threads of the wave.
  [[nodiscard]] static KOINON_FORCE_INLINE float shuffle_xor(float value, int apart) {
    int const lane = (thread() % wave) ^ apart;
    return __builtin_bit_cast(float, __builtin_amdgcn_ds_bpermute(4 * lane, __builtin_bit_cast(int, value)));
  }

 private:
  static constexpr int most_waves = 1024 / 32;
  /// Returns what the waves of the block say.
  [[nodiscard]] static KOINON_FORCE_INLINE std::uint32_t* votes() {
    KOINON_HIP_SHARED std::uint32_t words[most_waves];
    return words;
  }
  static KOINON_FORCE_INLINE void say(std::uint32_t vote) {
    if (thread() % wave == 0) votes()[thread() / wave] = vote;
  }
  [[nodiscard]] static KOINON_FORCE_INLINE std::uint64_t ballot(bool value) {
    if constexpr (wave == 64) {
      return __builtin_amdgcn_ballot_w64(value);
    } else {
      return __builtin_amdgcn_ballot_w32(value);
    }
  }
#else
  // Named in a host's pass, never run.
  static constexpr int wave = 64;
  [[nodiscard]] static KOINON_FORCE_INLINE int block() { return 0; }
  [[nodiscard]] static KOINON_FORCE_INLINE int blocks() { return 1; }
  [[nodiscard]] static KOINON_FORCE_INLINE int thread() { return 0; }
  [[nodiscard]] static KOINON_FORCE_INLINE int threads() { return 1; }
  [[nodiscard]] static KOINON_FORCE_INLINE bool all_lanes(bool value) { return value; }
  static KOINON_FORCE_INLINE void meet() {}
  static KOINON_FORCE_INLINE void begin() {}
  [[nodiscard]] static KOINON_FORCE_INLINE bool vote(bool good) { return good; }
  [[nodiscard]] static KOINON_FORCE_INLINE float shuffle_xor(float value, int) { return value; }
#endif
};

}  // namespace Koinon::Impl
