// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Koinon_Export.hpp>

#include <functional>
#include <list>

namespace Koinon::Impl {

/// Calls a function when Kokkos is finalized, if it still lives then: a communicator must let go of its instance, since
/// Kokkos aborts when one outlives finalize. Thread-safe.
class KOINON_EXPORT FinalizeGuard {
 public:
  explicit FinalizeGuard(std::function<void()> on_finalize);
  FinalizeGuard(FinalizeGuard const&) = delete;
  FinalizeGuard& operator=(FinalizeGuard const&) = delete;
  ~FinalizeGuard();

 private:
  std::list<std::function<void()>>::iterator m_entry;
};

}  // namespace Koinon::Impl
