// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Koinon_Core.hpp>

#include <atomic>
#include <cstdint>
#include <cstdio>
#include <span>
#include <vector>

// Every operation once, on three ranks; the documentation shows these functions. Each returns whether this rank's
// result is right.
namespace {

using Exec = Koinon::HostThread;
using Comm = Koinon::Communicator<Exec>;
constexpr int ranks = 3;

// [all_reduce]
bool all_reduce(Exec const& exec, Comm const& comm) {
  Koinon::CollectivePolicy const policy(exec, comm);
  std::vector<float> const in{1.0f, static_cast<float>(comm.rank())};
  std::vector<float> out(2);
  Koinon::all_reduce("loss", policy, std::span(in), std::span(out));  // Koinon::Sum
  if (out != std::vector{3.0f, 0.0f + 1.0f + 2.0f}) return false;

  Koinon::all_reduce("largest", policy, std::span(out), std::span(out), Koinon::Max{});  // in place
  return out == std::vector{3.0f, 3.0f};
}
// [all_reduce]

// [reduce_scatter]
bool reduce_scatter(Exec const& exec, Comm const& comm) {
  Koinon::CollectivePolicy const policy(exec, comm);
  std::vector<std::int64_t> const counts{2, 0, 3};  // rows of each rank: 5 rows of 4 columns in all
  std::vector<double> rows(5 * 4);
  for (std::size_t i = 0; i < rows.size(); ++i) rows[i] = static_cast<double>(i / 4);  // row number
  auto const mine = static_cast<std::size_t>(counts[static_cast<std::size_t>(comm.rank())]);
  std::vector<double> result(mine * 4);
  Koinon::Array<double const, 2> const in(rows.data(), 5, 4);
  Koinon::Array<double, 2> const out(result.data(), mine, 4);
  Koinon::reduce_scatter("gradients", policy, in, out, Koinon::Sum{}, Koinon::Counts(counts));

  std::size_t const first = comm.rank() == 0 ? 0 : 2;
  for (std::size_t row = 0; row < mine; ++row) {
    if (out(row, 3) != static_cast<double>(ranks) * static_cast<double>(first + row)) return false;
  }
  return true;
}
// [reduce_scatter]

// [all_gather]
bool all_gather(Exec const& exec, Comm const& comm) {
  Koinon::CollectivePolicy const policy(exec, comm);
  std::vector<std::int32_t> all(7);  // without counts: even_partition(7, 3) = 3, 2, 2
  auto const partition = Koinon::even_partition(7, ranks);
  std::span const mine = std::span(all).subspan(static_cast<std::size_t>(partition.offset(comm.rank())),
                                                static_cast<std::size_t>(partition.count(comm.rank())));
  for (std::int32_t& x : mine) x = comm.rank();
  Koinon::all_gather("owners", policy, mine, std::span(all));  // in place: `mine` is this rank's part of `all`
  return all == std::vector<std::int32_t>{0, 0, 0, 1, 1, 2, 2};
}
// [all_gather]

// [broadcast]
bool broadcast(Exec const& exec, Comm const& comm) {
  std::vector<std::uint64_t> settings(5, comm.rank() == 1 ? 42 : 0);
  Koinon::broadcast("settings", Koinon::CollectivePolicy(exec, comm), std::span(settings), 1);
  return settings == std::vector<std::uint64_t>(5, 42);
}
// [broadcast]

// [reduce]
bool reduce(Exec const& exec, Comm const& comm) {
  using Nearest = Koinon::ValueLocation<float, std::int32_t>;
  int const root = 2;
  std::vector<Nearest> const in{{.val = 5.0f - static_cast<float>(comm.rank()), .loc = comm.rank()}};
  std::vector<Nearest> out(comm.rank() == root ? 1 : 0);  // empty elsewhere
  Koinon::reduce("nearest", Koinon::CollectivePolicy(exec, comm), std::span(in), std::span(out), root,
                 Koinon::MinLoc{});
  return out.empty() || (out[0].val == 3.0f && out[0].loc == 2);
}
// [reduce]

// [barrier]
bool barrier(Exec const& exec, Comm const& comm) {
  auto const board = Koinon::symmetric_array<std::int32_t, 1>(comm, 1);
  board(0) = comm.rank();
  Koinon::CollectivePolicy const policy(exec, comm);
  Koinon::barrier("written", policy);  // what ranks wrote to symmetric memory is now visible to all
  int const neighbour = (comm.rank() + 1) % comm.size();
  bool const right = *comm.device().peer_pointer(neighbour, board.data()) == neighbour;
  Koinon::barrier("read", policy);  // nobody overwrites or frees what a peer still reads
  Koinon::free_symmetric(comm, board);
  return right;
}
// [barrier]

// [rms_norm]
bool rms_norm(Exec const& exec, Comm const& comm) {
  constexpr std::size_t rows = 2;
  constexpr std::size_t columns = 4;
  std::vector<float> const attention(rows * columns, 1.0f);  // each rank's part: the sum is 3
  std::vector<float> hidden(rows * columns, -1.0f);          // the residual, and then the sum with it: 2
  std::vector<float> const weight(columns, 0.5f);
  std::vector<float> normed(rows * columns);
  std::vector<Koinon::float8_e4m3> quantized(rows * columns);
  std::vector<float> scales(rows);  // a group of 128 columns each
  Koinon::Array<float, 2> const residual(hidden.data(), rows, columns);
  Koinon::all_reduce("attention", Koinon::CollectivePolicy(exec, comm),
                     Koinon::Array<float const, 2>(attention.data(), rows, columns),
                     Koinon::RmsNorm{.residual = residual,
                                     .weight = std::span(weight),
                                     .residual_out = residual,
                                     .norm_out = Koinon::Array<float, 2>(normed.data(), rows, columns),
                                     .quantized_out = Koinon::Array<Koinon::float8_e4m3, 2>(quantized.data(), rows, columns),
                                     .group_scales_out = std::span(scales)});
  float const norm = normed[0];  // 2 / sqrt(4) * 0.5
  float const largest = static_cast<float>(quantized[0]);
  return hidden[7] == 2.0f && norm > 0.49999f && norm < 0.50001f && largest == 448.0f && scales[1] == norm / 448;
}
// [rms_norm]

// [policies]
bool policies(Exec const& exec, Comm const& comm) {
  std::vector<float> x(5000, 1.0f);
  Koinon::CollectivePolicy const policy(exec, comm);                                          // all automatic
  Koinon::CollectivePolicy<Exec, Koinon::TwoShot, Koinon::PeerLoad> const fixed(exec, comm);  // traits are required
  auto const strict = Koinon::require(policy, Koinon::Deterministic{});                       // a guarantee
  auto const quick = Koinon::prefer(policy, Koinon::OneShot{});  // speed only: may fall back
  auto const chosen = Koinon::prefer(policy, Koinon::Tuning{.algorithm = Koinon::Algorithm::two_shot});  // at run time
  Koinon::all_reduce(policy, std::span(x), std::span(x));
  Koinon::all_reduce(fixed, std::span(x), std::span(x));
  Koinon::all_reduce(strict, std::span(x), std::span(x));
  Koinon::all_reduce(quick, std::span(x), std::span(x));
  Koinon::all_reduce(chosen, std::span(x), std::span(x));

  // Multicast hardware has no minimum of floats: the question is answered without a launch.
  auto const multimem = Koinon::require(policy, Koinon::Multimem{});
  auto const answer = Koinon::can_run<Koinon::AllReduce>(multimem, std::span(x), std::span(x), Koinon::Min{});
  return x[0] == 3 * 3 * 3 * 3 * 3 && !answer && !answer.reason().empty();
}
// [policies]

}  // namespace

int main() {
  std::atomic<int> wrong = 0;
  Koinon::run_thread_ranks(ranks, [&](Koinon::ThreadBootstrap& bootstrap) {
    Exec const exec;
    Comm const comm(exec, bootstrap);
    auto const expect = [&](char const* name, bool right) {
      if (right) return;
      std::printf("operations: %s is wrong on rank %d\n", name, comm.rank());
      ++wrong;
    };
    expect("all_reduce", all_reduce(exec, comm));
    expect("reduce_scatter", reduce_scatter(exec, comm));
    expect("all_gather", all_gather(exec, comm));
    expect("broadcast", broadcast(exec, comm));
    expect("reduce", reduce(exec, comm));
    expect("barrier", barrier(exec, comm));
    expect("rms_norm", rms_norm(exec, comm));
    expect("policies", policies(exec, comm));
  });
  if (wrong == 0) std::printf("operations: every result is right on every rank\n");
  return wrong == 0 ? 0 : 1;
}
