// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Koinon_CoreWithoutMpi.hpp>

#include <array>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <utility>

/// Makes 8-byte all_reduce calls whose instructions callgrind counts: koinon_count_calls RANKS CALLS.
/// Rank 0 makes each counted call when all others already wait for it in theirs. So it waits for nobody, and how many
/// instructions it takes depends on no clock and no neighbour.
namespace {

constexpr int most_ranks = 8;

/// What the others tell rank 0: the last call in which they were seen waiting.
std::array<std::atomic<long>, most_ranks> waits_in_call;
thread_local std::atomic<long>* my_wait = nullptr;
thread_local long my_call = 0;

}  // namespace

/// The system's, which the library calls in a wait that lasts: it says that the rank of this thread waits.
extern "C" int sched_yield() noexcept {
  if (my_wait != nullptr) my_wait->store(my_call);
  return static_cast<int>(syscall(SYS_sched_yield));
}

namespace {

using Policy = decltype(Koinon::CollectivePolicy(std::declval<Koinon::Communicator<Koinon::HostThread> const&>()));

}  // namespace

/// The function whose instructions are counted.
[[gnu::noinline]] void counted_call(Policy const& policy, Koinon::Array<float const, 1> const& in,
                                    Koinon::Array<float, 1> const& out) {
  Koinon::all_reduce("counted", policy, in, out);
}

namespace {

void one_rank(Koinon::ThreadBootstrap& bootstrap, long calls) {
  constexpr long untold = 20;  // calls before: what is made at the first ones is there
  Koinon::Communicator comm(Koinon::HostThread{}, bootstrap);
  Policy const policy(comm);
  auto const rank = static_cast<std::size_t>(comm.rank());
  alignas(64) std::array<float, 2> in{}, out{};
  Koinon::Array<float const, 1> const from(in.data(), in.size());
  Koinon::Array<float, 1> const to(out.data(), out.size());
  for (long call = 1; call <= untold + calls; ++call) {
    in = {static_cast<float>(call), static_cast<float>(rank)};
    if (rank == 0) {
      for (int other = 1; other < comm.size(); ++other)
        while (waits_in_call[static_cast<std::size_t>(other)].load() != call) syscall(SYS_sched_yield);
      if (call > untold)
        counted_call(policy, from, to);
      else
        Koinon::all_reduce("counted", policy, from, to);
    } else {
      my_call = call;
      my_wait = &waits_in_call[rank];
      Koinon::all_reduce("counted", policy, from, to);
      my_wait = nullptr;
    }
    auto const ranks = static_cast<float>(comm.size());
    if (out[0] != static_cast<float>(call) * ranks || out[1] != ranks * (ranks - 1) / 2) {
      std::fprintf(stderr, "koinon_count_calls: call %ld: wrong result\n", call);
      std::exit(1);
    }
  }
}

/// A wait yields where ranks outnumber the processors: on one they always do, on every machine.
bool take_one_processor() {
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof set, &set) != 0) return false;
  for (int processor = 0; processor < CPU_SETSIZE; ++processor) {
    if (!CPU_ISSET(processor, &set)) continue;
    CPU_ZERO(&set);
    CPU_SET(processor, &set);
    return sched_setaffinity(0, sizeof set, &set) == 0;
  }
  return false;
}

}  // namespace

int main(int argc, char** argv) {
  auto const ranks = argc == 3 ? std::atoi(argv[1]) : 0;
  auto const calls = argc == 3 ? std::atol(argv[2]) : 0;
  if (ranks < 1 || ranks > most_ranks || calls < 1) {
    std::fprintf(stderr, "usage: koinon_count_calls RANKS CALLS\n");
    return 2;
  }
  if (!take_one_processor()) {
    std::perror("koinon_count_calls: taking one processor");
    return 1;
  }
  Koinon::run_thread_ranks(ranks, [&](Koinon::ThreadBootstrap& bootstrap) { one_rank(bootstrap, calls); });
  return 0;
}
