// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <communicator/Koinon_SpaceHolder.hpp>
#include <kokkos/Koinon_KokkosFinalize.hpp>

#include <Kokkos_Core.hpp>

#include <optional>

namespace Koinon::Impl {

/// A Kokkos instance is let go when Kokkos is finalized, and the gate shut.
template <class ExecutionSpace>
  requires Kokkos::is_execution_space_v<ExecutionSpace>
class SpaceHolder<ExecutionSpace> {
 public:
  SpaceHolder(ExecutionSpace const& space, Gate& gate)
      : m_space(space), m_guard([this, &gate] {
          gate.shut(Gate::finalized);
          m_space.reset();
        }) {}
  /// @pre Kokkos is not finalized
  [[nodiscard]] ExecutionSpace const& get() const { return *m_space; }

 private:
  std::optional<ExecutionSpace> m_space;
  FinalizeGuard m_guard;
};

}  // namespace Koinon::Impl
