// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Koinon_HipPointers.hpp>
#include <Koinon_HipRuntime.hpp>

namespace Koinon::Impl {

namespace {

bool opens_access(HipRuntime const& runtime, HipPlace const& place, int owner) {
  int can = 0;
  if (runtime.hipDeviceCanAccessPeer(&can, place.device, owner) != hipSuccess || can == 0) return false;
  hipError_t const opened = runtime.hipDeviceEnablePeerAccess(owner, 0);
  return opened == hipSuccess || opened == hipErrorPeerAccessAlreadyEnabled;
}

char const* reason_of(HipRuntime const& runtime, HipPlace const& place, void const* p) {
  hipPointerAttribute_t attributes{};
  hipError_t const asked = runtime.hipPointerGetAttributes(&attributes, p);
  // Some releases call memory that they do not know an invalid value.
  if (asked == hipErrorInvalidValue) attributes.type = hipMemoryTypeUnregistered;
  if (asked != hipSuccess && asked != hipErrorInvalidValue) return "the runtime refuses to tell what it is";
  if (attributes.type == hipMemoryTypeManaged || attributes.isManaged != 0) return nullptr;
  if (attributes.type == hipMemoryTypeHost) {
    return attributes.devicePointer == p ? nullptr
                                         : "it is pinned host memory that is not mapped at the same address on the device";
  }
  if (attributes.type == hipMemoryTypeDevice) {
    return attributes.device == place.device || opens_access(runtime, place, attributes.device)
               ? nullptr
               : "it is memory of another device, which this one cannot access";
  }
  if (attributes.type != hipMemoryTypeUnregistered) return "it is no plain memory";
  int pageable = 0;
  bool const known = runtime.hipDeviceGetAttribute(&pageable, hipDeviceAttributePageableMemoryAccess, place.device) ==
                     hipSuccess;
  return known && pageable != 0 ? nullptr : "it is host memory that is not pinned, and the device cannot access that";
}

}  // namespace

char const* unreachable_reason(HipPlace const& place, void const* p) {
  if (p == nullptr) return "it is null";
  HipRuntime const& runtime = hip_runtime();
  HipCurrent const current(runtime, place);
  char const* const reason = reason_of(runtime, place, p);
  (void)runtime.hipGetLastError();  // what was asked is no error of the user's next call
  return reason;
}

}  // namespace Koinon::Impl
