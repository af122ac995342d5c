// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Koinon_Request.hpp>
#include <Koinon_Selection.hpp>

#include <array>
#include <cstddef>
#include <cstdint>

namespace Koinon::Impl {

/// Is what selects a launch beside the request and the communicator's own facts: all equal on every rank.
struct SelectionKey {
  std::uint32_t call = 0;  // operation, element type, reducer: a hash that is a constant of the call
  std::uint64_t elements = 0;
  std::uint64_t rows = 0;

  friend bool operator==(SelectionKey const& a, SelectionKey const& b) {
    return a.elements == b.elements && a.rows == b.rows && a.call == b.call;
  }
};

/// Remembers the selections of recent calls, so that a call that repeats an earlier one goes straight to the launch.
class SelectionCache {
 public:
  /// Returns the selection of an equal call, or null.
  [[nodiscard]] Selection const* find(SelectionKey const& key, Request const& request) const {
    Entry const& entry = m_entries[slot(key)];
    return entry.used && entry.key == key && entry.request == request ? &entry.selection : nullptr;
  }
  Selection const& put(SelectionKey const& key, Request const& request, Selection const& selection) {
    Entry& entry = m_entries[slot(key)];
    entry = Entry{key, request, selection, true};
    return entry.selection;
  }

 private:
  struct Entry {
    SelectionKey key;
    Request request;
    Selection selection;
    bool used = false;
  };
  [[nodiscard]] static std::size_t slot(SelectionKey const& key) {
    std::uint64_t const mixed = (key.elements * 0x9E3779B97F4A7C15ull) ^ (key.rows * 0xC2B2AE3D27D4EB4Full) ^ key.call;
    return static_cast<std::size_t>((mixed >> 32 ^ mixed) % slots);
  }
  static constexpr std::size_t slots = 64;
  std::array<Entry, slots> m_entries{};
};

}  // namespace Koinon::Impl
