// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hip/Koinon_FakeHipRuntime.hpp>

#include <mutex>

/// What the parts of the fake runtime share.
namespace Koinon::Testing {

inline constexpr std::size_t fake_hip_page_bytes = 4096;
inline constexpr std::uint64_t fake_hip_magic = 0x4B6F696E6F6E4869;

inline FakeHipRuntime* fake_hip = nullptr;  // that is in force
inline thread_local int current_gpu = 0;
inline thread_local hipError_t last_error = hipSuccess;
inline thread_local hipStreamCaptureMode hip_capture_mode = hipStreamCaptureModeGlobal;

struct FakeHipRuntime::Page {
  std::uint64_t magic = fake_hip_magic;
  int gpu = 0;
  std::size_t bytes = 0;
  std::atomic<int> opened{0};  // by other processes, now
};

/// Is a function of the fake as the table has it: it notes the thread's last error, as the runtime does.
template <auto function>
struct Noted;
template <class... Arguments, hipError_t (*function)(Arguments...)>
struct Noted<function> {
  static hipError_t call(Arguments... arguments) {
    hipError_t const result = function(arguments...);
    if (result != hipSuccess) last_error = result;
    return result;
  }
};

// Begins a function of the runtime, which holds the lock for its whole length: its name, whether it may be made to fail,
// and whether another thread's capture forbids it.
#define KOINON_FAKE_HIP(name, may_fail, forbidden)                                            \
  FakeHipRuntime& f = *fake_hip;                                                              \
  std::lock_guard const lock(f.m_mutex);                                                      \
  if (hipError_t const entered = f.enter(name, may_fail); entered != hipSuccess) return entered; \
  if (forbidden && hip_capture_mode != hipStreamCaptureModeRelaxed) {                         \
    return f.refuse(std::string(name) + " could invalidate another thread's capture");        \
  }

}  // namespace Koinon::Testing
