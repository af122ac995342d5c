// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Koinon_Perf_Names.hpp>
#include <elements/Koinon_Elements.hpp>

#include <cstdint>
#include <limits>
#include <type_traits>

namespace Koinon::Perf {

/// Names the type of an element of the command line.
template <ElementType Type>
struct ElementOf;
template <>
struct ElementOf<ElementType::f32> {
  using type = float;
};
template <>
struct ElementOf<ElementType::f64> {
  using type = double;
};
template <>
struct ElementOf<ElementType::i32> {
  using type = std::int32_t;
};
template <>
struct ElementOf<ElementType::u32> {
  using type = std::uint32_t;
};
template <>
struct ElementOf<ElementType::i64> {
  using type = std::int64_t;
};
template <>
struct ElementOf<ElementType::u64> {
  using type = std::uint64_t;
};
template <>
struct ElementOf<ElementType::f16> {
  using type = float16;
};
template <>
struct ElementOf<ElementType::bf16> {
  using type = bfloat16;
};
template <>
struct ElementOf<ElementType::f8_e4m3> {
  using type = float8_e4m3;
};
template <>
struct ElementOf<ElementType::f8_e5m2> {
  using type = float8_e5m2;
};

template <ElementType Type>
using element_t = typename ElementOf<Type>::type;

/// Tells whether rows of these elements are normalized here.
template <class T>
inline constexpr bool has_norms = std::is_same_v<T, float> || std::is_same_v<T, float16> || std::is_same_v<T, bfloat16>;

/// What the expected results are computed in: as it is for integers, double for all others.
template <class T>
using oracle_t = std::conditional_t<std::is_integral_v<T>, T, double>;

template <class T>
oracle_t<T> to_oracle(T value) {
  return static_cast<oracle_t<T>>(value);
}

}  // namespace Koinon::Perf
