// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Koinon_Export.hpp>
#include <communicator/Koinon_CommunicatorBase.hpp>

#include <cstdint>
#include <string>

namespace Koinon::Impl {

/// Is what a vendor's runtime says of a device, and of the stream that a communicator is made for.
struct DeviceProperties {
  std::string name;
  std::uint64_t key = 0;    ///< the same in all processes, another for each device of the host; not 0
  int number = 0;           ///< of the device in this process
  void* stream = nullptr;   ///< null: the device's default stream
  int multiprocessors = 0;
  int lanes = 0;            ///< threads of a warp or wave
  int most_threads = 0;     ///< of a block of the backend's kernels
};

/// Returns what all GPUs' backends say alike; architecture, capabilities and tunings are the caller's to add.
KOINON_EXPORT BackendFacts facts_of(DeviceProperties const& device);

}  // namespace Koinon::Impl
