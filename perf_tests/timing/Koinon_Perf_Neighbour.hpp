// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <string>

namespace Koinon::Perf {

/// Fills memory beside the ranks while they are timed, and takes no part in what they do. One a host, or a GPU.
class Neighbour {
 public:
  virtual ~Neighbour() = default;
  /// Returns once it fills memory. @pre it does not
  virtual void begin() = 0;
  /// Returns once it fills no more.
  virtual void end() noexcept = 0;
  /// Says what fills which memory, for the head of the report.
  virtual std::string describe() const = 0;
  /// Returns the 10^9 bytes a second that it read and wrote, each counted, between begin and end.
  virtual double gigabytes_per_second() const = 0;
};

/// Has the neighbour of this rank, if it has one, fill memory for as long as it lives.
class UnderLoad {
 public:
  explicit UnderLoad(Neighbour* neighbour) : m_neighbour(neighbour) {
    if (m_neighbour != nullptr) m_neighbour->begin();
  }
  ~UnderLoad() {
    if (m_neighbour != nullptr) m_neighbour->end();
  }
  UnderLoad(UnderLoad const&) = delete;
  UnderLoad& operator=(UnderLoad const&) = delete;

 private:
  Neighbour* m_neighbour;
};

}  // namespace Koinon::Perf
