// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Koinon_Perf_Errors.hpp>
#include <Koinon_Perf_HostNeighbour.hpp>
#include <Koinon_Perf_HostPlace.hpp>
#include <Koinon_Perf_Launch.hpp>
#include <Koinon_Perf_RankGroupThreads.hpp>

#if defined(KOINON_ENABLE_CUDA)
#include <Koinon_Perf_GpuNeighbour.hpp>
#include <Koinon_Perf_GpuPlace.hpp>
#include <Koinon_Perf_Gpus.hpp>
#endif

#if defined(KOINON_ENABLE_MPI)
#include <Koinon_Perf_RankGroupMpi.hpp>
#endif

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <utility>

namespace Koinon::Perf {

namespace {

using Use = std::function<int(RankGroup&, Place&)>;

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

/// Uses the place of a rank that the options ask for. The bootstrap is what a communicator is made with.
/// @param local_rank of those on this host, local_ranks of them
template <class Bootstrap>
int use_place(Options const& options, RankGroup& ranks, int local_rank, [[maybe_unused]] int local_ranks,
              Bootstrap& bootstrap, Use const& use) {
#if defined(KOINON_ENABLE_CUDA)
  if (options.device == Device::cuda) {
    auto const there = count_gpus();
    if (options.gpus > there) throw UsageError(fmt::format("--gpus {}: this process can use {}", options.gpus, there));
    auto const gpus = std::min(options.gpus > 0 ? options.gpus : there, local_ranks);
    if (ranks.is_processes() && local_ranks > gpus)
      throw UsageError(
          fmt::format("{} processes for {} GPUs: processes on one GPU cannot wait for each other; "
                      "--thread-ranks {} makes the ranks threads of one process",
                      local_ranks, gpus, local_ranks));
    GpuPlace place(ranks, local_rank % gpus, gpus,
                   [&](GpuInstance const& instance, CommunicatorOptions const& communicator_options) {
                     return GpuCommunicator(instance, bootstrap, communicator_options);
                   });
    if (options.load > 0) {
      place.share_with_a_neighbour();
      if (local_rank < gpus) place.set_neighbour(std::make_unique<GpuNeighbour>(local_rank, options.load));
    }
    return use(ranks, place);
  }
#endif
  HostPlace place(ranks.size(), options.threads, [&](CommunicatorOptions const& communicator_options) {
    return PerfCommunicator(make_instance(options.threads), bootstrap, communicator_options);
  });
  if (options.load > 0 && local_rank == 0) place.set_neighbour(std::make_unique<HostNeighbour>(options.load));
  return use(ranks, place);
}

int on_thread_ranks(Options const& options, Use const& use) {
  Runtime const runtime(options);
  std::atomic<int> result = 0;
  run_thread_ranks(options.thread_ranks, [&](ThreadBootstrap& bootstrap) {
    ThreadRankGroup ranks(bootstrap);
    auto const own = use_place(options, ranks, ranks.rank(), ranks.size(), bootstrap, use);
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

/// Returns this rank among those of its host, and how many they are.
std::pair<int, int> place_in_host() {
  MPI_Comm host = MPI_COMM_NULL;
  int rank = 0;
  int size = 1;
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &host);
  MPI_Comm_rank(host, &rank);
  MPI_Comm_size(host, &size);
  MPI_Comm_free(&host);
  return {rank, size};
}

int on_processes(Options const& options, Use const& use) {
  Mpi const mpi;
  MpiRankGroup ranks;
  try {
    Runtime const runtime(options);
    MPI_Comm world = MPI_COMM_WORLD;
    auto const [local_rank, local_ranks] = place_in_host();
    auto const own = use_place(options, ranks, local_rank, local_ranks, world, use);
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

int on_every_rank(Options const& options, std::function<int(RankGroup&, Place&)> const& use) {
#if defined(KOINON_ENABLE_CUDA)
  if (options.device == Device::cuda) {
    set_gpu_environment();
    count_gpus();
  }
#endif
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
