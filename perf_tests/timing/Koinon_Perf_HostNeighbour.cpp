// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Koinon_Perf_HostNeighbour.hpp>

#include <algorithm>
#include <sched.h>
#include <unistd.h>
#include <utility>

namespace Koinon::Perf {

namespace {

/// Leaves the processors that the launcher bound the rank to: there the neighbour would take time, not memory.
void use_every_processor() {
  cpu_set_t all;
  CPU_ZERO(&all);
  for (int processor = 0; processor < CPU_SETSIZE; ++processor) CPU_SET(processor, &all);
  (void)sched_setaffinity(0, sizeof all, &all);  // those that there are; where it is forbidden the binding stays
}

}  // namespace

std::size_t HostNeighbour::last_level_cache_bytes() {
  for (auto const level : {_SC_LEVEL4_CACHE_SIZE, _SC_LEVEL3_CACHE_SIZE, _SC_LEVEL2_CACHE_SIZE})
    if (auto const bytes = sysconf(level); bytes > 0) return static_cast<std::size_t>(bytes);
  return std::size_t{32} << 20;
}

HostNeighbour::HostNeighbour(int threads)
    : m_count(threads),
      m_words(2 * last_level_cache_bytes() / sizeof(std::uint64_t)),
      m_memory(std::make_unique<std::uint64_t[]>(m_words)) {}

HostNeighbour::~HostNeighbour() {
  HostNeighbour::end();
}

void HostNeighbour::begin() {
  m_ends = false;
  m_begun = 0;
  m_since = std::chrono::steady_clock::now();
  auto const part = m_words / static_cast<std::size_t>(m_count);
  for (int i = 0; i < m_count; ++i)
    m_threads.emplace_back(&HostNeighbour::fill, this, std::span(m_memory.get() + static_cast<std::size_t>(i) * part, part));
  while (m_begun < m_count) sched_yield();
}

void HostNeighbour::end() noexcept {
  if (m_threads.empty()) return;
  m_ends = true;
  for (auto& thread : m_threads) thread.join();
  m_threads.clear();
  m_seconds += std::chrono::duration<double>(std::chrono::steady_clock::now() - m_since).count();
}

void HostNeighbour::fill(std::span<std::uint64_t> part) {
  constexpr std::size_t words_between_looks = 8192;  // 64 KiB: some microseconds
  use_every_processor();
  bool first = true;
  for (std::size_t at = 0; !m_ends; at = at + words_between_looks < part.size() ? at + words_between_looks : 0) {
    auto const some = part.subspan(at, std::min(words_between_looks, part.size() - at));
    for (auto& word : some) ++word;
    m_moved_bytes += 2 * some.size_bytes();
    if (std::exchange(first, false)) ++m_begun;
  }
}

std::string HostNeighbour::describe() const {
  return std::to_string(m_count) + (m_count == 1 ? " thread that rewrites " : " threads that rewrite ") +
         std::to_string(bytes() >> 20) + " MiB";
}

double HostNeighbour::gigabytes_per_second() const {
  return m_seconds > 0 ? static_cast<double>(m_moved_bytes) / m_seconds / 1e9 : 0;
}

}  // namespace Koinon::Perf
