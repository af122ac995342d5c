// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Koinon_Core.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <vector>

/// Gathers rows of three ranks into a workspace, batch after batch. The result is a view of the workspace: nothing is
/// copied out, its address never changes, and it is valid until this rank's next call on that workspace.
int main() {
  constexpr int ranks = 3;
  constexpr std::size_t columns = 12;
  std::atomic<int> right = 0;
  Koinon::run_thread_ranks(ranks, [&](Koinon::ThreadBootstrap& bootstrap) {
    Koinon::HostThread const exec;
    Koinon::Communicator const comm(exec, bootstrap);
    Koinon::CollectivePolicy const policy(exec, comm);
    constexpr std::size_t most_rows = 64;
    Koinon::Workspace const workspace(
        comm, Koinon::workspace_bytes<Koinon::AllGather, Koinon::bfloat16>(ranks, most_rows, columns));

    bool all_right = true;
    for (std::int64_t batch = 1; batch <= 8; ++batch) {
      std::vector<std::int64_t> const counts{batch, 0, 2 * batch};  // rows of each rank; one has none
      auto const rank = static_cast<std::size_t>(comm.rank());
      std::vector<Koinon::bfloat16> mine(static_cast<std::size_t>(counts[rank]) * columns,
                                         Koinon::bfloat16(static_cast<float>(comm.rank() + batch)));
      Koinon::Array<Koinon::bfloat16, 2> const in(mine.data(), counts[rank], columns);

      auto const all = Koinon::all_gather_borrowed("rows", policy, workspace, in, Koinon::Counts(counts));
      all_right = all_right && all.extent(0) == static_cast<std::size_t>(3 * batch) && all.extent(1) == columns;
      for (std::size_t row = 0; row < all.extent(0); ++row) {
        int const owner = row < static_cast<std::size_t>(batch) ? 0 : 2;
        for (std::size_t c = 0; c < columns; ++c) {
          all_right = all_right && static_cast<float>(all(row, c)) == static_cast<float>(owner + batch);
        }
      }
    }
    if (all_right) ++right;
  });
  std::printf("borrowed_all_gather: %d of %d ranks have the right rows\n", right.load(), ranks);
  return right == ranks ? 0 : 1;
}
