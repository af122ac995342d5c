// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <elements/Koinon_Elements.hpp>
#include <Koinon_PolicyTraits.hpp>
#include <reducers/Koinon_Reducers.hpp>

#include <Kokkos_Core.hpp>
#include <Kokkos_Half.hpp>

#include <concepts>
#include <type_traits>

/// What Kokkos's own number types and reducers stand for.
namespace Koinon {

template <class T>
  requires(sizeof(T) == 2 &&
           (std::same_as<T, Kokkos::Experimental::half_t> || std::same_as<T, Kokkos::Experimental::bhalf_t>))
struct CanonicalElement<T> {
  using type = std::conditional_t<std::same_as<T, Kokkos::Experimental::half_t>, float16, bfloat16>;
};

template <class Real>
  requires(std::same_as<Real, float> || std::same_as<Real, double>)
struct CanonicalElement<Kokkos::complex<Real>> {
  using type = Impl::Complex<Real>;
};

// clang-format off
template <class T, class S> struct CanonicalReducer<Kokkos::Sum<T, S>>  { using type = Sum; };
template <class T, class S> struct CanonicalReducer<Kokkos::Prod<T, S>> { using type = Prod; };
template <class T, class S> struct CanonicalReducer<Kokkos::Min<T, S>>  { using type = Min; };
template <class T, class S> struct CanonicalReducer<Kokkos::Max<T, S>>  { using type = Max; };
template <class T, class S> struct CanonicalReducer<Kokkos::BAnd<T, S>> { using type = BAnd; };
template <class T, class S> struct CanonicalReducer<Kokkos::BOr<T, S>>  { using type = BOr; };
template <class T, class S> struct CanonicalReducer<Kokkos::LAnd<T, S>> { using type = LAnd; };
template <class T, class S> struct CanonicalReducer<Kokkos::LOr<T, S>>  { using type = LOr; };
template <class T, class I, class S> struct CanonicalReducer<Kokkos::MinLoc<T, I, S>> { using type = MinLoc; };
template <class T, class I, class S> struct CanonicalReducer<Kokkos::MaxLoc<T, I, S>> { using type = MaxLoc; };
// clang-format on

}  // namespace Koinon
