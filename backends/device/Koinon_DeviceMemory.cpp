// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Koinon_DeviceCopies.hpp>
#include <Koinon_DeviceHostWords.hpp>
#include <Koinon_DeviceLaunched.hpp>
#include <Koinon_DeviceMemory.hpp>
#include <Koinon_DeviceWatch.hpp>
#include <Koinon_Error.hpp>
#include <node/Koinon_MadeHere.hpp>
#include <node/Koinon_Vote.hpp>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <thread>

namespace Koinon::Impl {

namespace {

/// Says where the words that only this rank's launches use lie behind its segment.
struct OwnLayout {
  std::size_t begin;    // LaunchWords, in which the launch numbers begin
  std::size_t known;    // the last launch in which data of all peers reached a block
  std::size_t watch;    // DeviceWatch
  std::size_t scratch;  // 4 * ranks words a block
  std::size_t end;

  explicit OwnLayout(SegmentLayout const& layout) {
    constexpr std::size_t line = 128;
    auto const up = [](std::size_t n) { return (n + line - 1) / line * line; };
    auto const blocks = static_cast<std::size_t>(layout.max_blocks);
    begin = up(layout.bytes);
    known = up(begin +
               std::max(sizeof(LaunchWords), offsetof(LaunchWords, numbers) + blocks * sizeof(LaunchNumber)));
    watch = up(known + blocks * sizeof(LaunchNumber));
    scratch = up(watch + sizeof(DeviceWatch));
    end = up(scratch + blocks * 4 * static_cast<std::size_t>(layout.ranks) * sizeof(std::uint64_t));
  }
};

}  // namespace

struct DeviceMemory::Parts {
  Parts(std::shared_ptr<DeviceCalls const> calls_, std::uint32_t& alert)
      : calls(std::move(calls_)), copies(*calls), words(*calls, alert), launched(*calls) {}

  std::shared_ptr<DeviceCalls const> calls;
  DeviceCopies copies;
  DeviceHostWords words;
  DeviceLaunched launched;
  DeviceSegments segments;
  MadeHere here;
};

DeviceMemory::DeviceMemory() = default;

DeviceMemory::~DeviceMemory() {
  if (m_health != nullptr) m_health->watch_device({});
  if (m_stays) (void)m_parts.release();
}

void DeviceMemory::map(Bootstrap& everyone, CommunicatorBase& comm, SegmentLayout const& layout, std::byte*& base,
                     std::ptrdiff_t& stride) {
  int const rank = comm.rank();
  if (comm.size() > DeviceCommunicator::most_device_ranks) {
    throw UnsupportedError("Koinon: a communicator of GPUs has at most " + std::to_string(DeviceCommunicator::most_device_ranks) +
                           " ranks, this one would have " + std::to_string(comm.size()));
  }
  for (Identity const& identity : comm.identities()) {
    if (!identity.same_host(comm.identities().front())) {
      throw UnsupportedError("Koinon: device memory is shared within one host only");
    }
  }
  OwnLayout const own(layout);
  vote(everyone, "making pinned memory and a stream",
       [&] { m_parts = std::make_unique<Parts>(make_calls(), comm.control().alert(rank)); });
  m_parts->segments = share(everyone, comm, m_parts->calls, own.end);
  std::byte* const segment = m_parts->segments.at[static_cast<std::size_t>(rank)];
  auto* const words = reinterpret_cast<LaunchWords*>(segment + own.begin);
  vote(everyone, "preparing device memory", [&] {
    DeviceCopies const& copies = m_parts->copies;
    copies.fill_zero(segment, own.end);
    copies.fill_words(segment + layout.sentinels, ~0u,
                      2 * static_cast<std::size_t>(layout.ranks) * layout.sentinel_slot_bytes / sizeof(std::uint32_t));
    if (LaunchNumber const first = comm.options().launch_number; first != 0) {
      // The rest of a started word's line has no meaning.
      copies.fill_words(segment + layout.started, first,
                        static_cast<std::size_t>(layout.ranks) * (sizeof(StartedWord) / sizeof(std::uint32_t)));
      copies.fill_words(words->numbers, first, static_cast<std::size_t>(layout.max_blocks));
    }
    DeviceWatch watch;
    m_parts->words.fill_in(watch);
    watch.failed = &words->failed;
    watch.claim = &words->claim;
    watch.timeout_ticks = m_parts->calls->ticks_of(comm.options().timeout);
    copies.write(segment + own.watch, &watch, sizeof watch);
  });
  base = m_parts->segments.base;
  stride = m_parts->segments.stride;
  m_launch.numbers = words->numbers;
  m_launch.known = reinterpret_cast<LaunchNumber*>(segment + own.known);
  m_launch.scratch = reinterpret_cast<std::uint64_t*>(segment + own.scratch);
  m_watch = segment + own.watch;

  BackendFacts& facts = comm.backend_facts();
  facts.device += ", memory by " + m_parts->segments.way;
  if (!m_parts->words.peers_abort_at_once()) facts.device += ", aborts of peers found by the host only";
  bool const emulated = facts.facts.capabilities.contains(Capability::multimem);
  if (multicast_base() != nullptr) {
    facts.facts.capabilities.insert(Capability::multimem);
    facts.multicast = "yes, by the hardware: an address that reaches all ranks";
  } else {
    facts.multicast = "no: " + m_parts->segments.multicast_refusal +
                      (emulated ? "; emulated, an address is a set of peers" : "");
  }
}

void DeviceMemory::attach(CommunicatorBase& comm) noexcept {
  comm.device().m_watch = m_watch;
  comm.device().m_launched = &m_parts->launched;
  comm.device().m_multicast = multicast_base();
  for (int p = 0; p < comm.size(); ++p) {
    comm.device().m_segments[p] = m_parts->segments.at[static_cast<std::size_t>(p)];
  }
  m_health = &comm.health();
  m_health->watch_device(m_parts->words.waits());
}

void DeviceMemory::fill_zero(std::byte* p, std::size_t bytes) {
  m_parts->copies.fill_zero(p, bytes);
}

LaunchNumber DeviceMemory::last_launch() noexcept {
  LaunchNumber number = 0;
  if (!m_parts || !m_parts->here) return number;
  try {
    m_parts->copies.read(m_launch.numbers, &number, sizeof number);
  } catch (...) {  // the context is gone, or an earlier kernel has broken it
    number = 0;
  }
  return number;
}

bool DeviceMemory::launches_ended() const {
  auto const* const numbers = reinterpret_cast<std::byte const*>(m_launch.numbers);
  std::uint64_t ended = 0;
  m_parts->copies.read(numbers - offsetof(LaunchWords, numbers) + offsetof(LaunchWords, ended_blocks), &ended,
                       sizeof ended);
  return ended == m_parts->launched.blocks();
}

bool DeviceMemory::await_launches() noexcept {
  if (m_health == nullptr || !m_parts || !m_parts->here) return true;
  try {
    m_stays = m_parts->launched.blocks() > 0 && !see_launches_end();
  } catch (...) {
    // The context is gone, or a kernel has broken it: nothing runs there any more.
  }
  m_health->notice();  // what this rank's last launches met: peers may still wait
  return !m_stays;
}

bool DeviceMemory::see_launches_end() {
  using Clock = std::chrono::steady_clock;
  auto const timeout = m_health->timeout();
  auto const since = Clock::now();
  auto const grace = std::chrono::seconds(1);  // for waits that were ended to end: they look every 20 us
  bool ended_before = false;
  for (auto pause = std::chrono::microseconds(10);;) {
    bool const ended = launches_ended();
    if (ended && ended_before) return true;
    ended_before = ended;
    if (ended) continue;
    m_health->notice();  // a failure that the host has not seen yet: it ends the waits of the kernels
    auto const waited = Clock::now() - since;
    if (timeout.count() > 0 && waited > timeout) m_health->abort("its launches did not end before it was destroyed");
    if (timeout.count() > 0 && waited > timeout + grace) return false;
    std::this_thread::sleep_for(pause);
    pause = std::min(2 * pause, std::chrono::microseconds(1000));
  }
}

DeviceLaunched& DeviceMemory::launched() const {
  return m_parts->launched;
}

std::byte* DeviceMemory::multicast_base() const {
  return m_parts->segments.multicast;
}

}  // namespace Koinon::Impl
