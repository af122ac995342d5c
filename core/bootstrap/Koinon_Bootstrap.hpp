// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Koinon_Export.hpp>

#include <cstddef>
#include <span>

namespace Koinon {

/// Brings ranks together while a communicator is made; not used afterwards. Derive from it for stores of your own.
///
/// Every rank calls the same functions in the same order, from one thread. A rank that cannot go on throws: the others
/// should then get an error from theirs within a bounded time.
class KOINON_EXPORT Bootstrap {
 public:
  Bootstrap() = default;
  Bootstrap(Bootstrap const&) = default;
  Bootstrap& operator=(Bootstrap const&) = default;
  virtual ~Bootstrap();

  [[nodiscard]] virtual int rank() const = 0;
  [[nodiscard]] virtual int size() const = 0;
  /// Gathers one block of bytes a rank. @pre mine.size() is equal on all ranks, all.size() == size() * mine.size()
  /// @post all[p * mine.size() ..] = mine of rank p
  virtual void all_gather(std::span<std::byte const> mine, std::span<std::byte> all) = 0;
  /// Returns when every rank has called it.
  virtual void barrier() = 0;
};

namespace Impl {

/// Names, as `type`, the bootstrap over another library's handle of a group of ranks; specialized beside that bootstrap.
template <class Handle>
struct BootstrapOfGroup {};

template <class Handle>
concept GroupHandle = requires { typename BootstrapOfGroup<Handle>::type; };

template <GroupHandle Handle>
using BootstrapOf = typename BootstrapOfGroup<Handle>::type;

}  // namespace Impl

}  // namespace Koinon
