// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Koinon_DeviceCalls.hpp>
#include <Koinon_DeviceWatch.hpp>
#include <communicator/Koinon_DeviceFailure.hpp>
#include <node/Koinon_MadeHere.hpp>

#include <cstddef>
#include <cstdint>

namespace Koinon::Impl {

/// Owns the words of host memory through which this rank's kernels and hosts talk: the failure record, and what aborts.
///
/// Kernels poll the rank's alert in the control plane itself, so that a peer's failure reaches them while this rank's
/// host does something else. Where the driver cannot give them that page, they poll a word of this rank's own, and what
/// peers tell reaches them when this rank's host next looks.
class DeviceHostWords {
 public:
  /// Throws ResourceError. @pre no other object watches the same alert
  DeviceHostWords(DeviceCalls const& calls, std::uint32_t& alert);
  DeviceHostWords(DeviceHostWords const&) = delete;
  DeviceHostWords& operator=(DeviceHostWords const&) = delete;
  ~DeviceHostWords();

  /// Returns the words as the host sees them.
  [[nodiscard]] DeviceWaits waits() const {
    return {&m_own->failure, m_page != nullptr ? m_alert : &m_own->abort_word};
  }
  /// Stores where the device sees them.
  void fill_in(DeviceWatch& watch) const;
  [[nodiscard]] bool peers_abort_at_once() const { return m_page != nullptr; }

 private:
  struct Own {
    DeviceFailure failure;
    alignas(64) std::uint32_t abort_word = 0;
  };

  DeviceCalls const& m_calls;
  std::uint32_t* m_alert;
  Own* m_own = nullptr;    // pinned
  void* m_page = nullptr;  // of the alert, registered; null: it could not be
  std::byte* m_own_on_device = nullptr;
  std::byte* m_page_on_device = nullptr;
  MadeHere m_here;
};

}  // namespace Koinon::Impl
