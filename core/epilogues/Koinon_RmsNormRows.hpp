// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <elements/Koinon_Elements.hpp>
#include <epilogues/Koinon_RowSpan.hpp>
#include <Koinon_Array.hpp>
#include <Koinon_Macros.hpp>

#include <cmath>
#include <cstddef>
#include <type_traits>
#include <utility>

/// What kernels do for RmsNorm with one row.
namespace Koinon::Impl {

template <class A>
inline constexpr bool is_given = !std::is_same_v<A, None>;

/// Is the one scale of an output: a number, or where it is.
struct NormScale {
  float value = 1.0f;
  float const* pointer = nullptr;
};

/// Is where the scale of each row's groups goes.
struct NormGroupScales {
  float* pointer = nullptr;
  std::ptrdiff_t row_stride = 0;
  std::ptrdiff_t group_stride = 0;
};

inline constexpr int norm_group = 128;

/// Is the functor of RmsNorm. What it lacks is None.
template <class Residual, class Weight, class ResidualOut, class NormOut, class QuantizedOut, class GroupScales, class Own>
struct RmsNormRows {
  Residual residual;
  Weight weight;
  float weight_offset;
  float epsilon;
  ResidualOut residual_out;
  NormOut norm_out;
  QuantizedOut quantized_out;
  NormScale scale;
  GroupScales group_scales;
  Own own_rows_norm_out;
  std::size_t own_begin;  // rows that are this rank's
  std::size_t own_end;

  template <class Row>
  KOINON_FORCE_INLINE void operator()(Row& row) const {
    if constexpr (is_given<Residual>) {
      row.load(residual, [](std::size_t, float value, float added) { return value + added; });
    }
    if constexpr (is_given<ResidualOut>) row.store(residual_out);
    float const squares = row.reduce_sum([](std::size_t, float value) { return value * value; });
    float const factor = 1.0f / std::sqrt(squares / static_cast<float>(row.columns()) + epsilon);
    float const offset = weight_offset;
    if constexpr (is_given<Weight>) row.load(weight, [factor, offset](std::size_t, float value, float w) { return value * factor * (w + offset); });
    if constexpr (is_given<NormOut>) row.store(norm_out);
    if constexpr (is_given<Own>) {
      if (row.index() >= own_begin && row.index() < own_end) {
        auto const shift = static_cast<std::ptrdiff_t>(row.index() - own_begin) * own_rows_norm_out.pitch;
        row.store(Own{own_rows_norm_out.pointer + shift, 0});
      }
    }
    if constexpr (is_given<QuantizedOut>) quantize(row);
  }

 private:
  template <class Row>
  KOINON_FORCE_INLINE void quantize(Row& row) const {
    if constexpr (is_given<GroupScales>) {
      float* const scales = group_scales.pointer + static_cast<std::ptrdiff_t>(row.index()) * group_scales.row_stride;
      std::ptrdiff_t const apart = group_scales.group_stride;
      row.template transform_by_maxima<norm_group>(
          [](std::size_t, float value) { return std::fabs(value); },
          [scales, apart](std::size_t column, float value, float most) {
            float const group_scale = (most > 1e-10f ? most : 1e-10f) / 448.0f;
            if (column % norm_group == 0) scales[static_cast<std::ptrdiff_t>(column / norm_group) * apart] = group_scale;
            return value / group_scale;
          });
      row.store(quantized_out);
    } else {
      float const by = scale.pointer != nullptr ? *scale.pointer : scale.value;
      row.store(quantized_out, [by](std::size_t, float value) { return value / by; });
    }
  }
};

/// Returns an array as rows of canonical elements; None of None.
template <class A>
[[nodiscard]] constexpr auto rows_of_array(A const& a) {
  if constexpr (!is_given<A>) {
    return None{};
  } else {
    auto const array = as_array(a);
    using Given = std::remove_const_t<decltype(array)>;
    using T = typename Given::value_type;
    using C = std::conditional_t<std::is_const_v<T>, canonical_element_t<T> const, canonical_element_t<T>>;
    RowArray<C> rows;
    rows.pointer = reinterpret_cast<C*>(array.pointer);
    if constexpr (Given::rank > 1) rows.pitch = array.strides[0];
    return rows;
  }
}
/// The same of an array that is only read.
template <class A>
[[nodiscard]] constexpr auto read_rows_of_array(A const& a) {
  if constexpr (!is_given<A>) {
    return None{};
  } else {
    auto const rows = rows_of_array(a);
    using C = std::remove_pointer_t<decltype(rows.pointer)>;
    return RowArray<C const>{rows.pointer, rows.pitch};
  }
}

template <class A>
using rows_t = decltype(rows_of_array(std::declval<A const&>()));
template <class A>
using read_rows_t = decltype(read_rows_of_array(std::declval<A const&>()));

}  // namespace Koinon::Impl
