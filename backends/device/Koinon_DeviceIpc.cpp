// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Koinon_DeviceIpc.hpp>
#include <node/Koinon_Vote.hpp>

#include <algorithm>
#include <atomic>
#include <thread>

namespace Koinon::Impl {

namespace {

constexpr std::chrono::nanoseconds longest_patience = std::chrono::seconds(5);

}  // namespace

DeviceIpcSegments::DeviceIpcSegments(DeviceCalls const& calls, Bootstrap& bootstrap, std::chrono::nanoseconds timeout)
    : m_calls(calls), m_rank(bootstrap.rank()), m_timeout(timeout), m_at(static_cast<std::size_t>(bootstrap.size())) {}

void DeviceIpcSegments::share(Bootstrap& bootstrap, std::vector<Identity> const& identities, std::size_t bytes) {
  m_notes = SharedSegments(bootstrap, identities, sizeof(std::uint32_t), m_timeout);
  std::byte*& own = m_at[static_cast<std::size_t>(m_rank)];
  DeviceIpcHandle mine;
  vote(bootstrap, "allocating device memory for other processes", [&] {
    own = m_calls.allocate(bytes);
    mine = m_calls.handle_of(own);
  });
  std::vector<DeviceIpcHandle> const handles = gather_values(bootstrap, mine);
  vote(bootstrap, "mapping device memory of other processes", [&] {
    for (int p = 0; p < bootstrap.size(); ++p) {
      auto const at = static_cast<std::size_t>(p);
      if (p != m_rank) m_at[at] = m_calls.open(handles[at], p);
    }
  });
}

DeviceIpcSegments::~DeviceIpcSegments() {
  if (!m_here || m_notes.base() == nullptr) return;
  int const ranks = static_cast<int>(m_at.size());
  for (int p = 0; p < ranks; ++p) {
    std::byte* const at = m_at[static_cast<std::size_t>(p)];
    if (p != m_rank && at != nullptr) m_calls.close(at);
  }
  for (int p = 0; p < ranks; ++p) {
    if (p != m_rank) std::atomic_ref(let_go_of(p)).fetch_add(1, std::memory_order_acq_rel);
  }
  std::byte* const own = m_at[static_cast<std::size_t>(m_rank)];
  if (own != nullptr && all_let_go()) m_calls.free(own);
}

bool DeviceIpcSegments::all_let_go() const {
  auto const patience = m_timeout.count() > 0 ? std::min(m_timeout, longest_patience) : longest_patience;
  auto const others = static_cast<std::uint32_t>(m_at.size()) - 1;
  auto const since = std::chrono::steady_clock::now();
  while (std::atomic_ref(let_go_of(m_rank)).load(std::memory_order_acquire) != others) {
    if (std::chrono::steady_clock::now() - since > patience) return false;
    std::this_thread::sleep_for(std::chrono::microseconds(50));
  }
  return true;
}

}  // namespace Koinon::Impl
