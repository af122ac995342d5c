// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <host/Koinon_ShimFibers.hpp>
#include <host/Koinon_ShimKernels.hpp>
#include <host/Koinon_ShimStreams.hpp>

#include <cstddef>
#include <cstring>
#include <map>

namespace Koinon::Shim {

namespace {

struct Kernels {
  std::mutex mutex;
  std::map<void const*, Kernel> all;
};

Kernels& kernels() {
  static Kernels list;
  return list;
}

Kernel const* find(void const* kernel) {
  std::lock_guard const lock(kernels().mutex);
  auto const found = kernels().all.find(kernel);
  return found == kernels().all.end() ? nullptr : &found->second;
}

/// Is one launch: its arguments as they were, and how many threads.
struct Launch {
  Kernel const* kernel;
  std::vector<std::max_align_t> packed;
  int blocks;
  int threads;

  void run_block_of(int b) const {
    arguments = reinterpret_cast<std::byte const*>(packed.data());
    auto* const self = const_cast<Launch*>(this);
    run_block(b, blocks, threads, wave(), [](void* data) { static_cast<Launch const*>(data)->kernel->call(arguments); },
              self);
  }
  void run() const {
    std::vector<std::thread> others;
    for (int b = 1; b < blocks; ++b) others.emplace_back([this, b] { run_block_of(b); });
    run_block_of(0);
    for (std::thread& other : others) other.join();
  }
};

}  // namespace

void const* enroll(void const* kernel, Kernel&& how) {
  std::lock_guard const lock(kernels().mutex);
  kernels().all[kernel] = std::move(how);
  return kernel;
}

}  // namespace Koinon::Shim

extern "C" {

hipError_t hipFuncGetAttributes(hipFuncAttributes* attributes, void const* kernel) {
  if (Koinon::Shim::find(kernel) == nullptr) return Koinon::Shim::note(hipErrorInvalidValue);
  attributes->maxThreadsPerBlock = 1024;
  return hipSuccess;
}

hipError_t hipLaunchKernel(void const* kernel, dim3 grid, dim3 block, void** given, size_t shared_bytes,
                           hipStream_t stream) {
  auto const* const how = Koinon::Shim::find(kernel);
  if (how == nullptr || grid.y * grid.z * block.y * block.z != 1 || grid.x == 0 || block.x == 0 || block.x > 1024) {
    return Koinon::Shim::note(hipErrorInvalidValue);
  }
  if (shared_bytes != 0) return Koinon::Shim::note(hipErrorNotSupported);
  ihipStream_t& mine = Koinon::Shim::stream_of(stream);
  if (mine.device != Koinon::Shim::current_device) return Koinon::Shim::note(hipErrorInvalidHandle);
  auto const launch = std::make_shared<Koinon::Shim::Launch>();
  launch->kernel = how;
  launch->blocks = static_cast<int>(grid.x);
  launch->threads = static_cast<int>(block.x);
  launch->packed.resize(how->bytes / sizeof(std::max_align_t) + 1);
  auto* const packed = reinterpret_cast<std::byte*>(launch->packed.data());
  for (std::size_t a = 0; a < how->sizes.size(); ++a) {
    std::memcpy(packed + how->offsets[a], given[a], how->sizes[a]);
  }
  mine.enqueue([launch] { launch->run(); });
  return hipSuccess;
}

}  // extern "C"
