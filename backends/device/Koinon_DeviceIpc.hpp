// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Koinon_DeviceCalls.hpp>
#include <Koinon_Export.hpp>
#include <bootstrap/Koinon_Bootstrap.hpp>
#include <node/Koinon_Identity.hpp>
#include <node/Koinon_MadeHere.hpp>
#include <node/Koinon_SharedSegments.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace Koinon::Impl {

/// Is one allocation of each rank, which the driver maps in the processes of all others by handles, wherever it likes.
///
/// What another process still maps must not be freed. So at its end a rank lets go of what is others', tells them
/// through host memory that all share, and frees its own once all have told so. What a rank keeps for longer than the
/// patience (5 s, or the timeout if that is shorter) is not freed before the process ends: a late store hits live
/// memory.
class KOINON_EXPORT DeviceIpcSegments {
 public:
  /// Makes nothing yet.
  DeviceIpcSegments(DeviceCalls const& calls, Bootstrap& bootstrap, std::chrono::nanoseconds timeout);
  DeviceIpcSegments(DeviceIpcSegments const&) = delete;
  DeviceIpcSegments& operator=(DeviceIpcSegments const&) = delete;
  ~DeviceIpcSegments();

  /// Allocates and maps. Collective; every step is voted. After a failure the object can only be destroyed, by all
  /// ranks.
  void share(Bootstrap& bootstrap, std::vector<Identity> const& identities, std::size_t bytes);
  [[nodiscard]] std::byte* segment(int rank) const { return m_at[static_cast<std::size_t>(rank)]; }

 private:
  /// Returns the word that counts the ranks which have let go of a rank's memory.
  [[nodiscard]] std::uint32_t& let_go_of(int rank) const {
    return *reinterpret_cast<std::uint32_t*>(m_notes.segment(rank));
  }
  [[nodiscard]] bool all_let_go() const;

  DeviceCalls const& m_calls;
  int m_rank;
  std::chrono::nanoseconds m_timeout;
  SharedSegments m_notes;         // host memory: a word a rank
  std::vector<std::byte*> m_at;  // one a rank, null: not mapped
  MadeHere m_here;
};

}  // namespace Koinon::Impl
