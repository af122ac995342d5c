// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <communicator/Koinon_Log.hpp>

#include <array>
#include <cstdio>
#include <string>

namespace Koinon::Impl {

void Log::write(LogLevel level, std::string_view message) const {
  constexpr std::array<char const*, 4> names{"off", "error", "info", "trace"};
  char head[96];
  std::snprintf(head, sizeof head,
                "Koinon %s: rank %d of %d, communicator %08x: ", names[static_cast<std::size_t>(level)], m_rank, m_size,
                static_cast<unsigned>(m_communicator));
  std::string line = head;
  for (char const c : message) {  // labels are the user's: a line stays a line
    if (static_cast<unsigned char>(c) >= 0x20 && c != 0x7f) {
      line += c;
    } else {
      char escaped[5];
      std::snprintf(escaped, sizeof escaped, "\\x%02x", static_cast<unsigned>(static_cast<unsigned char>(c)));
      line += escaped;
    }
  }
  line += '\n';
  std::fwrite(line.data(), 1, line.size(), stderr);  // unbuffered: one write
}

}  // namespace Koinon::Impl
