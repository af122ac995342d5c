// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <linkage/Koinon_Part.hpp>

#include <algorithm>
#include <atomic>
#include <cassert>
#include <span>

// KOINON_PART: the name of this part's function.
namespace Koinon::Testing {
namespace {

constexpr bool is_optimized =
#if defined(__OPTIMIZE__)
    true;
#else
    false;
#endif
constexpr bool has_asserts =
#if defined(NDEBUG)
    false;
#else
    true;
#endif
constexpr char const* compiler_name =
#if defined(__CUDACC__)
    "nvcc with ";
#else
    "";
#endif

template <class... Types>
std::vector<std::size_t> sizes_of() {
  std::vector<std::size_t> sizes;
  ((sizes.push_back(sizeof(Types)), sizes.push_back(alignof(Types))), ...);
  return sizes;
}

std::vector<std::size_t> layout() {
  using namespace Impl;
  return sizes_of<Comm, CommunicatorBase, CommunicatorState<HostThread>, CommunicatorOptions, DeviceCommunicator,
                  SegmentLayout, PeerWords, CollectivePolicy<HostThread>, CollectivePolicy<HostThread, OneShot>, Request,
                  Tuning, Facts, Selection, Counts, Workspace, Answer, Array<float, 0>, Array<float, 3>, Operand<float>,
                  Pack<float, 8>, HostThread, HostBlock, HostMemory, HostBlock::Packet, float16, bfloat16, float8_e4m3,
                  float8_e5m2, Complex<double>, ValueLocation<double, int>, Error, TimeoutError, AbortedError,
                  ThreadBootstrap, ReducerTraits<Sum, bfloat16>, ReducerTraits<Compose, Affine>
#if defined(KOINON_ENABLE_KOKKOS)
                  ,
                  CommunicatorState<Kokkos::DefaultHostExecutionSpace>
#endif
                  >();
}

Comm make(Bootstrap& bootstrap) { return Comm(HostThread(), bootstrap); }

auto policy_of(Comm const& comm, Algorithm algorithm) {
  return prefer(CollectivePolicy<HostThread>(comm.space(), comm), Tuning{.algorithm = algorithm});
}

void sum(Comm const& comm, Algorithm algorithm, std::vector<float> const& in, std::vector<float>& out) {
  all_reduce("sum", policy_of(comm, algorithm), std::span(in), std::span(out));
}
void largest(Comm const& comm, Algorithm algorithm, std::vector<std::int16_t>& in_place) {
  all_reduce("largest", policy_of(comm, algorithm), std::span(in_place), std::span(in_place), Max{});
}
void compose(Comm const& comm, Algorithm algorithm, std::vector<Affine>& in_place) {
  all_reduce("compose", policy_of(comm, algorithm), std::span(in_place), std::span(in_place), Compose{});
}
void scatter(Comm const& comm, Algorithm algorithm, std::vector<double> const& in, std::vector<double>& out) {
  reduce_scatter("scatter", policy_of(comm, algorithm), std::span(in), std::span(out));
}
void gather(Comm const& comm, Algorithm algorithm, std::vector<Rgb> const& in, std::vector<Rgb>& out) {
  all_gather("gather", policy_of(comm, algorithm), std::span(in), std::span(out));
}
void broadcast_from(Comm const& comm, std::vector<Wide>& array, int root) {
  broadcast("broadcast", policy_of(comm, Algorithm::automatic), std::span(array), root);
}
void meet(Comm const& comm) { barrier("meet", policy_of(comm, Algorithm::automatic)); }

void call_wrongly(Comm const& comm) {
  std::vector<float> in(3);
  std::vector<float> out(4);
  all_reduce("wrong", policy_of(comm, Algorithm::automatic), std::span(in), std::span(out));
}
std::string why_not(Comm const& comm) {
  std::vector<float> in(3);
  std::vector<float> out(4);
  return std::string(
      can_run<AllReduce>(policy_of(comm, Algorithm::automatic), std::span(in), std::span(out)).reason());
}

std::string caught(std::function<void()> const& body) {
  try {
    body();
  } catch (TimeoutError const& e) {
    std::string ranks;
    for (int const rank : e.missing_ranks()) ranks += " " + std::to_string(rank);
    return "TimeoutError of the ranks" + ranks + ": " + e.what();
  } catch (AbortedError const& e) {
    return "AbortedError of rank " + std::to_string(e.rank()) + ": " + e.what();
  } catch (InvalidArgument const& e) {
    return std::string("InvalidArgument: ") + e.what();
  } catch (UnsupportedError const& e) {
    return std::string("UnsupportedError: ") + e.what();
  } catch (Error const& e) {
    return std::string("another Error: ") + e.what();
  } catch (...) {
    return "no Error of Koinon";
  }
  return "nothing";
}

int run(int ranks) {
  std::atomic<int> right = 0;
  run_thread_ranks(ranks, [&](ThreadBootstrap& bootstrap) {
    Comm const comm = make(bootstrap);
    bool equal = true;
    for (int i = 0; i < 50; ++i) {
      std::vector<float> const in(100, static_cast<float>(i));
      std::vector<float> out(100);
      sum(comm, Algorithm::automatic, in, out);
      equal = equal && std::all_of(out.begin(), out.end(), [&](float x) { return x == in[0] * static_cast<float>(ranks); });
    }
    if (equal) ++right;
  });
  return right;
}

}  // namespace

Part const& KOINON_PART() {
  static Part const part{std::string(compiler_name) + __VERSION__,
                         is_optimized,
                         has_asserts,
                         layout,
                         make,
                         run,
                         sum,
                         largest,
                         compose,
                         scatter,
                         gather,
                         broadcast_from,
                         meet,
                         call_wrongly,
                         why_not,
                         caught};
  return part;
}

}  // namespace Koinon::Testing
