// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Koinon_Core.hpp>

#include <atomic>
#include <cmath>
#include <cstdio>
#include <vector>

// [axpy_with_dot]
/// The middle of a step of conjugate gradients for several right-hand sides. Each rank has some elements of all vectors;
/// row i of the reduction is the dot product p_i . A p_i over all ranks. What follows it needs no launch of its own:
///   alpha = residual_squared / dot, x += alpha p, r -= alpha A p
struct Step {
  Koinon::Array<float const, 1> residual_squared;  // of each right-hand side
  Koinon::Array<float const, 2> p, ap;             // [right-hand sides, this rank's elements]
  Koinon::Array<float, 2> x, r;

  template <class Row>
  KOINON_FUNCTION void operator()(Row& row) const {
    std::size_t const i = row.index();
    float const dot = row.reduce_sum([](std::size_t, float value) { return value; });  // of one column: to all threads
    float const alpha = residual_squared(i) / dot;
    row.for_each(x.extent(1), [&](std::size_t k) {
      x(i, k) += alpha * p(i, k);
      r(i, k) -= alpha * ap(i, k);
    });
  }
};

template <class Policy>
void update(Policy const& policy, Koinon::Array<float const, 2> const& partial_dots, Step const& step) {
  Koinon::all_reduce("alpha", policy, partial_dots, Koinon::row_epilogue(step));
}
// [axpy_with_dot]

constexpr int ranks = 3;
constexpr std::size_t systems = 4;
constexpr std::size_t own_elements = 7;  // of a rank

float p_of(std::size_t system, std::size_t k) { return static_cast<float>((k * 5 + system) % 8 + 1); }
float ap_of(std::size_t system, std::size_t k) { return 2 * p_of(system, k); }  // A is twice the identity

int main() {
  std::atomic<int> right = 0;
  Koinon::run_thread_ranks(ranks, [&](Koinon::ThreadBootstrap& bootstrap) {
    Koinon::HostThread const exec;
    Koinon::Communicator const comm(exec, bootstrap);
    Koinon::CollectivePolicy const policy(exec, comm);
    std::size_t const first = static_cast<std::size_t>(comm.rank()) * own_elements;
    std::vector<float> p(systems * own_elements), ap(systems * own_elements), dots(systems, 0.0f);
    std::vector<float> x(systems * own_elements, 1.0f), r(systems * own_elements, 1.0f);
    std::vector<float> const squared(systems, 3.0f);
    for (std::size_t i = 0; i < systems; ++i) {
      for (std::size_t k = 0; k < own_elements; ++k) {
        p[i * own_elements + k] = p_of(i, first + k);
        ap[i * own_elements + k] = ap_of(i, first + k);
        dots[i] += p[i * own_elements + k] * ap[i * own_elements + k];
      }
    }
    update(policy, Koinon::Array<float const, 2>(dots.data(), systems, 1),
           Step{Koinon::Array<float const, 1>(squared.data(), systems), Koinon::Array<float const, 2>(p.data(), systems, own_elements),
                Koinon::Array<float const, 2>(ap.data(), systems, own_elements), Koinon::Array<float, 2>(x.data(), systems, own_elements),
                Koinon::Array<float, 2>(r.data(), systems, own_elements)});

    bool good = true;
    for (std::size_t i = 0; i < systems; ++i) {
      float dot = 0;  // small whole numbers: exact in any order
      for (std::size_t k = 0; k < own_elements * ranks; ++k) dot += p_of(i, k) * ap_of(i, k);
      for (std::size_t k = 0; k < own_elements; ++k) {
        float const alpha = 3.0f / dot;
        good = good && std::abs(x[i * own_elements + k] - (1.0f + alpha * p[i * own_elements + k])) < 1e-6f;
        good = good && std::abs(r[i * own_elements + k] - (1.0f - alpha * ap[i * own_elements + k])) < 1e-6f;
      }
    }
    if (good) ++right;
  });
  std::printf("axpy_with_dot: %d of %d ranks are right\n", right.load(), ranks);
  return right == ranks ? 0 : 1;
}
