// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <collectives/Koinon_NormCase.hpp>

#include <cstring>

/// How a case of RmsNorm runs, and what is checked of it.
namespace Koinon::Testing {

/// Is an array that a family of cases has or has not.
template <bool Given, class T, int Rank>
auto given_array(Array<T, Rank> const& a) {
  if constexpr (Given) {
    return a;
  } else {
    return None{};
  }
}

template <class T>
Array<T, 2> padded(T* p, std::size_t rows, std::size_t columns, std::size_t pad) {
  Array<T, 2> a(p, rows, columns);
  a.strides[0] = static_cast<std::ptrdiff_t>(columns + pad);
  return a;
}

template <class Space>
template <class Fields>
NormBits NormSession<Space>::run(NormCase const& c, std::uint64_t seed) {
  using In = typename Fields::In;
  using Residual = typename Fields::Residual;
  using Weight = typename Fields::Weight;
  using Out = typename Fields::Out;
  bool const scatter = c.operation == Operation::reduce_scatter;
  auto const even = even_partition(static_cast<std::int64_t>(c.rows), size());
  auto const count_of = [&](int p) {
    return static_cast<std::size_t>(scatter && !c.counts.empty() ? c.counts[static_cast<std::size_t>(p)] : even.count(p));
  };
  std::size_t begin = 0;  // of this rank's rows
  for (int p = 0; p < rank(); ++p) begin += count_of(p);
  std::size_t const own = count_of(rank());
  std::size_t const first = scatter ? begin : 0;          // of the rows that this rank is given
  std::size_t const rows = scatter ? own : c.rows;
  std::size_t const residual_first = c.own_residual ? begin : first;
  std::size_t const residual_rows = c.own_residual ? own : rows;
  std::size_t const pitch = c.columns + c.pad;
  std::size_t const groups = (c.columns + 127) / 128;
  std::size_t const scale_stride = (rows + 3) / 4 * 4;

  m_arena.clear();
  Array<In, 2> in = padded(m_arena.take<In>(c.rows * pitch, c.shift), c.rows, c.columns, c.pad);
  auto residual = padded(m_arena.take<Residual>(residual_rows * pitch, c.shift), residual_rows, c.columns, c.pad);
  auto residual_out = c.in_place ? residual : padded(m_arena.take<Residual>(residual_rows * pitch), residual_rows, c.columns, c.pad);
  Array<Weight, 1> const weight(m_arena.take<Weight>(c.columns, c.shift), c.columns);
  auto norm = padded(m_arena.take<Out>(rows * pitch, c.shift), rows, c.columns, c.pad);
  Array<float8_e4m3, 2> const quantized(m_arena.take<float8_e4m3>(rows * c.columns), rows, c.columns);
  std::size_t const scales_count = c.column_major ? scale_stride * groups : rows * groups;
  auto* const scales = m_arena.take<float>(scales_count);
  auto own_norm = padded(m_arena.take<Out>(own * pitch), own, c.columns, c.pad);
  if constexpr (std::is_same_v<In, Out>) {
    if (c.in_place) norm = padded(in.pointer + first * pitch, rows, c.columns, c.pad);
  }

  auto const in_of = [&](int p, std::size_t r, std::size_t col) { return drawn<In>(seed, p, r * c.columns + col); };
  auto const residual_of = [&](std::size_t r, std::size_t col) { return drawn<Residual>(seed, 100, r * c.columns + col); };
  auto const weight_of = [&](std::size_t col) { return drawn<Weight>(seed, 101, col); };
  for (std::size_t col = 0; col < c.columns; ++col) {
    for (std::size_t r = 0; r < c.rows; ++r) m_arena.host(in.pointer)[r * pitch + col] = in_of(rank(), r, col);
    for (std::size_t r = 0; r < residual_rows; ++r) {
      m_arena.host(residual.pointer)[r * pitch + col] = residual_of(residual_first + r, col);
    }
    m_arena.host(weight.pointer)[col] = weight_of(col);
  }
  m_arena.upload();
  if (c.symmetric && c.rows * pitch * sizeof(In) <= std::size_t{900} << 10) {
    std::byte* const to = m_symmetric;
    auto const* const from = reinterpret_cast<std::byte const*>(m_arena.host(in.pointer));
    if (memory() != nullptr) {
      memory()->upload(to, from, c.rows * pitch * sizeof(In));
    } else if (c.rows > 0) {
      std::memcpy(to, from, c.rows * pitch * sizeof(In));
    }
    bool const aliased = c.in_place && std::is_same_v<In, Out>;
    if (!aliased) in.pointer = reinterpret_cast<In*>(to);
  }

  constexpr bool by_one = Fields::quantized == Quantized::by_one_scale;
  constexpr bool by_groups = Fields::quantized == Quantized::by_group_scales;
  Array<float, 1> const scale_memory(scales, scales_count);
  RmsNorm const epilogue{.residual = given_array<Fields::residual>(Array<Residual const, 2>(residual)),
                         .weight = weight,
                         .weight_offset = c.weight_offset,
                         .epsilon = 1e-5f,
                         .residual_out = given_array<Fields::residual>(residual_out),
                         .norm_out = given_array<Fields::norm>(norm),
                         .quantized_out = given_array<Fields::quantized != Quantized::no>(quantized),
                         .scale = [] {
                           if constexpr (by_one) {
                             return 0.0625f;
                           } else {
                             return None{};
                           }
                         }(),
                         .group_scales_out = given_array<by_groups>(scale_memory),
                         .scale_layout = c.column_major ? column_major_scales() : row_major_scales,
                         .max_blocks = c.max_blocks,
                         .residual_rows = c.own_residual ? ResidualRows::own : ResidualRows::all,
                         .own_rows_norm_out = given_array<Fields::own>(own_norm)};
  auto const policy = require(m_policy, Tuning{.algorithm = c.algorithm, .transport = c.transport});
  Array<In const, 2> const source(in);
  if (!scatter) {
    if (Answer const answer = can_run<AllReduce>(policy, source, epilogue); !answer) {
      m_refusal = answer.reason();
      return {};
    }
    make([&] { all_reduce("norm", policy, source, epilogue); });
  } else if (c.counts.empty()) {
    if (Answer const answer = can_run<ReduceScatter>(policy, source, epilogue); !answer) {
      m_refusal = answer.reason();
      return {};
    }
    make([&] { reduce_scatter("norm", policy, source, epilogue); });
  } else {
    Counts const counts(c.counts);
    if (Answer const answer = can_run<ReduceScatter>(policy, source, Sum{}, counts, epilogue); !answer) {
      m_refusal = answer.reason();
      return {};
    }
    make([&] { reduce_scatter("norm", policy, source, Sum{}, counts, epilogue); });
  }
  m_arena.download();
  EXPECT_EQ(m_arena.written_beside(), "") << c.text();

  NormBits bits;
  auto const keep = [&](auto const* p, std::size_t n) {
    auto const* const b = reinterpret_cast<std::byte const*>(p);
    bits.insert(bits.end(), b, b + n * sizeof *p);
  };
  int faults = 0;
  auto const expect_near = [&](char const* what, std::size_t r, std::size_t col, std::string const& fault) {
    if (!fault.empty() && ++faults < 4) ADD_FAILURE() << c.text() << ": " << what << "(" << r << ", " << col << "): " << fault;
  };
  std::vector<double> weights;
  for (std::size_t col = 0; col < c.columns; ++col) {
    weights.push_back(as_double(weight_of(col)) + static_cast<double>(c.weight_offset));
  }
  for (std::size_t r = 0; r < rows; ++r) {
    bool const rounds = c.transport == Transport::multimem;  // the sum of the ranks, to the element of `in`
    std::vector<std::vector<double>> values((rounds ? 1 : static_cast<std::size_t>(size())) + (Fields::residual ? 1 : 0));
    for (std::size_t col = 0; col < c.columns; ++col) {
      float sum = 0;  // exact: what is drawn is a multiple of 1 / 1024
      for (int p = 0; p < size(); ++p) {
        sum += static_cast<float>(in_of(p, first + r, col));
        if (!rounds) values[static_cast<std::size_t>(p)].push_back(as_double(in_of(p, first + r, col)));
      }
      if (rounds) values.front().push_back(as_double(In(sum)));
      if (Fields::residual) values.back().push_back(as_double(residual_of(first + r, col)));
    }
    NormRow const expected(values, weights, 1e-5);
    bool const is_own = scatter || (r >= begin && r < begin + own);
    std::size_t const own_row = scatter ? r : r - begin;
    bool const has_residual = !c.own_residual || is_own;
    auto const* const s = m_arena.host(residual_out.pointer) + (c.own_residual ? own_row : r) * pitch;
    auto const* const y = m_arena.host(norm.pointer) + r * pitch;
    auto const* const q = m_arena.host(quantized.pointer) + r * c.columns;
    auto const* const mine = m_arena.host(own_norm.pointer) + own_row * pitch;
    double most = 0;
    double slack = 0;
    for (std::size_t col = 0; col < c.columns; ++col) {
      double const bound = expected.norm_bound[col];
      if (Fields::residual && has_residual) {
        expect_near("residual_out", r, col, differs(s[col], expected.sum[col], expected.sum_bound[col]));
      }
      if (Fields::norm) expect_near("norm_out", r, col, differs(y[col], expected.norm[col], bound));
      if (Fields::own && is_own) expect_near("own_rows_norm_out", r, col, differs(mine[col], expected.norm[col], bound));
      if (by_one) expect_near("quantized_out", r, col, differs(q[col], expected.norm[col] / 0.0625, bound / 0.0625));
      if (by_groups) {
        std::size_t const g = col / 128;
        float const scale = m_arena.host(scales)[c.column_major ? g * scale_stride + r : r * groups + g];
        if (col % 128 == 0) {
          most = 1e-10;
          slack = 0;
          for (std::size_t k = col; k < std::min(c.columns, col + 128); ++k) {
            most = std::max(most, std::abs(expected.norm[k]));
            slack = std::max(slack, expected.norm_bound[k]);
          }
        }
        expect_near("group_scales_out", r, col, differs(scale, most / 448, (slack + 4e-6 * most) / 448));
        expect_near("quantized_out", r, col, differs(q[col], expected.norm[col] / scale, bound / scale));
        if (col % 128 == 0) keep(&scale, 1);
      }
    }
    if (Fields::residual && has_residual) keep(s, c.columns);
    if (Fields::norm) keep(y, c.columns);
    if (Fields::quantized != Quantized::no) keep(q, c.columns);
    if (Fields::own && is_own) keep(mine, c.columns);
  }
  bits.push_back(std::byte{1});  // it ran
  return bits;
}

}  // namespace Koinon::Testing
