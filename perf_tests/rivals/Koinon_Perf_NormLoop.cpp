// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Koinon_Perf_Element.hpp>
#include <Koinon_Perf_NormLoop.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <stdexcept>
#include <vector>

namespace Koinon::Perf {

namespace {

/// Sums squares in as many chains as vector units have lanes: one chain would wait for each addition.
float sum_of_squares(std::vector<float> const& row) {
  constexpr std::size_t chains = 16;
  std::array<float, chains> sums{};
  std::size_t c = 0;
  for (; c + chains <= row.size(); c += chains)
    for (std::size_t i = 0; i < chains; ++i) sums[i] += row[c + i] * row[c + i];
  float sum = 0;
  for (; c < row.size(); ++c) sum += row[c] * row[c];
  for (auto const part : sums) sum += part;
  return sum;
}

void quantize(float8_e4m3* to, float const* norm, std::size_t count, float scale) {
  for (std::size_t c = 0; c < count; ++c) to[c] = float8_e4m3(std::clamp(norm[c] / scale, -448.0f, 448.0f));
}

template <class T>
void normalize(Case const& what, Arrays const& arrays, int rank) {
  auto const parts = what.norm_parts(rank);
  auto const columns = what.columns;
  auto const rows = what.operation == Operation::reduce_scatter ? what.counts[static_cast<std::size_t>(rank)] : what.rows;
  auto const* const in = static_cast<T const*>(arrays.in);
  auto* const out = static_cast<T*>(arrays.out);
  auto const* const weight = in + parts.weight;
  auto* const quantized = reinterpret_cast<float8_e4m3*>(out + parts.norm_out);
  std::vector<float> row(columns);
  for (std::size_t r = 0; r < rows; ++r) {
    if (what.has_residual()) {
      auto const* const residual = in + parts.residual + r * columns;
      auto* const sum = out + parts.residual_out + r * columns;
      for (std::size_t c = 0; c < columns; ++c) {
        row[c] = static_cast<float>(sum[c]) + static_cast<float>(residual[c]);
        sum[c] = T(row[c]);
      }
    } else {
      for (std::size_t c = 0; c < columns; ++c) row[c] = static_cast<float>(out[parts.norm_out + r * columns + c]);
    }
    auto const factor = 1.0f / std::sqrt(sum_of_squares(row) / static_cast<float>(columns) + Case::epsilon);
    for (std::size_t c = 0; c < columns; ++c) row[c] *= factor * (static_cast<float>(weight[c]) + Case::weight_offset);
    if (what.norm == Norm::fp8) {
      quantize(quantized + r * columns, row.data(), columns, Case::scale);
    } else if (what.norm == Norm::fp8_groups) {
      for (std::size_t begin = 0, g = 0; begin < columns; begin += Case::group, ++g) {
        auto const count = std::min(Case::group, columns - begin);
        float most = 1e-10f;
        for (std::size_t c = begin; c < begin + count; ++c) most = std::max(most, std::abs(row[c]));
        auto const scale = most / 448.0f;
        std::memcpy(reinterpret_cast<std::byte*>(out + parts.scales) + (r * what.groups() + g) * sizeof scale, &scale,
                    sizeof scale);
        quantize(quantized + r * columns + begin, row.data() + begin, count, scale);
      }
    } else {
      for (std::size_t c = 0; c < columns; ++c) out[parts.norm_out + r * columns + c] = T(row[c]);
    }
  }
}

}  // namespace

void normalize_rows(Case const& what, Arrays const& arrays, int rank) {
  switch (what.type) {
    case ElementType::f32:
      return normalize<float>(what, arrays, rank);
    case ElementType::f16:
      return normalize<float16>(what, arrays, rank);
    case ElementType::bf16:
      return normalize<bfloat16>(what, arrays, rank);
    default:
      throw std::invalid_argument("no norm of rows of this type");
  }
}

}  // namespace Koinon::Perf
