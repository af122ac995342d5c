// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <functional>
#include <memory>

namespace Koinon::Perf {

/// What one run of enqueued work took on this rank.
struct DeviceTimes {
  double seconds = 0;       ///< by the device's clock, from before the first to after the last
  double host_seconds = 0;  ///< of the calling thread's processor time, to enqueue it
};

/// Work that can be enqueued again and again.
class DeviceWork {
 public:
  virtual ~DeviceWork() = default;
  /// Runs it once behind an untimed barrier of the device and waits for its end. Collective.
  virtual DeviceTimes run() = 0;
};

/// Runs work on a device that has a clock of its own: enqueued call by call, or as one graph.
class DeviceQueue {
 public:
  virtual ~DeviceQueue() = default;
  /// Makes work of all that enqueue enqueues; as a graph it is captured here, else enqueue is called in each run.
  /// Collective. Ending a graph may wait for the device: no rank may have work that waits for this one.
  virtual std::unique_ptr<DeviceWork> prepare(std::function<void()> enqueue, bool as_graph) = 0;
};

}  // namespace Koinon::Perf
