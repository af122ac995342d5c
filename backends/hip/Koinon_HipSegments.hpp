// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Koinon_DeviceMemory.hpp>
#include <Koinon_HipPlace.hpp>
#include <bootstrap/Koinon_Bootstrap.hpp>
#include <node/Koinon_Identity.hpp>

#include <chrono>
#include <memory>
#include <vector>

namespace Koinon::Impl {

/// Makes one segment of uncached device memory a rank, of at least `bytes`, not zeroed, wherever the runtime likes.
///
/// Between processes of a host each is mapped by hipIpc handles; between threads of one process access between the
/// devices is opened and the pointers are everyone's. A segment lives as long as any rank has it. Collective, every step
/// is voted: on failure of any rank all throw and nothing stays.
[[nodiscard]] DeviceSegments share_hip_segments(Bootstrap& bootstrap, std::vector<Identity> const& identities,
                                                HipPlace const& place, std::shared_ptr<DeviceCalls const> const& calls,
                                                std::size_t bytes, std::chrono::nanoseconds timeout);

}  // namespace Koinon::Impl
