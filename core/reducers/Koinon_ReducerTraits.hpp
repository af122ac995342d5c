// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <reducers/Koinon_Reducers.hpp>

namespace Koinon {

/// What a reducer asks of the element type; `user` is a functor and asks that it can join it.
enum class ReducerKind : std::uint8_t { arithmetic, order, bits, logic, location, average, user };

namespace Impl {

template <class R, class... Listed>
inline constexpr bool is_one_of = (std::same_as<R, Listed> || ...);

template <class R>
consteval ReducerKind reducer_kind_of() {
  if constexpr (is_one_of<R, Sum, Prod>) return ReducerKind::arithmetic;
  if constexpr (is_one_of<R, Min, Max>) return ReducerKind::order;
  if constexpr (is_one_of<R, BAnd, BOr, BXor>) return ReducerKind::bits;
  if constexpr (is_one_of<R, LAnd, LOr>) return ReducerKind::logic;
  if constexpr (is_one_of<R, MinLoc, MaxLoc>) return ReducerKind::location;
  if constexpr (std::same_as<R, Average>) return ReducerKind::average;
  return ReducerKind::user;
}

template <class R>
consteval std::string_view reducer_name_of() {
  if constexpr (std::same_as<R, Sum>) return "sum";
  if constexpr (std::same_as<R, Prod>) return "prod";
  if constexpr (std::same_as<R, Min>) return "min";
  if constexpr (std::same_as<R, Max>) return "max";
  if constexpr (std::same_as<R, BAnd>) return "band";
  if constexpr (std::same_as<R, BOr>) return "bor";
  if constexpr (std::same_as<R, BXor>) return "bxor";
  if constexpr (std::same_as<R, LAnd>) return "land";
  if constexpr (std::same_as<R, LOr>) return "lor";
  if constexpr (std::same_as<R, MinLoc>) return "minloc";
  if constexpr (std::same_as<R, MaxLoc>) return "maxloc";
  if constexpr (std::same_as<R, Average>) return "average";
  return "user";
}

/// A functor that writes into its first argument.
template <class R, class V>
concept JoinsInPlace = requires(R const& reducer, V& into, V const& value) {
  { reducer.join(into, value) } -> std::same_as<void>;
};

/// A functor that returns the joined value.
template <class R, class V>
concept JoinsValues = !JoinsInPlace<R, V> && requires(R const& reducer, V const& a, V const& b) {
  { reducer.join(a, b) } -> std::convertible_to<V>;
};

template <class R, class V>
concept Joins = JoinsInPlace<R, V> || JoinsValues<R, V>;

/// A functor for a narrow type computes in float if it can, else in the type itself, rounding at each step.
template <class R, class T>
using user_accumulator_t =
    std::conditional_t<is_narrow_element_v<T> && Joins<R, accumulator_t<T>>, accumulator_t<T>, T>;

}  // namespace Impl

/// Asked of the reducer that R stands for, as all below.
template <class R>
inline constexpr ReducerKind reducer_kind_v = Impl::reducer_kind_of<canonical_reducer_t<R>>();

/// Says why reducer R cannot reduce elements of type T; empty if it can. Host only.
template <class R, class T>
consteval std::string_view reducer_refusal() {
  using enum ReducerKind;
  constexpr ReducerKind kind = reducer_kind_v<R>;
  constexpr ElementKind element = element_kind_v<T>;
  constexpr bool integer = element == ElementKind::integer;
  constexpr bool boolean = element == ElementKind::boolean;
  constexpr bool real = element == ElementKind::real;
  if constexpr (!Element<T>) {
    return "an element type must be trivially copyable";
  } else if constexpr (kind == user) {
    using Canonical = canonical_reducer_t<R>;
    if constexpr (!Impl::Joins<Canonical, Impl::user_accumulator_t<Canonical, T>>)
      return "a reducer must have `join(a, b) const` for the element type: returning the value, or void and in place";
    else
      return "";
  } else if constexpr (kind == location) {
    return LocatedValue<T> ? "" : "MinLoc and MaxLoc take a value with its location (members val and loc)";
  } else if constexpr (element == ElementKind::user) {
    return "a user's element type needs a user's reducer (init and join)";
  } else if constexpr (kind == order) {
    return integer || boolean || real ? "" : "Min and Max take ordered types, not complex ones";
  } else if constexpr (kind == bits) {
    return integer || boolean ? "" : "BAnd, BOr and BXor take integers and bool";
  } else if constexpr (kind == logic) {
    return integer || boolean ? "" : "LAnd and LOr take integers and bool";
  } else {
    return boolean ? "Sum, Prod and Average do not take bool: use LAnd, LOr or BXor" : "";
  }
}

template <class R, class T>
inline constexpr bool reducer_supports_v = reducer_refusal<R, T>().empty();

/// Names R as the command line does; "user" for a functor. Host only.
template <class R>
consteval std::string_view reducer_name() {
  return Impl::reducer_name_of<canonical_reducer_t<R>>();
}

/// A number for hashes that ranks compare, equal in programs from different compilers; all functors share one.
template <class R>
consteval std::uint32_t reducer_id() {
  return Impl::hash_of(reducer_name<R>());
}

/// Folds the values of the ranks, rank 0's first, with reducer R: the face that collectives use.
/// The result of ranks v0, v1, .. is `finish(join(join(first(v0), v1), ..), ranks)`: it starts with rank 0's value and
/// not with an identity, so that -0 on all ranks stays -0, and rounds once, in `finish`.
template <class R, class T>
class ReducerTraits {
 public:
  static_assert(Element<T>, "Koinon: an element type must be trivially copyable");
  static_assert(!Element<T> || reducer_kind_v<R> != ReducerKind::user || reducer_supports_v<R, T>,
                "Koinon: a reducer must have join(a, b) const for the element type, returning the value or in place");
  static_assert(!Element<T> || reducer_kind_v<R> != ReducerKind::location || reducer_supports_v<R, T>,
                "Koinon: MinLoc and MaxLoc take a value with its location (members val and loc)");
  static_assert(!Element<T> || reducer_kind_v<R> != ReducerKind::order || reducer_supports_v<R, T>,
                "Koinon: Min and Max take real numbers, integers and bool");
  static_assert(!Element<T> || reducer_kind_v<R> != ReducerKind::bits || reducer_supports_v<R, T>,
                "Koinon: BAnd, BOr and BXor take integers and bool");
  static_assert(!Element<T> || reducer_kind_v<R> != ReducerKind::logic || reducer_supports_v<R, T>,
                "Koinon: LAnd and LOr take integers and bool");
  static_assert(!Element<T> ||
                    (reducer_kind_v<R> != ReducerKind::arithmetic && reducer_kind_v<R> != ReducerKind::average) ||
                    reducer_supports_v<R, T>,
                "Koinon: Sum, Prod and Average take numbers; a user's element type needs a user's reducer");

  using reducer_type = canonical_reducer_t<R>;
  using element_type = T;
  /// What is kept between ranks: float for narrow types; T itself for user functors and located values.
  using accumulator =
      std::conditional_t<reducer_kind_v<R> == ReducerKind::user, Impl::user_accumulator_t<reducer_type, T>,
                         std::conditional_t<reducer_kind_v<R> == ReducerKind::location, T, accumulator_t<T>>>;

  ReducerTraits() = default;
  explicit KOINON_FUNCTION constexpr ReducerTraits(reducer_type const& reducer) : m_reducer(reducer) {}

  /// Takes the value of rank 0.
  KOINON_FORCE_INLINE constexpr accumulator first(T const& value) const {
    if constexpr (reducer_kind_v<R> == ReducerKind::logic) {
      return reducer_type::first(wide(value));
    } else {
      return wide(value);
    }
  }

  /// Folds in the value of the next rank.
  KOINON_FORCE_INLINE constexpr void join(accumulator& into, T const& value) const { join_wide(into, wide(value)); }

  /// Folds in a value that is already wide.
  KOINON_FORCE_INLINE constexpr void join_wide(accumulator& into, accumulator const& value) const {
    if constexpr (reducer_kind_v<R> == ReducerKind::user && Impl::JoinsInPlace<reducer_type, accumulator>) {
      m_reducer.join(into, value);
    } else {
      into = m_reducer.join(into, value);
    }
  }

  /// Does what is left after the last rank, unrounded: a row epilogue sees this.
  KOINON_FORCE_INLINE constexpr accumulator complete(accumulator const& value, [[maybe_unused]] int ranks) const {
    if constexpr (reducer_kind_v<R> == ReducerKind::average) {
      return reducer_type::complete(value, ranks);
    } else {
      return value;
    }
  }

  /// The result: completed, then rounded once.
  KOINON_FORCE_INLINE constexpr T finish(accumulator const& value, int ranks) const {
    if constexpr (std::same_as<accumulator, T>) {
      return complete(value, ranks);
    } else {
      return round_to<T>(complete(value, ranks));
    }
  }

 private:
  static KOINON_FORCE_INLINE constexpr accumulator wide(T const& value) {
    if constexpr (std::same_as<accumulator, T>) {
      return value;
    } else {
      return widen(value);
    }
  }

  reducer_type m_reducer{};
};

}  // namespace Koinon
