// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <functional>
#include <memory>

namespace Koinon::Testing {

/// Is what was enqueued once, to be enqueued again.
class Recording {
 public:
  virtual ~Recording() = default;
  virtual void replay() const = 0;
};

/// Is the way to memory that only a space's kernels may touch. Where it is the host's own, there is none (null).
///
/// A session has one: its private memory is taken at once, before any kernel waits for a peer.
class SpaceMemory {
 public:
  virtual ~SpaceMemory() = default;
  /// Returns the begin of private memory of the space.
  [[nodiscard]] virtual std::byte* private_memory() const = 0;
  [[nodiscard]] virtual std::size_t private_bytes() const = 0;
  /// Copy behind all that the session's instance was given, and wait.
  virtual void upload(std::byte* to, std::byte const* from, std::size_t bytes) const = 0;
  virtual void download(std::byte* to, std::byte const* from, std::size_t bytes) const = 0;
  /// Records what body() enqueues on the session's instance, which does not run. May wait for the device, and so may the
  /// end of a recording: not while a kernel waits for a peer.
  [[nodiscard]] virtual std::unique_ptr<Recording const> record(std::function<void()> const& body) const = 0;
};

/// Returns the memory of a space whose kernels run on this instance; a backend with memory apart overloads it.
template <class Space>
std::unique_ptr<SpaceMemory const> make_space_memory(Space const&) {
  return nullptr;
}

}  // namespace Koinon::Testing
