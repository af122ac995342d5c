// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <string>
#include <string_view>

namespace Koinon::Impl {

/// Tells Kokkos Tools of a collective from its construction to its destruction, as a parallel_for named
/// `Koinon::all_reduce [label]` on the instance's device. Without a tool nothing is built and nothing called.
class ToolsEvent {
 public:
  template <class ExecutionSpace>
  ToolsEvent(ExecutionSpace const& space, std::string_view operation, std::string_view label) {
    if constexpr (Kokkos::is_execution_space_v<ExecutionSpace>) {
      if (!Kokkos::Tools::profileLibraryLoaded()) [[likely]] return;
      std::string name = "Koinon::" + std::string(operation);
      if (!label.empty()) name += " [" + std::string(label) + "]";
      Kokkos::Tools::beginParallelFor(name, Kokkos::Tools::Experimental::device_id(space), &m_kernel);
      m_begun = true;
    }
  }
  ToolsEvent(ToolsEvent const&) = delete;
  ToolsEvent& operator=(ToolsEvent const&) = delete;
  ~ToolsEvent() {
    if (m_begun) Kokkos::Tools::endParallelFor(m_kernel);
  }

 private:
  std::uint64_t m_kernel = 0;
  bool m_begun = false;
};

/// Tells Kokkos Tools of symmetric memory, in the space `Koinon::Symmetric`.
inline void tell_symmetric_allocation(std::string const& label, void const* p, std::uint64_t bytes) {
  if (Kokkos::Tools::profileLibraryLoaded()) {
    Kokkos::Tools::allocateData(Kokkos::Tools::make_space_handle("Koinon::Symmetric"), label, p, bytes);
  }
}
inline void tell_symmetric_deallocation(std::string const& label, void const* p, std::uint64_t bytes) {
  if (Kokkos::Tools::profileLibraryLoaded()) {
    Kokkos::Tools::deallocateData(Kokkos::Tools::make_space_handle("Koinon::Symmetric"), label, p, bytes);
  }
}

}  // namespace Koinon::Impl
