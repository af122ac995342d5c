// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Koinon_Export.hpp>
#include <Koinon_HipPlace.hpp>

// The runtime's own type, declared so that users' plain C++ files need no header of ROCm.
struct ihipStream_t;

namespace Koinon::Impl {

/// Is what a launch runs on: where, and in which order.
struct HipInstance : HipPlace {
  ihipStream_t* stream = nullptr;
};

/// Returns the instance of a stream. @param device of the runtime
KOINON_EXPORT HipInstance instance_of(ihipStream_t* stream, int device);

}  // namespace Koinon::Impl
