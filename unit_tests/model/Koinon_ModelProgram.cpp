// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Koinon_ModelProgram.hpp"

namespace Koinon::Impl {
namespace {

std::uint32_t key_of(Place const& place) {
  return static_cast<std::uint32_t>(place.area) | static_cast<std::uint32_t>(place.owner) << 4 |
         static_cast<std::uint32_t>(place.source) << 8 | static_cast<std::uint32_t>(place.block) << 14 |
         static_cast<std::uint32_t>(place.part) << 18;
}

bool is_word(Area area) {
  return area == Area::signal || area == Area::entry || area == Area::offset || area == Area::exit ||
         area == Area::round || area == Area::round_data || area == Area::ready;
}

std::int16_t find_or_add(std::unordered_map<std::uint32_t, std::int16_t>& index, std::vector<Place>& places,
                         Place const& place) {
  auto const [entry, added] = index.try_emplace(key_of(place), static_cast<std::int16_t>(places.size()));
  if (added) places.push_back(place);
  return entry->second;
}

}  // namespace

std::int16_t Program::cell(Place const& place) {
  std::int16_t const index = find_or_add(m_cell_index, m_cells, place);
  if (m_initial.size() < m_cells.size()) m_initial.push_back(initial_value(place));
  return index;
}

std::int16_t Program::region(Place place) {
  place.source = place.block = 0;
  place.whole = true;
  return find_or_add(m_region_index, m_regions, place);
}

Kernel& Program::add_kernel(int rank, std::string name, int blocks) {
  m_kernels[rank].push_back({std::move(name), blocks, {}});
  return m_kernels[rank].back();
}

Value Program::initial_value(Place const& place) const {
  if (place.area == Area::started) {
    // Where data replaces the started word, a word not rewritten for half a cycle looks ahead.
    if (!m_setting.rules[Rule::started_word_when_sending])
      return Value((m_setting.start + modulus / 4) % modulus, 0, 0);
    return Value(m_setting.start, 0, 0);
  }
  if (place.area == Area::sentinel) return m_setting.rules[Rule::sentinels_begin_armed] ? Value::all_ones() : Value();
  bool const carries_number = is_word(place.area) || place.area == Area::packet;
  return carries_number && m_setting.left_overs ? Value::left_over() : Value();
}

void Program::fill_clear_list(int rank, Step& step) const {
  bool const words = m_setting.rules[Rule::wrap_clear_words];
  bool const started = !m_setting.rules[Rule::wrap_clear_keeps_started_words];
  bool const sentinels = !m_setting.rules[Rule::wrap_clear_keeps_sentinels];
  for (std::size_t i = 0; i < m_cells.size(); ++i) {
    Place const& place = m_cells[i];
    if (place.owner != rank) continue;
    if (place.area == Area::packet || (words && is_word(place.area)) || (started && place.area == Area::started) ||
        (sentinels && place.area == Area::sentinel))
      step.cleared_cells.push_back(static_cast<std::int16_t>(i));
  }
  for (std::size_t i = 0; i < m_regions.size(); ++i)
    if (m_regions[i].owner == rank && m_regions[i].area == Area::packet)
      step.cleared_regions.push_back(static_cast<std::int16_t>(i));
}

void Program::finish() {
  m_cell_accesses.resize(m_cells.size());
  m_region_accesses.resize(m_regions.size());
  for (int rank = 0; rank < m_setting.ranks; ++rank) {
    m_steps[rank].resize((m_kernels[rank].size() + 1) * max_blocks);
    for (std::size_t k = 0; k < m_kernels[rank].size(); ++k) {
      for (int block = 0; block < m_kernels[rank][k].blocks; ++block) {
        std::vector<Step>& steps = m_kernels[rank][k].steps[block];
        m_steps[rank][k * max_blocks + block] = {steps.data(), steps.size()};
        for (std::size_t pc = 0; pc < steps.size(); ++pc) {
          Step& step = steps[pc];
          Access const access{static_cast<std::uint8_t>(rank), static_cast<std::uint8_t>(k),
                              static_cast<std::uint8_t>(block), static_cast<std::uint8_t>(pc), &step};
          if (step.is_store()) {
            step.delay = static_cast<std::int16_t>(m_stores[rank].size());
            m_stores[rank].push_back(access);
          }
          if (step.action == Action::clear) fill_clear_list(rank, step);
          if (step.cell >= 0) m_cell_accesses[step.cell].push_back(access);
          if (step.region >= 0) m_region_accesses[step.region].push_back(access);
          for (std::int16_t cell : step.cleared_cells) m_cell_accesses[cell].push_back(access);
          for (std::int16_t region : step.cleared_regions) m_region_accesses[region].push_back(access);
        }
      }
    }
  }
}

std::string Program::text(Place const& place) {
  static constexpr char const* names[] = {"started word", "signal word",  "entry word",     "offset word", "exit word",
                                          "round word",   "round signal", "ready word",     "packet",      "sentinel",
                                          "staging",      "user array",   "borrowed memory"};
  std::string text = std::string(names[static_cast<int>(place.area)]) + " of rank " + std::to_string(place.owner);
  if (place.area == Area::packet || place.area == Area::sentinel || place.area == Area::plain)
    text += " half " + std::to_string(place.part);
  if (place.whole) return text;
  if (is_word(place.area) || place.area == Area::started)
    text += " from rank " + std::to_string(place.source);
  else
    text += " slot " + std::to_string(place.source);
  if (place.area != Area::started) text += " block " + std::to_string(place.block);
  if (is_word(place.area)) text += " parity " + std::to_string(place.part);
  return text;
}

}  // namespace Koinon::Impl
