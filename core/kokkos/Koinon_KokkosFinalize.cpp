// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <kokkos/Koinon_KokkosFinalize.hpp>

#include <Kokkos_Core.hpp>

#include <mutex>
#include <utility>

namespace Koinon::Impl {

namespace {

/// Holds what is called at finalize; made by the first communicator and never destroyed, so that later ones may unlist.
struct Registry {
  std::mutex mutex;
  std::list<std::function<void()>> entries;
  bool hooked = false;  // Kokkos's hooks are called once: a program may initialize it again
};

Registry& registry() {
  static auto* const instance = new Registry;
  return *instance;
}

void finalize_all() {
  Registry& r = registry();
  std::scoped_lock lock(r.mutex);
  r.hooked = false;
  for (auto& entry : r.entries) {
    if (entry) std::exchange(entry, nullptr)();
  }
}

}  // namespace

FinalizeGuard::FinalizeGuard(std::function<void()> on_finalize) {
  Registry& r = registry();
  std::scoped_lock lock(r.mutex);
  if (!r.hooked) Kokkos::push_finalize_hook(finalize_all);
  r.hooked = true;
  m_entry = r.entries.insert(r.entries.end(), std::move(on_finalize));
}

FinalizeGuard::~FinalizeGuard() {
  Registry& r = registry();
  std::scoped_lock lock(r.mutex);
  r.entries.erase(m_entry);
}

}  // namespace Koinon::Impl
