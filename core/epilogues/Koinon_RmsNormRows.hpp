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

/// Stands for the records where every rank computes its own results.
struct NoRecords {
  template <class T, class Row, class... F>
  KOINON_FORCE_INLINE void store(Row&, std::size_t, F const&...) const {}
  KOINON_FORCE_INLINE void put(std::size_t, std::size_t, float) const {}
};

/// Is the functor of RmsNorm. What it lacks is None.
///
/// The record of a row is what its owner computes for all: residual_out if all rows have it, norm_out, quantized_out, and
/// the scales of groups, each from a multiple of 16 bytes on.
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
  bool residual_is_own;   // residual and residual_out have this rank's rows alone
  std::size_t own_begin;  // rows that are this rank's
  std::size_t own_end;

  template <class Row>
  KOINON_FORCE_INLINE void operator()(Row& row) const {
    (*this)(row, NoRecords{});
  }

  template <class Row, class Records>
  KOINON_FORCE_INLINE void operator()(Row& row, Records const& records) const {
    Record const record = record_of(row.columns());
    std::size_t const of_residual = row.index() - (residual_is_own ? own_begin : 0);
    if constexpr (is_given<Residual>) {
      row.load(at(residual, of_residual), [](std::size_t, float value, float added) { return value + added; });
    }
    if constexpr (is_given<ResidualOut>) {
      row.store(at(residual_out, of_residual));
      if (!residual_is_own) store_to(row, records, record.residual, residual_out);
    }
    float const squares = row.reduce_sum([](std::size_t, float value) { return value * value; });
    float const factor = 1.0f / std::sqrt(squares / static_cast<float>(row.columns()) + epsilon);
    float const offset = weight_offset;
    if constexpr (is_given<Weight>) {
      row.load(weight, [factor, offset](std::size_t, float value, float w) { return value * factor * (w + offset); });
    }
    if constexpr (is_given<NormOut>) {
      row.store(norm_out);
      store_to(row, records, record.norm, norm_out);
    }
    if constexpr (is_given<Own>) {
      if (row.index() >= own_begin && row.index() < own_end) row.store(at(own_rows_norm_out, row.index() - own_begin));
    }
    if constexpr (is_given<QuantizedOut>) quantize(row, records, record);
  }

  /// Asks, by all threads of the block, for what is read with a row.
  template <class Block>
  KOINON_FORCE_INLINE void prefetch(Block const& block, std::size_t row, std::size_t columns) const {
    prefetch_row(block, residual, row, columns);
    prefetch_row(block, weight, row, columns);
  }

  [[nodiscard]] KOINON_FORCE_INLINE std::size_t record_bytes(std::size_t columns) const { return record_of(columns).bytes; }

  /// Copies the results of a row out of its record, by all threads of the block.
  template <class Block>
  KOINON_FORCE_INLINE void take(Block const& block, std::size_t index, std::size_t columns, std::byte const* from) const {
    Record const record = record_of(columns);
    if (!residual_is_own) copy(block, residual_out, index, columns, from + record.residual);
    copy(block, norm_out, index, columns, from + record.norm);
    copy(block, quantized_out, index, columns, from + record.quantized);
    if constexpr (is_given<GroupScales>) {
      auto const* const scales = reinterpret_cast<float const*>(from + record.scales);
      auto const groups = static_cast<std::size_t>(groups_of(columns));
      for (auto g = static_cast<std::size_t>(block.thread()); g < groups; g += static_cast<std::size_t>(block.threads())) {
        *group_scale(index, g) = Block::template load_pack<float, 1>(scales + g).values[0];
      }
    }
  }

 private:
  struct Record {
    std::size_t residual;
    std::size_t norm;
    std::size_t quantized;
    std::size_t scales;
    std::size_t bytes;
  };

  template <class A>
  [[nodiscard]] static KOINON_FORCE_INLINE std::size_t row_bytes(A const&, std::size_t columns) {
    if constexpr (is_given<A>) {
      return (columns * sizeof(*A::pointer) + 15) / 16 * 16;
    } else {
      return 0;
    }
  }
  [[nodiscard]] static KOINON_FORCE_INLINE std::size_t groups_of(std::size_t columns) {
    return (columns + norm_group - 1) / norm_group;
  }
  [[nodiscard]] KOINON_FORCE_INLINE Record record_of(std::size_t columns) const {
    Record record;
    record.residual = 0;
    record.norm = residual_is_own ? 0 : row_bytes(residual_out, columns);
    record.quantized = record.norm + row_bytes(norm_out, columns);
    record.scales = record.quantized + row_bytes(quantized_out, columns);
    record.bytes = record.scales + (is_given<GroupScales> ? (groups_of(columns) * sizeof(float) + 15) / 16 * 16 : 0);
    return record;
  }
  template <class Block, class A>
  static KOINON_FORCE_INLINE void prefetch_row(Block const& block, A const& rows, std::size_t row, std::size_t columns) {
    if constexpr (is_given<A>) {
      constexpr std::size_t line = 128 / sizeof(*rows.pointer);
      auto const* const begin = at(rows, row).pointer;
      for (auto i = static_cast<std::size_t>(block.thread()) * line; i < columns;
           i += static_cast<std::size_t>(block.threads()) * line) {
        Block::prefetch(begin + i);
      }
    }
  }
  template <class A>
  [[nodiscard]] static KOINON_FORCE_INLINE A at(A const& rows, std::size_t row) {
    return {rows.pointer + static_cast<std::ptrdiff_t>(row) * rows.pitch, 0};
  }
  [[nodiscard]] KOINON_FORCE_INLINE float* group_scale(std::size_t row, std::size_t group) const {
    return group_scales.pointer + static_cast<std::ptrdiff_t>(row) * group_scales.row_stride +
           static_cast<std::ptrdiff_t>(group) * group_scales.group_stride;
  }
  template <class Row, class Records, class T, class... F>
  static KOINON_FORCE_INLINE void store_to(Row& row, Records const& records, std::size_t offset, RowArray<T> const&, F const&... f) {
    records.template store<T>(row, offset, f...);
  }
  template <class Block, class A>
  static KOINON_FORCE_INLINE void copy(Block const& block, A const& to, std::size_t index, std::size_t columns,
                                       std::byte const* from) {
    if constexpr (is_given<A>) block.copy_bytes(at(to, index).pointer, from, columns * sizeof(*to.pointer));
  }

  template <class Row, class Records>
  KOINON_FORCE_INLINE void quantize(Row& row, Records const& records, Record const& record) const {
    if constexpr (is_given<GroupScales>) {
      std::size_t const index = row.index();
      row.template transform_by_maxima<norm_group>(
          [](std::size_t, float value) { return std::fabs(value); },
          [this, index, &records, &record](std::size_t column, float value, float most) {
            float const by = (most > 1e-10f ? most : 1e-10f) / 448.0f;
            if (column % norm_group == 0) {
              std::size_t const group = column / norm_group;
              *group_scale(index, group) = by;
              records.put(record.scales, group, by);
            }
            return value / by;
          });
      row.store(quantized_out);
      store_to(row, records, record.quantized, quantized_out);
    } else {
      float const by = scale.pointer != nullptr ? *scale.pointer : scale.value;
      auto const divide = [by](std::size_t, float value) { return value / by; };
      row.store(quantized_out, divide);
      store_to(row, records, record.quantized, quantized_out, divide);
    }
  }
};

/// Returns an array as rows of canonical elements; None of None. Of one dimension each element is a row.
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
    if constexpr (Given::rank > 0) rows.pitch = array.strides[0];
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

/// The same of a dense array, whatever its extents, whose elements are one row for all.
template <class A>
[[nodiscard]] constexpr auto row_for_all(A const& a) {
  auto row = read_rows_of_array(a);
  if constexpr (is_given<A>) row.pitch = 0;
  return row;
}

template <class A>
using rows_t = decltype(rows_of_array(std::declval<A const&>()));
template <class A>
using read_rows_t = decltype(read_rows_of_array(std::declval<A const&>()));

}  // namespace Koinon::Impl
