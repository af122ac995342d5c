// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <host/Koinon_ShimStreams.hpp>

#include <atomic>
#include <map>
#include <utility>

using Koinon::Shim::note;
using Koinon::Shim::stream_of;

ihipStream_t::~ihipStream_t() {
  {
    std::lock_guard const lock(m_mutex);
    m_ends = true;
  }
  m_changed.notify_all();
  worker.join();
}

void ihipStream_t::enqueue(Task task) {
  if (captured) {
    captured->tasks.push_back(std::move(task));
  } else {
    push(std::move(task));
  }
}

void ihipStream_t::push(Task task) {
  {
    std::lock_guard const lock(m_mutex);
    m_tasks.push_back(std::move(task));
  }
  m_changed.notify_all();
}

void ihipStream_t::await() {
  std::unique_lock lock(m_mutex);
  m_changed.wait(lock, [&] { return m_tasks.empty() && !m_busy; });
}

void ihipStream_t::work() {
  std::unique_lock lock(m_mutex);
  for (;;) {
    m_changed.wait(lock, [&] { return !m_tasks.empty() || m_ends; });
    if (m_tasks.empty()) return;
    Task const task = std::move(m_tasks.front());
    m_tasks.pop_front();
    m_busy = true;
    lock.unlock();
    task();
    lock.lock();
    m_busy = false;
    m_changed.notify_all();
  }
}

ihipStream_t& Koinon::Shim::stream_of(hipStream_t stream) {
  if (stream != nullptr) {
    if (stream->captured && stream->captured->ended) stream->captured.reset();
    return *stream;
  }
  static std::mutex mutex;
  static std::map<int, std::unique_ptr<ihipStream_t>> defaults;
  std::lock_guard const lock(mutex);
  auto& made = defaults[current_device];
  if (!made) made = std::make_unique<ihipStream_t>(current_device);
  return *made;
}

extern "C" {

hipError_t hipStreamCreateWithFlags(hipStream_t* stream, unsigned flags) {
  if (flags != hipStreamNonBlocking) return note(hipErrorNotSupported);
  *stream = new ihipStream_t(Koinon::Shim::current_device);
  return hipSuccess;
}
hipError_t hipStreamDestroy(hipStream_t stream) {
  delete stream;
  return hipSuccess;
}
hipError_t hipStreamSynchronize(hipStream_t stream) {
  if (stream_of(stream).captured) return note(hipErrorStreamCaptureUnsupported);
  stream_of(stream).await();
  return hipSuccess;
}
hipError_t hipStreamGetDevice(hipStream_t stream, hipDevice_t* device) {
  *device = stream_of(stream).device;
  return hipSuccess;
}

hipError_t hipEventCreateWithFlags(hipEvent_t* event, unsigned flags) {
  if (flags != hipEventDisableTiming) return note(hipErrorNotSupported);
  *event = new ihipEvent_t;
  return hipSuccess;
}
hipError_t hipEventDestroy(hipEvent_t event) {
  delete event;
  return hipSuccess;
}
hipError_t hipEventRecord(hipEvent_t event, hipStream_t stream) {
  auto const token = std::make_shared<Token>();
  token->graph = stream_of(stream).captured;
  event->token = token;
  if (token->graph) return hipSuccess;  // what is taken down is in one order already
  stream_of(stream).push([token] {
    {
      std::lock_guard const lock(token->mutex);
      token->reached = true;
    }
    token->changed.notify_all();
  });
  return hipSuccess;
}
hipError_t hipStreamWaitEvent(hipStream_t stream, hipEvent_t event, unsigned flags) {
  if (flags != 0) return note(hipErrorInvalidValue);
  auto const token = event->token;
  if (!token) return hipSuccess;
  ihipStream_t& mine = stream_of(stream);
  if (token->graph) {
    if (mine.captured && mine.captured != token->graph) return note(hipErrorStreamCaptureIsolation);
    mine.captured = token->graph;  // it joins the capture
    return hipSuccess;
  }
  if (mine.captured) return note(hipErrorStreamCaptureIsolation);
  mine.push([token] {
    std::unique_lock lock(token->mutex);
    token->changed.wait(lock, [&] { return token->reached; });
  });
  return hipSuccess;
}

hipError_t hipStreamGetCaptureInfo(hipStream_t stream, hipStreamCaptureStatus* status, unsigned long long* id) {
  auto const& captured = stream_of(stream).captured;
  *status = captured ? hipStreamCaptureStatusActive : hipStreamCaptureStatusNone;
  *id = captured ? captured->id : 0;
  return hipSuccess;
}
hipError_t hipThreadExchangeStreamCaptureMode(hipStreamCaptureMode* mode) {
  thread_local hipStreamCaptureMode current = hipStreamCaptureModeGlobal;
  std::swap(*mode, current);
  return hipSuccess;
}
hipError_t hipStreamBeginCapture(hipStream_t stream, hipStreamCaptureMode) {
  static std::atomic<unsigned long long> captures{0};
  ihipStream_t& mine = stream_of(stream);
  if (stream == nullptr || mine.captured) return note(hipErrorStreamCaptureUnsupported);
  mine.captured = std::make_shared<ihipGraph>();
  mine.captured->id = ++captures;
  return hipSuccess;
}
hipError_t hipStreamEndCapture(hipStream_t stream, hipGraph_t* graph) {
  ihipStream_t& mine = stream_of(stream);
  if (!mine.captured) return note(hipErrorStreamCaptureInvalidated);
  auto* const made = new ihipGraph;
  made->tasks = std::move(mine.captured->tasks);
  mine.captured->ended = true;
  mine.captured.reset();
  *graph = made;
  return hipSuccess;
}
hipError_t hipGraphInstantiate(hipGraphExec_t* made, hipGraph_t graph, void*, char*, size_t) {
  *made = new hipGraphExec{graph->tasks};
  return hipSuccess;
}
hipError_t hipGraphLaunch(hipGraphExec_t graph, hipStream_t stream) {
  ihipStream_t& mine = stream_of(stream);
  if (mine.captured) return note(hipErrorStreamCaptureUnsupported);
  for (Task const& task : graph->tasks) mine.push(task);
  return hipSuccess;
}
hipError_t hipGraphDestroy(hipGraph_t graph) {
  delete graph;
  return hipSuccess;
}
hipError_t hipGraphExecDestroy(hipGraphExec_t graph) {
  delete graph;
  return hipSuccess;
}

}  // extern "C"
