// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <unistd.h>

namespace Koinon::Impl {

/// Knows whether this process made an object: a forked child must not touch its parent's driver.
class MadeHere {
 public:
  [[nodiscard]] explicit operator bool() const { return m_process == getpid(); }

 private:
  pid_t m_process = getpid();
};

}  // namespace Koinon::Impl
