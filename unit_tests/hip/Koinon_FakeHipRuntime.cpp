// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <hip/Koinon_FakeHipCalls.hpp>

#include <cstdio>
#include <iterator>
#include <sstream>

namespace Koinon::Testing {

FakeHipRuntime::FakeHipRuntime(std::vector<FakeHipGpu> gpus) : m_gpus(std::move(gpus)) {
  fill_devices();
  fill_memory();
  fill_ipc();
  fake_hip = this;
  Impl::replace_hip_runtime(&m_table);
}

FakeHipRuntime::~FakeHipRuntime() {
  Impl::replace_hip_runtime(nullptr);
  fake_hip = nullptr;
}

std::string FakeHipRuntime::bus_id(int gpu) {
  char text[20];
  std::snprintf(text, sizeof text, "0000:%02x:00.0", static_cast<unsigned>(gpu) + 16);
  return text;
}

std::string FakeHipRuntime::left_in_thread() {
  std::string text;
  if (current_gpu != 0) text += "the device is another one; ";
  if (hip_capture_mode != hipStreamCaptureModeGlobal) text += "the capture mode is another one; ";
  if (last_error != hipSuccess) text += "an error is left: " + std::to_string(static_cast<int>(last_error));
  return text;
}

void FakeHipRuntime::know(void const* at, std::size_t bytes, Origin origin, int gpu) {
  std::lock_guard const lock(m_mutex);
  m_known[static_cast<std::byte const*>(at)] = {bytes, origin, gpu};
}

void FakeHipRuntime::forget(void const* at) {
  std::lock_guard const lock(m_mutex);
  m_known.erase(static_cast<std::byte const*>(at));
}

bool FakeHipRuntime::is_open(int to, int of) const {
  std::lock_guard const lock(m_mutex);
  return m_access.contains({to, of});
}

void FakeHipRuntime::capture(hipStream_t stream, std::uint64_t id) {
  std::lock_guard const lock(m_mutex);
  m_captures[stream] = id;
}

std::vector<std::pair<hipStream_t, hipStream_t>> FakeHipRuntime::waits() const {
  std::lock_guard const lock(m_mutex);
  return m_waits;
}

FakeHipRuntime::Known const* FakeHipRuntime::known_at(void const* at) const {
  auto const* const p = static_cast<std::byte const*>(at);
  auto const next = m_known.upper_bound(p);
  if (next == m_known.begin()) return nullptr;
  auto const& [begin, known] = *std::prev(next);
  return p < begin + known.bytes ? &known : nullptr;
}

bool FakeHipRuntime::accessible(int gpu, void const* at, std::size_t bytes) const {
  auto const* const p = static_cast<std::byte const*>(at);
  auto const within = [&](auto const& entry) { return p >= entry.first && p + bytes <= entry.first + entry.second.bytes; };
  for (auto const& entry : m_allocations) {
    if (within(entry)) return entry.second.gpu == gpu || m_access.contains({gpu, entry.second.gpu});
  }
  for (auto const& entry : m_opened) {
    if (within(entry)) return entry.second.gpu == gpu;
  }
  return false;
}

bool FakeHipRuntime::can_access(int gpu, void const* at, std::size_t bytes) const {
  std::lock_guard const lock(m_mutex);
  return accessible(gpu, at, bytes);
}

std::string FakeHipRuntime::live() const {
  std::lock_guard const lock(m_mutex);
  std::ostringstream text;
  auto const tell = [&](char const* what, std::size_t count) {
    if (count > 0) text << count << " " << what << " ";
  };
  tell("allocations", m_allocations.size());
  tell("opened allocations", m_opened.size());
  tell("pinned blocks", m_pinned.size());
  tell("registered pages", m_registered.size());
  tell("streams", m_streams.size());
  tell("events", m_events.size());
  return text.str();
}

}  // namespace Koinon::Testing
