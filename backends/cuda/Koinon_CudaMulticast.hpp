// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Koinon_CudaSharing.hpp>

#include <cstddef>
#include <memory>
#include <optional>
#include <string>

namespace Koinon::Impl {

/// Is what all ranks decided on multicast before memory is made: the functions and what sizes must be multiples of, or
/// why there is none.
struct CudaMulticastPlan {
  std::optional<CudaMulticastDriver> functions;
  std::size_t granularity = 1;
  std::string refusal;
};

/// Decides. Collective; the same on every rank. No multicast function is called unless the environment of every rank
/// allows it and the GPUs are three or more different ones, one a rank, that all support it.
[[nodiscard]] CudaMulticastPlan plan_multicast(CudaSharing const& sharing, Environment const& environment,
                                               std::size_t bytes);

/// Is an address at which `multimem` instructions reach the segments of all ranks. Nothing else may touch it.
///
/// It and what is bound to it live until the last rank lets go: nothing is unbound before, since a store of a slow peer
/// must hit live memory.
class CudaMulticast {
 public:
  /// Makes the object, adds the devices, binds each rank's memory, maps. Collective, every step is voted: if one fails
  /// on any rank, all throw ResourceError and nothing stays bound, mapped or made.
  CudaMulticast(CudaSharing const& sharing, CudaMulticastDriver const& functions, CUmemGenericAllocationHandle memory,
                std::size_t bytes, std::size_t granularity);
  [[nodiscard]] std::byte* base() const { return m_range->at(); }

 private:
  std::shared_ptr<CudaHandle> m_object;  // one of the process between threads
  std::shared_ptr<CudaRange> m_range;
};

}  // namespace Koinon::Impl
