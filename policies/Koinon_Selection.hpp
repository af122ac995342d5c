// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Koinon_Facts.hpp>
#include <Koinon_Request.hpp>
#include <Koinon_SelectionPath.hpp>
#include <Koinon_Text.hpp>
#include <Koinon_TuningTable.hpp>

#include <cstdint>
#include <string>
#include <utility>

namespace Koinon {

/// Says how one call is run. Equal on every rank.
struct Selection {
  Algorithm algorithm = Algorithm::automatic;
  Transport transport = Transport::automatic;
  std::int32_t blocks = 1;
  std::int32_t block_threads = 1;
  std::int64_t tiles = 0;
  std::int64_t tile_elements = 1;
  std::int32_t vector_bytes = 0;
  std::int32_t vectors_in_flight = 1;
  bool skip_entry_barrier = false;
  bool dependent_launch = false;
  bool early_trigger = false;
  bool deterministic = false;
  bool tuned = false;               ///< an entry of the table spoke
  CategorySet preferences_dropped;  ///< asked for, not given: describe() tells

  friend constexpr bool operator==(Selection const&, Selection const&) = default;
};

/// Holds a selection, or the reason why there is none. Allocates only for a reason.
class SelectionAnswer {
 public:
  SelectionAnswer(Selection const& selection) : m_selection(selection), m_granted(true) {}
  static SelectionAnswer refused(std::string reason) {
    SelectionAnswer answer{Selection{}};
    answer.m_granted = false;
    answer.m_reason = std::move(reason);
    return answer;
  }

  explicit operator bool() const { return m_granted; }
  Selection const& operator*() const { return m_selection; }
  Selection const* operator->() const { return &m_selection; }
  std::string const& reason() const { return m_reason; }

 private:
  Selection m_selection;
  std::string m_reason;
  bool m_granted;
};

namespace Impl {

inline std::string conflict_refusal(CategorySet conflicting) {
  std::string text = "two requirements contradict each other about";
  for (std::size_t index = 0; index < enumerator_count<Category>; ++index) {
    auto const category = static_cast<Category>(index);
    if (conflicting.contains(category)) append(text, joined(" ", category));
  }
  return text;
}

/// Takes geometry and tile each from the request where it speaks, else from the table.
constexpr Tuning geometry_asked(Tuning const& asked, Tuning const& tuned) {
  Tuning result = tuned;
  if (states(asked, Category::geometry)) copy_category(result, asked, Category::geometry);
  if (states(asked, Category::tile)) {
    copy_category(result, asked, Category::tile);
    // RowTiles without a stated number of blocks means one block a tile, whatever the table says.
    if (geometry_of(asked) == Geometry::row_tiles) {
      copy_category(result, Tuning{.geometry = Geometry::row_tiles}, Category::geometry);
    }
  }
  return result;
}

/// Fills a selection step by step. A step gives the reason of a refusal, or an empty text.
class Chooser {
 public:
  Chooser(Request const& request, Facts const& facts) : m_request(request), m_facts(facts) {
    m_chosen.deterministic = request.deterministic();
    m_chosen.preferences_dropped = request.overridden;
  }

  std::string choose_path_of(Operation operation, TuningTable const& table) {
    PathChoice const path = choose_path(operation, m_request, m_facts, table);
    if (!path.found) return path_refusal(m_request, m_facts);
    m_chosen.algorithm = path.algorithm;
    m_chosen.transport = path.transport;
    if (!compatible(m_request.asked.algorithm, path.algorithm)) drop(Category::algorithm);
    if (!compatible(m_request.asked.transport, path.transport)) drop(Category::transport);
    m_chosen.tuned = path.entry != nullptr;
    if (path.entry != nullptr) m_tuned = path.entry->tuning;
    return {};
  }

  std::string choose_threads() {
    auto const possible = [this](std::int32_t threads) {
      return threads <= m_facts.max_block_threads && threads % m_facts.block_threads_multiple == 0;
    };
    if (m_tuned.block_threads < m_facts.least_block_threads) m_tuned.block_threads = 0;
    if (settle(m_chosen.block_threads, &Tuning::block_threads, m_facts.default_block_threads, Category::block_threads,
               possible)) {
      return {};
    }
    return joined("block_threads ", m_request.asked.block_threads, " is required, but a block here has a multiple of ",
                  m_facts.block_threads_multiple, " threads and at most ", m_facts.max_block_threads);
  }

  std::string choose_vectors() {
    auto const possible = [this](std::int32_t bytes) {
      return bytes <= m_facts.max_vector_bytes && is_power_of_two(bytes) && bytes % m_facts.element_bytes == 0;
    };
    if (!settle(m_chosen.vector_bytes, &Tuning::vector_bytes, m_facts.default_vector_bytes, Category::vector_bytes,
                possible)) {
      return joined("vector_bytes ", m_request.asked.vector_bytes,
                    " is required, but a vector here is a power of two of at most ", m_facts.max_vector_bytes,
                    " bytes that holds whole elements of ", m_facts.element_bytes);
    }
    auto const flight_possible = [this](std::int32_t vectors) { return vectors <= m_facts.max_vectors_in_flight; };
    if (!settle(m_chosen.vectors_in_flight, &Tuning::vectors_in_flight, m_facts.default_vectors_in_flight,
                Category::vectors_in_flight, flight_possible)) {
      return joined("vectors_in_flight ", m_request.asked.vectors_in_flight,
                    " is required, but a thread here has at most ", m_facts.max_vectors_in_flight);
    }
    return {};
  }

  std::string choose_grid() {
    Tuning const geometry = geometry_asked(m_request.asked, m_tuned);
    std::int64_t const vector_elements = at_least_one(m_chosen.vector_bytes / m_facts.element_bytes);
    // Blocks of the launch behind an early trigger are resident beside its own.
    std::int32_t const most = can_trigger_early() ? m_facts.max_blocks / 2 : m_facts.max_blocks;
    Grid const grid = grid_of(geometry, m_facts.work, m_chosen.block_threads,
                              vector_elements * m_chosen.vectors_in_flight, most);
    m_chosen.blocks = grid.blocks;
    m_chosen.tiles = grid.tiles;
    m_chosen.tile_elements = grid.tile_elements;
    bool const too_many = grid.asks_for_blocks && grid.wanted_blocks > most;
    if (!too_many || !states(m_request.asked, Category::geometry)) return {};
    drop(Category::geometry);
    if (!is_required(Category::geometry)) return {};
    return joined(geometry_of(geometry), " asks for ", grid.wanted_blocks, " blocks, but all ranks agreed on at most ",
                  m_facts.max_blocks, most < m_facts.max_blocks ? ", half of them with an early trigger" : "");
  }

  void choose_synchronization() {
    Tuning const& asked = m_request.asked;
    // The caller vouches for what the barrier guards: where it stays all the same no result changes, so this is never a
    // reason to refuse. Packets have none.
    bool const skip = asked.entry_barrier == Entry::skip && m_chosen.algorithm != Algorithm::low_latency;
    m_chosen.skip_entry_barrier = skip && m_facts.entry_barrier_can_be_skipped;
    if (skip && !m_chosen.skip_entry_barrier) drop(Category::entry_barrier);

    bool const early = asked.early_trigger == Switch::on;
    bool const dependent = early || asked.dependent_launch == Switch::on;
    bool const capable = m_facts.capabilities.contains(Capability::dependent_launch);
    m_chosen.early_trigger = can_trigger_early();
    m_chosen.dependent_launch = dependent && capable;
    // Ignored where a device has none, also when required: it changes no result.
    if (!capable && asked.dependent_launch == Switch::on) drop(Category::dependent_launch);
    if (early && !m_chosen.early_trigger) drop(Category::early_trigger);
  }

  Selection const& chosen() const { return m_chosen; }

 private:
  bool can_trigger_early() const {
    return m_request.asked.early_trigger == Switch::on && m_facts.max_blocks > 1 &&
           m_facts.capabilities.contains(Capability::dependent_launch);
  }
  bool is_required(Category category) const { return m_request.required.contains(category); }
  void drop(Category category) { m_chosen.preferences_dropped.insert(category); }

  /// Settles one number: what is asked for if it is possible, else what the table says if that is, else the default.
  /// @post false only if a required number is impossible
  template <class Possible>
  bool settle(std::int32_t& result, std::int32_t Tuning::*field, std::int32_t otherwise, Category category,
              Possible possible) {
    std::int32_t const asked = m_request.asked.*field;
    std::int32_t const tuned = m_tuned.*field;
    result = tuned > 0 && possible(tuned) ? tuned : otherwise;
    if (asked == 0) return true;
    if (possible(asked)) {
      result = asked;
      return true;
    }
    drop(category);
    return !is_required(category);
  }

  Request const& m_request;
  Facts const& m_facts;
  Selection m_chosen;
  Tuning m_tuned;
};

}  // namespace Impl

/// Chooses algorithm, transport and geometry of a call. Pure: what all ranks agree on decides, so all choose alike.
/// Required and impossible: refused. Preferred and impossible: falls back and says so. Else the table, then a default.
/// What only permits something (SkipEntryBarrier, dependent launch) is never refused: where it is not used, it says so.
/// Guarantees and hazards (Deterministic, SkipEntryBarrier, dependent launch) come from the request alone.
/// @pre  facts.ranks, element_bytes, max_blocks and the defaults are at least 1
/// @post granted: 1 <= blocks <= facts.max_blocks
inline SelectionAnswer select(Operation operation, Request const& request, Facts const& facts,
                              TuningTable const& table) {
  if (!request.conflicting.empty()) return SelectionAnswer::refused(Impl::conflict_refusal(request.conflicting));
  if (char const* fault = fault_of(request.asked)) return SelectionAnswer::refused(fault);

  Impl::Chooser chooser(request, facts);
  std::string refusal = chooser.choose_path_of(operation, table);
  if (refusal.empty()) refusal = chooser.choose_threads();
  if (refusal.empty()) refusal = chooser.choose_vectors();
  if (refusal.empty()) refusal = chooser.choose_grid();
  if (!refusal.empty()) return SelectionAnswer::refused(std::move(refusal));
  chooser.choose_synchronization();
  return chooser.chosen();
}

}  // namespace Koinon
