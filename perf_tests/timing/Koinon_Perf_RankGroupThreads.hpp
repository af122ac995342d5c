// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Koinon_CoreWithoutMpi.hpp>
#include <Koinon_Perf_RankGroup.hpp>

#include <algorithm>
#include <numeric>
#include <span>
#include <vector>

namespace Koinon::Perf {

/// The threads of Koinon::run_thread_ranks, by the bootstrap that each of them was given.
class ThreadRankGroup final : public RankGroup {
 public:
  explicit ThreadRankGroup(ThreadBootstrap& bootstrap) : m_bootstrap(bootstrap) {}
  int rank() const override { return m_bootstrap.rank(); }
  int size() const override { return m_bootstrap.size(); }
  bool is_processes() const override { return false; }
  void barrier() override { m_bootstrap.barrier(); }
  double maximum(double value) override {
    auto const all = gather(value);
    return *std::max_element(all.begin(), all.end());
  }
  std::uint64_t sum(std::uint64_t value) override {
    auto const all = gather(value);
    return std::accumulate(all.begin(), all.end(), std::uint64_t{0});
  }
  void all_gather(std::span<std::byte const> mine, std::span<std::byte> all) override {
    m_bootstrap.all_gather(mine, all);
  }

 private:
  template <class T>
  std::vector<T> gather(T value) {
    std::vector<T> all(static_cast<std::size_t>(size()));
    m_bootstrap.all_gather(std::as_bytes(std::span(&value, 1)), std::as_writable_bytes(std::span(all)));
    return all;
  }

  ThreadBootstrap& m_bootstrap;
};

}  // namespace Koinon::Perf
