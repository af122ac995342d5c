// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Koinon_HostWatch.hpp>
#include <protocol/Koinon_DeviceCommunicator.hpp>

namespace Koinon::Testing {

/// Makes a rank of the host store past the caches, or never; by itself a rank does what the machine of the day makes
/// cheap. @pre the communicator's backend is the host
inline void fix_streams(DeviceCommunicator const& comm, bool streams) {
  static_cast<Koinon::Impl::HostWatch*>(comm.m_watch)->streams.fix(streams);
}

}  // namespace Koinon::Testing
