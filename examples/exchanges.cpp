// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Koinon_Core.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <span>
#include <vector>

// Every exchange once, on three ranks; the documentation shows these functions. Each returns whether this rank's result
// is right.
namespace {

using Exec = Koinon::HostThread;
using Comm = Koinon::Communicator<Exec>;
constexpr int ranks = 3;

// [all_to_all]
bool all_to_all(Exec const& exec, Comm const& comm) {
  Koinon::CollectivePolicy const policy(exec, comm);
  // Tokens of two values each: rank r sends p + 1 of them to rank p, and so gets r + 1 from each.
  std::vector<int> const send{1, 2, 3};
  std::vector<int> const receive(ranks, comm.rank() + 1);
  std::vector<float> tokens(6 * 2, static_cast<float>(comm.rank()));
  std::vector<float> mine(static_cast<std::size_t>(3 * (comm.rank() + 1)) * 2);
  Koinon::Array<float const, 2> const in(tokens.data(), 6, 2);
  Koinon::Array<float, 2> const out(mine.data(), mine.size() / 2, 2);
  Koinon::all_to_all("experts", policy, in, out, Koinon::Counts(send), Koinon::Counts(receive));
  for (std::size_t i = 0; i < out.extent(0); ++i) {
    auto const from = static_cast<float>(i / static_cast<std::size_t>(comm.rank() + 1));
    if (out(i, 0) != from || out(i, 1) != from) return false;
  }

  std::vector<std::int32_t> const one_each(ranks, comm.rank());  // without counts: as much to each
  std::vector<std::int32_t> from_each(ranks);
  Koinon::all_to_all("hello", policy, std::span(one_each), std::span(from_each));
  return from_each == std::vector<std::int32_t>{0, 1, 2};
}
// [all_to_all]

// [shards]
bool shards(Exec const& exec, Comm const& comm) {
  Koinon::CollectivePolicy const policy(exec, comm);
  // Logits of 6 tokens over a vocabulary of 12: each rank has computed 4 columns of all tokens, and samples 2 tokens.
  std::vector<float> computed(6 * 4);
  Koinon::Array<float, 2> const shard(computed.data(), 6, 4);
  for (std::size_t token = 0; token < 6; ++token) {
    for (std::size_t c = 0; c < 4; ++c) shard(token, c) = static_cast<float>(100 * token + 4 * static_cast<std::size_t>(comm.rank()) + c);
  }
  std::vector<float> to_sample(2 * 12);
  Koinon::Array<float, 2> const rows(to_sample.data(), 2, 12);
  Koinon::shards_to_rows("logits", policy, shard, rows);
  for (std::size_t i = 0; i < 2; ++i) {
    std::size_t const token = static_cast<std::size_t>(comm.rank()) * 2 + i;
    for (std::size_t word = 0; word < 12; ++word) {
      if (rows(i, word) != static_cast<float>(100 * token + word)) return false;
    }
  }

  std::vector<float> back(6 * 4);
  Koinon::rows_to_shards("back", policy, rows, Koinon::Array<float, 2>(back.data(), 6, 4));
  return back == computed;
}
// [shards]

// [all_gather_columns]
bool all_gather_columns(Exec const& exec, Comm const& comm) {
  Koinon::CollectivePolicy const policy(exec, comm);
  std::vector<int> const widths{2, 1, 4};  // columns of each rank
  auto const mine = static_cast<std::size_t>(widths[static_cast<std::size_t>(comm.rank())]);
  std::vector<std::int16_t> own(5 * mine, static_cast<std::int16_t>(comm.rank()));
  std::vector<std::int16_t> all(5 * 7);
  Koinon::Array<std::int16_t const, 2> const in(own.data(), 5, mine);
  Koinon::Array<std::int16_t, 2> const out(all.data(), 5, 7);
  Koinon::all_gather_columns("heads", policy, in, out, Koinon::Widths(widths));
  for (std::size_t row = 0; row < 5; ++row) {
    for (std::size_t c = 0; c < 7; ++c) {
      if (out(row, c) != (c < 2 ? 0 : c < 3 ? 1 : 2)) return false;
    }
  }
  return true;
}
// [all_gather_columns]

// [borrowed]
bool borrowed(Exec const& exec, Comm const& comm) {
  Koinon::CollectivePolicy const policy(exec, comm);
  Koinon::Workspace const workspace(comm, Koinon::workspace_bytes<Koinon::ShardsToRows, float>(ranks, 8, 12));
  float const* address = nullptr;
  for (std::size_t rows = 1; rows <= 8; ++rows) {  // of each rank
    std::vector<float> const shard(rows * ranks * 4, static_cast<float>(comm.rank()));
    auto const mine = Koinon::shards_to_rows_borrowed("logits", policy, workspace,
                                                      Koinon::Array<float const, 2>(shard.data(), rows * ranks, 4));
    if (address == nullptr) address = mine.data();
    if (mine.data() != address || mine.extent(0) != rows || mine(rows - 1, 11) != 2.0f) return false;
  }
  return true;
}
// [borrowed]

}  // namespace

int main() {
  std::atomic<int> wrong = 0;
  Koinon::run_thread_ranks(ranks, [&](Koinon::ThreadBootstrap& bootstrap) {
    Exec const exec;
    Comm const comm(exec, bootstrap);
    auto const expect = [&](char const* name, bool right) {
      if (right) return;
      std::printf("exchanges: %s is wrong on rank %d\n", name, comm.rank());
      ++wrong;
    };
    expect("all_to_all", all_to_all(exec, comm));
    expect("shards", shards(exec, comm));
    expect("all_gather_columns", all_gather_columns(exec, comm));
    expect("borrowed", borrowed(exec, comm));
  });
  if (wrong == 0) std::printf("exchanges: every result is right on every rank\n");
  return wrong == 0 ? 0 : 1;
}
