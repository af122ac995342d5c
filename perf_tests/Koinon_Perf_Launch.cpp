// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Koinon_Perf_Errors.hpp>
#include <Koinon_Perf_Launch.hpp>
#include <Koinon_Perf_RankGroupThreads.hpp>

#if defined(KOINON_ENABLE_MPI)
#include <Koinon_Perf_RankGroupMpi.hpp>
#endif

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <string_view>

namespace Koinon::Perf {

namespace {

/// Kokkos, for as long as communicators may hold its instances.
class Runtime {
 public:
  explicit Runtime([[maybe_unused]] Options const& options) {
#if defined(KOINON_ENABLE_KOKKOS)
    auto settings = Kokkos::InitializationSettings();
    settings.set_num_threads(options.threads * std::max(1, options.thread_ranks));
    settings.set_disable_warnings(true);  // it warns about binding, which is the launcher's matter here
    Kokkos::initialize(settings);
#endif
  }
  ~Runtime() {
#if defined(KOINON_ENABLE_KOKKOS)
    Kokkos::finalize();
#endif
  }
  Runtime(Runtime const&) = delete;
  Runtime& operator=(Runtime const&) = delete;
};

int on_thread_ranks(Options const& options, std::function<int(RankGroup&, MakeCommunicator const&)> const& use) {
  Runtime const runtime(options);
  std::atomic<int> result = 0;
  run_thread_ranks(options.thread_ranks, [&](ThreadBootstrap& bootstrap) {
    ThreadRankGroup ranks(bootstrap);
    auto const own = use(ranks, [&](CommunicatorOptions const& communicator_options) {
      return PerfCommunicator(make_instance(options.threads), bootstrap, communicator_options);
    });
    for (auto seen = result.load(); seen < own && !result.compare_exchange_weak(seen, own);) {
    }
  });
  return result;
}

#if defined(KOINON_ENABLE_MPI)

/// MPI, from before the first to after the last use.
class Mpi {
 public:
  Mpi() {
    int provided = 0;
    MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &provided);
  }
  ~Mpi() { MPI_Finalize(); }
  Mpi(Mpi const&) = delete;
  Mpi& operator=(Mpi const&) = delete;
};

int on_processes(Options const& options, std::function<int(RankGroup&, MakeCommunicator const&)> const& use) {
  Mpi const mpi;
  MpiRankGroup ranks;
  try {
    Runtime const runtime(options);
    auto const own = use(ranks, [&](CommunicatorOptions const& communicator_options) {
      return PerfCommunicator(make_instance(options.threads), MPI_COMM_WORLD, communicator_options);
    });
    return static_cast<int>(ranks.maximum(own));
  } catch (std::exception const& error) {
    // The other ranks may wait for this one in MPI, where no error of ours reaches them.
    std::fprintf(stderr, "koinon_perf_tests: rank %d: %s\n", ranks.rank(), error.what());
    std::fflush(stderr);
    MPI_Abort(MPI_COMM_WORLD, static_cast<int>(ExitCode::runtime));
    throw;
  }
}

#endif

}  // namespace

int on_every_rank(Options const& options, std::function<int(RankGroup&, MakeCommunicator const&)> const& use) {
  if (options.thread_ranks > 0) return on_thread_ranks(options, use);
#if defined(KOINON_ENABLE_MPI)
  return on_processes(options, use);
#else
  throw UsageError("this build has no MPI: say how many ranks with --thread-ranks");
#endif
}

bool speaks_for_all_processes() {
  for (auto const* name : {"OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK", "SLURM_PROCID"})
    if (auto const* rank = std::getenv(name)) return std::string_view(rank) == "0";
  return true;
}

}  // namespace Koinon::Perf
