// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <communicator/Koinon_Health.hpp>

#include <Koinon_Error.hpp>

#include <sched.h>

#include <algorithm>
#include <cstring>
#include <iterator>
#include <vector>

namespace Koinon::Impl {

namespace {

template <std::size_t N>
void copy_text(char (&to)[N], std::string_view from) {
  to[from.copy(to, std::min(from.size(), N - 1))] = '\0';
}

std::vector<int> missing_ranks(FailureRecord const& failure) {
  std::vector<int> ranks;
  for (int p = 0; p < FailureRecord::most_ranks; ++p) {
    if (failure.is_missing(p)) ranks.push_back(p);
  }
  return ranks;
}

}  // namespace

Health::Health(ControlPlane& plane, std::chrono::nanoseconds timeout, Log const& log)
    : m_plane(plane),
      m_alert(&plane.alert(plane.rank())),
      m_peers(plane.process_ids(), plane.rank()),
      m_timeout(timeout),
      m_log(log) {
  m_plane.set_watch([this](int peer, Clock::time_point since, bool left) { watch_message(peer, since, left); });
}

FailureRecord Health::draft(FailureKind kind, LaunchNumber number, int culprit) const noexcept {
  FailureRecord record;
  record.kind = static_cast<std::uint32_t>(kind);
  record.origin = m_plane.rank();
  record.launch_number = number;
  record.culprit = culprit;
  return record;
}

// Only for what the calling rank finds while it waits: at other times, and for other threads, the views may be stale.
FailureRecord Health::draft_in_call(FailureKind kind, LaunchNumber number, int culprit) const noexcept {
  FailureRecord record = draft(kind, number, culprit);
  copy_text(record.operation, m_operation);
  copy_text(record.label, m_label);
  return record;
}

void Health::watch_device(DeviceWaits const& waits) noexcept {
  m_device = waits;
  if (m_device.failure == nullptr) m_device.failure = &m_no_failure;
}

void Health::keep_call() noexcept {
  copy_text(m_kept_operation, m_operation);
  copy_text(m_kept_label, m_label);
}

void Health::end_device_waits() noexcept {
  if (m_device.abort_word == nullptr) return;
  // The word may be the alert: then its value is a rank that has a record, as this one has.
  std::uint32_t none = 0;
  std::atomic_ref(*m_device.abort_word)
      .compare_exchange_strong(none, static_cast<std::uint32_t>(m_plane.rank()) + 1, std::memory_order_acq_rel);
}

bool Health::adopt_device() noexcept {
  DeviceFailure const& found = *m_device.failure;
  auto const kind = static_cast<FailureKind>(
      std::atomic_ref(const_cast<std::uint32_t&>(found.kind)).load(std::memory_order_acquire));
  if (kind == FailureKind::none) return false;
  // The device works behind the host: its launch is one of those before, and the last one in most programs.
  m_operation = m_kept_operation;
  m_label = m_kept_label;
  if (kind == FailureKind::mismatch) {
    report_mismatch(found.launch_number, found.peer);
    return true;
  }
  FailureRecord r = draft_in_call(kind, found.launch_number, found.peer);
  std::copy(std::begin(found.missing), std::end(found.missing), std::begin(r.missing));
  if (kind != FailureKind::overlap && missing_ranks(r).empty()) r.add_missing(found.peer);
  record(r);
  return true;
}

void Health::record(FailureRecord& record) noexcept {
  if (m_recorded.exchange(true)) return;
  m_failure = record;
  m_failure_ready.store(true, std::memory_order_release);
  FailureRecord& shared = m_plane.failure(m_plane.rank());
  std::uint32_t const kind = record.kind;
  record.kind = 0;
  shared = record;
  std::atomic_ref(shared.kind).store(kind, std::memory_order_release);
  for (int p = 0; p < m_plane.size(); ++p) {
    if (p == m_plane.rank()) continue;
    std::uint32_t none = 0;
    std::atomic_ref(m_plane.alert(p)).compare_exchange_strong(none, static_cast<std::uint32_t>(m_plane.rank()) + 1,
                                                              std::memory_order_acq_rel);
  }
  end_device_waits();
  m_gate.shut(Gate::failed);
  log_failure(LogLevel::error);
}

bool Health::adopt_alert() noexcept {
  std::uint32_t const alert = std::atomic_ref(m_plane.alert(m_plane.rank())).load(std::memory_order_acquire);
  if (alert == 0) return false;
  if (!m_recorded.exchange(true)) {
    FailureRecord const& theirs = m_plane.failure(static_cast<int>(alert) - 1);
    m_failure = theirs;
    m_failure.kind = std::atomic_ref(const_cast<std::uint32_t&>(theirs.kind)).load(std::memory_order_acquire);
    m_failure_ready.store(true, std::memory_order_release);
    end_device_waits();
    m_gate.shut(Gate::failed);
    log_failure(LogLevel::info);  // the rank that found it has said so as an error
  }
  return true;
}

void Health::log_failure(LogLevel level) const noexcept {
  if (!m_log.writes(level)) return;
  try {
    m_log.write(level, "failed: " + failure_text());
  } catch (...) {  // lack of memory for a line must not change how a failure is told
  }
}

void Health::record_missing(FailureKind kind, LaunchNumber number, std::vector<int> const& ranks) noexcept {
  FailureRecord r = draft_in_call(kind, number, ranks.front());
  for (int const rank : ranks) r.add_missing(rank);
  record(r);
}

bool Health::finds_dead(LaunchNumber number) noexcept {
  std::vector<int> const dead = m_peers.dead_ranks();
  if (!dead.empty()) record_missing(FailureKind::died, number, dead);
  return !dead.empty();
}

bool Health::look(DeviceCommunicator const& comm, LaunchNumber number, int peer, Clock::time_point since) noexcept {
  if (!m_gate.is_open() || adopt_alert() || finds_dead(number)) return false;
  std::uint64_t const farewell = m_plane.farewell_of(peer);
  if (farewell != 0 && !has_reached(static_cast<LaunchNumber>(farewell), number)) {
    record_missing(FailureKind::left, number, {peer});
    return false;
  }
  if (m_timeout.count() == 0 || Clock::now() - since <= m_timeout) return true;
  // The peer that is waited for may itself wait for another: those that did not even begin are missing.
  std::vector<int> late;
  for (int p = 0; p < comm.size(); ++p) {
    std::uint32_t& word = *comm.started_word(comm.rank(), p);
    bool const started = has_reached(std::atomic_ref(word).load(std::memory_order_acquire), number);
    if (p != comm.rank() && !started) late.push_back(p);
  }
  if (late.empty()) late.push_back(peer);
  record_missing(FailureKind::timeout, number, late);
  return false;
}

void Health::watch_message(int peer, Clock::time_point since, bool left) {
  if (m_gate.is_open() && !adopt_alert() && !finds_dead(0)) {
    bool const late = m_timeout.count() > 0 && Clock::now() - since > m_timeout;
    if (!left && !late) return;
    record_missing(left ? FailureKind::left : FailureKind::timeout, 0, {peer});
  }
  raise();
}

void Health::abort(std::string_view why) noexcept {
  if (m_gate.state() == Gate::forked) return;  // the words are the parent's
  FailureRecord r = draft(FailureKind::aborted, 0, m_plane.rank());
  copy_text(r.text, why);
  record(r);
}

void Health::report_mismatch(LaunchNumber number, int peer) noexcept {
  FailureRecord r = draft_in_call(FailureKind::mismatch, number, peer);
  std::string text;
  for (int p : {m_plane.rank(), peer}) {
    text += (text.empty() ? "rank " : "; rank ") + std::to_string(p) + " called " + m_plane.call_text(p, number);
  }
  copy_text(r.text, text);
  record(r);
}

bool Health::records_dead_peers() noexcept {
  std::vector<int> const dead = m_peers.dead_ranks();
  if (dead.empty()) return false;
  FailureRecord r = draft(FailureKind::died, 0, dead.front());
  for (int const each : dead) r.add_missing(each);
  record(r);
  return true;
}

void Health::notice() noexcept {
  if (m_gate.is_open() && !adopt_alert() && !adopt_device()) (void)records_dead_peers();
}

void Health::check() {
  if (!good() || records_dead_peers()) raise();
}

void Health::raise() {
  switch (m_gate.state()) {
    case Gate::forked:
      throw Error("Koinon: a communicator was used in a child process after fork(); it belongs to the parent");
    case Gate::finalized:
      throw Error("Koinon: a communicator was used after its execution space was finalized");
    default:
      break;
  }
  if (!adopt_alert()) (void)adopt_device();
  while (!m_failure_ready.load(std::memory_order_acquire)) sched_yield();  // another thread records it right now
  FailureRecord const& f = m_failure;
  switch (static_cast<FailureKind>(f.kind)) {
    case FailureKind::timeout:
    case FailureKind::died:
    case FailureKind::left:
      throw TimeoutError(failure_text(), f.operation, f.label, f.launch_number, missing_ranks(f));
    case FailureKind::mismatch:
      throw MismatchError(failure_text());
    default:
      throw AbortedError(failure_text(), f.origin);
  }
}

std::string Health::failure_text() const {
  FailureRecord const& f = m_failure;
  std::string const label = f.label[0] == '\0' ? std::string() : " [" + std::string(f.label) + "]";
  std::string const where = f.operation[0] == '\0'
                                ? std::string("communicator")
                                : std::string(f.operation) + label +
                                      (f.launch_number == 0 ? "" : ", launch " + std::to_string(f.launch_number));
  std::string const by = f.origin == m_plane.rank() ? "" : " (found by rank " + std::to_string(f.origin) + ")";
  std::string const missing = ranks_text(missing_ranks(f));
  std::string const here = "Koinon::" + where + ": rank " + std::to_string(m_plane.rank()) + ": ";
  switch (static_cast<FailureKind>(f.kind)) {
    case FailureKind::timeout:
      return here + missing + " did not arrive within " +
             std::to_string(std::chrono::duration<double>(m_timeout).count()) + " s" + by;
    case FailureKind::died:
      return here + "the process of " + missing + " has ended" + by;
    case FailureKind::left:
      return here + missing + " has destroyed its communicator" + by;
    case FailureKind::mismatch:
      return "Koinon::" + where + ": ranks made different calls" + by + ": " + f.text;
    case FailureKind::overlap:
      return "Koinon::" + where + ": two launches of one communicator ran at the same time on rank " +
             std::to_string(f.origin) + ": order the replays of its graphs, and its other calls against them";
    default:
      return "Koinon::" + where + ": rank " + std::to_string(f.origin) + " aborted the communicator: " + f.text;
  }
}

void Health::leave(LaunchNumber last) noexcept {
  if (m_gate.state() == Gate::forked) return;
  m_plane.say_farewell(last);
  auto const since = Clock::now();
  auto looked = since;
  for (int p = 0; p < m_plane.size(); ++p) {
    while (p != m_plane.rank() && m_plane.farewell_of(p) == 0) {
      if (!good()) return;
      auto const now = Clock::now();
      if (m_timeout.count() > 0 && now - since > m_timeout) return;
      if (now - looked > std::chrono::milliseconds(1)) {
        looked = now;
        if (!m_peers.dead_ranks().empty()) return;
      }
      sched_yield();
    }
  }
}

}  // namespace Koinon::Impl
