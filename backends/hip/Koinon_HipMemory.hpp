// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Koinon_DeviceMemory.hpp>
#include <Koinon_DeviceReached.hpp>
#include <Koinon_HipInstance.hpp>
#include <Koinon_HipPointers.hpp>

namespace Koinon::Impl {

/// Owns the memory of a HIP communicator: all of a segment is uncached, symmetric arrays too, since peers read and write
/// those while kernels run.
class KOINON_EXPORT HipMemory final : public DeviceMemory {
 public:
  /// A backend's instance that converts to HipPlace will do.
  explicit HipMemory(HipPlace const& place) : m_place(place) {}

  /// Says why nothing can be launched on an instance now; null: it can. Asked before each launch. The text is static.
  [[nodiscard]] char const* refusal_of(HipInstance const& instance);
  /// Says why this rank's kernels cannot access an array that a call was given; null: they can. The text is static.
  [[nodiscard]] char const* refusal_of(void const* p) { return m_reached.refusal_of(m_place, p); }

 private:
  [[nodiscard]] std::shared_ptr<DeviceCalls const> make_calls() override;
  [[nodiscard]] DeviceSegments share(Bootstrap& everyone, CommunicatorBase& comm,
                                     std::shared_ptr<DeviceCalls const> const& calls, std::size_t bytes) override;

  HipPlace m_place;
  DeviceReached m_reached;
};

}  // namespace Koinon::Impl
