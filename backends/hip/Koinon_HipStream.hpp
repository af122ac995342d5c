// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Koinon_Export.hpp>

// The runtime's own type, declared so that users' plain C++ files need no header of ROCm.
struct ihipStream_t;

namespace Koinon {

/// Is the instance of codes without Kokkos: a stream of the runtime, and the device that it belongs to.
class KOINON_EXPORT HipStream {
 public:
  /// Takes the default stream of the current device.
  HipStream() : HipStream(nullptr) {}
  /// Takes a stream; it must live until the work on it is done, and while it is that of a communicator's last call
  /// until a call is made on another one. For the default stream the current device counts.
  explicit HipStream(ihipStream_t* stream);

  [[nodiscard]] ihipStream_t* stream() const { return m_stream; }
  [[nodiscard]] int device() const { return m_device; }

 private:
  ihipStream_t* m_stream;
  int m_device;
};

}  // namespace Koinon
