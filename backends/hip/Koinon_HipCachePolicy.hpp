// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// Bits of buffer instructions that differ between AMD GPUs: which caches an access passes. They are those with which
/// the compiler makes relaxed accesses at system scope; buffer instructions take them as a number.
namespace Koinon::Impl {

// clang-format off
struct HipCachePolicy {
#if defined(__gfx940__) || defined(__gfx941__) || defined(__gfx942__) || defined(__gfx950__)
  static constexpr int sc0 = 1, nt = 2, sc1 = 16;  // both sc bits: system scope
  static constexpr int load = sc0 | sc1, store = sc0 | sc1, stream = sc0 | sc1 | nt;
  static constexpr int resource = 0x00027000;  // word 3: raw, 32-bit data
#elif defined(__GFX12__)
  static constexpr int system_scope = 3 << 3, temporal_nt = 1;
  static constexpr int load = system_scope, store = system_scope, stream = system_scope | temporal_nt;
  static constexpr int resource = 0x31004000;
#elif defined(__GFX11__)
  static constexpr int glc = 1, slc = 2, dlc = 4;
  static constexpr int load = glc | dlc, store = 0, stream = glc | slc | dlc;
  static constexpr int resource = 0x31004000;
#elif defined(__GFX10__)
  static constexpr int glc = 1, slc = 2, dlc = 4;
  static constexpr int load = glc | dlc, store = 0, stream = slc;
  static constexpr int resource = 0x31014000;
#else  // gfx90a and before: stores pass the first-level cache by themselves
  static constexpr int glc = 1, slc = 2;
  static constexpr int load = glc, store = 0, stream = glc | slc;
  static constexpr int resource = 0x00027000;
#endif
};
// clang-format on

}  // namespace Koinon::Impl
