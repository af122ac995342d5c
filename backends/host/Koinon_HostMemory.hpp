// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Koinon_HostTeam.hpp>
#include <Koinon_HostWatch.hpp>
#include <communicator/Koinon_CommunicatorBase.hpp>
#include <node/Koinon_SharedSegments.hpp>
#include <protocol/Koinon_SegmentLayout.hpp>

#include <chrono>
#include <cstddef>
#include <vector>

namespace Koinon::Impl {

/// Owns a host communicator's segments and what its waits look at.
class KOINON_EXPORT HostMemory {
 public:
  void map(Bootstrap& bootstrap, std::vector<Identity> const& identities, std::size_t bytes,
           std::chrono::nanoseconds timeout, std::byte*& base, std::ptrdiff_t& stride);
  /// Connects the waits with the communicator. @pre map was called
  void attach(CommunicatorBase& comm);
  static void fill_zero(std::byte* p, std::size_t bytes);
  /// Refuses no array: there is but one memory.
  [[nodiscard]] static constexpr char const* refusal_of(void const*) { return nullptr; }
  /// Refuses no instance: a call returns when its launch has ended.
  [[nodiscard]] static constexpr char const* refusal_of(HostTeam const&) { return nullptr; }

 private:
  SharedSegments m_segments;
  HostWatch m_watch;
};

}  // namespace Koinon::Impl
