// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Koinon_Core.hpp>

#include <atomic>
#include <cmath>
#include <cstdio>
#include <vector>

// [layer_norm]
/// Normalizes a row by its mean and variance: out = (row - mean) / sqrt(variance + epsilon) * weight + bias.
struct LayerNorm {
  Koinon::Array<float const, 1> weight;
  Koinon::Array<float const, 1> bias;
  Koinon::Array<Koinon::bfloat16, 2> out;
  float epsilon = 1e-5f;

  template <class Row>
  KOINON_FUNCTION void operator()(Row& row) const {
    auto const columns = static_cast<float>(row.columns());
    float const mean = row.reduce_sum([](std::size_t, float x) { return x; }) / columns;
    float const variance = row.reduce_sum([mean](std::size_t, float x) { return (x - mean) * (x - mean); }) / columns;
    float const factor = 1.0f / std::sqrt(variance + epsilon);
    row.load(weight, [mean, factor](std::size_t, float x, float w) { return (x - mean) * factor * w; });
    row.load(bias, [](std::size_t, float x, float b) { return x + b; });
    row.store(out);
  }
};

template <class Policy>
void all_reduce_layer_norm(Policy const& policy, Koinon::Array<Koinon::bfloat16 const, 2> const& in, LayerNorm const& norm) {
  Koinon::all_reduce("layer norm", policy, in, Koinon::row_epilogue(norm));
}
// [layer_norm]

/// Compares with the norm of the sum, in double.
bool is_right(std::vector<std::vector<float>> const& parts, std::vector<Koinon::bfloat16> const& out, std::size_t rows,
              std::size_t columns) {
  auto const width = static_cast<double>(columns);
  for (std::size_t r = 0; r < rows; ++r) {
    std::vector<double> sum(columns, 0.0);
    double mean = 0;
    for (std::size_t c = 0; c < columns; ++c) {
      for (auto const& part : parts) sum[c] += static_cast<double>(part[r * columns + c]);
      mean += sum[c] / width;
    }
    double variance = 0;
    for (double const x : sum) variance += (x - mean) * (x - mean) / width;
    for (std::size_t c = 0; c < columns; ++c) {
      double const expected = (sum[c] - mean) / std::sqrt(variance + 1e-5) * 2.0 + 0.25;
      if (std::abs(static_cast<double>(out[r * columns + c]) - expected) > std::abs(expected) / 128 + 1e-4) return false;
    }
  }
  return true;
}

int main() {
  constexpr int ranks = 3;
  constexpr std::size_t rows = 4;
  constexpr std::size_t columns = 100;
  std::vector<std::vector<float>> parts(ranks, std::vector<float>(rows * columns));
  for (std::size_t p = 0; p < ranks; ++p) {
    for (std::size_t i = 0; i < rows * columns; ++i) parts[p][i] = static_cast<float>((i * 37 + p * 11) % 64);
  }
  std::atomic<int> right = 0;
  Koinon::run_thread_ranks(ranks, [&](Koinon::ThreadBootstrap& bootstrap) {
    Koinon::HostThread const exec;
    Koinon::Communicator const comm(exec, bootstrap);
    Koinon::CollectivePolicy const policy(exec, comm);
    std::vector<Koinon::bfloat16> in;
    for (float const x : parts[static_cast<std::size_t>(comm.rank())]) in.emplace_back(x);
    std::vector<float> const weight(columns, 2.0f);
    std::vector<float> const bias(columns, 0.25f);
    std::vector<Koinon::bfloat16> out(rows * columns);
    all_reduce_layer_norm(policy, Koinon::Array<Koinon::bfloat16 const, 2>(in.data(), rows, columns),
                          LayerNorm{Koinon::Array<float const, 1>(weight.data(), columns),
                                    Koinon::Array<float const, 1>(bias.data(), columns),
                                    Koinon::Array<Koinon::bfloat16, 2>(out.data(), rows, columns)});
    if (is_right(parts, out, rows, columns)) ++right;
  });
  std::printf("layer_norm: %d of %d ranks are right\n", right.load(), ranks);
  return right == ranks ? 0 : 1;
}
