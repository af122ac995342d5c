// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Koinon_TuningTable.hpp>

#include <charconv>
#include <concepts>
#include <string>
#include <string_view>
#include <type_traits>

namespace Koinon {

namespace Impl {

template <class T, class Record>
concept SameButConst = std::same_as<std::remove_const_t<T>, Record>;

}  // namespace Impl

/// Calls visit(name, field) for each field of a tuning, in its order.
template <Impl::SameButConst<Tuning> Record, class Visitor>
constexpr void for_each_field(Record& tuning, Visitor&& visit) {
  visit(std::string_view("algorithm"), tuning.algorithm);
  visit(std::string_view("transport"), tuning.transport);
  visit(std::string_view("geometry"), tuning.geometry);
  visit(std::string_view("blocks"), tuning.blocks);
  visit(std::string_view("min_blocks"), tuning.min_blocks);
  visit(std::string_view("max_blocks"), tuning.max_blocks);
  visit(std::string_view("tile_elements"), tuning.tile_elements);
  visit(std::string_view("row_tile_elements"), tuning.row_tile_elements);
  visit(std::string_view("block_threads"), tuning.block_threads);
  visit(std::string_view("vector_bytes"), tuning.vector_bytes);
  visit(std::string_view("vectors_in_flight"), tuning.vectors_in_flight);
  visit(std::string_view("entry_barrier"), tuning.entry_barrier);
  visit(std::string_view("dependent_launch"), tuning.dependent_launch);
  visit(std::string_view("early_trigger"), tuning.early_trigger);
}

/// Calls visit(name, field) for each key of an entry, then for each field of its tuning.
template <Impl::SameButConst<TuningEntry> Record, class Visitor>
constexpr void for_each_field(Record& entry, Visitor&& visit) {
  visit(std::string_view("backend"), entry.backend);
  visit(std::string_view("architecture"), entry.architecture);
  visit(std::string_view("capabilities"), entry.capabilities);
  visit(std::string_view("operation"), entry.operation);
  visit(std::string_view("element_bytes"), entry.element_bytes);
  visit(std::string_view("ranks"), entry.ranks);
  visit(std::string_view("up_to_bytes"), entry.up_to_bytes);
  for_each_field(entry.tuning, visit);
}

/// Writes a field as text. Capabilities are joined by '+'; "any" stands for every operation and every size.
template <std::integral Number>
std::string field_text(Number value) {
  if constexpr (std::same_as<Number, std::int64_t>) {
    if (value == any_bytes) return "any";
  }
  return std::to_string(value);
}
template <NamedEnum Enum>
std::string field_text(Enum value) {
  return std::string(to_string(value));
}
inline std::string field_text(ShortName const& name) {
  return std::string(name.view());
}
inline std::string field_text(std::optional<Operation> const& operation) {
  return operation ? field_text(*operation) : "any";
}
inline std::string field_text(CapabilitySet capabilities) {
  std::string text;
  for (std::size_t index = 0; index < enumerator_count<Capability>; ++index) {
    auto const capability = static_cast<Capability>(index);
    if (!capabilities.contains(capability)) continue;
    if (!text.empty()) text += '+';
    text += to_string(capability);
  }
  return text;
}

namespace Impl {

template <std::integral Number>
bool read_field(Number& field, std::string_view text) {
  if constexpr (std::same_as<Number, std::int64_t>) {
    if (text == "any") {
      field = any_bytes;
      return true;
    }
  }
  Number value = 0;
  auto const [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < 0) return false;
  field = value;
  return true;
}
template <NamedEnum Enum>
bool read_field(Enum& field, std::string_view text) {
  std::optional<Enum> const value = from_string<Enum>(text);
  if (value) field = *value;
  return value.has_value();
}
inline bool read_field(ShortName& field, std::string_view text) {
  if (text.size() > ShortName::capacity) return false;
  field = ShortName(text);
  return true;
}
inline bool read_field(std::optional<Operation>& field, std::string_view text) {
  field = from_string<Operation>(text);
  return field.has_value() || text == "any";
}
inline bool read_field(CapabilitySet& field, std::string_view text) {
  CapabilitySet result;
  while (!text.empty()) {
    std::size_t const length = text.find('+');
    std::optional<Capability> const capability = from_string<Capability>(text.substr(0, length));
    if (!capability) return false;
    result.insert(*capability);
    text = length == std::string_view::npos ? std::string_view() : text.substr(length + 1);
  }
  field = result;
  return true;
}

}  // namespace Impl

enum class FieldAnswer { done, no_such_field, no_such_value };

/// Sets the field of that name (of a Tuning or a TuningEntry) from text.
/// @post on done, field_text of the field is equivalent to text; else the record is unchanged
template <class Record>
FieldAnswer set_field(Record& record, std::string_view name, std::string_view text) {
  FieldAnswer answer = FieldAnswer::no_such_field;
  Record changed = record;
  for_each_field(changed, [&](std::string_view field_name, auto& field) {
    if (field_name == name) answer = Impl::read_field(field, text) ? FieldAnswer::done : FieldAnswer::no_such_value;
  });
  if (answer == FieldAnswer::done) record = changed;
  return answer;
}

}  // namespace Koinon
