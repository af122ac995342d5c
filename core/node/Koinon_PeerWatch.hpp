// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Koinon_Export.hpp>
#include <node/Koinon_FileDescriptor.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace Koinon::Impl {

/// Knows which processes of the peers have ended, from a pidfd of each.
class KOINON_EXPORT PeerWatch {
 public:
  PeerWatch() = default;
  /// @param process_ids one a rank, 0 where the kernel does not tell it here; empty: all are threads of this process
  /// @param rank        this rank, which is not watched
  PeerWatch(std::vector<std::int64_t> const& process_ids, int rank);

  /// Returns the ranks whose process has ended, in rising order. One system call; thread-safe; no allocation if none.
  [[nodiscard]] std::vector<int> dead_ranks() const;
  /// Says how the end of each peer is found, or why it is not.
  [[nodiscard]] std::string describe() const;

 private:
  std::vector<FileDescriptor> m_descriptors;  // one a rank, invalid if not watched
  std::vector<int> m_watched;
  std::vector<int> m_threads;  // of this process
  std::vector<int> m_hidden;   // in a process whose id is not known here
  std::vector<int> m_gone;     // ended before they could be watched
  std::string m_refusals;      // of the kernel, by rank
};

/// Returns "rank 3", or "ranks 3, 5".
KOINON_EXPORT std::string ranks_text(std::vector<int> const& ranks);

}  // namespace Koinon::Impl
