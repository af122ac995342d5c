// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Koinon_HipBackend.hpp>

#include <Koinon_DeviceFacts.hpp>
#include <Koinon_HipRuntime.hpp>
#include <Koinon_HipTunings.hpp>

#include <functional>
#include <string>
#include <string_view>

namespace Koinon {

namespace {

/// Returns the device that is current in this thread, for the default stream, or that of another stream.
int device_of(ihipStream_t* stream) {
  Impl::HipRuntime const& runtime = Impl::hip_runtime();
  int device = 0;
  Impl::check(runtime, stream == nullptr ? runtime.hipGetDevice(&device) : runtime.hipStreamGetDevice(stream, &device),
              "Koinon: asking for a stream's device");
  return device;
}

/// Returns the same for all ranks on a device, in whatever process, and for the parts of one that it cannot tell apart:
/// these share the room for blocks then, which is less than they have.
std::uint64_t key_of(hipDeviceProp_t const& properties) {
  std::string key(properties.uuid.bytes, sizeof properties.uuid.bytes);
  for (int const part : {properties.pciDomainID, properties.pciBusID, properties.pciDeviceID}) {
    key += "," + std::to_string(part);
  }
  return std::hash<std::string>()(key) | 1;
}

}  // namespace

HipStream::HipStream(ihipStream_t* stream) : m_stream(stream), m_device(device_of(stream)) {}

namespace Impl {

HipInstance instance_of(ihipStream_t* stream, int device) {
  HipInstance instance;
  instance.device = device;
  instance.stream = stream;
  return instance;
}

BackendFacts HipBackend::facts(Instance const& instance) {
  load_hip_kernels(instance.device);
  HipRuntime const& runtime = hip_runtime();
  hipDeviceProp_t properties;
  check(runtime, runtime.hipGetDeviceProperties(&properties, instance.device),
        "Koinon: asking for a device's properties");
  std::string_view const target(properties.gcnArchName);  // with features behind it: gfx942:sramecc+:xnack-
  BackendFacts backend = facts_of({.name = std::string(properties.name) + " (" + properties.gcnArchName + ")",
                                   .key = key_of(properties),
                                   .number = instance.device,
                                   .stream = instance.stream,
                                   .multiprocessors = properties.multiProcessorCount,
                                   .lanes = properties.warpSize,
                                   .most_threads = hip_most_threads});
  Facts& facts = backend.facts;
  facts.backend = ShortName("hip");
  facts.architecture = ShortName(target.substr(0, target.find(':')));
  backend.tunings = hip_tunings();
  return backend;
}

}  // namespace Impl
}  // namespace Koinon
