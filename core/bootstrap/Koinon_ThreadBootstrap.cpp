// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <bootstrap/Koinon_ThreadBootstrap.hpp>

#include <Koinon_Error.hpp>

#include <algorithm>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace Koinon {

Bootstrap::~Bootstrap() = default;

namespace Impl {

/// Is what the threads of one run share: a gather buffer, a turnstile, and the first exception.
class ThreadWorld {
 public:
  explicit ThreadWorld(int ranks) : m_ranks(ranks) {}

  [[nodiscard]] int size() const { return m_ranks; }

  void all_gather(int rank, std::span<std::byte const> mine, std::span<std::byte> all) {
    std::unique_lock lock(m_mutex);
    if (m_buffer.size() != all.size()) m_buffer.assign(all.size(), std::byte{0});
    std::copy(mine.begin(), mine.end(), m_buffer.begin() + static_cast<std::ptrdiff_t>(mine.size()) * rank);
    pass(lock);
    std::copy(m_buffer.begin(), m_buffer.end(), all.begin());
    pass(lock);  // nobody writes the buffer again before all have read it
  }

  void barrier() {
    std::unique_lock lock(m_mutex);
    pass(lock);
  }

  void fail(int rank, std::exception_ptr exception) {
    bool const consequence = is_aborted(exception);
    std::scoped_lock lock(m_mutex);
    // A peer may meet the abort of the first rank before that one has unwound to here: the reason counts more.
    if (m_exception && (consequence || !m_is_consequence)) return;
    m_exception = std::move(exception);
    m_is_consequence = consequence;
    m_failed_rank = rank;
    m_turn.notify_all();
  }

  void rethrow() const {
    if (m_exception) std::rethrow_exception(m_exception);
  }

 private:
  void pass(std::unique_lock<std::mutex>& lock) {
    if (m_exception) leave();
    std::uint64_t const turn = m_turns;
    if (++m_arrived == m_ranks) {
      m_arrived = 0;
      ++m_turns;
      m_turn.notify_all();
      return;
    }
    m_turn.wait(lock, [&] { return m_turns != turn || m_exception; });
    if (m_turns == turn) leave();
  }

  static bool is_aborted(std::exception_ptr const& exception) {
    try {
      std::rethrow_exception(exception);
    } catch (AbortedError const&) {
      return true;
    } catch (...) {
      return false;
    }
  }

  [[noreturn]] void leave() const {
    throw AbortedError("Koinon: thread rank " + std::to_string(m_failed_rank) + " threw; the bootstrap is aborted",
                       m_failed_rank);
  }

  int m_ranks;
  std::mutex m_mutex;
  std::condition_variable m_turn;
  std::uint64_t m_turns = 0;
  int m_arrived = 0;
  std::vector<std::byte> m_buffer;
  std::exception_ptr m_exception;
  bool m_is_consequence = false;  // it tells of another rank's abort
  int m_failed_rank = -1;
};

}  // namespace Impl

ThreadBootstrap::ThreadBootstrap(std::shared_ptr<Impl::ThreadWorld> world, int rank)
    : m_world(std::move(world)), m_rank(rank) {}
ThreadBootstrap::~ThreadBootstrap() = default;
int ThreadBootstrap::size() const { return m_world->size(); }
void ThreadBootstrap::all_gather(std::span<std::byte const> mine, std::span<std::byte> all) {
  m_world->all_gather(m_rank, mine, all);
}
void ThreadBootstrap::barrier() { m_world->barrier(); }

void run_thread_ranks(int ranks, std::function<void(ThreadBootstrap&)> const& body) {
  if (ranks < 1) {
    throw InvalidArgument("Koinon::run_thread_ranks: " + std::to_string(ranks) + " ranks asked for, at least 1 expected");
  }
  auto const world = std::make_shared<Impl::ThreadWorld>(ranks);
  {
    std::vector<std::jthread> threads;
    threads.reserve(static_cast<std::size_t>(ranks));
    try {
      for (int rank = 0; rank < ranks; ++rank) {
        threads.emplace_back([&body, world, rank] {
          ThreadBootstrap bootstrap(world, rank);
          try {
            body(bootstrap);
          } catch (...) {
            world->fail(rank, std::current_exception());
          }
        });
      }
    } catch (...) {  // no further thread could be had: those that run must not wait for it
      world->fail(static_cast<int>(threads.size()), std::current_exception());
    }
  }
  world->rethrow();
}

}  // namespace Koinon
