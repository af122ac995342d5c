// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <bootstrap/Koinon_Bootstrap.hpp>

#include <functional>
#include <memory>
#include <utility>

namespace Koinon {

namespace Impl {
class ThreadWorld;
}

/// Brings together ranks that are threads of one process.
class KOINON_EXPORT ThreadBootstrap final : public Bootstrap {
 public:
  ThreadBootstrap(std::shared_ptr<Impl::ThreadWorld> world, int rank);
  ~ThreadBootstrap() override;

  [[nodiscard]] int rank() const override { return m_rank; }
  [[nodiscard]] int size() const override;
  /// Throws AbortedError when another rank's function threw.
  void all_gather(std::span<std::byte const> mine, std::span<std::byte> all) override;
  void barrier() override;

 private:
  std::shared_ptr<Impl::ThreadWorld> m_world;
  int m_rank;
};

/// Runs body(bootstrap) on `ranks` threads, one a rank, and returns when all have ended.
///
/// A rank that throws aborts the others: those that wait in the bootstrap, or in a communicator that the thrown rank
/// unwinds, get AbortedError. The first exception is rethrown. Also how several ranks share one device.
KOINON_EXPORT void run_thread_ranks(int ranks, std::function<void(ThreadBootstrap&)> const& body);

}  // namespace Koinon
