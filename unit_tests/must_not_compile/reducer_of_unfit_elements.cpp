// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: Koinon: BAnd, BOr and BXor take integers and bool
// expect: ReducerTraits<Koinon::BAnd, float>
// expect: ReducerTraits<Koinon::BOr, double>
// expect: ReducerTraits<Koinon::BXor, .*NarrowFloat.*>
// expect: ReducerTraits<Koinon::BOr, Particle>
// expect: Koinon: LAnd and LOr take integers and bool
// expect: ReducerTraits<Koinon::LAnd, float>
// expect: ReducerTraits<Koinon::LOr, .*Complex<float>.?>
// expect: Koinon: Min and Max take real numbers, integers and bool
// expect: ReducerTraits<Koinon::Min, .*Complex<float>.?>
// expect: ReducerTraits<Koinon::Max, Particle>
// expect: Koinon: MinLoc and MaxLoc take a value with its location
// expect: ReducerTraits<Koinon::MinLoc, float>
// expect: ReducerTraits<Koinon::MaxLoc, Particle>
// expect: Koinon: Sum, Prod and Average take numbers; a user.s element type needs a user.s reducer
// expect: ReducerTraits<Koinon::Sum, bool>
// expect: ReducerTraits<Koinon::Prod, bool>
// expect: ReducerTraits<Koinon::Average, Particle>
#include <Koinon_AllReduce.hpp>

#include <complex>

using Policy = Koinon::CollectivePolicy<Koinon::HostThread>;

struct Particle {
  double position[3];
};

void call(Policy const& policy, std::span<float> floats, std::span<double> doubles, std::span<Koinon::bfloat16> halves,
          std::span<std::complex<float>> complex, std::span<bool> flags, std::span<Particle> particles) {
  Koinon::all_reduce(policy, floats, floats, Koinon::BAnd{});
  Koinon::all_reduce(policy, doubles, doubles, Koinon::BOr{});
  Koinon::all_reduce(policy, halves, halves, Koinon::BXor{});
  Koinon::all_reduce(policy, particles, particles, Koinon::BOr{});
  Koinon::all_reduce(policy, floats, floats, Koinon::LAnd{});
  Koinon::all_reduce(policy, complex, complex, Koinon::LOr{});
  Koinon::all_reduce(policy, complex, complex, Koinon::Min{});
  Koinon::all_reduce(policy, particles, particles, Koinon::Max{});
  Koinon::all_reduce(policy, floats, floats, Koinon::MinLoc{});
  Koinon::all_reduce(policy, particles, particles, Koinon::MaxLoc{});
  Koinon::all_reduce(policy, flags, flags, Koinon::Sum{});
  Koinon::all_reduce(policy, flags, flags, Koinon::Prod{});
  Koinon::all_reduce(policy, particles, particles, Koinon::Average{});
}
