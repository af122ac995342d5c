// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Koinon_Array.hpp>
#include <collectives/Koinon_Call.hpp>

#include <cstddef>
#include <string>
#include <type_traits>

namespace Koinon {

/// Is one pair of arrays of an operation on several; made by member().
template <class In, class Out>
struct Member {
  using Source = decltype(as_array(std::declval<In const&>()));
  using Result = decltype(as_array(std::declval<Out const&>()));
  using Element = std::remove_const_t<typename Source::value_type>;

  Source in;
  Result out;
};

/// Names one pair of arrays of all_gather_multiple or all_reduce_multiple. Refers to what the arrays refer to.
template <ArrayLike In, ArrayLike Out>
[[nodiscard]] constexpr Member<In, Out> member(In const& in, Out const& out) {
  return {as_array(in), as_array(out)};
}

namespace Impl {

/// Says at compile time that a policy's kernels can take a member, as far as the types tell.
template <class Policy, class In, class Out>
constexpr void check_member(Member<In, Out> const&) {
  using M = Member<In, Out>;
  check_access<typename Policy::execution_space, In>();
  check_access<typename Policy::execution_space, Out>();
  check_elements<typename M::Element, typename M::Result::value_type>();
}

/// Returns the name of an array of a member in messages.
[[nodiscard]] inline std::string member_name(char const* array, std::size_t member) {
  return std::string(array) + " of member " + std::to_string(member);
}

/// Lists of more members are of dense arrays only, of which little need be told: kernels take few bytes of arguments.
inline constexpr std::size_t most_strided_members = 64;

/// Refuses an array of a long list that is not dense.
[[nodiscard]] inline Refusal check_long_list(std::size_t members, bool dense, char const* array, std::size_t member) {
  if (dense || members <= most_strided_members) return {};
  return Refusal::unsupported("`" + member_name(array, member) + "` is strided; of more than " +
                              std::to_string(most_strided_members) + " members each must be dense");
}

/// Returns how many members the arguments of a launch have room for: one kernel for lists that are about as long.
constexpr int member_room(std::size_t members) {
  return static_cast<int>((members + 7) / 8 * 8);
}

/// Says at compile time that the arguments of a launch can be given to the backend's kernels.
template <class Backend, class Arguments>
constexpr void check_argument_bytes() {
  if constexpr (requires { Backend::most_argument_bytes; }) {
    static_assert(sizeof(Arguments) <= Backend::most_argument_bytes,
                  "Koinon: so many arrays exceed what a kernel of this backend takes as arguments: make several calls");
  }
}

/// Refuses an array of a member that kernels cannot use: null, or out of reach.
template <class State>
[[nodiscard]] Refusal check_usable(State& state, void const* pointer, std::size_t bytes, char const* array,
                                   std::size_t member) {
  if (bytes == 0) return {};
  if (pointer == nullptr) [[unlikely]]
    return refuse_null(member_name(array, member).c_str());
  if (char const* const reason = state.memory().refusal_of(pointer)) [[unlikely]] {
    return refuse_memory(member_name(array, member).c_str(), reason);
  }
  return {};
}

}  // namespace Impl
}  // namespace Koinon
