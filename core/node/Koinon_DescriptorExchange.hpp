// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <bootstrap/Koinon_Bootstrap.hpp>
#include <node/Koinon_FileDescriptor.hpp>

#include <chrono>
#include <cstdint>
#include <vector>

namespace Koinon::Impl {

/// Is what a peer passed: a descriptor of the same open file, and who the kernel says the peer is.
struct ReceivedDescriptor {
  FileDescriptor descriptor;
  std::int64_t process_id = 0;  // as seen from here, also across process namespaces; 0: not known
};

/// Passes one descriptor of each rank to every other rank of the host, over abstract Unix sockets (SCM_RIGHTS) with
/// random names. Collective; every wait is bounded by `timeout`. Returns one entry a rank, the own one empty.
KOINON_EXPORT std::vector<ReceivedDescriptor> exchange_descriptors(Bootstrap& bootstrap, int descriptor,
                                                                   std::chrono::nanoseconds timeout);

}  // namespace Koinon::Impl
