// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Koinon_Config.hpp>
#include <Koinon_Enumerations.hpp>
#include <Koinon_Perf_Build.hpp>

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace Koinon::Perf {

enum class ElementType { f32, f64, i32, u32, i64, u64, f16, bf16, f8_e4m3, f8_e5m2 };
enum class ReducerName { sum, prod, min, max, band, bor, bxor, average };
enum class Placement { private_memory, symmetric };
enum class Device { host, cuda };
/// What follows a reduction in its launch; `none`: nothing. All but `plain` add a residual first and write the sum too;
/// fp8 has the norm as float8_e4m3 by one scale, fp8_groups by one for every 128 columns.
enum class Norm { none, plain, residual, fp8, fp8_groups };

template <class Value>
struct Name {
  Value value;
  std::string_view text;
};

/// Lists every value of one enumeration with the word that the command line and the files use for it.
template <class Value>
inline constexpr std::array<Name<Value>, 0> names{};

template <>
inline constexpr std::array names<ElementType>{
    Name{ElementType::f32, "float"},           Name{ElementType::f64, "double"},
    Name{ElementType::i32, "int32"},           Name{ElementType::u32, "uint32"},
    Name{ElementType::i64, "int64"},           Name{ElementType::u64, "uint64"},
    Name{ElementType::f16, "float16"},         Name{ElementType::bf16, "bfloat16"},
    Name{ElementType::f8_e4m3, "float8_e4m3"}, Name{ElementType::f8_e5m2, "float8_e5m2"}};
template <>
inline constexpr std::array names<ReducerName>{Name{ReducerName::sum, "sum"},   Name{ReducerName::prod, "prod"},
                                               Name{ReducerName::min, "min"},   Name{ReducerName::max, "max"},
                                               Name{ReducerName::band, "band"}, Name{ReducerName::bor, "bor"},
                                               Name{ReducerName::bxor, "bxor"}, Name{ReducerName::average, "average"}};
template <>
inline constexpr std::array names<Placement>{Name{Placement::private_memory, "private"},
                                             Name{Placement::symmetric, "symmetric"}};
template <>
inline constexpr std::array names<Device>{Name{Device::host, "host"}, Name{Device::cuda, "cuda"}};

template <>
inline constexpr std::array names<Norm>{Name{Norm::plain, "plain"}, Name{Norm::residual, "residual"},
                                        Name{Norm::fp8, "fp8"}, Name{Norm::fp8_groups, "fp8_groups"}};

template <class Value>
std::string_view name_of(Value value) {
  for (auto const& name : names<Value>)
    if (name.value == value) return name.text;
  return "?";
}
template <NamedEnum Value>
std::string_view name_of(Value value) {
  return to_string(value);
}

template <class Value>
std::optional<Value> value_named(std::string_view text) {
  for (auto const& name : names<Value>)
    if (name.text == text) return name.value;
  return std::nullopt;
}
template <NamedEnum Value>
std::optional<Value> value_named(std::string_view text) {
  return from_string<Value>(text);
}

// What this build measures; the interface has more.
constexpr bool is_built(Operation operation) {
  switch (operation) {
    case Operation::all_reduce:
    case Operation::reduce_scatter:
    case Operation::all_gather:
    case Operation::all_gather_columns:
    case Operation::all_to_all:
    case Operation::shards_to_rows:
    case Operation::rows_to_shards:
    case Operation::all_gather_multiple:
    case Operation::all_reduce_multiple:
    case Operation::broadcast:
    case Operation::reduce:
    case Operation::barrier:
      return true;
    default:
      return false;
  }
}
constexpr bool is_built(ElementType type) {
#define KOINON_PERF_IS(name) || type == ElementType::name
  return false KOINON_PERF_FOR_EACH_TYPE(KOINON_PERF_IS);
#undef KOINON_PERF_IS
}
constexpr bool is_built(ReducerName reducer) {
#define KOINON_PERF_IS(name) || reducer == ReducerName::name
  return false KOINON_PERF_FOR_EACH_REDUCER(KOINON_PERF_IS);
#undef KOINON_PERF_IS
}
constexpr bool is_built(Device device) {
#if defined(KOINON_ENABLE_CUDA)
  return device == Device::host || device == Device::cuda;
#else
  return device == Device::host;
#endif
}
template <class Value>
constexpr bool is_built(Value) {
  return true;
}

/// Returns the words of what this build measures.
template <class Value>
std::string built_names() {
  std::string list;
  auto const add = [&](Value value) {
    if (is_built(value)) (list += list.empty() ? "" : " ") += name_of(value);
  };
  if constexpr (NamedEnum<Value>)
    for (std::size_t i = 0; i < enumerator_count<Value>; ++i) add(static_cast<Value>(i));
  else
    for (auto const& name : names<Value>) add(name.value);
  return list;
}

/// Reductions with a norm behind them, which Koinon::Operation does not name by themselves.
inline constexpr std::array fused_operations{Name{Operation::all_reduce, "all_reduce_rms_norm"},
                                             Name{Operation::reduce_scatter, "reduce_scatter_rms_norm"}};

/// Tells whether the elements are those of models' rows.
constexpr bool is_normed(ElementType type) {
  return type == ElementType::f32 || type == ElementType::f16 || type == ElementType::bf16;
}
inline constexpr bool norms_are_built =
    is_built(ElementType::f32) || is_built(ElementType::f16) || is_built(ElementType::bf16);

/// Says which entry of this program is meant: an operation, alone or with a norm.
struct NamedOperation {
  Operation operation;
  Norm norm;
};

/// Returns what a word of the command line or of a trace means, a norm with a residual unless another is asked for.
inline std::optional<NamedOperation> operation_named(std::string_view word) {
  for (auto const& fused : fused_operations)
    if (fused.text == word) return NamedOperation{fused.value, Norm::residual};
  if (auto const operation = value_named<Operation>(word)) return NamedOperation{*operation, Norm::none};
  return std::nullopt;
}
inline bool is_built(NamedOperation what) {
  return what.norm == Norm::none ? is_built(what.operation) : norms_are_built;
}

inline std::string_view name_of(Operation operation, Norm norm) {
  if (norm == Norm::none) return name_of(operation);
  for (auto const& fused : fused_operations)
    if (fused.value == operation) return fused.text;
  return "?";
}

/// Tells whether the library has a form of the operation whose result is borrowed.
constexpr bool lends_its_result(Operation operation) {
  return operation == Operation::reduce_scatter || operation == Operation::all_gather ||
         operation == Operation::all_gather_columns || operation == Operation::shards_to_rows ||
         operation == Operation::all_gather_multiple;
}

/// Returns the words of those operations whose result can be borrowed.
inline std::string lending_operations() {
  std::string list;
  for (std::size_t i = 0; i < enumerator_count<Operation>; ++i)
    if (auto const operation = static_cast<Operation>(i); is_built(operation) && lends_its_result(operation))
      (list += list.empty() ? "" : " ") += name_of(operation);
  return list;
}

/// Returns the words of all entries of this build.
inline std::string built_operations() {
  auto list = built_names<Operation>();
  if (norms_are_built)
    for (auto const& fused : fused_operations) (list += ' ') += fused.text;
  return list;
}

constexpr std::size_t bytes_of(ElementType type) {
  switch (type) {
    case ElementType::f64:
    case ElementType::i64:
    case ElementType::u64:
      return 8;
    case ElementType::f16:
    case ElementType::bf16:
      return 2;
    case ElementType::f8_e4m3:
    case ElementType::f8_e5m2:
      return 1;
    default:
      return 4;
  }
}

constexpr bool is_integer(ElementType type) {
  return type == ElementType::i32 || type == ElementType::u32 || type == ElementType::i64 || type == ElementType::u64;
}

constexpr bool is_bitwise(ReducerName reducer) {
  return reducer == ReducerName::band || reducer == ReducerName::bor || reducer == ReducerName::bxor;
}

constexpr bool has_reducer(Operation operation) {
  return operation == Operation::all_reduce || operation == Operation::reduce_scatter ||
         operation == Operation::reduce || operation == Operation::all_reduce_multiple;
}

/// Tells whether ranks own different rows, so that a list of counts has a meaning.
constexpr bool has_counts(Operation operation) {
  return operation == Operation::reduce_scatter || operation == Operation::all_gather ||
         operation == Operation::all_gather_multiple || operation == Operation::all_to_all;
}

/// Tells whether the operation takes several arrays.
constexpr bool is_multiple(Operation operation) {
  return operation == Operation::all_gather_multiple || operation == Operation::all_reduce_multiple;
}

/// Tells whether each rank has a piece for each.
constexpr bool is_exchange(Operation operation) {
  return operation == Operation::all_to_all || operation == Operation::all_gather_columns ||
         operation == Operation::shards_to_rows || operation == Operation::rows_to_shards;
}

/// Tells whether the columns are dealt out over the ranks.
constexpr bool divides_columns(Operation operation) { return is_exchange(operation) && operation != Operation::all_to_all; }

}  // namespace Koinon::Perf
