// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Koinon_Perf_Case.hpp>
#include <Koinon_Perf_Instance.hpp>

#include <cstddef>
#include <exception>
#include <new>
#include <optional>
#include <vector>

namespace Koinon::Perf {

/// Owns one array, in private or in symmetric memory. Making and destroying a symmetric one is collective.
template <class T>
class Memory {
 public:
  /// @param elements for symmetric memory the same on every rank
  Memory(Placement placement, PerfCommunicator const& comm, std::size_t elements) : m_comm(comm) {
    if (elements == 0) return;
    if (placement == Placement::symmetric) {
      m_symmetric = symmetric_array<T, 1>(comm, elements);
      return;
    }
    m_private = static_cast<T*>(::operator new(elements * sizeof(T), alignment));
    for (std::size_t i = 0; i < elements; ++i) m_private[i] = T{};  // maps the pages, by the thread that uses them
  }
  ~Memory() {
    ::operator delete(m_private, alignment);
    if (m_symmetric.data() == nullptr || std::uncaught_exceptions() > 0) return;  // the communicator frees it then
    try {
      free_symmetric(m_comm, m_symmetric);
    } catch (std::exception const&) {
      // A rank failed meanwhile: the next call on the communicator says so.
    }
  }
  Memory(Memory const&) = delete;
  Memory& operator=(Memory const&) = delete;

  T* data() const { return m_private != nullptr ? m_private : m_symmetric.data(); }

 private:
  static constexpr std::align_val_t alignment{4096};  // what a large allocation has anyway

  PerfCommunicator const& m_comm;
  T* m_private = nullptr;
  Array<T, 1> m_symmetric{};
};

/// Makes the workspace that a borrowed result of the case just fits in; none where the result is the caller's. It is freed
/// with the communicator. Collective.
template <class Comm>
std::optional<Workspace> workspace_of(Case const& what, Comm const& comm) {
  if (!what.borrowed) return std::nullopt;
  return Workspace(comm, what.largest_output(comm.size()) * bytes_of(what.type));
}

/// Returns the symmetric bytes that a case takes, 0 for private arrays; spare room for alignment included.
inline std::size_t symmetric_bytes_of(Case const& what, int ranks) {
  auto const symmetric = what.placement == Placement::symmetric;
  if (!symmetric && !what.borrowed) return 0;
  auto const in = symmetric ? what.largest_input(ranks) : 0;
  auto const elements = what.is_one_array() ? what.in_place_elements() : in + what.largest_output(ranks);
  return elements * bytes_of(what.type) + 2 * 4096;
}

/// Returns the symmetric bytes of cases whose arrays may all be there at once.
inline std::size_t symmetric_bytes_of(std::vector<Case> const& cases, int ranks) {
  std::size_t bytes = 0;
  for (auto const& what : cases) bytes += symmetric_bytes_of(what, ranks);
  return bytes;
}

}  // namespace Koinon::Perf
