// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <atomic>
#include <sys/mman.h>

namespace Koinon::Testing {

/// Is a number that ranks tell the test, whatever they are.
class Told {
 public:
  Told() : m_at(mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0)) {}
  Told(Told const&) = delete;
  Told& operator=(Told const&) = delete;
  ~Told() { munmap(m_at, 4096); }
  std::atomic<int>& operator*() const { return *static_cast<std::atomic<int>*>(m_at); }

 private:
  void* m_at;
};

}  // namespace Koinon::Testing
