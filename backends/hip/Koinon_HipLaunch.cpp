// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Koinon_HipLaunch.hpp>

#include <Koinon_DeviceKernels.hpp>
#include <Koinon_DeviceLaunched.hpp>
#include <Koinon_HipRuntime.hpp>

namespace Koinon::Impl {

namespace {

/// Made before the first static registrar needs it.
DeviceKernels& hip_kernels() {
  static DeviceKernels all;
  return all;
}

}  // namespace

int enroll_hip_kernel(void const* kernel) {
  return hip_kernels().enroll(kernel);
}

void load_hip_kernels(int device) {
  HipRuntime const& runtime = hip_runtime();
  HipCurrent const here(runtime, HipPlace{device});
  hip_kernels().load(device, [&](void const* kernel) {
    hipFuncAttributes attributes;
    check(runtime, runtime.hipFuncGetAttributes(&attributes, kernel), "loading a kernel");
  });
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
