// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Koinon_CudaBackend.hpp>

#include <Koinon_CudaDriver.hpp>
#include <Koinon_CudaRuntime.hpp>
#include <Koinon_CudaTunings.hpp>
#include <Koinon_DeviceFacts.hpp>

#include <cuda_runtime_api.h>

#include <array>
#include <atomic>
#include <functional>
#include <string>
#include <string_view>

namespace Koinon {

namespace {

/// Returns the runtime's context of a device, made if there is none yet. Every launch asks: no lock, and once it is
/// known no call.
CUctx_st* context_of(int device) {
  static std::array<std::atomic<CUctx_st*>, 64> known{};
  bool const kept = device >= 0 && static_cast<std::size_t>(device) < known.size();
  if (kept) {
    CUctx_st* const context = known[static_cast<std::size_t>(device)].load(std::memory_order_acquire);
    if (context != nullptr) return context;
  }
  Impl::CudaDriver const& driver = Impl::cuda_driver();
  Impl::OnCudaDevice const here(device);
  Impl::require_cuda(cudaFree(nullptr), "making a device's context");
  CUctx_st* context = nullptr;
  Impl::check(driver, driver.cuCtxGetCurrent(&context), "asking for a device's context");
  if (kept) known[static_cast<std::size_t>(device)].store(context, std::memory_order_release);
  return context;
}

}  // namespace

CudaStream::CudaStream(CUstream_st* stream) : m_stream(stream), m_device(0) {
  Impl::require_cuda(stream == nullptr ? cudaGetDevice(&m_device) : cudaStreamGetDevice(stream, &m_device),
          "asking for a stream's device");
}

namespace Impl {

CudaInstance instance_of(CUstream_st* stream, int device) {
  CudaInstance instance;
  instance.device = device;
  instance.stream = stream;
  instance.context = context_of(device);
  return instance;
}

BackendFacts CudaBackend::facts(Instance const& instance) {
  load_cuda_kernels(instance.device);
  cudaDeviceProp properties;
  require_cuda(cudaGetDeviceProperties(&properties, instance.device), "asking for a device's properties");
  BackendFacts backend = facts_of(
      {.name = properties.name,
       .key = std::hash<std::string_view>()({properties.uuid.bytes, sizeof properties.uuid.bytes}) | 1,
       .number = instance.device,
       .stream = instance.stream,
       .multiprocessors = properties.multiProcessorCount,
       .lanes = properties.warpSize,
       .most_threads = cuda_most_threads});
  Facts& facts = backend.facts;
  facts.backend = ShortName("cuda");
  facts.architecture = ShortName("sm_" + std::to_string(properties.major) + std::to_string(properties.minor));
  if (properties.major >= 9) facts.capabilities = Capability::dependent_launch;
  backend.tunings = cuda_tunings();
  return backend;
}

}  // namespace Impl
}  // namespace Koinon
