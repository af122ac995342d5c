// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Koinon_CudaGpus.hpp>
#include <Koinon_CudaRange.hpp>
#include <Koinon_Error.hpp>
#include <bootstrap/Koinon_Bootstrap.hpp>
#include <node/Koinon_Vote.hpp>

#include <chrono>
#include <functional>
#include <memory>
#include <vector>

namespace Koinon::Impl {

/// Is what every step of sharing device memory needs: who takes part, where, and how handles travel.
struct CudaSharing {
  Bootstrap& bootstrap;
  CudaDriver const& driver;
  CudaPlace place;
  std::vector<CudaGpu> const& gpus;  // one a rank
  bool threads;                      // all ranks are threads of this process: handles and addresses are the same
  CUmemAllocationHandleType type;    // in which handles are made, so that they can travel; none between threads
  std::chrono::nanoseconds timeout;

  [[nodiscard]] int rank() const { return bootstrap.rank(); }
  [[nodiscard]] int size() const { return bootstrap.size(); }
  /// Returns the devices whose access this process sets: of all ranks between threads, else the own one.
  [[nodiscard]] std::vector<CUdevice> devices() const;
  /// Runs a voted step in the rank's context.
  void step(char const* name, std::function<void()> const& action) const;
};

/// Makes a shared object on rank 0 and gives it to all ranks. @pre all ranks are threads. Collective; voted.
template <class T, class Make>
std::shared_ptr<T> make_on_first(CudaSharing const& sharing, char const* name, Make const& make) {
  std::shared_ptr<T> made;
  std::shared_ptr<T>* offered = nullptr;
  try {
    sharing.step(name, [&] {
      if (sharing.rank() != 0) return;
      made = make();
      offered = &made;
    });
  } catch (ResourceError const&) {  // thrown by a vote, so on every rank
    made.reset();
    sharing.bootstrap.barrier();  // it is gone before any rank undoes what it stood on
    throw;
  }
  std::shared_ptr<T> const taken = *gather_values(sharing.bootstrap, offered).front();
  sharing.bootstrap.barrier();  // rank 0 keeps what it offered until all have taken it
  return taken;
}

/// Passes a handle of every rank to all ranks of other processes. Collective; every step is voted. Returns one handle a
/// rank, the own one empty. @pre sharing.type is a type that can travel, and the handles were made with it
[[nodiscard]] std::vector<CudaHandle> exchange_handles(CudaSharing const& sharing, CUmemGenericAllocationHandle mine);

/// Passes a handle of rank 0 to all others, in the same way; on rank 0 the result is empty.
[[nodiscard]] CudaHandle broadcast_handle(CudaSharing const& sharing, CUmemGenericAllocationHandle of_first);

}  // namespace Koinon::Impl
