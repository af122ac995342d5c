// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <communicator/Koinon_FailureRecord.hpp>

#include <cstdint>

namespace Koinon::Impl {

/// Says why a wait on a device was given up; lies in host memory that the device writes.
///
/// Written once, `kind` last (release), so whoever reads it (acquire) reads the whole.
struct DeviceFailure {
  std::uint32_t kind = 0;  // a FailureKind: timeout, mismatch or overlap; 0: all went well
  std::uint32_t launch_number = 0;
  std::int32_t peer = -1;  // whom the wait was for, or who disagrees
  std::uint32_t reserved = 0;
  std::uint64_t missing[FailureRecord::most_ranks / 64] = {};  // ranks that had not started the launch; may be empty
};

/// Is how a communicator whose waits run on a device learns of their end, and ends them.
struct DeviceWaits {
  DeviceFailure* failure = nullptr;
  std::uint32_t* abort_word = nullptr;  // nonzero ends every wait of this rank; may be its alert
};

}  // namespace Koinon::Impl
