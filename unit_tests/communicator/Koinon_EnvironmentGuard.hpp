// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdlib>
#include <optional>
#include <string>
#include <utility>

namespace Koinon::Testing {

/// Sets an environment variable for its lifetime. @pre no other thread reads or writes the environment meanwhile
class EnvironmentGuard {
 public:
  EnvironmentGuard(std::string name, std::string const& value) : m_name(std::move(name)) {
    if (char const* const before = std::getenv(m_name.c_str())) m_before = before;
    setenv(m_name.c_str(), value.c_str(), 1);
  }
  EnvironmentGuard(EnvironmentGuard const&) = delete;
  EnvironmentGuard& operator=(EnvironmentGuard const&) = delete;
  ~EnvironmentGuard() {
    if (m_before) {
      setenv(m_name.c_str(), m_before->c_str(), 1);
    } else {
      unsetenv(m_name.c_str());
    }
  }

 private:
  std::string m_name;
  std::optional<std::string> m_before;
};

}  // namespace Koinon::Testing
