// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Koinon_CudaLaunch.hpp>

#include <Koinon_DeviceKernels.hpp>
#include <Koinon_DeviceLaunched.hpp>
#include <Koinon_CudaRuntime.hpp>

namespace Koinon::Impl {

namespace {

/// Made before the first static registrar needs it.
DeviceKernels& cuda_kernels() {
  static DeviceKernels all;
  return all;
}

}  // namespace

int enroll_cuda_kernel(void const* kernel) {
  return cuda_kernels().enroll(kernel);
}

void load_cuda_kernels(int device) {
  OnCudaDevice const here(device);
  cuda_kernels().load(device, [](void const* kernel) {
    cudaFuncAttributes attributes;
    require_cuda(cudaFuncGetAttributes(&attributes, kernel), "loading a kernel");
  });
}

void launch_cuda_kernel(void const* kernel, CudaInstance const& instance, DeviceCommunicator const& comm,
                        Selection const& selection, void** arguments) {
  DeviceLaunched& launched = *static_cast<DeviceLaunched*>(comm.m_launched);
  CudaLaunchFlags flags;
  flags.counts_end = launched.counts();
  flags.early_trigger = selection.early_trigger;
  arguments[0] = &flags;
  launched.order();
  OnCudaDevice const here(instance.device);
  cudaLaunchAttribute attributes[1];
  cudaLaunchConfig_t config{};
  config.gridDim = dim3(static_cast<unsigned>(selection.blocks));
  config.blockDim = dim3(static_cast<unsigned>(selection.block_threads));
  config.stream = instance.stream;
  if (selection.dependent_launch) {
    attributes[0].id = cudaLaunchAttributeProgrammaticStreamSerialization;
    attributes[0].val.programmaticStreamSerializationAllowed = 1;
    config.attrs = attributes;
    config.numAttrs = 1;
  }
  require_cuda(cudaLaunchKernelExC(&config, kernel, arguments), "launching a collective");
  launched.note(selection.blocks);
}

}  // namespace Koinon::Impl
