// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <communicator/Koinon_Gate.hpp>
#include <Koinon_Macros.hpp>

namespace Koinon::Impl {

/// Holds a communicator's execution space.
template <class ExecutionSpace>
class SpaceHolder {
 public:
  SpaceHolder(ExecutionSpace const& space, Gate&) : m_space(space) {}
  [[nodiscard]] ExecutionSpace const& get() const { return m_space; }

 private:
  ExecutionSpace m_space;
};

}  // namespace Koinon::Impl

#if defined(KOINON_ENABLE_KOKKOS)
#include <kokkos/Koinon_KokkosSpaceHolder.hpp>
#endif
