// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Koinon_Core.hpp>

#include <atomic>
#include <cstdint>
#include <cstdio>
#include <span>
#include <vector>

// Several arrays in one launch, on three ranks; the documentation shows these functions. Each returns whether this
// rank's result is right.
namespace {

using Exec = Koinon::HostThread;
using Comm = Koinon::Communicator<Exec>;
constexpr int ranks = 3;

// [all_gather_multiple]
bool all_gather_multiple(Exec const& exec, Comm const& comm) {
  Koinon::CollectivePolicy const policy(exec, comm);
  constexpr std::size_t capacity = 8;  // requests that a rank may have; the arrays are made once, for the largest batch
  constexpr std::size_t drafted = 4;   // tokens of a request
  std::vector<std::int32_t> const counts{2, 0, 3};  // requests of each rank in this batch: 5 rows in all
  auto const rank = static_cast<std::int32_t>(comm.rank());

  std::vector<std::int32_t> tokens(capacity * drafted, 100 + rank);
  std::vector<std::int32_t> accepted(capacity, rank);
  std::vector<float> scores(capacity * drafted, 0.5f * static_cast<float>(rank));
  std::vector<std::int32_t> all_tokens(ranks * capacity * drafted);
  std::vector<std::int32_t> all_accepted(ranks * capacity);
  std::vector<float> all_scores(ranks * capacity * drafted);
  Koinon::all_gather_multiple(
      "accepted", policy, Koinon::Counts(counts),
      Koinon::member(Koinon::Array<std::int32_t const, 2>(tokens.data(), capacity, drafted),
                     Koinon::Array<std::int32_t, 2>(all_tokens.data(), ranks * capacity, drafted)),
      Koinon::member(std::span(accepted), std::span(all_accepted)),
      Koinon::member(Koinon::Array<float const, 2>(scores.data(), capacity, drafted),
                     Koinon::Array<float, 2>(all_scores.data(), ranks * capacity, drafted)));

  // Rows 0 and 1 are rank 0's, rows 2 to 4 rank 2's; those behind are not touched.
  return all_accepted[1] == 0 && all_accepted[2] == 2 && all_tokens[4 * drafted + 3] == 102 &&
         all_scores[4 * drafted + 3] == 1.0f && all_tokens[5 * drafted] == 0;
}
// [all_gather_multiple]

// [borrowed]
bool borrowed(Exec const& exec, Comm const& comm) {
  Koinon::CollectivePolicy const policy(exec, comm);
  constexpr std::size_t most_rows = 24;
  Koinon::Workspace const workspace(
      comm, Koinon::workspace_bytes<Koinon::AllGatherMultiple, std::int32_t, double>(comm.size(), most_rows, 1, 4));
  std::vector<std::int32_t> const ids(2, comm.rank());
  std::vector<double> const states(2 * 4, 0.25 * comm.rank());
  auto const [all_ids, all_states] =
      Koinon::all_gather_multiple_borrowed("states", policy, workspace, Koinon::TotalRows{2 * ranks}, std::span(ids),
                                           Koinon::Array<double const, 2>(states.data(), 2, 4));
  return all_ids(5) == 2 && all_states(3, 3) == 0.25;
}
// [borrowed]

// [all_reduce_multiple]
bool all_reduce_multiple(Exec const& exec, Comm const& comm) {
  Koinon::CollectivePolicy const policy(exec, comm);
  std::vector<Koinon::bfloat16> weights(4096, Koinon::bfloat16(0.5f));
  std::vector<Koinon::bfloat16> bias(64, Koinon::bfloat16(static_cast<float>(comm.rank())));
  std::vector<double> const loss{1.0};
  std::vector<double> total(1);
  Koinon::all_reduce_multiple("gradients", policy, Koinon::member(std::span(weights), std::span(weights)),  // in place
                              Koinon::member(std::span(bias), std::span(bias)),
                              Koinon::member(std::span(loss), std::span(total)));

  std::vector<std::int64_t> steps{10 + comm.rank()};
  Koinon::all_reduce_multiple(policy, Koinon::Max{}, Koinon::member(std::span(steps), std::span(steps)));
  return static_cast<float>(weights[4095]) == 1.5f && static_cast<float>(bias[63]) == 3.0f && total[0] == 3.0 &&
         steps[0] == 12;
}
// [all_reduce_multiple]

}  // namespace

int main() {
  std::atomic<int> wrong = 0;
  Koinon::run_thread_ranks(ranks, [&](Koinon::ThreadBootstrap& bootstrap) {
    Exec const exec;
    Comm const comm(exec, bootstrap);
    auto const expect = [&](char const* name, bool right) {
      if (right) return;
      std::printf("several_arrays: %s is wrong on rank %d\n", name, comm.rank());
      ++wrong;
    };
    expect("all_gather_multiple", all_gather_multiple(exec, comm));
    expect("borrowed", borrowed(exec, comm));
    expect("all_reduce_multiple", all_reduce_multiple(exec, comm));
  });
  if (wrong == 0) std::printf("several_arrays: every result is right on every rank\n");
  return wrong == 0 ? 0 : 1;
}
