// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <bootstrap/Koinon_Bootstrap.hpp>

#include <exception>
#include <functional>
#include <string>
#include <vector>

namespace Koinon::Impl {

/// Exchanges one trivially copyable value a rank. Collective.
template <class T>
std::vector<T> gather_values(Bootstrap& bootstrap, T const& mine) {
  std::vector<T> all(static_cast<std::size_t>(bootstrap.size()));
  bootstrap.all_gather(std::as_bytes(std::span(&mine, 1)), std::as_writable_bytes(std::span(all)));
  return all;
}

/// Runs a step that may fail on some ranks; if it failed on any, throws ResourceError on all ranks that names the ranks
/// and their reasons. Collective: no rank goes on alone.
KOINON_EXPORT void vote(Bootstrap& bootstrap, char const* step, std::function<void()> const& action);

}  // namespace Koinon::Impl
