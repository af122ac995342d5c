// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <communicator/Koinon_ControlPlane.hpp>
#include <communicator/Koinon_DeviceFailure.hpp>
#include <communicator/Koinon_Gate.hpp>
#include <communicator/Koinon_Log.hpp>
#include <node/Koinon_PeerWatch.hpp>
#include <protocol/Koinon_DeviceCommunicator.hpp>

#include <atomic>
#include <chrono>
#include <string>
#include <string_view>
#include <vector>

namespace Koinon::Impl {

/// Knows whether a communicator still works, decides when a wait is given up, and tells the other ranks and the user why.
///
/// The first reason is recorded in memory that all ranks read, then every peer is alerted: all name the same culprits.
class KOINON_EXPORT Health {
 public:
  using Clock = std::chrono::steady_clock;

  /// Failures are logged: as errors by the rank that finds one, as information by those that are told of it.
  Health(ControlPlane& plane, std::chrono::nanoseconds timeout, Log const& log);

  /// Says whether the next call may begin: a load each of the gate, the alert, and what a device's waits recorded.
  [[nodiscard]] bool good() const {
    return m_gate.is_open() && std::atomic_ref(*m_alert).load(std::memory_order_acquire) == 0 &&
           std::atomic_ref(m_device.failure->kind).load(std::memory_order_acquire) == 0;
  }
  /// Throws why the communicator can no longer be used. @pre !good()
  [[noreturn]] void raise();
  /// Throws if the communicator has failed, also when a peer is dead that nobody waited for yet.
  void check();

  /// Finds what check() would throw, and with it ends the waits of a device; throws nothing.
  void notice() noexcept;

  /// Notes which call waits are for. Views must outlive the call.
  void set_call(std::string_view operation, std::string_view label) {
    m_operation = operation;
    m_label = label;
  }
  [[nodiscard]] std::string_view label() const { return m_label; }

  /// From now on the waits run on a device: what they record is found before each call and by check(), and every
  /// failure ends them. Null members of `waits`: no longer.
  void watch_device(DeviceWaits const& waits) noexcept;
  /// Notes a call that is about to be launched, like set_call; where waits run on a device it is remembered for them.
  void note_launch(std::string_view operation, std::string_view label) {
    set_call(operation, label);
    if (m_device.failure != &m_no_failure) keep_call();
  }

  /// Looks at the world for a wait that began at `since`; false: the wait must end (the reason is recorded). Thread-safe.
  [[nodiscard]] bool look(DeviceCommunicator const& comm, LaunchNumber number, int peer, Clock::time_point since) noexcept;

  /// Ends the communicator for all ranks. From any thread.
  void abort(std::string_view why) noexcept;
  /// Records that `peer` made another call than this rank.
  void report_mismatch(LaunchNumber number, int peer) noexcept;

  /// Tells the peers that this rank has made its last launch, and waits until all have told so; no longer than the
  /// timeout, and not at all once the communicator failed. Never throws.
  void leave(LaunchNumber last) noexcept;

  [[nodiscard]] Gate& gate() { return m_gate; }
  [[nodiscard]] PeerWatch const& peers() const { return m_peers; }
  [[nodiscard]] std::chrono::nanoseconds timeout() const { return m_timeout; }

 private:
  void record(FailureRecord& record) noexcept;
  [[nodiscard]] bool adopt_alert() noexcept;
  [[nodiscard]] bool adopt_device() noexcept;
  void end_device_waits() noexcept;
  void keep_call() noexcept;
  [[nodiscard]] std::string failure_text() const;
  void log_failure(LogLevel level) const noexcept;
  [[nodiscard]] bool records_dead_peers() noexcept;
  [[nodiscard]] bool finds_dead(LaunchNumber number) noexcept;
  void record_missing(FailureKind kind, LaunchNumber number, std::vector<int> const& ranks) noexcept;
  void watch_message(int peer, Clock::time_point since, bool left);
  [[nodiscard]] FailureRecord draft(FailureKind kind, LaunchNumber number, int culprit) const noexcept;
  [[nodiscard]] FailureRecord draft_in_call(FailureKind kind, LaunchNumber number, int culprit) const noexcept;

  ControlPlane& m_plane;
  std::uint32_t* m_alert;
  DeviceFailure m_no_failure;  // what is looked at where no waits run on a device
  DeviceWaits m_device{&m_no_failure, nullptr};
  char m_kept_operation[sizeof FailureRecord::operation] = {};  // of the last launch
  char m_kept_label[sizeof FailureRecord::label] = {};
  PeerWatch m_peers;
  std::chrono::nanoseconds m_timeout;
  Log m_log;
  Gate m_gate;
  std::atomic<bool> m_recorded{false};
  FailureRecord m_failure;  // what this rank throws: its own finding or an alerting peer's
  std::atomic<bool> m_failure_ready{false};
  std::string_view m_operation;
  std::string_view m_label;
};

}  // namespace Koinon::Impl
