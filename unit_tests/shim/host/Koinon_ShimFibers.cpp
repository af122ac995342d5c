// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <host/Koinon_ShimFibers.hpp>

#include <csetjmp>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <sched.h>
#include <ucontext.h>
#include <vector>

namespace Koinon::Shim {

namespace {

constexpr std::size_t stack_bytes = std::size_t{64} << 10;

enum class State { runs, at_barrier, in_wave, in_part, ended };

struct Fiber {
  ucontext_t context;  // of its begin
  jmp_buf resume;      // of its last turn: a jump asks nothing of the system, as a change of contexts does
  bool begun = false;
  State state = State::runs;
  int thread = 0;
  unsigned accesses = 0;
};

/// Is where lanes lay down values. Two in turn: who is fast lays down the next while others read the last.
struct Meeting {
  std::uint64_t values[2][64] = {};
  std::uint64_t lanes[2] = {};
  int arrived = 0;
  unsigned turn = 0;
};

struct Wave {
  Meeting whole;
  Meeting part;
  int live = 0;
  int running = 0;
};

struct Block {
  int index = 0;
  int count = 0;
  int threads = 0;
  int wave = 64;
  void (*body)(void*) = nullptr;
  void* data = nullptr;
  std::vector<Fiber> fibers;
  std::vector<Wave> waves;
  int live = 0;
  int arrived = 0;
  int running = 0;
  jmp_buf scheduler;
};

using Stack = std::unique_ptr<std::byte[]>;

/// Keeps stacks for the next block: a fresh one has to be paged in.
class Stacks {
 public:
  explicit Stacks(int count) {
    std::lock_guard const lock(mutex());
    while (m_taken.size() < static_cast<std::size_t>(count)) {
      if (kept().empty()) kept().push_back(std::make_unique_for_overwrite<std::byte[]>(stack_bytes));
      m_taken.push_back(std::move(kept().back()));
      kept().pop_back();
    }
  }
  Stacks(Stacks const&) = delete;
  Stacks& operator=(Stacks const&) = delete;
  ~Stacks() {
    std::lock_guard const lock(mutex());
    for (Stack& stack : m_taken) kept().push_back(std::move(stack));
  }
  [[nodiscard]] std::byte* at(int fiber) const { return m_taken[static_cast<std::size_t>(fiber)].get(); }

 private:
  static std::mutex& mutex() {
    static std::mutex one;
    return one;
  }
  static std::vector<Stack>& kept() {
    static std::vector<Stack> all;
    return all;
  }
  std::vector<Stack> m_taken;
};

thread_local Block* now = nullptr;

Fiber& fiber() {
  return now->fibers[static_cast<std::size_t>(now->running)];
}
Wave& wave_of(int thread) {
  return now->waves[static_cast<std::size_t>(thread / now->wave)];
}

void let_go(State state, int first, int count) {
  for (int t = first; t < first + count && t < now->threads; ++t) {
    Fiber& other = now->fibers[static_cast<std::size_t>(t)];
    if (other.state != state) continue;
    other.state = State::runs;
    ++wave_of(t).running;
  }
}

void release_barrier_if_all() {
  if (now->live == 0 || now->arrived != now->live) return;
  now->arrived = 0;
  let_go(State::at_barrier, 0, now->threads);
}

/// Ends a meeting once nobody else of the wave runs: that of a part first, since the others may come out of a branch.
void release_wave_if_all(Wave& wave) {
  if (wave.running != 0 || wave.live == 0) return;
  bool const part = wave.part.arrived > 0;
  Meeting& meeting = part ? wave.part : wave.whole;
  if (!part && meeting.arrived != wave.live) return;
  meeting.arrived = 0;
  ++meeting.turn;
  meeting.lanes[meeting.turn % 2] = 0;
  int const first = static_cast<int>(&wave - now->waves.data()) * now->wave;
  let_go(part ? State::in_part : State::in_wave, first, now->wave);
}

void begin_fiber() {
  now->body(now->data);
  Fiber& mine = fiber();
  mine.state = State::ended;
  --now->live;
  Wave& wave = wave_of(mine.thread);
  --wave.live;
  --wave.running;
  // Who waits for those that still run waits no longer for this one.
  release_barrier_if_all();
  release_wave_if_all(wave);
  _longjmp(now->scheduler, 1);
}

[[gnu::noinline]] void wait_turn() {
  if (_setjmp(fiber().resume) == 0) _longjmp(now->scheduler, 1);
}

/// Waits in a state until others let this fiber go. @pre it has arrived where it waits
void wait_in(State state) {
  Fiber& mine = fiber();
  Wave& wave = wave_of(mine.thread);
  mine.state = state;
  --wave.running;
  release_barrier_if_all();
  release_wave_if_all(wave);
  while (mine.state != State::runs) wait_turn();
}

Exchanged exchange(std::uint64_t value, Meeting Wave::*where, State state) {
  int const lane = fiber().thread % now->wave;
  Meeting& meeting = wave_of(fiber().thread).*where;
  unsigned const at = meeting.turn % 2;
  meeting.values[at][lane] = value;
  meeting.lanes[at] |= std::uint64_t{1} << lane;
  ++meeting.arrived;
  wait_in(state);
  return {meeting.values[at], meeting.lanes[at]};
}

[[gnu::noinline]] void give_turn() {
  if (_setjmp(now->scheduler) != 0) return;
  Fiber& next = fiber();
  if (next.begun) _longjmp(next.resume, 1);
  next.begun = true;
  setcontext(&next.context);
}

[[gnu::noinline]] void make_fiber(int t, std::byte* stack) {
  Fiber& made = now->fibers[static_cast<std::size_t>(t)];
  made.thread = t;
  ++wave_of(t).live;
  ++wave_of(t).running;
  getcontext(&made.context);
  made.context.uc_stack.ss_sp = stack;
  made.context.uc_stack.ss_size = stack_bytes;
  made.context.uc_link = nullptr;
  makecontext(&made.context, begin_fiber, 0);
}

[[noreturn]] void end_in_vain() {
  std::fprintf(stderr, "shim: block %d: of %d threads, %d still run, and all of them wait for each other: %d at a barrier\n",
               now->index, now->threads, now->live, now->arrived);
  std::abort();
}

}  // namespace

void run_block(int block, int blocks, int threads, int wave, void (*body)(void*), void* data) {
  Block mine;
  mine.index = block;
  mine.count = blocks;
  mine.threads = mine.live = threads;
  mine.wave = wave;
  mine.body = body;
  mine.data = data;
  mine.fibers.resize(static_cast<std::size_t>(threads));
  mine.waves.resize(static_cast<std::size_t>((threads + wave - 1) / wave));
  Stacks const stacks(threads);
  now = &mine;
  for (int t = 0; t < threads; ++t) make_fiber(t, stacks.at(t));
  while (mine.live > 0) {
    bool somebody_runs = false;
    for (mine.running = 0; mine.running < threads; ++mine.running) {
      if (fiber().state != State::runs) continue;
      give_turn();
      somebody_runs = true;
    }
    if (!somebody_runs && mine.live > 0) end_in_vain();
    sched_yield();
  }
  now = nullptr;
}

int block() {
  return now->index;
}
int blocks() {
  return now->count;
}
int thread() {
  return fiber().thread;
}
int threads() {
  return now->threads;
}
void pause() {
  wait_turn();
}
void note_access() {
  if (now != nullptr && ++fiber().accesses % 16 == 0) wait_turn();
}

void barrier() {
  ++now->arrived;
  wait_in(State::at_barrier);
}
Exchanged exchange_in_wave(std::uint64_t value) {
  return exchange(value, &Wave::whole, State::in_wave);
}
Exchanged exchange_in_part(std::uint64_t value) {
  return exchange(value, &Wave::part, State::in_part);
}

}  // namespace Koinon::Shim
