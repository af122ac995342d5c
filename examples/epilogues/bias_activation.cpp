// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Koinon_Core.hpp>

#include <atomic>
#include <cmath>
#include <cstdio>
#include <vector>

// [bias_activation]
KOINON_INLINE_FUNCTION float silu(float x) { return x / (1.0f + std::exp(-x)); }
KOINON_INLINE_FUNCTION float gelu(float x) { return 0.5f * x * (1.0f + std::erf(x * 0.70710678f)); }

/// Adds a bias to each column and applies the activation: element by element, so there is nothing to reduce over the row.
template <class Policy>
void all_reduce_bias_silu(Policy const& policy, Koinon::Array<float const, 2> const& in, Koinon::Array<float const, 1> const& bias,
                          Koinon::Array<float, 2> const& out) {
  using Row = typename Policy::row_type;  // a lambda for a device names the row's type
  Koinon::all_reduce("mlp", policy, in, Koinon::row_epilogue(KOINON_LAMBDA(Row & row) {
                       row.load(bias, [](std::size_t, float x, float b) { return silu(x + b); });
                       row.store(out);
                     }));
}

/// The same with GELU, each rank keeping its rows only.
template <class Policy>
void reduce_scatter_bias_gelu(Policy const& policy, Koinon::Array<float const, 2> const& in, Koinon::Array<float const, 1> const& bias,
                              Koinon::Array<float, 2> const& own_rows) {
  using Row = typename Policy::row_type;
  Koinon::reduce_scatter("mlp", policy, in, Koinon::row_epilogue(KOINON_LAMBDA(Row & row) {
                           row.load(bias, [](std::size_t, float x, float b) { return gelu(x + b); });
                           row.store(own_rows);
                         }));
}
// [bias_activation]

constexpr int ranks = 3;
constexpr std::size_t tokens = 6;  // two of each rank
constexpr std::size_t width = 50;

float value_of(int rank, std::size_t i) {
  return static_cast<float>((i * 29 + static_cast<std::size_t>(rank) * 5) % 16) / 8 - 1;
}

bool near(float a, double b) {
  return std::abs(static_cast<double>(a) - b) <= 1e-5 * (std::abs(b) + 1);
}

double summed(std::size_t i) {
  double sum = 0.5;  // the bias
  for (int p = 0; p < ranks; ++p) sum += static_cast<double>(value_of(p, i));
  return sum;
}

int main() {
  std::atomic<int> right = 0;
  Koinon::run_thread_ranks(ranks, [&](Koinon::ThreadBootstrap& bootstrap) {
    Koinon::HostThread const exec;
    Koinon::Communicator const comm(exec, bootstrap);
    Koinon::CollectivePolicy const policy(exec, comm);
    std::vector<float> values(tokens * width);
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = value_of(comm.rank(), i);
    std::vector<float> const half(width, 0.5f);
    std::vector<float> all(tokens * width);
    std::vector<float> mine(tokens / ranks * width);
    Koinon::Array<float const, 2> const in(values.data(), tokens, width);
    Koinon::Array<float const, 1> const bias(half.data(), width);
    all_reduce_bias_silu(policy, in, bias, Koinon::Array<float, 2>(all.data(), tokens, width));
    reduce_scatter_bias_gelu(policy, in, bias, Koinon::Array<float, 2>(mine.data(), tokens / ranks, width));
    bool good = true;
    for (std::size_t i = 0; i < all.size(); ++i) good = good && near(all[i], summed(i) / (1 + std::exp(-summed(i))));
    for (std::size_t i = 0; i < mine.size(); ++i) {
      double const x = summed(static_cast<std::size_t>(comm.rank()) * mine.size() + i);
      good = good && near(mine[i], 0.5 * x * (1 + std::erf(x / std::sqrt(2.0))));
    }
    if (good) ++right;
  });
  std::printf("bias_activation: %d of %d ranks are right\n", right.load(), ranks);
  return right == ranks ? 0 : 1;
}
