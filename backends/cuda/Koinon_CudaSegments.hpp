// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Koinon_CudaMulticast.hpp>
#include <Koinon_DeviceCalls.hpp>
#include <node/Koinon_Identity.hpp>

#include <chrono>
#include <cstddef>
#include <memory>
#include <string>
#include <vector>

namespace Koinon::Impl {

/// Is one segment of device memory a rank, all mapped at one reserved range: segment p begins at base + p * stride.
///
/// Between processes of a host each rank makes its segment exportable and passes it on, by descriptor or, where that
/// fails on any rank and the platform has them, by fabric handle; every process maps all segments for its own device.
/// Where neither does, cudaIpc maps them wherever the driver likes: then only segment(p) tells where, and the stride is 0.
/// Between threads of one process all segments are mapped once, for the devices of all ranks. A device that cannot map
/// piece by piece serves threads that share it, by one plain allocation. Not zeroed. A segment lives as long as any rank
/// maps it.
///
/// If the environment and the platform allow it, the segments also have one multicast address.
class KOINON_EXPORT CudaSegments {
 public:
  /// Makes segments of at least `bytes`. Collective, every step is voted: on failure of any rank all throw and nothing
  /// stays. What fails of multicast is no failure: all ranks go on without, for the same reason.
  CudaSegments(Bootstrap& bootstrap, std::vector<Identity> const& identities, CudaPlace const& place,
               std::shared_ptr<DeviceCalls const> const& calls, std::size_t bytes, Environment const& environment,
               std::chrono::nanoseconds timeout);

  [[nodiscard]] std::byte* base() const { return m_base; }
  [[nodiscard]] std::ptrdiff_t stride() const { return m_apart.empty() ? static_cast<std::ptrdiff_t>(m_bytes) : 0; }
  [[nodiscard]] std::byte* segment(int rank) const {
    return m_apart.empty() ? m_base + rank * stride() : m_apart[static_cast<std::size_t>(rank)];
  }
  [[nodiscard]] std::size_t bytes() const { return m_bytes; }
  /// Returns the address whose offsets are those of every rank's segment; null: there is no multicast.
  [[nodiscard]] std::byte* multicast_base() const { return m_multicast ? m_multicast->base() : nullptr; }
  /// Says why there is no multicast; empty if there is.
  [[nodiscard]] std::string const& multicast_refusal() const { return m_multicast_refusal; }
  /// Says how the segments came to the ranks, and what was tried before.
  [[nodiscard]] std::string const& way() const { return m_way; }

 private:
  void share_mapped(CudaSharing const& sharing, std::size_t bytes, Environment const& environment);
  void share_allocated(CudaSharing const& sharing, std::size_t bytes);
  void share_by_ipc(CudaSharing const& sharing, std::vector<Identity> const& identities,
                    std::shared_ptr<DeviceCalls const> const& calls, std::size_t bytes);

  std::shared_ptr<void> m_memory;  // a CudaRange, a CudaAllocation or DeviceIpcSegments
  std::vector<std::byte*> m_apart;  // one a rank, where segments lie anywhere
  std::unique_ptr<CudaMulticast> m_multicast;
  std::byte* m_base = nullptr;
  std::size_t m_bytes = 0;
  std::string m_multicast_refusal;
  std::string m_way;
};

}  // namespace Koinon::Impl
