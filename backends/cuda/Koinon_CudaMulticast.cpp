// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Koinon_CudaMulticast.hpp>
#include <Koinon_Error.hpp>

#include <algorithm>
#include <set>

namespace Koinon::Impl {

namespace {

CUmulticastObjectProp properties_of(CudaSharing const& sharing, std::size_t bytes) {
  CUmulticastObjectProp properties{};
  properties.numDevices = static_cast<unsigned>(sharing.size());
  properties.size = bytes;
  properties.handleTypes = static_cast<unsigned long long>(sharing.type);
  return properties;
}

/// Unbinds this rank's memory at its end unless it is told to stay: while nobody can use the object yet.
class Binding {
 public:
  Binding(CudaDriver const& driver, CudaMulticastDriver const& functions, CUdevice device, std::size_t bytes)
      : m_driver(driver), m_functions(functions), m_device(device), m_bytes(bytes) {}
  Binding(Binding const&) = delete;
  Binding& operator=(Binding const&) = delete;
  ~Binding() {
    if (!m_bound) return;
    CudaOutsideCaptures const outside(m_driver);
    m_functions.cuMulticastUnbind(m_object, m_device, 0, m_bytes);
  }
  void made(CUmemGenericAllocationHandle object) {
    m_object = object;
    m_bound = true;
  }
  void stay() { m_bound = false; }

 private:
  CudaDriver const& m_driver;
  CudaMulticastDriver const& m_functions;
  CUdevice m_device;
  std::size_t m_bytes;
  CUmemGenericAllocationHandle m_object = 0;
  bool m_bound = false;
};

}  // namespace

CudaMulticastPlan plan_multicast(CudaSharing const& sharing, Environment const& environment, std::size_t bytes) {
  CudaMulticastPlan plan;
  std::vector<std::string> const gpus = bus_ids(sharing.gpus);
  plan.functions = allowed_multicast(sharing.driver, environment, gpus, plan.refusal);

  // The environment was agreed on before; what the driver of each rank has was not.
  struct Answer {
    char refusal[200];  // empty: none
  };
  Answer mine{};
  plan.refusal.copy(mine.refusal, sizeof mine.refusal - 1);
  std::vector<Answer> const answers = gather_values(sharing.bootstrap, mine);
  auto const refuse = [&](std::string reason) {
    plan.functions.reset();
    plan.granularity = 1;
    plan.refusal = std::move(reason);
    return plan;
  };
  for (std::size_t p = 0; p < answers.size(); ++p) {
    if (*answers[p].refusal != '\0') return refuse(answers[p].refusal);
  }
  if (std::set<std::string>(gpus.begin(), gpus.end()).size() < gpus.size()) return refuse("two ranks share a GPU");
  for (std::size_t p = 0; p < gpus.size(); ++p) {
    if (!sharing.gpus[p].multicasts) return refuse("GPU " + gpus[p] + " of rank " + std::to_string(p) + " has none");
  }
  std::size_t granularity = 1;
  try {
    sharing.step("asking for the granularity of multicast", [&] {
      CUmulticastObjectProp const properties = properties_of(sharing, bytes);
      // The least one: the recommended one may be half a gigabyte, more than most segments.
      check(sharing.driver,
            plan.functions->cuMulticastGetGranularity(&granularity, &properties, CU_MULTICAST_GRANULARITY_MINIMUM),
            "cuMulticastGetGranularity");
    });
  } catch (ResourceError const& e) {
    return refuse(e.what());
  }
  for (std::size_t const each : gather_values(sharing.bootstrap, granularity)) {
    plan.granularity = std::max(plan.granularity, each);
  }
  return plan;
}

CudaMulticast::CudaMulticast(CudaSharing const& sharing, CudaMulticastDriver const& functions,
                             CUmemGenericAllocationHandle memory, std::size_t bytes, std::size_t granularity) {
  CudaDriver const& driver = sharing.driver;
  auto const make = [&] {
    CUmulticastObjectProp const properties = properties_of(sharing, bytes);
    CUmemGenericAllocationHandle object = 0;
    check(driver, functions.cuMulticastCreate(&object, &properties), "cuMulticastCreate");
    return std::make_shared<CudaHandle>(driver, object);
  };
  if (sharing.threads) {
    m_object = make_on_first<CudaHandle>(sharing, "making the multicast object", make);
  } else {
    sharing.step("making the multicast object", [&] {
      if (sharing.rank() == 0) m_object = make();
    });
    CudaHandle imported = broadcast_handle(sharing, m_object ? m_object->get() : 0);
    if (!m_object) m_object = std::make_shared<CudaHandle>(std::move(imported));
  }

  sharing.step("adding the GPU to the multicast object", [&] {
    check(driver, functions.cuMulticastAddDevice(m_object->get(), sharing.place.device), "cuMulticastAddDevice");
  });
  // From here the driver no longer waits for others: the vote above has seen every device added.
  Binding binding(driver, functions, sharing.place.device, bytes);
  sharing.step("binding memory to the multicast object", [&] {
    check(driver, functions.cuMulticastBindMem(m_object->get(), 0, memory, 0, bytes, 0), "cuMulticastBindMem");
    binding.made(m_object->get());
  });
  auto const map = [&] {
    auto made = std::make_shared<CudaRange>(driver, bytes, granularity);
    made->map(0, bytes, m_object->get(), sharing.devices());
    return made;
  };
  std::shared_ptr<CudaRange> range;  // goes before the binding does, if a rank cannot map
  if (sharing.threads) {
    range = make_on_first<CudaRange>(sharing, "mapping the multicast object", map);
  } else {
    sharing.step("mapping the multicast object", [&] { range = map(); });
  }
  binding.stay();
  m_range = std::move(range);
}

}  // namespace Koinon::Impl
