// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Koinon_Export.hpp>

#include <cstdint>
#include <string_view>

namespace Koinon::Impl {

/// Is how much KOINON_LOG asks for; each level includes those before it.
enum class LogLevel { off, error, info, trace };

/// Writes what happens to one communicator to standard error: one line a message, whatever is in it, in one write, so
/// that lines of several ranks do not mix. Every line names level, rank and communicator.
class KOINON_EXPORT Log {
 public:
  Log() = default;  // off
  /// @param communicator equal on its ranks, different from others'
  Log(LogLevel level, int rank, int size, std::uint32_t communicator)
      : m_level(level), m_rank(rank), m_size(size), m_communicator(communicator) {}

  /// Says whether a message of that level is written; ask before the message is built.
  [[nodiscard]] bool writes(LogLevel level) const { return level <= m_level; }
  /// @pre writes(level)
  void write(LogLevel level, std::string_view message) const;

 private:
  LogLevel m_level = LogLevel::off;
  int m_rank = 0;
  int m_size = 0;
  std::uint32_t m_communicator = 0;
};

}  // namespace Koinon::Impl
