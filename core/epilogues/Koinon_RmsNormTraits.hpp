// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <collectives/Koinon_Refusal.hpp>
#include <epilogues/Koinon_EpilogueArrays.hpp>
#include <epilogues/Koinon_RmsNorm.hpp>
#include <epilogues/Koinon_RowEpilogue.hpp>
#include <Koinon_EvenPartition.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>

/// What a call asks of RmsNorm: whether its arrays fit, and the functor that its kernel runs.
namespace Koinon::Impl {

[[nodiscard]] constexpr std::size_t norm_groups(std::size_t columns) { return (columns + norm_group - 1) / norm_group; }

template <class... A>
struct EpilogueTraits<RmsNorm<A...>> {
  using E = RmsNorm<A...>;
  template <class Field>
  static constexpr bool has = is_given<Field>;
  using Residual = decltype(E::residual);
  using Weight = decltype(E::weight);
  using Quantized = decltype(E::quantized_out);
  using Scale = decltype(E::scale);
  using GroupScales = decltype(E::group_scales_out);
  using Own = decltype(E::own_rows_norm_out);
  using NormOut = decltype(E::norm_out);
  using ResidualOut = decltype(E::residual_out);

  /// Says at compile time which fields are missing or cannot be what they are.
  template <class Space>
  static constexpr void check_types() {
    static_assert(has<Weight>, "Koinon::RmsNorm: weight is missing");
    static_assert(has<NormOut> || has<Quantized>, "Koinon::RmsNorm: norm_out is missing (or quantized_out)");
    static_assert(!has<Quantized> || has<Scale> || has<GroupScales>,
                  "Koinon::RmsNorm: scale is missing (or group_scales_out): quantized_out needs one of them");
    static_assert(!(has<Scale> && has<GroupScales>),
                  "Koinon::RmsNorm: scale and group_scales_out exclude each other: scales of groups are computed");
    static_assert(has<Quantized> || !(has<Scale> || has<GroupScales>),
                  "Koinon::RmsNorm: quantized_out is missing: it is what has a scale");
    check_epilogue_array<Space, Residual, false>();
    check_epilogue_array<Space, Weight, false>();
    check_epilogue_array<Space, ResidualOut, true>();
    check_epilogue_array<Space, NormOut, true>();
    check_epilogue_array<Space, Quantized, true>();
    check_epilogue_array<Space, GroupScales, true>();
    check_epilogue_array<Space, Own, true>();
    if constexpr (has<Quantized>) {
      static_assert(std::is_same_v<epilogue_element_t<Quantized>, float8_e4m3>,
                    "Koinon::RmsNorm: quantized_out has elements of float8_e4m3");
    }
    if constexpr (has<GroupScales>) {
      static_assert(std::is_same_v<epilogue_element_t<GroupScales>, float>,
                    "Koinon::RmsNorm: group_scales_out has float elements");
    }
    if constexpr (has<Scale> && !std::is_arithmetic_v<Scale>) {
      check_epilogue_array<Space, Scale, false>();
      static_assert(std::is_same_v<epilogue_element_t<Scale>, float>,
                    "Koinon::RmsNorm: scale is a number, or an array of one float");
    }
  }

  using Functor =
      RmsNormRows<read_rows_t<Residual>, read_rows_t<Weight>, rows_t<ResidualOut>, rows_t<NormOut>, rows_t<Quantized>,
                  std::conditional_t<has<GroupScales>, NormGroupScales, None>, rows_t<Own>>;
  static Functor functor(E const& e, RowShape const& shape) {
    return {.residual = read_rows_of_array(e.residual),
            .weight = row_for_all(e.weight),
            .weight_offset = e.weight_offset,
            .epsilon = e.epsilon,
            .residual_out = rows_of_array(e.residual_out),
            .norm_out = rows_of_array(e.norm_out),
            .quantized_out = rows_of_array(e.quantized_out),
            .scale = scale_of(e),
            .group_scales = scales_of(e, shape),
            .own_rows_norm_out = rows_of_array(e.own_rows_norm_out),
            .residual_is_own = e.residual_rows == ResidualRows::own,
            .own_begin = shape.own_begin,
            .own_end = shape.own_begin + shape.own_rows};
  }

  template <class State>
  static Refusal check(State& state, E const& e, RowShape const& shape) {
    if (e.max_blocks < 0) {
      return Refusal::invalid("`max_blocks` is " + std::to_string(e.max_blocks) + ", a number of blocks or 0 expected");
    }
    if (e.residual_rows == ResidualRows::own && !has<Residual>) {
      return Refusal::invalid("`residual_rows` says own, and `residual` is not given");
    }
    std::size_t const residual_rows = e.residual_rows == ResidualRows::own ? shape.own_rows : shape.rows;
    EpilogueArrays<State> arrays(state, shape);
    arrays.read("residual", e.residual, residual_rows);
    arrays.read_vector("weight", e.weight);
    if constexpr (has<Scale> && !std::is_arithmetic_v<Scale>) arrays.read_one("scale", e.scale);
    arrays.write("residual_out", e.residual_out, residual_rows, "residual");
    arrays.write("norm_out", e.norm_out, shape.rows, "in");
    arrays.write("quantized_out", e.quantized_out, shape.rows);
    arrays.write("own_rows_norm_out", e.own_rows_norm_out, shape.own_rows);
    if constexpr (has<GroupScales>) {
      arrays.write_memory("group_scales_out", e.group_scales_out, scales_needed(e, shape),
                          e.scale_layout.column_major ? 0 : norm_groups(shape.columns));
    }
    return arrays.refusal();
  }
  static std::uint64_t key(E const& e) {
    return static_cast<std::uint64_t>(e.max_blocks) * 4 + static_cast<std::uint64_t>(e.residual_rows) * 2 + 1;
  }
  static int max_blocks(E const& e) { return e.max_blocks; }
  static bool writes_input([[maybe_unused]] E const& e, [[maybe_unused]] RowShape const& shape) {
    if constexpr (has<NormOut>) {
      // In a reduce_scatter it may be this rank's rows of `in`.
      return static_cast<void const*>(as_array(e.norm_out).pointer) ==
             static_cast<std::byte const*>(shape.in) + shape.in_begin_bytes;
    } else {
      return false;
    }
  }
  static bool needs_owner(E const& e) { return e.residual_rows == ResidualRows::own; }
  static std::string text(E const& e) {
    std::string text = has<Residual> ? ", rms_norm with residual" : ", rms_norm";
    if (e.residual_rows == ResidualRows::own) text += " of own rows";
    if (has<Quantized>) text += has<GroupScales> ? ", quantized by groups" : ", quantized";
    return text;
  }

 private:
  static NormScale scale_of([[maybe_unused]] E const& e) {
    NormScale scale;
    if constexpr (std::is_arithmetic_v<Scale>) {
      scale.value = static_cast<float>(e.scale);
    } else if constexpr (has<Scale>) {
      scale.pointer = reinterpret_cast<float const*>(as_array(e.scale).pointer);
    }
    return scale;
  }
  static std::size_t column_stride(E const& e, RowShape const& shape) {
    return e.scale_layout.column_stride > 0 ? e.scale_layout.column_stride : (shape.rows + 3) / 4 * 4;
  }
  static std::size_t scales_needed(E const& e, RowShape const& shape) {
    std::size_t const groups = norm_groups(shape.columns);
    return e.scale_layout.column_major ? column_stride(e, shape) * groups : shape.rows * groups;
  }
  static auto scales_of([[maybe_unused]] E const& e, [[maybe_unused]] RowShape const& shape) {
    if constexpr (!has<GroupScales>) {
      return None{};
    } else {
      auto const array = as_array(e.group_scales_out);
      NormGroupScales scales{reinterpret_cast<float*>(array.pointer), 0, 1};
      if (e.scale_layout.column_major) {
        scales.row_stride = 1;
        scales.group_stride = static_cast<std::ptrdiff_t>(column_stride(e, shape));
      } else if constexpr (std::remove_const_t<decltype(array)>::rank == 2) {
        scales.row_stride = array.strides[0];
        scales.group_stride = array.strides[1];
      } else {
        scales.row_stride = static_cast<std::ptrdiff_t>(norm_groups(shape.columns));
      }
      return scales;
    }
  }
};

}  // namespace Koinon::Impl
