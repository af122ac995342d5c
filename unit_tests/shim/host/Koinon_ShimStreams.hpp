// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hip/hip_runtime_api.h>

#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

using Task = std::function<void()>;

/// Is what a stream's capture takes down, in the order of the calls: one of those in which it may run.
struct ihipGraph {
  unsigned long long id = 0;
  bool ended = false;  // streams that had joined are no longer captured
  std::vector<Task> tasks;
};

struct hipGraphExec {
  std::vector<Task> tasks;
};

/// Does tasks one after the other in a thread of its own.
struct ihipStream_t {
  explicit ihipStream_t(int device_) : device(device_), worker([this] { work(); }) {}
  ihipStream_t(ihipStream_t const&) = delete;
  ihipStream_t& operator=(ihipStream_t const&) = delete;
  ~ihipStream_t();
  void enqueue(Task task);  // or takes it down
  void push(Task task);
  void await();

  int device;
  std::shared_ptr<ihipGraph> captured;  // into which calls go; null: they are done

 private:
  void work();

  std::mutex m_mutex;
  std::condition_variable m_changed;
  std::deque<Task> m_tasks;
  bool m_busy = false;
  bool m_ends = false;
  std::thread worker;
};

/// Is one recording of an event.
struct Token {
  std::mutex mutex;
  std::condition_variable changed;
  bool reached = false;
  std::shared_ptr<ihipGraph> graph;  // in whose capture it was recorded
};

struct ihipEvent_t {
  std::shared_ptr<Token> token;
};

namespace Koinon::Shim {

inline thread_local int current_device = 0;
inline thread_local hipError_t last_error = hipSuccess;

/// Notes a result for hipGetLastError, and returns it.
inline hipError_t note(hipError_t result) {
  if (result != hipSuccess) last_error = result;
  return result;
}
[[nodiscard]] int devices();
[[nodiscard]] bool is_device(int device);
/// Returns the stream itself, or for null the default one of the current device.
[[nodiscard]] ihipStream_t& stream_of(hipStream_t stream);

}  // namespace Koinon::Shim
