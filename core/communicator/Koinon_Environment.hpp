// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Koinon_Export.hpp>
#include <bootstrap/Koinon_Bootstrap.hpp>
#include <communicator/Koinon_Log.hpp>

#include <chrono>
#include <optional>
#include <string>

namespace Koinon::Impl {

/// Is what the environment says, read when a communicator is made.
struct Environment {
  std::optional<std::chrono::nanoseconds> timeout;  // KOINON_TIMEOUT_SECONDS; zero: off
  bool multicast_allowed = true;                    // KOINON_MULTICAST and the owner's variables
  std::string multicast_refusal;                    // the variable that says off, and on which rank if not on this
  std::optional<int> ranks_per_node;                // KOINON_RANKS_PER_NODE
  bool check_calls = false;                         // KOINON_CHECK
  std::string tuning_file;                          // KOINON_TUNING
  LogLevel log = LogLevel::error;                   // KOINON_LOG
};

/// Reads and checks the environment. Throws InvalidArgument that names the variable, its value and what is accepted.
KOINON_EXPORT Environment read_environment();

/// Throws MismatchError on every rank if a variable differs over ranks; the message says who has what. Collective.
KOINON_EXPORT void agree_on_environment(Bootstrap& bootstrap);

/// Forbids multicast on every rank if a variable of any rank does; the refusal names that rank. Collective.
KOINON_EXPORT void agree_on_multicast(Bootstrap& bootstrap, Environment& environment);

}  // namespace Koinon::Impl
