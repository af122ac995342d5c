// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <reducers/Koinon_Ordering.hpp>
#include <reducers/Koinon_ValueLocation.hpp>

namespace Koinon {

namespace Impl {

/// Unsigned type in which a sum or product of I wraps; never promoted to int.
template <ConvertibleInteger I>
using wrapping_t = std::conditional_t<sizeof(I) <= 4, std::uint32_t, std::uint64_t>;

}  // namespace Impl

// Every join folds one more value into what the ranks before gave. Values are of the accumulator type.

/// Adds. Integers wrap, also signed ones.
struct Sum {
  template <class A>
  static KOINON_FORCE_INLINE constexpr A join(A const& a, A const& b) {
    if constexpr (Impl::ConvertibleInteger<A>) {
      using Wrapping = Impl::wrapping_t<A>;
      return static_cast<A>(static_cast<Wrapping>(a) + static_cast<Wrapping>(b));
    } else {
      return a + b;
    }
  }
};

/// Multiplies. Integers wrap, also signed ones.
struct Prod {
  template <class A>
  static KOINON_FORCE_INLINE constexpr A join(A const& a, A const& b) {
    if constexpr (Impl::ConvertibleInteger<A>) {
      using Wrapping = Impl::wrapping_t<A>;
      return static_cast<A>(static_cast<Wrapping>(a) * static_cast<Wrapping>(b));
    } else {
      return a * b;
    }
  }
};

/// Takes the smallest number: a NaN only if all are, -0 below +0.
struct Min {
  template <class A>
  static KOINON_FORCE_INLINE constexpr A join(A const& a, A const& b) {
    return Impl::smaller_of(a, b);
  }
};

/// Takes the largest number: a NaN only if all are, -0 below +0.
struct Max {
  template <class A>
  static KOINON_FORCE_INLINE constexpr A join(A const& a, A const& b) {
    return Impl::larger_of(a, b);
  }
};

struct BAnd {
  template <class A>
  static KOINON_FORCE_INLINE constexpr A join(A const& a, A const& b) {
    return static_cast<A>(a & b);
  }
};

struct BOr {
  template <class A>
  static KOINON_FORCE_INLINE constexpr A join(A const& a, A const& b) {
    return static_cast<A>(a | b);
  }
};

struct BXor {
  template <class A>
  static KOINON_FORCE_INLINE constexpr A join(A const& a, A const& b) {
    return static_cast<A>(a ^ b);
  }
};

/// 1 if no value is 0, else 0; also of one rank.
struct LAnd {
  template <class A>
  static KOINON_FORCE_INLINE constexpr A first(A const& a) {
    return static_cast<A>(a != A{});
  }
  template <class A>
  static KOINON_FORCE_INLINE constexpr A join(A const& a, A const& b) {
    return static_cast<A>((a != A{}) & (b != A{}));
  }
};

/// 1 if some value is not 0, else 0; also of one rank.
struct LOr {
  template <class A>
  static KOINON_FORCE_INLINE constexpr A first(A const& a) {
    return static_cast<A>(a != A{});
  }
  template <class A>
  static KOINON_FORCE_INLINE constexpr A join(A const& a, A const& b) {
    return static_cast<A>((a != A{}) | (b != A{}));
  }
};

/// Takes the smallest value and its location: of equal values the lowest location. NaN and zeros as in Min.
struct MinLoc {
  template <LocatedValue A>
  static KOINON_FORCE_INLINE constexpr A join(A const& a, A const& b) {
    auto const value_a = widen(a.val);
    auto const value_b = widen(b.val);
    bool const nan_a = Impl::is_nan(value_a);
    bool const nan_b = Impl::is_nan(value_b);
    int const order =
        (nan_a || nan_b) ? static_cast<int>(nan_a) - static_cast<int>(nan_b) : Impl::compare(value_a, value_b);
    return (order > 0 || (order == 0 && b.loc < a.loc)) ? b : a;
  }
};

/// Takes the largest value and its location: of equal values the lowest location. NaN and zeros as in Max.
struct MaxLoc {
  template <LocatedValue A>
  static KOINON_FORCE_INLINE constexpr A join(A const& a, A const& b) {
    auto const value_a = widen(a.val);
    auto const value_b = widen(b.val);
    bool const nan_a = Impl::is_nan(value_a);
    bool const nan_b = Impl::is_nan(value_b);
    int const order =
        (nan_a || nan_b) ? static_cast<int>(nan_a) - static_cast<int>(nan_b) : Impl::compare(value_b, value_a);
    return (order > 0 || (order == 0 && b.loc < a.loc)) ? b : a;
  }
};

/// Adds, and divides once by the number of ranks before the result is rounded. An integer's sum wraps as in Sum, and
/// its quotient is truncated toward 0.
struct Average : Sum {
  template <class A>
  static KOINON_FORCE_INLINE constexpr A complete(A const& sum, int ranks) {
    if constexpr (Impl::ConvertibleInteger<A>) {
      using Dividend = std::conditional_t<std::is_signed_v<A>, std::int64_t, std::uint64_t>;
      return static_cast<A>(static_cast<Dividend>(sum) / static_cast<Dividend>(ranks));
    } else if constexpr (Impl::is_complex<A>) {
      return sum / static_cast<decltype(sum.re)>(ranks);
    } else {
      return sum / static_cast<A>(ranks);
    }
  }
};

/// Names the Koinon reducer that a reducer of another library stands for: the default is R itself. The layer that
/// knows the other library specialises it.
template <class R>
struct CanonicalReducer {
  using type = R;
};

template <class R>
using canonical_reducer_t = typename CanonicalReducer<std::remove_cv_t<R>>::type;

}  // namespace Koinon
