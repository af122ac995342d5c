// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>

namespace Koinon {

/// Sizes and limits of a communicator. Equal on all ranks, else MismatchError; the environment wins over them.
struct CommunicatorOptions {
  /// Bytes a rank for what is staged between private arrays; larger messages go in rounds. Not set: the backend's default
  /// (4 MiB on the host, 64 MiB on GPUs, which take as much again for sentinels). At least 64 KiB.
  std::optional<std::size_t> staging_bytes = std::nullopt;
  /// Bytes a rank for symmetric arrays, borrowed results and workspaces; it never grows. Not set: the backend's default.
  std::optional<std::size_t> symmetric_bytes = std::nullopt;
  /// Symmetric arrays of at least so many bytes are read and written where they are; smaller ones are staged like private
  /// ones. Not set: the backend's default, what is fastest (2 MiB on the host).
  std::optional<std::size_t> zero_copy_bytes = std::nullopt;
  /// Longest wait for other ranks; zero: for ever (dead ranks are still found).
  std::chrono::nanoseconds timeout = std::chrono::seconds(600);
  /// Communicators that may run at once on one device.
  int concurrent_communicators = 4;
  /// Launch number that the communicator starts after. For tests of the wrap: the first launch has the next number.
  std::uint32_t launch_number = 0;
};

}  // namespace Koinon
