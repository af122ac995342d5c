// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Koinon_CudaCalls.hpp>
#include <Koinon_CudaPointers.hpp>
#include <Koinon_DeviceCopies.hpp>
#include <Koinon_DeviceIpc.hpp>
#include <cuda/Koinon_FakeCuda.hpp>
#include <node/Koinon_Vote.hpp>

#include <chrono>
#include <cstdio>
#include <cstring>
#include <dlfcn.h>

// The memory of communicators over the driver and the GPUs that the machine has: ranks look at each other's memory by
// plain copies, one after the other. Everything happens in forked processes, since a process that has initialised the
// driver must not fork ranks.
namespace Koinon::Testing {
namespace {

bool has_driver() {
  return dlopen("libcuda.so.1", RTLD_NOW) != nullptr;
}

template <class Function>
Function found(Function, char const* name, int version) {
  void* address = nullptr;
  Impl::check(Impl::cuda_driver(), Impl::cuda_driver().find(name, version, &address), name);
  Function function = nullptr;
  std::memcpy(&function, &address, sizeof address);
  return function;
}

/// Returns where a rank is: GPUs are dealt out in turn.
Impl::CudaPlace place_of(int rank) {
  Impl::CudaDriver const& driver = Impl::cuda_driver();
  int gpus = 0;
  Impl::check(driver, found(&::cuDeviceGetCount, "cuDeviceGetCount", 2000)(&gpus), "counting GPUs");
  Impl::CudaPlace place;
  place.device = rank % gpus;
  Impl::check(driver,
              found(&::cuDevicePrimaryCtxRetain, "cuDevicePrimaryCtxRetain", 7000)(&place.context, place.device),
              "retaining a context");
  return place;
}

/// Makes a communicator, lets every rank leave a mark at every rank, and looks at what kernels would find.
void expect_shared(Bootstrap& bootstrap) {
  Impl::CudaPlace const place = place_of(bootstrap.rank());
  FakeComm const comm(FakeCuda{place}, bootstrap, {.launch_number = 77});
  if (bootstrap.rank() == 0) std::printf("%s", comm.describe().c_str());
  DeviceCommunicator const& device = comm.device();
  Impl::CudaCalls const calls(Impl::cuda_driver(), place);
  Impl::DeviceCopies const copies(calls);
  auto const mark = [&](int at, int of) { return device.segment(at) + device.m_layout.symmetric + 64 * of; };
  std::uint32_t value = 0;
  copies.read(mark(comm.rank(), comm.size() - 1), &value, sizeof value);
  EXPECT_EQ(value, 0u);
  bootstrap.barrier();
  for (int turn = 0; turn < comm.size(); ++turn) {
    for (int p = 0; p < comm.size() && turn == comm.rank(); ++p) {
      value = static_cast<std::uint32_t>(1000 * p + comm.rank() + 1);
      copies.write(mark(p, comm.rank()), &value, sizeof value);
    }
    bootstrap.barrier();
  }
  for (int p = 0; p < comm.size(); ++p) {
    copies.read(mark(comm.rank(), p), &value, sizeof value);
    EXPECT_EQ(value, static_cast<std::uint32_t>(1000 * comm.rank() + p + 1));
    copies.read(device.started_word(comm.rank(), p), &value, sizeof value);
    EXPECT_EQ(value, 77u);
  }
  EXPECT_EQ(comm.state()->memory().last_launch(), 77u);
  Impl::DeviceWatch watch;
  copies.read(device.m_watch, &watch, sizeof watch);
  EXPECT_EQ(watch.failed + 2, device.m_numbers);
  EXPECT_EQ(Impl::unreachable_reason(place, watch.failure), nullptr);
  EXPECT_EQ(Impl::unreachable_reason(place, watch.abort_word), nullptr);
  EXPECT_EQ(Impl::unreachable_reason(place, device.segment(comm.size() - 1) + 5), nullptr);
  EXPECT_NE(Impl::unreachable_reason(place, nullptr), nullptr);

  // What abort() stores is where kernels look, on every rank.
  bootstrap.barrier();
  if (comm.rank() == comm.size() - 1) comm.abort("enough");
  bootstrap.barrier();
  copies.read(watch.abort_word, &value, sizeof value);
  bool const at_once = comm.describe().find("found by the host only") == std::string::npos;
  EXPECT_TRUE(value != 0 || !at_once);
  bootstrap.barrier();
}

/// The same by cudaIpc, whether or not the machine needs it: marks of every rank at every rank.
void expect_shared_by_ipc(Bootstrap& bootstrap) {
  Impl::CudaPlace const place = place_of(bootstrap.rank());
  Impl::CudaCalls const calls(Impl::cuda_driver(), place);
  Impl::DeviceIpcSegments segments(calls, bootstrap, std::chrono::seconds(30));
  constexpr std::size_t bytes = std::size_t{4} << 20;
  segments.share(bootstrap, Impl::gather_values(bootstrap, Impl::local_identity()), bytes);
  Impl::DeviceCopies const copies(calls);
  auto const mark = [&](int at, int of) { return segments.segment(at) + bytes - 64 * static_cast<std::size_t>(of + 1); };
  std::uint32_t value = 0;
  for (int turn = 0; turn < bootstrap.size(); ++turn) {
    for (int p = 0; p < bootstrap.size() && turn == bootstrap.rank(); ++p) {
      value = static_cast<std::uint32_t>(1000 * p + turn + 1);
      copies.write(mark(p, turn), &value, sizeof value);
    }
    bootstrap.barrier();
  }
  for (int p = 0; p < bootstrap.size(); ++p) {
    copies.read(mark(bootstrap.rank(), p), &value, sizeof value);
    EXPECT_EQ(value, static_cast<std::uint32_t>(1000 * bootstrap.rank() + p + 1));
    copies.read(mark(p, bootstrap.rank()), &value, sizeof value);
    EXPECT_EQ(value, static_cast<std::uint32_t>(1000 * p + bootstrap.rank() + 1));
  }
  bootstrap.barrier();
}

TEST(CudaMemoryOnDevices, IsSharedByThreads) {
  if (!has_driver()) GTEST_SKIP() << "there is no NVIDIA driver";
  expect_ends(run_forked_ranks(1, [](ForkedRank&) {
    for (int const ranks : {1, 2, 3, 8}) {
      run_thread_ranks(ranks, [](ThreadBootstrap& bootstrap) { expect_shared(bootstrap); });
    }
  }));
}

TEST(CudaMemoryOnDevices, IsSharedByProcesses) {
  if (!has_driver()) GTEST_SKIP() << "there is no NVIDIA driver";
  for (int const ranks : {2, 3}) expect_ends(run_forked_ranks(ranks, [](ForkedRank& rank) { expect_shared(rank); }));
}

TEST(CudaMemoryOnDevices, IsSharedByProcessesByCudaIpc) {
  if (!has_driver()) GTEST_SKIP() << "there is no NVIDIA driver";
  for (int const ranks : {2, 3}) {
    expect_ends(run_forked_ranks(ranks, [](ForkedRank& rank) { expect_shared_by_ipc(rank); }));
  }
}

}  // namespace
}  // namespace Koinon::Testing
