// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Koinon_Request.hpp>
#include <Koinon_Selector.hpp>

#include <type_traits>

namespace Koinon {

/// Tells execution spaces from other types; each backend and the front end specialise it for theirs.
template <class T>
inline constexpr bool is_execution_space_v = false;

/// Names the execution space of a policy that states none, as `DefaultExecutionSpace<void>::type`; core specialises it.
template <class T>
struct DefaultExecutionSpace;

/// Describes an execution space to policies (`row_type`, or a `backend` with a Row); backends specialise it before the first policy is named.
template <class ExecutionSpace>
struct ExecutionSpaceTraits;

namespace Impl {

/// Refuses a template argument that is neither an execution space nor a trait. Its own name is the message's context.
template <class T>
struct KnownTrait {
  static_assert(is_trait_v<T> || is_execution_space_v<T>,
                "Koinon::CollectivePolicy: unknown trait: this type is neither a trait of Koinon nor an enabled "
                "execution space (it is named in Impl::KnownTrait<...>)");
  static constexpr bool value = true;
};

template <class First, class Second>
constexpr bool contradict() {
  if constexpr (is_trait_v<First> && is_trait_v<Second>) {
    return First::categories.intersects(Second::categories);
  } else {
    return is_execution_space_v<First> && is_execution_space_v<Second>;
  }
}

/// Refuses two template arguments that state the same thing. Its own name is the message's context.
template <class First, class Second>
struct TraitsAgree {
  static_assert(!contradict<First, Second>(),
                "Koinon::CollectivePolicy: contradictory traits: these two are about the same category (they are named "
                "in Impl::TraitsAgree<...>)");
  static constexpr bool value = true;
};

template <class... Traits>
struct CheckTraits;
template <>
struct CheckTraits<> : std::true_type {};
template <class First, class... Rest>
struct CheckTraits<First, Rest...>
    : std::bool_constant<KnownTrait<First>::value && (true && ... && TraitsAgree<First, Rest>::value) &&
                         CheckTraits<Rest...>::value> {};

/// Puts the look-up of the default space off until a policy needs it.
template <class...>
struct DependentVoid : std::type_identity<void> {};

/// Finds the execution space among the template arguments, else the default one.
template <class... Traits>
struct ExecutionSpaceOf : DefaultExecutionSpace<typename DependentVoid<Traits...>::type> {};
template <class First, class... Rest>
struct ExecutionSpaceOf<First, Rest...>
    : std::conditional_t<is_execution_space_v<First>, std::type_identity<First>, ExecutionSpaceOf<Rest...>> {};

template <class T>
constexpr Request require_if_trait(Request const& request) {
  if constexpr (is_trait_v<T>) {
    return required(request, T{});
  } else {
    return request;
  }
}

/// Gives the request of those template arguments that are traits.
template <class... Traits>
constexpr Request template_request() {
  Request request;
  ((request = require_if_trait<Traits>(request)), ...);
  return request;
}

/// Stands for the row of an execution space that has none.
struct NoRow;

template <class SpaceTraits>
concept HasRow = requires { typename SpaceTraits::row_type; };

template <class SpaceTraits>
struct RowOf : std::type_identity<NoRow> {};
template <HasRow SpaceTraits>
struct RowOf<SpaceTraits> : std::type_identity<typename SpaceTraits::row_type> {};
template <class SpaceTraits>
  requires(!HasRow<SpaceTraits> && requires { typename SpaceTraits::backend::Row; })
struct RowOf<SpaceTraits> : std::type_identity<typename SpaceTraits::backend::Row> {};

/// Refuses a trait that contradicts the policy's own. The same trait again is no contradiction.
template <class T, class... Traits>
inline constexpr bool agrees_with_all_v =
    (true && ... && std::conditional_t<std::is_same_v<T, Traits>, std::true_type, TraitsAgree<Traits, T>>::value);

template <class Space, class Dependent = void>
concept IsDefaultExecutionSpace = std::is_same_v<Space, typename DefaultExecutionSpace<Dependent>::type>;

}  // namespace Impl
}  // namespace Koinon
