// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Koinon_Error.hpp>
#include <Koinon_HipRuntime.hpp>

#include <atomic>
#include <cstring>
#include <dlfcn.h>

#define KOINON_HIP_TEXT_OF(name) #name
#define KOINON_HIP_TEXT(name) KOINON_HIP_TEXT_OF(name)

namespace Koinon::Impl {

namespace {

// What the table says of a function is what the headers do.
#define KOINON_HIP_AGREES(name, ...)                                                            \
  static_assert(std::is_same_v<decltype(static_cast<std::add_pointer_t<__VA_ARGS__>>(&::name)), \
                               std::add_pointer_t<__VA_ARGS__>>);
KOINON_HIP_FUNCTIONS(KOINON_HIP_AGREES)
#undef KOINON_HIP_AGREES

std::atomic<HipRuntime const*> replaced{nullptr};

// A header may name a function as another one, of the interface that it describes: the text is that of the latter.
constexpr char const* library_name = "libamdhip64.so." KOINON_HIP_TEXT(HIP_VERSION_MAJOR);

template <class Function>
bool take(void* library, Function& function, char const* name) {
  void* const found = dlsym(library, name);
  if (found == nullptr) return false;
  static_assert(sizeof found == sizeof function);
  std::memcpy(&function, &found, sizeof found);
  return true;
}

/// Is the real runtime, or why there is none.
struct LoadedRuntime {
  HipRuntime runtime;
  std::string refusal;

  LoadedRuntime() {
    // A second copy beside the one that a program's kernels are registered with would know nothing of them.
    void* library = RTLD_DEFAULT;
    if (dlsym(library, "hipExtMallocWithFlags") == nullptr) {
      library = dlopen(library_name, RTLD_NOW | RTLD_LOCAL);  // kept open until the process ends
      if (library == nullptr) {
        refusal = std::string("there is no HIP runtime: ") + dlerror();
        return;
      }
    }
    std::string missing;
#define KOINON_HIP_TAKE(name, ...)                                                 \
  if (!take(library, runtime.name, KOINON_HIP_TEXT(name))) {                       \
    missing += (missing.empty() ? "" : ", ") + std::string(KOINON_HIP_TEXT(name)); \
  }
    KOINON_HIP_FUNCTIONS(KOINON_HIP_TAKE)
#undef KOINON_HIP_TAKE
    if (!missing.empty()) refusal = "the HIP runtime lacks " + missing;
  }
};

}  // namespace

HipRuntime const& hip_runtime() {
  if (HipRuntime const* const other = replaced.load(std::memory_order_acquire)) return *other;
  static LoadedRuntime const loaded;
  if (!loaded.refusal.empty()) throw ResourceError("Koinon: " + loaded.refusal);
  return loaded.runtime;
}

void replace_hip_runtime(HipRuntime const* runtime) noexcept {
  replaced.store(runtime, std::memory_order_release);
}

void check(HipRuntime const& runtime, hipError_t result, std::string const& step) {
  if (result == hipSuccess) return;
  (void)runtime.hipGetLastError();  // told here, not by the user's next call
  char const* const name = runtime.hipGetErrorName(result);
  throw ResourceError(step + ": " + (name != nullptr ? name : "an unknown error") + " (" +
                      std::to_string(static_cast<int>(result)) + ")");
}

HipCurrent::HipCurrent(HipRuntime const& runtime, HipPlace const& place, std::nothrow_t) noexcept
    : m_runtime(runtime), m_result(runtime.hipGetDevice(&m_before)) {
  (void)m_runtime.hipThreadExchangeStreamCaptureMode(&m_mode);
  if (ok() && m_before != place.device) {
    m_result = m_runtime.hipSetDevice(place.device);
    m_restore = ok();
  }
  if (!ok()) (void)m_runtime.hipGetLastError();  // told by ok(), not by the user's next call
}

HipCurrent::HipCurrent(HipRuntime const& runtime, HipPlace const& place) : HipCurrent(runtime, place, std::nothrow) {
  // The delegated constructor has ended: the destructor runs.
  check(runtime, m_result, "making the device current (hipSetDevice)");
}

HipCurrent::~HipCurrent() {
  if (m_restore) (void)m_runtime.hipSetDevice(m_before);
  (void)m_runtime.hipThreadExchangeStreamCaptureMode(&m_mode);
}

}  // namespace Koinon::Impl
