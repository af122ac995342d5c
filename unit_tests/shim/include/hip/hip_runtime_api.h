// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <stddef.h>
#include <stdint.h>

/// What backends/hip and its tests use of HIP's runtime, and no more: a call that is not here is a compile error. Names and
/// meanings are HIP's, numbers are where they are seen (errors in messages). Behind it are libraries of this folder, on
/// hosts or on another vendor's GPUs.

#define HIP_VERSION_MAJOR 6

typedef struct ihipStream_t* hipStream_t;
typedef struct ihipEvent_t* hipEvent_t;
typedef struct ihipGraph* hipGraph_t;
typedef struct hipGraphExec* hipGraphExec_t;
typedef void* hipDeviceptr_t;
typedef int hipDevice_t;

typedef enum hipError_t {
  hipSuccess = 0,
  hipErrorInvalidValue = 1,
  hipErrorOutOfMemory = 2,
  hipErrorInvalidDevicePointer = 17,
  hipErrorNoDevice = 100,
  hipErrorInvalidDevice = 101,
  hipErrorInvalidContext = 201,
  hipErrorInvalidHandle = 400,
  hipErrorIllegalAddress = 700,
  hipErrorPeerAccessAlreadyEnabled = 704,
  hipErrorHostMemoryAlreadyRegistered = 712,
  hipErrorHostMemoryNotRegistered = 713,
  hipErrorNotSupported = 801,
  hipErrorStreamCaptureUnsupported = 900,
  hipErrorStreamCaptureInvalidated = 901,
  hipErrorStreamCaptureIsolation = 905,
  hipErrorUnknown = 999
} hipError_t;

typedef enum hipMemcpyKind { hipMemcpyHostToDevice = 1, hipMemcpyDeviceToHost = 2 } hipMemcpyKind;

typedef enum hipMemoryType {
  hipMemoryTypeUnregistered = 0,
  hipMemoryTypeHost = 1,
  hipMemoryTypeDevice = 2,
  hipMemoryTypeManaged = 3,
  hipMemoryTypeArray = 10
} hipMemoryType;

typedef enum hipDeviceAttribute_t {
  hipDeviceAttributePageableMemoryAccess,
  hipDeviceAttributeWallClockRate
} hipDeviceAttribute_t;

typedef enum hipStreamCaptureMode {
  hipStreamCaptureModeGlobal = 0,
  hipStreamCaptureModeThreadLocal = 1,
  hipStreamCaptureModeRelaxed = 2
} hipStreamCaptureMode;

typedef enum hipStreamCaptureStatus {
  hipStreamCaptureStatusNone = 0,
  hipStreamCaptureStatusActive = 1,
  hipStreamCaptureStatusInvalidated = 2
} hipStreamCaptureStatus;

typedef struct hipPointerAttribute_t {
  hipMemoryType type;
  int device;
  void* devicePointer;
  void* hostPointer;
  int isManaged;
  unsigned allocationFlags;
} hipPointerAttribute_t;

typedef struct hipIpcMemHandle_t {
  char reserved[64];
} hipIpcMemHandle_t;

typedef struct hipUUID {
  char bytes[16];
} hipUUID;

typedef struct hipDeviceProp_t {
  char name[256];
  hipUUID uuid;
  char gcnArchName[256];
  int warpSize;
  int multiProcessorCount;
  int pciDomainID;
  int pciBusID;
  int pciDeviceID;
} hipDeviceProp_t;

typedef struct hipFuncAttributes {
  int maxThreadsPerBlock;
} hipFuncAttributes;

#if defined(__CUDACC__)
#include <vector_types.h>  // has one that is laid out alike
#else
struct dim3 {
  uint32_t x;
  uint32_t y;
  uint32_t z;
  constexpr explicit dim3(uint32_t x_ = 1, uint32_t y_ = 1, uint32_t z_ = 1) : x(x_), y(y_), z(z_) {}
};
#endif

#define hipStreamNonBlocking 0x01
#define hipEventDisableTiming 0x2
#define hipIpcMemLazyEnablePeerAccess 0x01
#define hipHostMallocPortable 0x1
#define hipHostMallocMapped 0x2
#define hipHostMallocCoherent 0x40000000
#define hipHostRegisterPortable 0x1
#define hipHostRegisterMapped 0x2
#define hipDeviceMallocUncached 0x3

extern "C" {
hipError_t hipGetDeviceCount(int* count);
hipError_t hipGetDevice(int* device);
hipError_t hipSetDevice(int device);
hipError_t hipGetDeviceProperties(hipDeviceProp_t* properties, int device);
hipError_t hipDeviceGetAttribute(int* value, hipDeviceAttribute_t attribute, int device);
hipError_t hipDeviceGetPCIBusId(char* text, int length, int device);
hipError_t hipDeviceGetByPCIBusId(int* device, char const* text);
hipError_t hipDeviceCanAccessPeer(int* can, int device, int peer);
hipError_t hipDeviceEnablePeerAccess(int peer, unsigned flags);
hipError_t hipThreadExchangeStreamCaptureMode(hipStreamCaptureMode* mode);

hipError_t hipStreamCreateWithFlags(hipStream_t* stream, unsigned flags);
hipError_t hipStreamDestroy(hipStream_t stream);
hipError_t hipStreamSynchronize(hipStream_t stream);
hipError_t hipStreamGetCaptureInfo(hipStream_t stream, hipStreamCaptureStatus* status, unsigned long long* id);
hipError_t hipStreamWaitEvent(hipStream_t stream, hipEvent_t event, unsigned flags);
hipError_t hipStreamGetDevice(hipStream_t stream, hipDevice_t* device);
hipError_t hipEventCreateWithFlags(hipEvent_t* event, unsigned flags);
hipError_t hipEventDestroy(hipEvent_t event);
hipError_t hipEventRecord(hipEvent_t event, hipStream_t stream);
hipError_t hipStreamBeginCapture(hipStream_t stream, hipStreamCaptureMode mode);
hipError_t hipStreamEndCapture(hipStream_t stream, hipGraph_t* graph);
hipError_t hipGraphInstantiate(hipGraphExec_t* made, hipGraph_t graph, void* node, char* log, size_t log_bytes);
hipError_t hipGraphLaunch(hipGraphExec_t graph, hipStream_t stream);
hipError_t hipGraphDestroy(hipGraph_t graph);
hipError_t hipGraphExecDestroy(hipGraphExec_t graph);

hipError_t hipMalloc(void** at, size_t bytes);
hipError_t hipExtMallocWithFlags(void** at, size_t bytes, unsigned flags);
hipError_t hipFree(void* at);
hipError_t hipHostMalloc(void** at, size_t bytes, unsigned flags);
hipError_t hipHostFree(void* at);
hipError_t hipHostGetDevicePointer(void** on_device, void* at, unsigned flags);
hipError_t hipHostRegister(void* at, size_t bytes, unsigned flags);
hipError_t hipHostUnregister(void* at);
hipError_t hipMemsetAsync(void* at, int value, size_t bytes, hipStream_t stream);
hipError_t hipMemsetD32Async(hipDeviceptr_t at, int value, size_t words, hipStream_t stream);
hipError_t hipMemcpyAsync(void* to, void const* from, size_t bytes, hipMemcpyKind kind, hipStream_t stream);
hipError_t hipPointerGetAttributes(hipPointerAttribute_t* attributes, void const* at);
hipError_t hipIpcGetMemHandle(hipIpcMemHandle_t* handle, void* at);
hipError_t hipIpcOpenMemHandle(void** at, hipIpcMemHandle_t handle, unsigned flags);
hipError_t hipIpcCloseMemHandle(void* at);

hipError_t hipFuncGetAttributes(hipFuncAttributes* attributes, void const* kernel);
hipError_t hipLaunchKernel(void const* kernel, dim3 grid, dim3 block, void** arguments, size_t shared_bytes,
                           hipStream_t stream);
hipError_t hipGetLastError();
char const* hipGetErrorName(hipError_t error);
}
