// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <bootstrap/Koinon_Bootstrap.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <functional>
#include <new>
#include <ostream>
#include <signal.h>
#include <span>
#include <stdexcept>
#include <string>
#include <sys/mman.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

/// Ranks that are processes: children of the test, brought together by a user's bootstrap over an anonymous shared
/// mapping, so that a test may let them die without a launcher that minds.
namespace Koinon::Testing {

/// Is what the ranks and the parent share.
struct ForkedWorld {
  static constexpr std::size_t buffer_bytes = std::size_t{1} << 20;

  std::atomic<std::uint32_t> arrived{0};
  std::atomic<std::uint32_t> turn{0};
  std::atomic<std::uint64_t> ended{0};                // one bit a rank, set by the parent
  std::array<std::atomic<std::int64_t>, 64> pids{};   // one a rank
  std::array<std::atomic<std::int64_t>, 64> words{};  // the test's own
  std::array<std::byte, buffer_bytes> buffer;
};

/// Is a rank in its process, and its bootstrap: what a user writes over a store of theirs.
class ForkedRank final : public Bootstrap {
 public:
  ForkedRank(ForkedWorld& world, int rank, int size) : m_world(world), m_rank(rank), m_size(size) {}

  [[nodiscard]] int rank() const override { return m_rank; }
  [[nodiscard]] int size() const override { return m_size; }
  void all_gather(std::span<std::byte const> mine, std::span<std::byte> all) override {
    if (all.size() > ForkedWorld::buffer_bytes) throw std::length_error("ForkedRank: the message is too long");
    std::copy(mine.begin(), mine.end(), m_world.buffer.begin() + m_rank * static_cast<std::ptrdiff_t>(mine.size()));
    barrier();
    std::copy_n(m_world.buffer.begin(), all.size(), all.begin());
    barrier();  // nobody writes again before all have read
  }
  /// Throws std::runtime_error as soon as a rank's process has ended.
  void barrier() override {
    std::uint32_t const turn = m_world.turn.load();
    if (m_world.arrived.fetch_add(1) + 1 == static_cast<std::uint32_t>(m_size)) {
      m_world.arrived = 0;
      ++m_world.turn;
      return;
    }
    while (m_world.turn.load() == turn) {
      std::uint64_t const ended = m_world.ended.load();
      if (ended != 0 && m_world.turn.load() == turn) {
        throw std::runtime_error("ForkedRank: a process has ended, mask " + std::to_string(ended));
      }
      std::this_thread::sleep_for(std::chrono::microseconds(50));
    }
  }

  /// Returns a word that all ranks share, zero at first.
  [[nodiscard]] std::atomic<std::int64_t>& word(std::size_t index) { return m_world.words[index]; }
  /// Ends this process as `kill -9` does.
  [[noreturn]] void die() {
    for (;;) kill(getpid(), SIGKILL);
  }

 private:
  ForkedWorld& m_world;
  int m_rank;
  int m_size;
};

/// Says how a rank's process ended: by exit, or by a signal (0: none).
struct RankEnd {
  int exit_code = -1;
  int signal = 0;
  friend bool operator==(RankEnd const&, RankEnd const&) = default;
};
inline void PrintTo(RankEnd const& end, std::ostream* out) {
  *out << "exit code " << end.exit_code << ", signal " << end.signal;
}
inline constexpr RankEnd clean_end{0, 0};
inline constexpr RankEnd failed_end{1, 0};
inline constexpr RankEnd threw_end{2, 0};
inline constexpr RankEnd killed_end{-1, SIGKILL};

namespace ForkedParts {

/// Is a rank's process: never returns.
[[noreturn]] inline void be_rank(ForkedWorld& world, int rank, int ranks,
                                 std::function<void(ForkedRank&)> const& body) {
  RankEnd end = clean_end;
  try {
    ForkedRank self(world, rank, ranks);
    body(self);
  } catch (std::exception const& e) {
    std::printf("rank %d threw: %s\n", rank, e.what());
    end = threw_end;
  }
  if (end == clean_end && ::testing::Test::HasFailure()) end = failed_end;
  std::fflush(nullptr);
  _exit(end.exit_code);  // the parent's objects are the parent's to destroy
}

/// Waits for all ranks; kills those that live longer than the deadline.
inline std::vector<RankEnd> reap(ForkedWorld& world, int ranks, std::chrono::milliseconds deadline) {
  std::vector<RankEnd> ends(static_cast<std::size_t>(ranks));
  auto const last = std::chrono::steady_clock::now() + deadline;
  for (int left = ranks; left > 0;) {
    bool const late = std::chrono::steady_clock::now() > last;
    for (int rank = 0; rank < ranks; ++rank) {
      std::uint64_t const bit = std::uint64_t{1} << rank;
      if ((world.ended.load() & bit) != 0) continue;
      pid_t const pid = static_cast<pid_t>(world.pids[static_cast<std::size_t>(rank)].load());
      if (late) kill(pid, SIGKILL);
      int status = 0;
      if (waitpid(pid, &status, late ? 0 : WNOHANG) != pid) continue;
      ends[static_cast<std::size_t>(rank)] =
          WIFSIGNALED(status) ? RankEnd{-1, WTERMSIG(status)} : RankEnd{WEXITSTATUS(status), 0};
      if (late) ADD_FAILURE() << "rank " << rank << " did not end within " << deadline.count() << " ms";
      world.ended |= bit;
      --left;
    }
    std::this_thread::sleep_for(std::chrono::microseconds(200));
  }
  return ends;
}

}  // namespace ForkedParts

/// Runs body(rank) in `ranks` (at most 63) forked processes and tells how each ended. Expectations that fail in a child
/// are printed and make its exit code 1; an exception makes it 2. What lives longer than `deadline` is killed, and the
/// test fails. @pre this process has no other thread
inline std::vector<RankEnd> run_forked_ranks(int ranks, std::function<void(ForkedRank&)> const& body,
                                             std::chrono::milliseconds deadline = std::chrono::seconds(60)) {
  void* const at = mmap(nullptr, sizeof(ForkedWorld), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (at == MAP_FAILED) throw std::bad_alloc();
  auto& world = *new (at) ForkedWorld;
  std::fflush(nullptr);  // or every child prints what is in the buffer
  for (int rank = 0; rank < ranks; ++rank) {
    pid_t const pid = fork();
    if (pid < 0) throw std::runtime_error("fork failed");
    if (pid == 0) ForkedParts::be_rank(world, rank, ranks, body);
    world.pids[static_cast<std::size_t>(rank)] = pid;
  }
  std::vector<RankEnd> const ends = ForkedParts::reap(world, ranks, deadline);
  munmap(at, sizeof(ForkedWorld));
  return ends;
}

/// Expects that every process ended well, but those listed, which must have been killed.
inline void expect_ends(std::vector<RankEnd> const& ends, std::vector<int> const& killed_ranks = {}) {
  for (std::size_t rank = 0; rank < ends.size(); ++rank) {
    bool const dies = std::find(killed_ranks.begin(), killed_ranks.end(), static_cast<int>(rank)) != killed_ranks.end();
    EXPECT_EQ(ends[rank], dies ? killed_end : clean_end) << "rank " << rank;
  }
}

}  // namespace Koinon::Testing
