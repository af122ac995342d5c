// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <host/Koinon_ShimKernels.hpp>
#include <host/Koinon_ShimStreams.hpp>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <set>
#include <string>
#include <utility>

using Koinon::Shim::current_device;
using Koinon::Shim::is_device;
using Koinon::Shim::note;

namespace {
int lanes = 64;
}

int Koinon::Shim::wave() {
  return lanes;
}
bool Koinon::Shim::have_waves_of(int count) {
  lanes = count;
  return true;
}

int Koinon::Shim::devices() {
  static int const count = [] {
    char const* const told = std::getenv("KOINON_SHIM_DEVICES");
    return told == nullptr ? 2 : std::atoi(told);
  }();
  return count;
}
bool Koinon::Shim::is_device(int device) {
  return device >= 0 && device < devices();
}

extern "C" {

hipError_t hipGetDeviceCount(int* count) {
  *count = Koinon::Shim::devices();
  return hipSuccess;
}
hipError_t hipGetDevice(int* device) {
  *device = current_device;
  return hipSuccess;
}
hipError_t hipSetDevice(int device) {
  if (!is_device(device)) return note(hipErrorInvalidDevice);
  current_device = device;
  return hipSuccess;
}
hipError_t hipGetDeviceProperties(hipDeviceProp_t* properties, int device) {
  if (!is_device(device)) return note(hipErrorInvalidDevice);
  *properties = {};
  std::strcpy(properties->name, "a host in place of a GPU");
  std::strcpy(properties->gcnArchName, "shim");
  properties->uuid.bytes[0] = static_cast<char>(device + 1);
  properties->warpSize = lanes;
  properties->multiProcessorCount = 64;
  properties->pciBusID = device + 16;
  return hipSuccess;
}
hipError_t hipDeviceGetAttribute(int* value, hipDeviceAttribute_t attribute, int device) {
  if (!is_device(device)) return note(hipErrorInvalidDevice);
  *value = attribute == hipDeviceAttributeWallClockRate ? 100'000 : 0;
  return hipSuccess;
}
hipError_t hipDeviceGetPCIBusId(char* text, int length, int device) {
  if (!is_device(device)) return note(hipErrorInvalidDevice);
  std::snprintf(text, static_cast<std::size_t>(length), "0000:%02x:00.0", static_cast<unsigned>(device) + 16);
  return hipSuccess;
}
hipError_t hipDeviceGetByPCIBusId(int* device, char const* text) {
  for (int d = 0; is_device(d); ++d) {
    char id[20];
    (void)hipDeviceGetPCIBusId(id, sizeof id, d);
    if (std::strcmp(id, text) != 0) continue;
    *device = d;
    return hipSuccess;
  }
  return note(hipErrorInvalidDevice);
}
hipError_t hipDeviceCanAccessPeer(int* can, int device, int peer) {
  if (!is_device(device) || !is_device(peer)) return note(hipErrorInvalidDevice);
  *can = device != peer;
  return hipSuccess;
}
hipError_t hipDeviceEnablePeerAccess(int peer, unsigned flags) {
  if (!is_device(peer) || peer == current_device || flags != 0) return note(hipErrorInvalidDevice);
  static std::mutex mutex;
  static std::set<std::pair<int, int>> open;
  std::lock_guard const lock(mutex);
  return open.emplace(current_device, peer).second ? hipSuccess : note(hipErrorPeerAccessAlreadyEnabled);
}

hipError_t hipGetLastError() {
  return std::exchange(Koinon::Shim::last_error, hipSuccess);
}
char const* hipGetErrorName(hipError_t error) {
  thread_local std::string text;
  text = "hipError " + std::to_string(static_cast<int>(error));
  return error == hipSuccess ? "hipSuccess" : text.c_str();
}

}  // extern "C"
