// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Koinon_Macros.hpp>

#include <cstdint>

/// The number that every launch carries, of any operation: docs/design, "Launch number".
/// Zeroed memory is number 0, which no launch has; after 2^32 - 1 comes the wrap launch, which tells 4 and runs as 5.
namespace Koinon::Impl {

using LaunchNumber = std::uint32_t;

inline constexpr LaunchNumber last_launch_number = 0xFFFFFFFFu;
inline constexpr LaunchNumber wrap_number = 4;          // told first, before the words are cleared
inline constexpr LaunchNumber first_after_wrap = 5;     // same parity as 2^32 - 1: its half is free behind the barrier

/// Is what a block finds of the launches before: their last number, the last one in which data of all peers reached this
/// block, and whether all ended well (a graph's later nodes end at once behind a failure).
struct LaunchRecord {
  LaunchNumber number;
  LaunchNumber known;
  bool good;
};

/// Says whether the launch after `number` is the one that clears the words.
KOINON_FORCE_INLINE constexpr bool wraps_after(LaunchNumber number) { return number == last_launch_number; }

/// Returns the number of the launch that follows `number`.
KOINON_FORCE_INLINE constexpr LaunchNumber next_launch_number(LaunchNumber number) {
  return wraps_after(number) ? first_after_wrap : number + 1;
}

/// Says whether `seen` is at least `wanted`, for numbers less than 2^31 launches apart.
KOINON_FORCE_INLINE constexpr bool has_reached(LaunchNumber seen, LaunchNumber wanted) {
  return static_cast<std::int32_t>(seen - wanted) >= 0;
}

/// Returns which half of every rotating region the launch uses.
KOINON_FORCE_INLINE constexpr int half_of(LaunchNumber number) { return static_cast<int>(number & 1u); }

}  // namespace Koinon::Impl
