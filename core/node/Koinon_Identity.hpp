// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Koinon_Export.hpp>

#include <cstdint>
#include <string>

namespace Koinon::Impl {

/// Says which kernel, host and process a rank lives in; trivially copyable, exchanged at creation.
///
/// Memory and descriptors are shared only between ranks whose host *and* boot id are equal (containers and clones may
/// share one of them), addresses only between ranks of one process.
struct Identity {
  char boot_id[40] = {};
  char host[72] = {};
  std::uint64_t process_token[2] = {};  // random, made once a process: pids of two containers may be equal
  std::int64_t process_id = 0;          // a forked child has its parent's token
  std::uint64_t communicator = 0;       // counts this process's communicators; rank 0's names the communicator in logs

  [[nodiscard]] bool same_host(Identity const& other) const;
  [[nodiscard]] bool same_process(Identity const& other) const;
};

/// Returns this rank's identity.
KOINON_EXPORT Identity local_identity();

/// Returns 64 random bits from the kernel.
KOINON_EXPORT std::uint64_t random_bits();

/// Returns how many processors this process may run on.
KOINON_EXPORT int available_processors();

}  // namespace Koinon::Impl
