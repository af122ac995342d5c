// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Koinon_ShortName.hpp>
#include <Koinon_Tuning.hpp>

#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace Koinon {

using CapabilitySet = EnumSet<Capability>;

/// Covers every message size above the next smaller edge.
inline constexpr std::int64_t any_bytes = std::numeric_limits<std::int64_t>::max();

/// Says what was measured to be fast for some calls. An empty or zero key field stands for any value.
/// An entry covers the bytes above the next smaller edge of its group up to its own; the largest edge also covers all
/// that is above, so ranges have no gaps. A group: entries whose keys are equal but for the edge.
struct TuningEntry {
  ShortName backend{};
  ShortName architecture{};
  CapabilitySet capabilities{};  ///< all of these are needed
  std::optional<Operation> operation{};
  std::int32_t element_bytes = 0;
  std::int32_t ranks = 0;
  std::int64_t up_to_bytes = any_bytes;
  Tuning tuning{};

  friend constexpr bool operator==(TuningEntry const&, TuningEntry const&) = default;
};

/// Makes an entry of a backend's built-in table: an algorithm over peer loads, for messages up to a size.
constexpr TuningEntry peer_load_entry(ShortName backend, Operation operation, std::int32_t ranks, std::int64_t up_to_bytes,
                                      Algorithm algorithm) {
  return {.backend = backend,
          .operation = operation,
          .ranks = ranks,
          .up_to_bytes = up_to_bytes,
          .tuning = {.algorithm = algorithm, .transport = Transport::peer_load}};
}

/// Says which call a tuning is looked up for. An algorithm or transport other than automatic admits only entries that
/// were measured with it, or that leave it open.
struct TuningQuery {
  ShortName backend{};
  ShortName architecture{};
  CapabilitySet capabilities{};
  Operation operation = Operation::all_reduce;
  std::int32_t element_bytes = 0;
  std::int32_t ranks = 0;
  std::int64_t bytes = 0;
  Algorithm algorithm = Algorithm::automatic;
  Transport transport = Transport::automatic;
};

namespace Impl {

template <class Enum>
constexpr bool compatible(Enum asked, Enum offered) {
  return asked == Enum::automatic || offered == Enum::automatic || asked == offered;
}

constexpr bool matches(TuningEntry const& entry, TuningQuery const& query) {
  // Numbers first: most entries are told apart by them.
  return (entry.ranks == 0 || entry.ranks == query.ranks) &&
         (!entry.operation || *entry.operation == query.operation) &&
         (entry.element_bytes == 0 || entry.element_bytes == query.element_bytes) &&
         query.capabilities.contains_all(entry.capabilities) && compatible(query.algorithm, entry.tuning.algorithm) &&
         compatible(query.transport, entry.tuning.transport) &&
         (entry.backend.empty() || entry.backend == query.backend) &&
         (entry.architecture.empty() || entry.architecture == query.architecture);
}

/// Ranks keys by how much they state: backend before architecture, operation, ranks, element size, capabilities.
constexpr int specificity(TuningEntry const& entry) {
  return (entry.backend.empty() ? 0 : 512) + (entry.architecture.empty() ? 0 : 256) + (entry.operation ? 128 : 0) +
         (entry.ranks == 0 ? 0 : 64) + (entry.element_bytes == 0 ? 0 : 32) + entry.capabilities.size();
}

/// Tells whether the first edge covers the bytes more closely than the second.
constexpr bool closer(std::int64_t edge, std::int64_t best, std::int64_t bytes) {
  bool const covers = edge >= bytes;
  bool const best_covers = best >= bytes;
  if (covers != best_covers) return covers;
  return covers ? edge < best : edge > best;
}

}  // namespace Impl

/// Finds the most specific entry for a call, within it the closest edge; of equals the first. Null if none matches.
/// Pure: ranks that hold equal tables find equal entries.
constexpr TuningEntry const* find_tuning(std::span<TuningEntry const> entries, TuningQuery const& query) {
  TuningEntry const* best = nullptr;
  int best_specificity = 0;
  for (TuningEntry const& entry : entries) {
    if (!Impl::matches(entry, query)) continue;
    int const specificity = Impl::specificity(entry);
    bool const better =
        best == nullptr || specificity > best_specificity ||
        (specificity == best_specificity && Impl::closer(entry.up_to_bytes, best->up_to_bytes, query.bytes));
    if (!better) continue;
    best = &entry;
    best_specificity = specificity;
  }
  return best;
}

/// Joins the entries that a backend was built with and those that the user gave. A user's entry that matches counts
/// more than any built-in one.
class TuningTable {
 public:
  TuningTable() = default;

  /// @pre built_in outlives the table
  explicit TuningTable(std::span<TuningEntry const> built_in, std::vector<TuningEntry> user = {})
      : m_built_in(built_in), m_user(std::move(user)) {}

  TuningEntry const* find(TuningQuery const& query) const {
    if (TuningEntry const* entry = find_tuning(m_user, query)) return entry;
    return find_tuning(m_built_in, query);
  }

  std::span<TuningEntry const> built_in() const { return m_built_in; }
  std::span<TuningEntry const> user() const { return m_user; }

 private:
  std::span<TuningEntry const> m_built_in;
  std::vector<TuningEntry> m_user;
};

}  // namespace Koinon
