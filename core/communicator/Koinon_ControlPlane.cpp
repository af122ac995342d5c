// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <communicator/Koinon_ControlPlane.hpp>

#include <sched.h>

#include <algorithm>
#include <atomic>
#include <cstring>

namespace Koinon::Impl {

/// Carries messages from one writer to one reader: the writer fills it when `taken` has caught up with `sent`.
struct alignas(64) Channel {
  std::uint32_t sent = 0;  // written by the writer (release: the bytes), read by the reader (acquire)
  char gap[60] = {};
  std::uint32_t taken = 0;  // written by the reader (release: it has read), read by the writer (acquire)
  char gap_too[60] = {};
  std::byte bytes[384] = {};
};

struct alignas(64) ControlSegment {
  std::uint32_t alert = 0;
  std::uint64_t farewell = 0;
  char gap[48] = {};
  FailureRecord failure;
  char calls[ControlPlane::ring_calls][ControlPlane::ring_text] = {};
};

namespace {

std::uint32_t load(std::uint32_t& word) { return std::atomic_ref(word).load(std::memory_order_acquire); }
void store(std::uint32_t& word, std::uint32_t value) { std::atomic_ref(word).store(value, std::memory_order_release); }

std::size_t control_bytes(int size) { return sizeof(ControlSegment) + static_cast<std::size_t>(size) * sizeof(Channel); }

}  // namespace

ControlPlane::ControlPlane(Bootstrap& bootstrap, std::vector<Identity> const& identities,
                           std::chrono::nanoseconds timeout)
    : m_rank(bootstrap.rank()),
      m_size(bootstrap.size()),
      m_segments(bootstrap, identities, control_bytes(bootstrap.size()), timeout),
      m_watch([](int, Clock::time_point, bool) {}) {}

ControlSegment& ControlPlane::segment(int rank) const {
  return *reinterpret_cast<ControlSegment*>(m_segments.segment(rank));
}

Channel& ControlPlane::channel(int at, int writer) const {
  return reinterpret_cast<Channel*>(m_segments.segment(at) + sizeof(ControlSegment))[writer];
}

void ControlPlane::wait_while_equal(std::uint32_t& moves, std::uint32_t& stays, bool equal, int peer) {
  if ((load(moves) == load(stays)) != equal) return;
  auto const since = Clock::now();
  for (unsigned turn = 1; (load(moves) == load(stays)) == equal; ++turn) {
    if (turn % 64 == 0) {
      // Looked at before the words: what a rank sent before it said farewell has then arrived.
      bool const left = farewell_of(peer) != 0;
      if (left && (load(moves) == load(stays)) != equal) return;
      m_watch(peer, since, left);
    }
    sched_yield();
  }
}

void ControlPlane::send(int peer, std::span<std::byte const> bytes) {
  Channel& c = channel(peer, m_rank);
  std::size_t done = 0;
  do {  // an empty message is one chunk too: it carries the synchronization
    std::size_t const n = std::min(bytes.size() - done, sizeof c.bytes);
    wait_while_equal(c.taken, c.sent, false, peer);
    if (n > 0) std::memcpy(c.bytes, bytes.data() + done, n);
    store(c.sent, load(c.sent) + 1);
    done += n;
  } while (done < bytes.size());
}

void ControlPlane::receive(int peer, std::span<std::byte> bytes) {
  Channel& c = channel(m_rank, peer);
  std::size_t done = 0;
  do {
    std::size_t const n = std::min(bytes.size() - done, sizeof c.bytes);
    wait_while_equal(c.sent, c.taken, true, peer);
    if (n > 0) std::memcpy(bytes.data() + done, c.bytes, n);
    store(c.taken, load(c.taken) + 1);
    done += n;
  } while (done < bytes.size());
}

FailureRecord& ControlPlane::failure(int rank) const { return segment(rank).failure; }
std::uint32_t& ControlPlane::alert(int rank) const { return segment(rank).alert; }

void ControlPlane::say_farewell(std::uint32_t last) noexcept {
  std::atomic_ref(segment(m_rank).farewell).store(std::uint64_t{1} << 32 | last, std::memory_order_release);
}

std::uint64_t ControlPlane::farewell_of(int rank) const noexcept {
  return std::atomic_ref(segment(rank).farewell).load(std::memory_order_acquire);
}

char* ControlPlane::call_text(int rank, std::uint32_t launch_number) const {
  return segment(rank).calls[launch_number % static_cast<std::uint32_t>(ring_calls)];
}

ControlBootstrap::ControlBootstrap(ControlPlane& plane) : m_plane(plane), m_rank(plane.rank()) {
  for (int p = 0; p < plane.size(); ++p) m_members.push_back(p);
}

ControlBootstrap::ControlBootstrap(ControlPlane& plane, std::vector<int> members)
    : m_plane(plane), m_members(std::move(members)) {
  m_rank = static_cast<int>(std::find(m_members.begin(), m_members.end(), plane.rank()) - m_members.begin());
}

ControlBootstrap::~ControlBootstrap() = default;

void ControlBootstrap::all_gather(std::span<std::byte const> mine, std::span<std::byte> all) {
  // Chunk by chunk, all peers each time: nobody waits for a peer that waits for room elsewhere.
  constexpr std::size_t chunk = sizeof(Channel::bytes);
  std::size_t begin = 0;
  do {
    std::size_t const n = std::min(mine.size() - begin, chunk);
    for (int p : m_members) {
      if (p != m_plane.rank()) m_plane.send(p, mine.subspan(begin, n));
    }
    for (std::size_t i = 0; i < m_members.size(); ++i) {
      std::span<std::byte> const to = all.subspan(i * mine.size() + begin, n);
      if (m_members[i] != m_plane.rank()) {
        m_plane.receive(m_members[i], to);
      } else if (n > 0) {
        std::memcpy(to.data(), mine.data() + begin, n);
      }
    }
    begin += n;
  } while (begin < mine.size());
}

void ControlBootstrap::barrier() { all_gather({}, {}); }

}  // namespace Koinon::Impl
