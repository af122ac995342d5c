// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Koinon_HipLaunch.hpp>

#include <Koinon_DeviceLaunched.hpp>
#include <Koinon_HipRuntime.hpp>

#include <cstddef>
#include <map>
#include <mutex>
#include <vector>

namespace Koinon::Impl {

namespace {

/// Is the list of the process, made before the first static registrar needs it.
struct Enrolled {
  std::mutex mutex;
  std::vector<void const*> kernels;
  std::map<int, std::size_t> loaded;  // by device: how many of them
};

Enrolled& enrolled() {
  static Enrolled list;
  return list;
}

}  // namespace

int enroll_hip_kernel(void const* kernel) {
  Enrolled& list = enrolled();
  std::lock_guard const lock(list.mutex);
  list.kernels.push_back(kernel);
  return static_cast<int>(list.kernels.size()) - 1;
}

void load_hip_kernels(int device) {
  HipRuntime const& runtime = hip_runtime();
  HipCurrent const here(runtime, HipPlace{device});
  Enrolled& list = enrolled();
  std::lock_guard const lock(list.mutex);
  for (std::size_t& k = list.loaded[device]; k < list.kernels.size(); ++k) {
    hipFuncAttributes attributes;
    check(runtime, runtime.hipFuncGetAttributes(&attributes, list.kernels[k]), "loading a kernel");
  }
}

void launch_hip_kernel(void const* kernel, HipInstance const& instance, DeviceCommunicator const& comm,
                       Selection const& selection, void** arguments, int flags_at) {
  DeviceLaunched& launched = *static_cast<DeviceLaunched*>(comm.m_launched);
  HipLaunchFlags flags;
  flags.counts_end = launched.counts();
  arguments[flags_at] = &flags;
  launched.order();
  HipRuntime const& runtime = hip_runtime();
  OnHipDevice const here(runtime, instance.device);
  check(runtime,
        runtime.hipLaunchKernel(kernel, dim3(static_cast<unsigned>(selection.blocks)),
                                dim3(static_cast<unsigned>(selection.block_threads)), arguments, 0, instance.stream),
        "launching a collective");
  launched.note(selection.blocks);
}

}  // namespace Koinon::Impl
