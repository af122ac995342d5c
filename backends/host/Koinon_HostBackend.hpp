// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Koinon_HostBlock.hpp>
#include <Koinon_HostMemory.hpp>
#include <Koinon_HostTeam.hpp>
#include <Koinon_Concepts.hpp>
#include <Koinon_Selection.hpp>
#include <epilogues/Koinon_Row.hpp>
#include <protocol/Koinon_Run.hpp>

namespace Koinon::Impl {

/// Is the backend of processors that share memory.
struct KOINON_EXPORT HostBackend {
  using Instance = HostTeam;
  using Memory = HostMemory;
  using Block = HostBlock;
  using Row = Koinon::Row<Block>;

  /// Says why `Multimem` cannot reduce T with R; null: it can.
  template <class T, class R>
  static constexpr char const* multimem_refusal = multicast_refusal<T, R>();

  static BackendFacts facts(Instance const& instance);

  /// Runs a body on the selection's blocks and returns when this rank's part has ended.
  template <class Body, class Arguments>
  static void launch(Instance const&, DeviceCommunicator const& comm, Selection const& selection,
                     Arguments const& arguments) {
    if (selection.blocks == 1) {
      guarded(comm, [&] { run<Body>(HostBlock(0, 1), comm, arguments); });
      return;
    }
    struct Work {
      DeviceCommunicator const& comm;
      int blocks;
      Arguments const& arguments;
    } work{comm, selection.blocks, arguments};
    run_on_threads(
        selection.blocks,
        [](void* argument, int index) {
          auto const& w = *static_cast<Work const*>(argument);
          guarded(w.comm, [&] { run<Body>(HostBlock(index, w.blocks), w.comm, w.arguments); });
        },
        &work);
  }

 private:
  /// Runs a block. What a user's reducer throws leaves the launch half done on this rank: that ends the communicator, for
  /// all ranks, before it goes on to the caller.
  template <class F>
  static inline __attribute__((always_inline)) void guarded(DeviceCommunicator const& comm, F&& f) {
#if defined(__cpp_exceptions)
    try {
      f();
    } catch (...) {
      static_cast<HostWatch const*>(comm.m_watch)->health->abort("a reducer threw an exception");
      throw;
    }
#else
    f();
#endif
  }
};

static_assert(BackendType<HostBackend>);

}  // namespace Koinon::Impl
