// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <map>
#include <mutex>
#include <vector>

namespace Koinon::Impl {

/// Lists the kernels of one backend that the program has, and how many of them each device has loaded: a kernel that is
/// loaded by its first launch would wait there for the peers' kernels, which wait for it.
class DeviceKernels {
 public:
  /// Called by static registrars, so from any thread and before main(). Returns the kernel's place in the list.
  int enroll(void const* kernel) {
    std::lock_guard const lock(m_mutex);
    m_kernels.push_back(kernel);
    return static_cast<int>(m_kernels.size()) - 1;
  }
  /// Calls `load_kernel(kernel)` for each kernel that the device has not. A throw leaves that one for the next call.
  template <class Load>
  void load(int device, Load const& load_kernel) {
    std::lock_guard const lock(m_mutex);
    for (std::size_t& k = m_loaded[device]; k < m_kernels.size(); ++k) load_kernel(m_kernels[k]);
  }

 private:
  std::mutex m_mutex;
  std::vector<void const*> m_kernels;
  std::map<int, std::size_t> m_loaded;
};

}  // namespace Koinon::Impl
