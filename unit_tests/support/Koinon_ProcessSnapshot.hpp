// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <dirent.h>
#include <fstream>
#include <set>
#include <string>
#include <unistd.h>

namespace Koinon::Testing {

#if defined(__SANITIZE_THREAD__)
inline constexpr bool thread_sanitized = true;
#else
inline constexpr bool thread_sanitized = false;
#endif
#if defined(__SANITIZE_ADDRESS__)
inline constexpr bool address_sanitized = true;
#else
inline constexpr bool address_sanitized = false;
#endif

/// Is what this process holds: descriptors by what they refer to, mappings of ours, and sizes.
struct ProcessSnapshot {
  std::multiset<std::string> descriptors;
  std::size_t memory_files = 0;  // lines of /proc/self/maps that map a memory file of Koinon
  std::size_t mapped_bytes = 0;  // addresses in use
  std::size_t resident_bytes = 0;

  static ProcessSnapshot take() {
    ProcessSnapshot snapshot;
    DIR* const directory = opendir("/proc/self/fd");
    int const own = dirfd(directory);
    while (dirent const* const entry = readdir(directory)) {
      std::string const name = entry->d_name;
      if (name == "." || name == ".." || name == std::to_string(own)) continue;
      std::array<char, 256> target{};
      if (readlink(("/proc/self/fd/" + name).c_str(), target.data(), target.size() - 1) > 0) {
        snapshot.descriptors.insert(name + " -> " + target.data());
      }
    }
    closedir(directory);
    std::ifstream maps("/proc/self/maps");
    for (std::string line; std::getline(maps, line);) {
      if (line.find("memfd:koinon") != std::string::npos) ++snapshot.memory_files;
    }
    std::size_t pages = 0;
    std::size_t resident = 0;
    std::ifstream("/proc/self/statm") >> pages >> resident;
    auto const page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    snapshot.mapped_bytes = pages * page;
    snapshot.resident_bytes = resident * page;
    return snapshot;
  }
};

/// Expects that nothing was left behind since `before`: the same descriptors, no memory file mapped that was not, and
/// no more than `slack` bytes of further addresses (the heap's own; a communicator of default sizes has 8 MiB a rank).
inline void expect_nothing_left(ProcessSnapshot const& before, std::size_t slack = std::size_t{2} << 20) {
  ProcessSnapshot const now = ProcessSnapshot::take();
  EXPECT_EQ(now.descriptors, before.descriptors);
  EXPECT_EQ(now.memory_files, before.memory_files);
  if (thread_sanitized || address_sanitized) return;  // a sanitizer keeps memory of its own
  EXPECT_LT(now.mapped_bytes, before.mapped_bytes + slack);
}

}  // namespace Koinon::Testing
