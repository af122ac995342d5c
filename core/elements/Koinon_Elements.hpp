// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <elements/Koinon_CanonicalElement.hpp>

#include <string_view>

namespace Koinon {

/// What arithmetic an element type has; `user` has none of its own and is reduced by a user's functor only.
enum class ElementKind : std::uint8_t { boolean, integer, real, complex, user };

/// What can be moved: any object that is its bytes.
template <class T>
concept Element = std::is_object_v<T> && !std::is_array_v<T> && std::is_trivially_copyable_v<T>;

namespace Impl {

template <class T>
inline constexpr bool is_narrow_float = false;
template <class Format>
inline constexpr bool is_narrow_float<NarrowFloat<Format>> = true;

template <class T>
inline constexpr bool is_complex = false;
template <class Real>
inline constexpr bool is_complex<Complex<Real>> = true;

template <class Canonical>
consteval ElementKind kind_of() {
  if constexpr (std::same_as<Canonical, bool>) {
    return ElementKind::boolean;
  } else if constexpr (ConvertibleInteger<Canonical>) {
    return ElementKind::integer;
  } else if constexpr (std::same_as<Canonical, float> || std::same_as<Canonical, double> ||
                       is_narrow_float<Canonical>) {
    return ElementKind::real;
  } else if constexpr (is_complex<Canonical>) {
    return ElementKind::complex;
  } else {
    return ElementKind::user;
  }
}

template <class C>
consteval std::string_view name_of() {
  if constexpr (std::same_as<C, float>) return "float";
  if constexpr (std::same_as<C, double>) return "double";
  if constexpr (std::same_as<C, bool>) return "bool";
  if constexpr (std::same_as<C, std::int8_t>) return "int8";
  if constexpr (std::same_as<C, std::uint8_t>) return "uint8";
  if constexpr (std::same_as<C, std::int16_t>) return "int16";
  if constexpr (std::same_as<C, std::uint16_t>) return "uint16";
  if constexpr (std::same_as<C, std::int32_t>) return "int32";
  if constexpr (std::same_as<C, std::uint32_t>) return "uint32";
  if constexpr (std::same_as<C, std::int64_t>) return "int64";
  if constexpr (std::same_as<C, std::uint64_t>) return "uint64";
  if constexpr (std::same_as<C, float16>) return "float16";
  if constexpr (std::same_as<C, bfloat16>) return "bfloat16";
  if constexpr (std::same_as<C, float8_e4m3>) return "float8_e4m3";
  if constexpr (std::same_as<C, float8_e5m2>) return "float8_e5m2";
  if constexpr (std::same_as<C, Complex<float>>) return "complex_float";
  if constexpr (std::same_as<C, Complex<double>>) return "complex_double";
  return "user";
}

/// FNV-1a, 32 bits: the same on every rank and compiler.
constexpr std::uint32_t hash_of(std::string_view text, std::uint32_t hash = 2166136261u) {
  for (char const c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 16777619u;
  return hash;
}

}  // namespace Impl

template <class T>
inline constexpr ElementKind element_kind_v = Impl::kind_of<canonical_element_t<T>>();

/// Whether T holds real floating-point numbers, narrow ones included.
template <class T>
inline constexpr bool is_floating_element_v = element_kind_v<T> == ElementKind::real;

/// Whether T is stored in less than it is computed with.
template <class T>
inline constexpr bool is_narrow_element_v = Impl::is_narrow_float<canonical_element_t<T>>;

/// What reductions of T compute with: float for the narrow types, else the canonical element itself.
template <class T>
using accumulator_t = std::conditional_t<is_narrow_element_v<T>, float, canonical_element_t<T>>;

/// Converts to the accumulator, exactly.
template <Element T>
KOINON_FORCE_INLINE constexpr accumulator_t<T> widen(T const& value) {
  if constexpr (std::same_as<T, accumulator_t<T>>) {
    return value;
  } else {
    static_assert(sizeof(T) == sizeof(canonical_element_t<T>), "Koinon: a canonical element has the size of its type");
    return static_cast<accumulator_t<T>>(Impl::bit_cast<canonical_element_t<T>>(value));
  }
}

/// Converts from the accumulator; this is the one rounding of a narrow reduction.
template <Element T>
KOINON_FORCE_INLINE constexpr T round_to(accumulator_t<T> const& value) {
  if constexpr (std::same_as<T, accumulator_t<T>>) {
    return value;
  } else {
    return Impl::bit_cast<T>(static_cast<canonical_element_t<T>>(value));
  }
}

/// Names T as the command line and errors do; "user" for a type that Koinon has no arithmetic for. Host only.
template <class T>
consteval std::string_view element_name() {
  return Impl::name_of<canonical_element_t<T>>();
}

/// A number for hashes that ranks compare. It depends on name, size and alignment of T alone, so that it is equal in
/// programs from different compilers; two user types of equal size and alignment share it.
template <class T>
consteval std::uint32_t element_id() {
  std::uint32_t const name = Impl::hash_of(element_name<T>());
  if constexpr (element_kind_v<T> != ElementKind::user) return name;
  return (name ^ static_cast<std::uint32_t>(sizeof(T) * 64 + alignof(T))) * 16777619u;
}

}  // namespace Koinon
