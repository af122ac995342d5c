// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Koinon_Perf_Case.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>

namespace Koinon {
class Workspace;
}

namespace Koinon::Perf {

/// Does one collective call on arrays that were fixed when it was made.
using Call = std::function<void()>;

/// The arrays of one case on this rank. Null where the rank has no such array.
struct Arrays {
  void* in = nullptr;
  void* out = nullptr;
  Workspace const* workspace = nullptr;  ///< what out lies in when the result is borrowed
};

/// One case made ready: its arrays, their rewriting, and what the result has to be. Koinon and all rivals use the same.
class Exercise {
 public:
  virtual ~Exercise() = default;

  virtual Arrays arrays() const = 0;

  /// Returns the call of Koinon, or throws what Koinon throws.
  virtual Call koinon_call() = 0;
  /// Returns why Koinon cannot do this case; empty: it can. Collective.
  virtual std::string koinon_refusal() = 0;

  /// Writes the input of that call; each call has other values.
  virtual void rewrite(std::size_t iteration) = 0;
  /// Overwrites the output, so that a result of an earlier call cannot pass for one of the next.
  virtual void spoil() = 0;
  /// Lets no rank's next call begin before all ranks are here, where the calls themselves leave that to the caller: a peer
  /// would store into a result that is still looked at. Collective; on a device it is enqueued.
  virtual void meet() {}
  /// Counts elements of the output that are not as they should be after that call, and changed ones of the input.
  virtual std::uint64_t count_wrong(std::size_t iteration) const = 0;

  /// Returns the seconds of {rewrite; call} for iterations calls from first on; without a call, of the rewriting alone.
  virtual double run(Call const& call, std::size_t first, std::size_t iterations) = 0;
  virtual double run_rewriting(std::size_t first, std::size_t iterations) = 0;
};

}  // namespace Koinon::Perf
