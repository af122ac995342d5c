// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <collectives/Koinon_Refusal.hpp>
#include <epilogues/Koinon_Row.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>

namespace Koinon {

/// Is a functor that is given every reduced row; made by row_epilogue.
template <class F>
struct RowEpilogue {
  F functor;
};

/// Makes an epilogue of a functor `void operator()(Row&) const`, or of one that is a template over the row's type.
///
/// The functor is called for each row by all threads of a block, once on every rank that has the row: on all of them in an
/// all_reduce. It reads and writes any arrays, through the row or itself. It may not write `in` elsewhere than in the row
/// it is given, wait for other rows, or return anything.
template <class F>
[[nodiscard]] RowEpilogue<F> row_epilogue(F const& functor) {
  return {functor};
}

namespace Impl {

/// Is what an epilogue may know of its call.
struct RowShape {
  std::size_t rows = 0;       // that this rank is given
  std::size_t columns = 0;
  std::size_t own_begin = 0;  // of those, the rows that are this rank's alone: of even_partition, or all
  std::size_t own_rows = 0;
  // `in`, and where the first of the rows that this rank is given lies in it.
  void const* in = nullptr;
  std::size_t in_bytes = 0;
  std::size_t in_element_bytes = 1;
  std::size_t in_begin_bytes = 0;
  std::ptrdiff_t in_pitch = 0;
};

/// Says of an epilogue: Functor, what is called with rows; functor(epilogue, shape); check(state, epilogue, shape); what
/// selects beside the shape, in key; how many blocks it takes at most (0: any); whether it may write `in`; whether only the
/// rank that owns a row can do it; its text.
template <class E>
struct EpilogueTraits;

template <class F>
struct EpilogueTraits<RowEpilogue<F>> {
  using Functor = F;
  static F const& functor(RowEpilogue<F> const& e, RowShape const&) { return e.functor; }
  template <class State>
  static Refusal check(State&, RowEpilogue<F> const&, RowShape const&) {
    return {};
  }
  static std::uint64_t key(RowEpilogue<F> const&) { return 0; }
  static int max_blocks(RowEpilogue<F> const&) { return 0; }
  static bool writes_input(RowEpilogue<F> const&, RowShape const&) { return true; }
  static bool needs_owner(RowEpilogue<F> const&) { return false; }
  static std::string text(RowEpilogue<F> const&) { return ", row epilogue"; }
};

}  // namespace Impl

template <class E>
concept RowEpilogueType = requires { typename Impl::EpilogueTraits<E>::Functor; };

namespace Impl {

/// Says at compile time what an epilogue may not be.
template <class Block, class Functor>
constexpr void check_epilogue() {
  static_assert(std::is_invocable_v<Functor const&, Row<Block>&>,
                "Koinon: a row epilogue is called as f(row), const, with a row of the policy's backend: take a "
                "`decltype(policy)::row_type&`, or any `Row&` by a template");
  if constexpr (std::is_invocable_v<Functor const&, Row<Block>&>) {
    static_assert(std::is_void_v<std::invoke_result_t<Functor const&, Row<Block>&>>,
                  "Koinon: a row epilogue returns nothing: it stores its results");
  }
}

/// Says at compile time which rows an epilogue can be given: such whose sums are float.
template <class T, class Accumulator>
constexpr void check_rows() {
  static_assert(std::is_same_v<Accumulator, float>,
                "Koinon: an epilogue is given rows in float: the elements of `in` are float or narrower, and the reducer "
                "joins floats");
}

}  // namespace Impl
}  // namespace Koinon
