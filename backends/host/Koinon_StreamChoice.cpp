// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Koinon_StreamChoice.hpp>

#include <chrono>

namespace Koinon::Impl {

namespace {

LineProbe& probe_of(DeviceCommunicator const& comm, int rank) {
  return *reinterpret_cast<LineProbe*>(comm.segment(rank) + comm.m_layout.backend);
}

std::uint64_t load(LineProbe::Line& line, std::memory_order order) { return std::atomic_ref(line.word).load(order); }
void store(LineProbe::Line& line, std::uint64_t value, std::memory_order order) {
  std::atomic_ref(line.word).store(value, order);
}

}  // namespace

// A rank's lines count as read when the left neighbour's word says so: it released the word behind its loads, and the
// rank acquires it before it writes them again.
void StreamChoice::look_at_neighbours(DeviceCommunicator const& comm) {
  int const left = (comm.rank() + comm.size() - 1) % comm.size();
  int const right = (comm.rank() + 1) % comm.size();
  LineProbe& own = probe_of(comm, comm.rank());
  LineProbe& neighbour = probe_of(comm, right);
  std::uint64_t const rewritten = load(neighbour.written, std::memory_order_acquire);
  if (rewritten != load(own.read, std::memory_order_relaxed)) {
    for (auto& line : neighbour.lines) (void)load(line, std::memory_order_relaxed);
    store(own.read, rewritten, std::memory_order_release);
  }
  if (--m_until_probe > 0) return;
  m_until_probe = 1;
  if (load(probe_of(comm, left).read, std::memory_order_acquire) != load(own.written, std::memory_order_relaxed)) return;
  measure(own);
  m_until_probe = m_votes > 0 ? 2 : pause;
}

void StreamChoice::measure(LineProbe& own) {
  std::uint64_t const next = load(own.written, std::memory_order_relaxed) + 1;
  auto const begin = std::chrono::steady_clock::now();
  for (auto& line : own.lines) store(line, next, std::memory_order_relaxed);
  std::atomic_thread_fence(std::memory_order_seq_cst);  // the stores have left the store buffer: the lines are here
  std::chrono::duration<double, std::nano> const took = std::chrono::steady_clock::now() - begin;
  store(own.written, next, std::memory_order_release);
  bool const costly = took.count() > dear * LineProbe::count;
  if (m_fixed || costly == streams()) {
    m_votes = 0;
  } else if (++m_votes >= certain) {
    m_votes = 0;
    m_streams.store(costly, std::memory_order_relaxed);
  }
}

}  // namespace Koinon::Impl
