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
  /// @param process_ids one a rank; 0, or this process's own, is not watched
  explicit PeerWatch(std::vector<std::int64_t> const& process_ids);

  /// Returns the ranks whose process has ended, in rising order. One system call; thread-safe; no allocation if none.
  [[nodiscard]] std::vector<int> dead_ranks() const;
  /// Returns why a peer is not watched; empty: all are.
  [[nodiscard]] std::string const& unwatched() const { return m_unwatched; }

 private:
  std::vector<FileDescriptor> m_descriptors;  // one a rank, invalid if not watched
  std::vector<int> m_gone;                    // ended before they could be watched
  std::string m_unwatched;
};

}  // namespace Koinon::Impl
