// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Koinon_Core.hpp>

#include <complex>
#include <cstdint>

// Compiles: what the files about operations do wrong, done right.
using Policy = Koinon::CollectivePolicy<Koinon::HostThread>;
template <class T>
using In = std::span<T const>;
template <class T>
using Out = std::span<T>;

struct Particle {
  double position[3];
};
struct Farthest {
  void init(Particle& value) const { value = {}; }
  Particle join(Particle const& a, Particle const& b) const { return a.position[0] < b.position[0] ? b : a; }
};
using Located = Koinon::ValueLocation<float, int>;

void reductions(Policy const& policy, In<int> in, Out<int> out, Out<bool> flags, Out<Koinon::bfloat16> halves,
                Out<std::complex<float>> complex, Out<Located> located, Out<Particle> particles) {
  Koinon::all_reduce(policy, in, out, Koinon::BXor{});
  Koinon::all_reduce(policy, flags, flags, Koinon::LOr{});
  Koinon::all_reduce(policy, halves, halves, Koinon::Max{});
  Koinon::all_reduce(policy, complex, complex, Koinon::Prod{});
  Koinon::all_reduce(policy, located, located, Koinon::MinLoc{});
  Koinon::all_reduce(policy, particles, particles, Farthest{});
  Koinon::reduce_scatter(policy, in, out);
  Koinon::reduce(policy, in, out, 0);
}

void moves(Koinon::Communicator<Koinon::HostThread> const& comm, Policy const& policy, In<Particle> in,
           Out<Particle> out) {
  Koinon::all_gather(policy, in, out);
  Koinon::broadcast(policy, out, 0);
  Koinon::all_gather_multiple(policy, Koinon::member(in, out), Koinon::member(out, out));
  Koinon::all_reduce_multiple(policy, Farthest{}, Koinon::member(in, out));
  Koinon::Workspace const workspace(comm, Koinon::workspace_bytes<Koinon::AllGather, Particle>(comm.size(), 100, 1));
  auto const several = Koinon::all_gather_multiple_borrowed(policy, workspace, Koinon::TotalRows{3}, in, in);
  static_cast<void>(several);
  auto const all = Koinon::all_gather_borrowed(policy, workspace, in, Koinon::TotalRows{100});
  static_cast<void>(all);
  static_cast<void>(Koinon::symmetric_array<float, 2>(comm, 10, 10));
}

void exchanges(Policy const& policy, Koinon::Array<Particle const, 2> in, Koinon::Array<Particle, 2> out) {
  Koinon::all_to_all(policy, in, out, Koinon::Counts{1, 2}, Koinon::Counts{2, 1});
  Koinon::all_gather_columns(policy, in, out, Koinon::Widths{1, 2});
  Koinon::shards_to_rows(policy, in, out);
  Koinon::rows_to_shards("back", policy, in, out);
}

void epilogues(Policy const& policy, Koinon::Array<float, 2> const& a, std::span<float> weight,
               Koinon::Array<Koinon::float8_e4m3, 2> const& quantized) {
  using Row = Policy::row_type;
  Koinon::all_reduce(policy, a, Koinon::row_epilogue([=](Row& row) { row.store(a); }));
  Koinon::reduce_scatter(policy, a, Koinon::RmsNorm{.weight = weight, .norm_out = a, .quantized_out = quantized, .scale = 0.5f});
}

Koinon::Array<float, 8> array;
using Comm = Koinon::Communicator<Koinon::HostThread>;
Comm move(Comm& comm) { return std::move(comm); }
