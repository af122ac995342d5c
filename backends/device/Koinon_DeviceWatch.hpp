// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Koinon_Macros.hpp>
#include <communicator/Koinon_DeviceFailure.hpp>
#include <protocol/Koinon_DeviceCommunicator.hpp>

#include <cstddef>
#include <cstdint>

namespace Koinon::Impl {

/// Is what a long wait of a kernel looks at; lies in the rank's device memory, its pointers are the device's.
///
/// The thread that gives up exchanges *claim from 0 to 1 (atomically); who finds 0 there fills *failure, `kind` last
/// with release at system scope. Everyone who gives up then stores 1 in *failed, so that later launches end at once. A
/// wait that ends because of *abort_word records nothing: the host that set it has.
struct DeviceWatch {
  std::uint32_t* abort_word = nullptr;  // host memory: nonzero ends every wait; poll it every 20 us or so
  DeviceFailure* failure = nullptr;     // host memory: why this rank's first wait was given up
  std::uint32_t* failed = nullptr;      // device memory, in the line of the launch numbers: see LaunchWords
  std::uint32_t* claim = nullptr;       // device memory: 1 once a block writes *failure
  std::uint64_t timeout_ticks = 0;      // of the clock that kernels look at, from the begin of a wait; 0: never
};

/// Is how this rank's own words begin: DeviceCommunicator::m_numbers points to `numbers`, which goes on for max_blocks.
/// The failed word is what stands before it: one aligned 16-byte load brings {failed, claim, numbers[0], numbers[1]}.
struct alignas(16) LaunchWords {
  std::uint64_t ended_blocks = 0;  // of launches outside captures, counted as they end: see DeviceLaunched
  std::uint32_t busy = 0;          // 1 while a launch runs: which a second one would find
  std::uint32_t reserved = 0;
  std::uint32_t failed = 0;
  std::uint32_t claim = 0;
  std::uint32_t numbers[2] = {};
};
static_assert(sizeof(LaunchWords) == 32 && offsetof(LaunchWords, numbers) == 24);

/// Returns them of a rank's communicator.
[[nodiscard]] KOINON_FORCE_INLINE LaunchWords* launch_words_of(DeviceCommunicator const& comm) {
  return reinterpret_cast<LaunchWords*>(reinterpret_cast<std::byte*>(comm.m_numbers) -
                                            offsetof(LaunchWords, numbers));
}

}  // namespace Koinon::Impl
