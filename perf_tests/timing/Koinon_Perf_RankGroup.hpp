// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace Koinon::Perf {

/// The ranks of this run as the measuring itself needs them: never used inside a timed region.
class RankGroup {
 public:
  virtual ~RankGroup() = default;
  virtual int rank() const = 0;
  virtual int size() const = 0;
  /// Tells processes started by MPI from threads of one process.
  virtual bool is_processes() const = 0;
  virtual void barrier() = 0;
  /// Returns the maximum of value over all ranks, on every rank.
  virtual double maximum(double value) = 0;
  /// Returns the sum of value over all ranks, on every rank.
  virtual std::uint64_t sum(std::uint64_t value) = 0;
  /// Fills all with what each rank has in mine, in the order of the ranks.
  virtual void all_gather(std::span<std::byte const> mine, std::span<std::byte> all) = 0;

  bool any(bool value) { return maximum(value ? 1 : 0) > 0; }
};

}  // namespace Koinon::Perf
