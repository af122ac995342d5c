// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <stdexcept>

namespace Koinon::Perf {

/// States how the program ended; the value is the process's exit status.
enum class ExitCode : int { success = 0, wrong_result = 1, usage = 2, file = 3, runtime = 4 };

/// Reports a command line that asks for something that does not exist, or not in this build.
class UsageError : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Reports a file that cannot be read, written or understood.
class FileError : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

}  // namespace Koinon::Perf
