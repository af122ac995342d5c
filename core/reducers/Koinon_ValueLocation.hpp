// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <elements/Koinon_Elements.hpp>

#include <concepts>

namespace Koinon {

/// A value and where it was found: the element type of MinLoc and MaxLoc.
template <class T, class Index>
struct ValueLocation {
  T val;
  Index loc;

  friend KOINON_FORCE_INLINE constexpr bool operator==(ValueLocation const& a, ValueLocation const& b) {
    return a.val == b.val && a.loc == b.loc;
  }
};

/// Any struct of that shape: members `val`, a real or an integer, and `loc`, an integer.
template <class V>
concept LocatedValue = Element<V> && requires(V& v) {
  v.val;
  v.loc;
} &&(element_kind_v<decltype(V::val)> == ElementKind::real ||
     element_kind_v<decltype(V::val)> == ElementKind::integer) &&
    std::integral<decltype(V::loc)>;

}  // namespace Koinon
