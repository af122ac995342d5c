// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Koinon_CudaRange.hpp>
#include <Koinon_CudaWatch.hpp>
#include <communicator/Koinon_DeviceFailure.hpp>

#include <cstdint>

namespace Koinon::Impl {

/// Owns the words of host memory through which this rank's kernels and hosts talk: the failure record, and what aborts.
///
/// Kernels poll the rank's alert in the control plane itself, so that a peer's failure reaches them while this rank's
/// host does something else. Where the driver cannot give them that page, they poll a word of this rank's own, and what
/// peers tell reaches them when this rank's host next looks.
class CudaHostWords {
 public:
  /// Throws ResourceError. @pre no other object watches the same alert
  CudaHostWords(CudaDriver const& driver, CudaPlace const& place, std::uint32_t& alert);
  CudaHostWords(CudaHostWords const&) = delete;
  CudaHostWords& operator=(CudaHostWords const&) = delete;
  ~CudaHostWords();

  /// Returns the words as the host sees them.
  [[nodiscard]] DeviceWaits waits() const {
    return {&m_own->failure, m_page != nullptr ? m_alert : &m_own->abort_word};
  }
  /// Stores where the device sees them.
  void fill_in(CudaWatch& watch) const;
  [[nodiscard]] bool peers_abort_at_once() const { return m_page != nullptr; }

 private:
  struct Own {
    DeviceFailure failure;
    alignas(64) std::uint32_t abort_word = 0;
  };
  void take_alert_page();

  CudaDriver const& m_driver;
  CudaPlace m_place;
  std::uint32_t* m_alert;
  Own* m_own = nullptr;    // pinned
  void* m_page = nullptr;  // of the alert, registered; null: it could not be
  CUdeviceptr m_own_on_device = 0;
  CUdeviceptr m_page_on_device = 0;
  MadeHere m_here;
};

}  // namespace Koinon::Impl
