// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Koinon_Macros.hpp>

#include <cstdint>
#include <string>
#include <string_view>

#if defined(KOINON_ENABLE_KOKKOS)
#include <kokkos/Koinon_KokkosTools.hpp>
#else
namespace Koinon::Impl {

/// Tells profiling tools of a collective from its construction to its destruction: there are none without Kokkos.
class ToolsEvent {
 public:
  template <class ExecutionSpace>
  ToolsEvent(ExecutionSpace const&, std::string_view, std::string_view) {}
};

inline void tell_symmetric_allocation(std::string const&, void const*, std::uint64_t) {}
inline void tell_symmetric_deallocation(std::string const&, void const*, std::uint64_t) {}

}  // namespace Koinon::Impl
#endif
