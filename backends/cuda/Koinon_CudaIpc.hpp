// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Koinon_CudaSharing.hpp>
#include <Koinon_Export.hpp>
#include <node/Koinon_Identity.hpp>
#include <node/Koinon_SharedSegments.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace Koinon::Impl {

/// Is one allocation of each rank, which cudaIpc maps in the processes of all others, wherever the driver likes.
///
/// What another process still maps must not be freed. So at its end a rank lets go of what is others', tells them
/// through host memory that all share, and frees its own once all have told so. What a rank keeps for longer than the
/// patience (5 s, or the timeout if that is shorter) is not freed before the process ends: a late store hits live
/// memory.
class KOINON_EXPORT CudaIpcSegments {
 public:
  /// Makes nothing yet.
  explicit CudaIpcSegments(CudaSharing const& sharing);
  CudaIpcSegments(CudaIpcSegments const&) = delete;
  CudaIpcSegments& operator=(CudaIpcSegments const&) = delete;
  ~CudaIpcSegments();

  /// Allocates and maps. Collective; every step is voted. After a failure the object can only be destroyed, by all
  /// ranks.
  void share(CudaSharing const& sharing, std::vector<Identity> const& identities, std::size_t bytes);
  [[nodiscard]] std::byte* segment(int rank) const {
    return reinterpret_cast<std::byte*>(m_at[static_cast<std::size_t>(rank)]);
  }

 private:
  /// Returns the word that counts the ranks which have let go of a rank's memory.
  [[nodiscard]] std::uint32_t& let_go_of(int rank) const {
    return *reinterpret_cast<std::uint32_t*>(m_notes.segment(rank));
  }
  [[nodiscard]] bool all_let_go() const;

  CudaDriver const& m_driver;
  CudaPlace m_place;
  int m_rank;
  std::chrono::nanoseconds m_patience;
  SharedSegments m_notes;  // host memory: a word a rank
  std::unique_ptr<CudaAllocation> m_own;
  std::vector<CUdeviceptr> m_at;  // one a rank, 0: not mapped
  MadeHere m_here;
};

}  // namespace Koinon::Impl
