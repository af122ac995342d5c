// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Koinon_Core.hpp>

#include <atomic>
#include <cmath>
#include <cstdio>
#include <span>
#include <vector>

#if defined(KOINON_ENABLE_KOKKOS)
#include <Kokkos_Core.hpp>
#endif

/// Is a sample's size, mean and sum of squared distances from it. Any trivially copyable type can be an element.
struct Moments {
  double count;
  double mean;
  double squares;
};

/// Joins the moments of two samples. Ranks are joined in rank order, starting with rank 0's value; `init` is what an
/// empty sample has.
struct JoinMoments {
  KOINON_INLINE_FUNCTION void init(Moments& value) const { value = {0, 0, 0}; }
  KOINON_INLINE_FUNCTION void join(Moments& a, Moments const& b) const {
    double const count = a.count + b.count;
    if (count == 0) return;
    double const apart = b.mean - a.mean;
    a.squares += b.squares + apart * apart * a.count * b.count / count;
    a.mean += apart * b.count / count;
    a.count = count;
  }
};

/// Gives element i of rank r's sample.
KOINON_INLINE_FUNCTION double value_of(int rank, int i) {
  return static_cast<double>((7 * i + 3 * rank) % 11);
}

// KOINON_LAMBDA stands in a free function: inside the lambda of main a device compiler refuses it.
Moments moments_of_rank(int rank, int count) {
  double sum = 0;
  double sum_of_squares = 0;
#if defined(KOINON_ENABLE_KOKKOS)
  Kokkos::parallel_reduce(
      "moments", Kokkos::RangePolicy<Kokkos::DefaultHostExecutionSpace>(0, count),
      KOINON_LAMBDA(int const i, double& s, double& q) {
        double const x = value_of(rank, i);
        s += x;
        q += x * x;
      },
      sum, sum_of_squares);
#else
  auto const add = KOINON_LAMBDA(int const i, double& s, double& q) {
    double const x = value_of(rank, i);
    s += x;
    q += x * x;
  };
  for (int i = 0; i < count; ++i) add(i, sum, sum_of_squares);
#endif
  double const n = count;
  return {n, sum / n, sum_of_squares - sum * sum / n};
}

bool near(double a, double b) {
  return std::abs(a - b) <= 1e-9 * (std::abs(a) + 1);
}

/// Joins one sample a rank, here three threads with samples of different sizes, and compares with the whole sample's.
int run() {
  constexpr int ranks = 3;
  Moments parts[ranks];
  double sum = 0;
  double sum_of_squares = 0;
  double count = 0;
  for (int rank = 0; rank < ranks; ++rank) {
    int const size = 1000 * (rank + 1);
    parts[rank] = moments_of_rank(rank, size);
    for (int i = 0; i < size; ++i) {
      sum += value_of(rank, i);
      sum_of_squares += value_of(rank, i) * value_of(rank, i);
    }
    count += size;
  }
  Moments const whole{count, sum / count, sum_of_squares - sum * sum / count};

  std::atomic<int> right = 0;
  Koinon::run_thread_ranks(ranks, [&](Koinon::ThreadBootstrap& bootstrap) {
    Koinon::HostThread const exec;
    Koinon::Communicator const comm(exec, bootstrap);
    std::vector<Moments> all(1, parts[comm.rank()]);
    Koinon::all_reduce("moments", Koinon::CollectivePolicy(exec, comm), std::span(all), std::span(all), JoinMoments{});
    Moments const& m = all[0];
    if (near(m.count, whole.count) && near(m.mean, whole.mean) && near(m.squares, whole.squares)) ++right;
  });
  std::printf("user_reducer: mean %.4f, variance %.4f; %d of %d ranks are right\n", whole.mean,
              whole.squares / whole.count, right.load(), ranks);
  return right == ranks ? 0 : 1;
}

int main([[maybe_unused]] int argc, [[maybe_unused]] char** argv) {
#if defined(KOINON_ENABLE_KOKKOS)
  Kokkos::ScopeGuard const kokkos(argc, argv);
#endif
  return run();
}
