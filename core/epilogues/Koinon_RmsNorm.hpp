// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <epilogues/Koinon_RmsNormRows.hpp>
#include <Koinon_Array.hpp>

#include <cstddef>
#include <cstdint>

namespace Koinon {

/// Says which rows an epilogue's residual has: all, or those of even_partition that are this rank's.
enum class ResidualRows : std::int32_t { all, own };

/// Says how the scales of groups lie in memory: those of a row side by side, or those of a group side by side and
/// `column_stride` floats from one group to the next (0: the rows rounded up to 4).
struct ScaleLayout {
  bool column_major = false;
  std::size_t column_stride = 0;
};
inline constexpr ScaleLayout row_major_scales{};
[[nodiscard]] constexpr ScaleLayout column_major_scales(std::size_t column_stride = 0) { return {true, column_stride}; }

/// Is the epilogue of a transformer's layer: adds a residual to the reduced row and normalizes it by its root mean square.
///
///   s = row + residual, residual_out = s, norm_out = s / sqrt(mean(s^2) + epsilon) * (weight + weight_offset)
///
/// all in float, each output rounded once. quantized_out is norm / scale as float8_e4m3, saturated: by one given scale, or
/// by one for every 128 columns, max(largest |norm|, 1e-10) / 448, which group_scales_out gets. residual_out may be
/// residual, norm_out may be `in`; every array has an element type of its own, and rows of stride 1. "rows" are those that
/// this rank is given: all of an all_reduce, its own of a reduce_scatter.
template <class Residual = None, class Weight = None, class ResidualOut = None, class NormOut = None,
          class QuantizedOut = None, class Scale = None, class GroupScalesOut = None, class OwnRowsNormOut = None>
struct RmsNorm {
  Residual residual = {};                           ///< [rows, columns], or as residual_rows says
  Weight weight = {};                               ///< [columns]
  float weight_offset = 0.0f;
  float epsilon = 1e-6f;
  ResidualOut residual_out = {};                    ///< rows as residual's
  NormOut norm_out = {};                            ///< [rows, columns]
  QuantizedOut quantized_out = {};                  ///< [rows, columns] of float8_e4m3
  Scale scale = {};                                 ///< a number, or an array of one float
  GroupScalesOut group_scales_out = {};             ///< floats [rows, groups], or memory that scale_layout divides
  ScaleLayout scale_layout = {};
  int max_blocks = 0;                               ///< of the launch; 0: any; equal on all ranks
  ResidualRows residual_rows = ResidualRows::all;
  OwnRowsNormOut own_rows_norm_out = {};            ///< [rows of even_partition, columns]: the norm of this rank's rows
};

}  // namespace Koinon
