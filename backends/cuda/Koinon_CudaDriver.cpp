// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Koinon_CudaDriver.hpp>
#include <Koinon_Error.hpp>

#include <atomic>
#include <cstring>
#include <dlfcn.h>
#include <set>

namespace Koinon::Impl {

namespace {

std::atomic<CudaDriver const*> replaced{nullptr};

// Of CUDA 12.0 and later; looked up by this name so that its own interface is known.
using GetProcAddress = CUresult (*)(char const*, void**, int, cuuint64_t, CUdriverProcAddressQueryResult*);
GetProcAddress get_proc_address = nullptr;

CUresult find_in_driver(char const* name, int version, void** function) {
  // The plain interface, not the one in which the null stream is a thread's own: no null stream is used anyway.
  return get_proc_address(name, function, version, CU_GET_PROC_ADDRESS_LEGACY_STREAM, nullptr);
}

template <class Function>
bool take(CudaDriver const& driver, Function& function, char const* name, int version) {
  void* found = nullptr;
  if (driver.find(name, version, &found) != CUDA_SUCCESS || found == nullptr) return false;
  static_assert(sizeof found == sizeof function);
  std::memcpy(&function, &found, sizeof found);
  return true;
}

/// Is the real driver, or why there is none.
struct LoadedDriver {
  CudaDriver driver;
  std::string refusal;

  LoadedDriver() {
    // Kept open until the process ends, as everyone's driver is.
    void* const library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) {
      refusal = std::string("there is no NVIDIA driver: ") + dlerror();
      return;
    }
    void* const found = dlsym(library, "cuGetProcAddress_v2");
    if (found == nullptr) {
      refusal = "the NVIDIA driver is older than CUDA 12.0";
      return;
    }
    std::memcpy(&get_proc_address, &found, sizeof found);
    driver.find = find_in_driver;
    std::string missing;
#define KOINON_CUDA_TAKE(name, version) \
  if (!take(driver, driver.name, #name, version)) missing += (missing.empty() ? "" : ", ") + std::string(#name);
    KOINON_CUDA_DRIVER_FUNCTIONS(KOINON_CUDA_TAKE)
#undef KOINON_CUDA_TAKE
    decltype(&::cuInit) init = nullptr;
    if (!take(driver, init, "cuInit", 2000)) missing += (missing.empty() ? "" : ", ") + std::string("cuInit");
    if (!missing.empty()) {
      refusal = "the NVIDIA driver lacks " + missing;
      return;
    }
    try {
      check(driver, init(0), "initialising the NVIDIA driver");
    } catch (ResourceError const& e) {
      refusal = e.what();
    }
  }
};

}  // namespace

CudaDriver const& cuda_driver() {
  if (CudaDriver const* const other = replaced.load(std::memory_order_acquire)) return *other;
  static LoadedDriver const loaded;
  if (!loaded.refusal.empty()) throw ResourceError("Koinon: " + loaded.refusal);
  return loaded.driver;
}

void replace_cuda_driver(CudaDriver const* driver) noexcept {
  replaced.store(driver, std::memory_order_release);
}

std::optional<CudaMulticastDriver> allowed_multicast(CudaDriver const& driver, Environment const& environment,
                                                     std::span<std::string const> gpus, std::string& refusal) {
  if (!environment.multicast_allowed) {
    refusal = environment.multicast_refusal;
    return std::nullopt;
  }
  auto const different = static_cast<int>(std::set<std::string>(gpus.begin(), gpus.end()).size());
  if (different < least_multicast_gpus) {
    refusal = "it is used over " + std::to_string(least_multicast_gpus) + " or more GPUs, here are " +
              std::to_string(different);
    return std::nullopt;
  }
  CudaMulticastDriver multicast;
  std::string missing;
#define KOINON_CUDA_TAKE(name, version) \
  if (!take(driver, multicast.name, #name, version)) missing += (missing.empty() ? "" : ", ") + std::string(#name);
  KOINON_CUDA_MULTICAST_FUNCTIONS(KOINON_CUDA_TAKE)
#undef KOINON_CUDA_TAKE
  if (missing.empty()) return multicast;
  refusal = "the driver lacks " + missing;
  return std::nullopt;
}

void check(CudaDriver const& driver, CUresult result, std::string const& step) {
  if (result == CUDA_SUCCESS) return;
  char const* name = nullptr;
  if (driver.cuGetErrorName(result, &name) != CUDA_SUCCESS || name == nullptr) name = "an unknown error";
  throw ResourceError(step + ": " + name + " (" + std::to_string(static_cast<int>(result)) + ")");
}

CudaCurrent::CudaCurrent(CudaDriver const& driver, CudaPlace const& place, std::nothrow_t) noexcept
    : m_driver(driver), m_outside(driver), m_result(driver.cuCtxPushCurrent(place.context)) {}

CudaCurrent::CudaCurrent(CudaDriver const& driver, CudaPlace const& place) : CudaCurrent(driver, place, std::nothrow) {
  // The delegated constructor has ended: the destructor runs, and has nothing to undo.
  check(driver, m_result, "making the context current (cuCtxPushCurrent)");
}

CudaCurrent::~CudaCurrent() {
  if (!ok()) return;
  CUcontext popped = nullptr;
  m_driver.cuCtxPopCurrent(&popped);
}

}  // namespace Koinon::Impl
