// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <hip/hip_runtime_api.h>

// Both runtimes call a type so: one of them by another name.
#define dim3 cuda_dim3
#include <cuda_runtime_api.h>
#undef dim3

#include <cstdio>
#include <cstring>
#include <string>
#include <utility>

// HIP's runtime over CUDA's. Ranks are threads, each with its stream; errors are those that Koinon tells apart.
namespace {

thread_local hipError_t last_error = hipSuccess;

hipError_t told(cudaError_t error) {
  if (error == cudaSuccess) return hipSuccess;
  (void)cudaGetLastError();
  switch (error) {
    case cudaErrorInvalidValue: last_error = hipErrorInvalidValue; break;
    case cudaErrorMemoryAllocation: last_error = hipErrorOutOfMemory; break;
    case cudaErrorInvalidDevice: last_error = hipErrorInvalidDevice; break;
    case cudaErrorPeerAccessAlreadyEnabled: last_error = hipErrorPeerAccessAlreadyEnabled; break;
    case cudaErrorIllegalAddress: last_error = hipErrorIllegalAddress; break;
    case cudaErrorHostMemoryAlreadyRegistered: last_error = hipErrorHostMemoryAlreadyRegistered; break;
    case cudaErrorStreamCaptureIsolation: last_error = hipErrorStreamCaptureIsolation; break;
    default: std::fprintf(stderr, "shim: %s\n", cudaGetErrorString(error)); last_error = hipErrorUnknown;
  }
  return last_error;
}
hipError_t refused() {
  return last_error = hipErrorNotSupported;
}
cudaStream_t of(hipStream_t stream) {
  return reinterpret_cast<cudaStream_t>(stream);
}
cudaEvent_t of(hipEvent_t event) {
  return reinterpret_cast<cudaEvent_t>(event);
}
template <class To, class From>
To* as(From* at) {
  return reinterpret_cast<To*>(at);
}

}  // namespace

extern "C" {

hipError_t hipGetDeviceCount(int* count) { return told(cudaGetDeviceCount(count)); }
hipError_t hipGetDevice(int* device) { return told(cudaGetDevice(device)); }
hipError_t hipSetDevice(int device) { return told(cudaSetDevice(device)); }
hipError_t hipGetDeviceProperties(hipDeviceProp_t* properties, int device) {
  cudaDeviceProp theirs;
  if (hipError_t const error = told(cudaGetDeviceProperties(&theirs, device)); error != hipSuccess) return error;
  *properties = {};
  std::snprintf(properties->name, sizeof properties->name, "%s", theirs.name);
  std::strcpy(properties->gcnArchName, "shim");
  std::memcpy(properties->uuid.bytes, theirs.uuid.bytes, sizeof properties->uuid.bytes);
  properties->warpSize = theirs.warpSize;
  properties->multiProcessorCount = theirs.multiProcessorCount;
  properties->pciDomainID = theirs.pciDomainID;
  properties->pciBusID = theirs.pciBusID;
  properties->pciDeviceID = theirs.pciDeviceID;
  return hipSuccess;
}
hipError_t hipDeviceGetAttribute(int* value, hipDeviceAttribute_t attribute, int device) {
  if (attribute == hipDeviceAttributePageableMemoryAccess) {
    return told(cudaDeviceGetAttribute(value, cudaDevAttrPageableMemoryAccess, device));
  }
  if (attribute != hipDeviceAttributeWallClockRate) return refused();
  *value = 100'000;
  return hipSuccess;
}
hipError_t hipDeviceGetPCIBusId(char* text, int length, int device) {
  return told(cudaDeviceGetPCIBusId(text, length, device));
}
hipError_t hipDeviceGetByPCIBusId(int* device, char const* text) { return told(cudaDeviceGetByPCIBusId(device, text)); }
hipError_t hipDeviceCanAccessPeer(int* can, int device, int peer) {
  return told(cudaDeviceCanAccessPeer(can, device, peer));
}
hipError_t hipDeviceEnablePeerAccess(int peer, unsigned flags) {
  (void)cudaFree(nullptr);  // a context of each device first
  return told(cudaDeviceEnablePeerAccess(peer, flags));
}
hipError_t hipThreadExchangeStreamCaptureMode(hipStreamCaptureMode* mode) {
  static_assert(static_cast<int>(hipStreamCaptureModeRelaxed) == static_cast<int>(cudaStreamCaptureModeRelaxed));
  auto theirs = static_cast<cudaStreamCaptureMode>(*mode);
  hipError_t const error = told(cudaThreadExchangeStreamCaptureMode(&theirs));
  *mode = static_cast<hipStreamCaptureMode>(theirs);
  return error;
}

hipError_t hipStreamCreateWithFlags(hipStream_t* stream, unsigned flags) {
  static_assert(hipStreamNonBlocking == cudaStreamNonBlocking);
  return told(cudaStreamCreateWithFlags(as<cudaStream_t>(stream), flags));
}
hipError_t hipStreamDestroy(hipStream_t stream) { return told(cudaStreamDestroy(of(stream))); }
hipError_t hipStreamSynchronize(hipStream_t stream) { return told(cudaStreamSynchronize(of(stream))); }
hipError_t hipStreamGetCaptureInfo(hipStream_t stream, hipStreamCaptureStatus* status, unsigned long long* id) {
  static_assert(static_cast<int>(hipStreamCaptureStatusActive) == static_cast<int>(cudaStreamCaptureStatusActive));
  cudaStreamCaptureStatus theirs = cudaStreamCaptureStatusNone;
  *id = 0;
#if CUDART_VERSION >= 13000
  hipError_t const error =
      told(cudaStreamGetCaptureInfo(of(stream), &theirs, id, nullptr, nullptr, nullptr, nullptr));
#else
  hipError_t const error = told(cudaStreamGetCaptureInfo(of(stream), &theirs, id));
#endif
  *status = static_cast<hipStreamCaptureStatus>(theirs);
  return error;
}
hipError_t hipStreamWaitEvent(hipStream_t stream, hipEvent_t event, unsigned flags) {
  return told(cudaStreamWaitEvent(of(stream), of(event), flags));
}
hipError_t hipStreamGetDevice(hipStream_t stream, hipDevice_t* device) {
  return told(cudaStreamGetDevice(of(stream), device));
}
hipError_t hipEventCreateWithFlags(hipEvent_t* event, unsigned flags) {
  static_assert(hipEventDisableTiming == cudaEventDisableTiming);
  return told(cudaEventCreateWithFlags(as<cudaEvent_t>(event), flags));
}
hipError_t hipEventDestroy(hipEvent_t event) { return told(cudaEventDestroy(of(event))); }
hipError_t hipEventRecord(hipEvent_t event, hipStream_t stream) { return told(cudaEventRecord(of(event), of(stream))); }
hipError_t hipStreamBeginCapture(hipStream_t stream, hipStreamCaptureMode mode) {
  return told(cudaStreamBeginCapture(of(stream), static_cast<cudaStreamCaptureMode>(mode)));
}
hipError_t hipStreamEndCapture(hipStream_t stream, hipGraph_t* graph) {
  return told(cudaStreamEndCapture(of(stream), as<cudaGraph_t>(graph)));
}
hipError_t hipGraphInstantiate(hipGraphExec_t* made, hipGraph_t graph, void*, char*, size_t) {
  return told(cudaGraphInstantiate(as<cudaGraphExec_t>(made), reinterpret_cast<cudaGraph_t>(graph), 0));
}
hipError_t hipGraphLaunch(hipGraphExec_t graph, hipStream_t stream) {
  return told(cudaGraphLaunch(reinterpret_cast<cudaGraphExec_t>(graph), of(stream)));
}
hipError_t hipGraphDestroy(hipGraph_t graph) { return told(cudaGraphDestroy(reinterpret_cast<cudaGraph_t>(graph))); }
hipError_t hipGraphExecDestroy(hipGraphExec_t graph) {
  return told(cudaGraphExecDestroy(reinterpret_cast<cudaGraphExec_t>(graph)));
}

hipError_t hipMalloc(void** at, size_t bytes) { return told(cudaMalloc(at, bytes)); }
hipError_t hipExtMallocWithFlags(void** at, size_t bytes, unsigned flags) {
  return flags == hipDeviceMallocUncached ? told(cudaMalloc(at, bytes)) : refused();
}
hipError_t hipFree(void* at) { return told(cudaFree(at)); }
hipError_t hipHostMalloc(void** at, size_t bytes, unsigned flags) {
  if (flags != (hipHostMallocPortable | hipHostMallocMapped | hipHostMallocCoherent)) return refused();
  return told(cudaHostAlloc(at, bytes, cudaHostAllocPortable | cudaHostAllocMapped));
}
hipError_t hipHostFree(void* at) { return told(cudaFreeHost(at)); }
hipError_t hipHostGetDevicePointer(void** on_device, void* at, unsigned flags) {
  return told(cudaHostGetDevicePointer(on_device, at, flags));
}
hipError_t hipHostRegister(void* at, size_t bytes, unsigned flags) {
  static_assert(hipHostRegisterPortable == cudaHostRegisterPortable && hipHostRegisterMapped == cudaHostRegisterMapped);
  return told(cudaHostRegister(at, bytes, flags));
}
hipError_t hipHostUnregister(void* at) { return told(cudaHostUnregister(at)); }
hipError_t hipMemsetAsync(void* at, int value, size_t bytes, hipStream_t stream) {
  return told(cudaMemsetAsync(at, value, bytes, of(stream)));
}
hipError_t hipMemsetD32Async(hipDeviceptr_t at, int value, size_t words, hipStream_t stream) {
  // All that Koinon fills with: bytes that are alike, or so few words that they can be copied.
  if (value == 0 || value == -1) return told(cudaMemsetAsync(at, value, 4 * words, of(stream)));
  if (words > 4096) return refused();
  std::string const text = [&] {
    std::string filled(4 * words, '\0');
    for (std::size_t i = 0; i < words; ++i) std::memcpy(filled.data() + 4 * i, &value, 4);
    return filled;
  }();
  return told(cudaMemcpyAsync(at, text.data(), text.size(), cudaMemcpyHostToDevice, of(stream)));  // copied at once
}
hipError_t hipMemcpyAsync(void* to, void const* from, size_t bytes, hipMemcpyKind kind, hipStream_t stream) {
  static_assert(static_cast<int>(hipMemcpyHostToDevice) == static_cast<int>(cudaMemcpyHostToDevice));
  return told(cudaMemcpyAsync(to, from, bytes, static_cast<cudaMemcpyKind>(kind), of(stream)));
}
hipError_t hipPointerGetAttributes(hipPointerAttribute_t* attributes, void const* at) {
  cudaPointerAttributes theirs{};
  if (hipError_t const error = told(cudaPointerGetAttributes(&theirs, at)); error != hipSuccess) return error;
  static_assert(static_cast<int>(hipMemoryTypeManaged) == static_cast<int>(cudaMemoryTypeManaged));
  static_assert(static_cast<int>(hipMemoryTypeDevice) == static_cast<int>(cudaMemoryTypeDevice));
  *attributes = {};
  attributes->type = static_cast<hipMemoryType>(theirs.type);
  attributes->device = theirs.device;
  attributes->devicePointer = theirs.devicePointer;
  attributes->hostPointer = theirs.hostPointer;
  attributes->isManaged = theirs.type == cudaMemoryTypeManaged;
  return hipSuccess;
}
// Ranks are threads here.
hipError_t hipIpcGetMemHandle(hipIpcMemHandle_t*, void*) { return refused(); }
hipError_t hipIpcOpenMemHandle(void**, hipIpcMemHandle_t, unsigned) { return refused(); }
hipError_t hipIpcCloseMemHandle(void*) { return refused(); }

hipError_t hipFuncGetAttributes(hipFuncAttributes* attributes, void const* kernel) {
  cudaFuncAttributes theirs;
  hipError_t const error = told(cudaFuncGetAttributes(&theirs, kernel));
  if (error == hipSuccess) attributes->maxThreadsPerBlock = theirs.maxThreadsPerBlock;
  return error;
}
hipError_t hipLaunchKernel(void const* kernel, dim3 grid, dim3 block, void** arguments, size_t shared_bytes,
                           hipStream_t stream) {
  return told(cudaLaunchKernel(kernel, cuda_dim3{grid.x, grid.y, grid.z}, cuda_dim3{block.x, block.y, block.z}, arguments,
                               shared_bytes, of(stream)));
}
hipError_t hipGetLastError() { return std::exchange(last_error, hipSuccess); }
char const* hipGetErrorName(hipError_t error) {
  thread_local std::string text;
  text = "hipError " + std::to_string(static_cast<int>(error));
  return error == hipSuccess ? "hipSuccess" : text.c_str();
}

}  // extern "C"
