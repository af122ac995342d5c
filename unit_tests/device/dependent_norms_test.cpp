// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <device/Koinon_DeviceRank.hpp>
#include <support/Koinon_RankRunner.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <cstring>
#include <span>
#include <vector>

// Norms that begin before the kernel ahead of them has ended, and kernels of users behind them.
namespace Koinon::Testing {
namespace {

__global__ void copy(float const* from, float* to, std::size_t count) {
  for (std::size_t i = threadIdx.x; i < count; i += blockDim.x) to[i] = from[i];
}

/// Begins early too, and waits for the kernel ahead of it itself.
__global__ void copy_when_due(float const* from, float* to, std::size_t count) {
  cudaGridDependencySynchronize();
  for (std::size_t i = threadIdx.x; i < count; i += blockDim.x) to[i] = from[i];
}

void launch_early(cudaStream_t stream, float const* from, float* to, std::size_t count) {
  cudaLaunchAttribute attribute{};
  attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  attribute.val.programmaticStreamSerializationAllowed = 1;
  cudaLaunchConfig_t config{};
  config.gridDim = dim3(1);
  config.blockDim = dim3(256);
  config.stream = stream;
  config.attrs = &attribute;
  config.numAttrs = 1;
  require(cudaLaunchKernelEx(&config, copy_when_due, from, to, count));
}

/// Is a rank with a chain of norms: each takes what the one before wrote, and consumers copy what each wrote.
class Chain {
 public:
  static constexpr std::size_t rows = 9;
  static constexpr std::size_t columns = 136;
  static constexpr std::size_t count = rows * columns;
  static constexpr std::size_t turns = 6;

  explicit Chain(DeviceRank const& rank) : m_rank(rank) {
    fill(rank.stream(), rank.array(weight, count), 0.75f, 0.01f);
  }

  /// Writes what the chain starts from, and nothing to where the consumers copy to.
  void set_inputs(int turn) const {
    std::vector<float> const nothing((last - first_copy) * count);
    m_rank.memory->upload(reinterpret_cast<std::byte*>(at(first_copy)),
                          reinterpret_cast<std::byte const*>(nothing.data()), nothing.size() * sizeof(float));
    auto const number = static_cast<float>(turn + 1);
    fill(m_rank.stream(), m_rank.array(values, count), number + static_cast<float>(m_rank.comm.rank()), 0.25f);
    fill(m_rank.stream(), m_rank.array(residual, count), -number, 0.5f);
  }

  template <class Policy>
  void enqueue(Policy const& policy) const {
    Array<float, 2> const in(at(values), rows, columns);
    Array<float, 2> const sums(at(residual), rows, columns);
    RmsNorm const epilogue{.residual = Array<float const, 2>(sums),
                           .weight = Array<float const, 1>(at(weight), columns),
                           .residual_out = sums,
                           .norm_out = in};
    for (std::size_t turn = 0; turn < turns; ++turn) {
      all_reduce("norm", policy, Array<float const, 2>(in), epilogue);
      if (turn % 3 == 2) continue;  // a norm right behind a norm
      launch_early(m_rank.stream(), at(values), at(first_copy + 2 * turn), count);
      copy<<<1, 256, 0, m_rank.stream()>>>(at(values), at(first_copy + 2 * turn + 1), count);
      require(cudaGetLastError());
    }
  }

  /// Returns what the chain left: sums, norms, and what the consumers saw of each norm.
  [[nodiscard]] std::vector<float> results() const {
    std::vector<float> all(last * count);
    m_rank.memory->download(reinterpret_cast<std::byte*>(all.data()), reinterpret_cast<std::byte const*>(m_rank.x),
                            all.size() * sizeof(float));
    return all;
  }
  static void expect_seen(std::vector<float> const& all) {
    auto const copy_of = [&](std::size_t n) { return std::span(all).subspan((first_copy + n) * count, count); };
    for (std::size_t turn = 0; turn < turns; ++turn) {
      if (turn % 3 == 2) continue;
      auto const waited = copy_of(2 * turn);
      auto const plain = copy_of(2 * turn + 1);
      EXPECT_EQ(std::memcmp(waited.data(), plain.data(), waited.size_bytes()), 0) << "norm " << turn;
    }
  }

 private:
  enum : std::size_t { values, residual, weight, first_copy, last = first_copy + 2 * turns };
  [[nodiscard]] float* at(std::size_t n) const { return m_rank.array(n, count).data(); }

  DeviceRank const& m_rank;
};

TEST(DependentNorms, InAGraphGiveConsumersThatWaitAndThatHaveNoAttributeTheSameNorms) {
  run_ranks(2, [](Bootstrap& bootstrap) {
    DeviceRank const rank(bootstrap);
    Chain const chain(rank);
    for (Algorithm const algorithm : {Algorithm::low_latency, Algorithm::one_shot, Algorithm::two_shot}) {
      auto const plain = require(rank.policy, Tuning{.algorithm = algorithm});
      auto const expect_as_without = [&](auto const& policy) {
        bootstrap.barrier();  // no capture ends while a kernel waits
        cudaGraphExec_t const graph = captured(rank.stream(), [&] { chain.enqueue(policy); });
        bootstrap.barrier();
        for (int turn = 0; turn < 20; ++turn) {
          chain.set_inputs(turn);
          chain.enqueue(plain);
          std::vector<float> const expected = chain.results();
          chain.set_inputs(turn);
          require(cudaGraphLaunch(graph, rank.stream()));
          std::vector<float> const replayed = chain.results();
          EXPECT_EQ(std::memcmp(replayed.data(), expected.data(), expected.size() * sizeof(float)), 0)
              << to_string(algorithm) << ", replay " << turn << ", rank " << rank.comm.rank();
          Chain::expect_seen(replayed);
        }
        rank.comm.check();
        bootstrap.barrier();
        require(cudaGraphExecDestroy(graph));
      };
      expect_as_without(prefer(plain, DependentLaunch{}));
      expect_as_without(prefer(plain, EarlyTrigger{}));
    }
    bootstrap.barrier();
  });
}

}  // namespace
}  // namespace Koinon::Testing
