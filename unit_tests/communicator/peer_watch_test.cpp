// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <node/Koinon_PeerWatch.hpp>
#include <support/Koinon_FaultCalls.hpp>
#include <support/Koinon_RankKinds.hpp>

#include <gtest/gtest.h>

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

namespace Koinon::Testing {
namespace {

using Impl::PeerWatch;

/// Is a child process that does nothing until it is killed.
class Child {
 public:
  Child() : m_pid(fork()) {
    while (m_pid == 0) pause();
  }
  Child(Child const&) = delete;
  Child& operator=(Child const&) = delete;
  ~Child() { end(); }
  [[nodiscard]] std::int64_t pid() const { return m_pid; }
  void end() {
    if (m_pid <= 0 || m_reaped) return;
    kill(m_pid, SIGKILL);
    waitpid(m_pid, nullptr, 0);
    m_reaped = true;
  }

 private:
  pid_t m_pid;
  bool m_reaped = false;
};

class PeerWatching : public ::testing::Test {
 protected:
  void SetUp() override {
    if (thread_sanitized) GTEST_SKIP() << "ThreadSanitizer does not see across processes";
  }
};

TEST_F(PeerWatching, SaysOfEachPeerHowItsEndIsFoundAndOfThisRankNothing) {
  Child child;
  Child other;
  PeerWatch const watch({0, child.pid(), getpid(), 0, other.pid(), 0}, 0);
  EXPECT_EQ(
      watch.describe(),
      "found by pidfd: ranks 1, 4; cannot be, threads of this process: rank 2; found at the deadline only, process "
      "ids are not visible here (other pid namespaces): ranks 3, 5");
  EXPECT_TRUE(watch.dead_ranks().empty());
  child.end();
  EXPECT_EQ(watch.dead_ranks(), (std::vector<int>{1}));
}

TEST_F(PeerWatching, SaysSoWhereAllAreWatchedOrNobodyCanBe) {
  Child child;
  EXPECT_EQ(PeerWatch({child.pid(), 0}, 1).describe(), "found by pidfd: rank 0");
  EXPECT_EQ(PeerWatch({}, 0).describe(), "cannot be: all ranks are threads of one process");
  EXPECT_EQ(PeerWatch({0, 0}, 0).describe(),
            "found at the deadline only, process ids are not visible here (other pid namespaces): rank 1");
}

TEST_F(PeerWatching, OneThatEndedBeforeItCouldBeWatchedIsDeadAndDescribedSo) {
  Child child;
  std::int64_t const pid = child.pid();
  child.end();
  PeerWatch const watch({0, pid}, 0);
  EXPECT_EQ(watch.describe(), "found dead when first looked for: rank 1");
  EXPECT_EQ(watch.dead_ranks(), (std::vector<int>{1}));
}

TEST_F(PeerWatching, TheKernelsRefusalIsToldWithTheRank) {
  PeerWatch const watch({0, -5}, 0);  // no process id
  EXPECT_EQ(watch.describe(), "found at the deadline only: rank 1: pidfd_open: Invalid argument");
}

TEST_F(PeerWatching, ACommunicatorDescribesItOnEveryRank) {
  auto const expect_described = [](Bootstrap& bootstrap, std::string const& text) {
    std::string const whole = make_comm(bootstrap).describe();
    EXPECT_NE(whole.find("  dead ranks     " + text + "\n"), std::string::npos) << whole;
  };
  char const* const peers[] = {"ranks 1, 2", "ranks 0, 2", "ranks 0, 1"};
  run_on(RankKind::processes, 3, [&](Bootstrap& bootstrap) {
    expect_described(bootstrap, std::string("found by pidfd: ") + peers[bootstrap.rank()]);
  });
  run_on(RankKind::threads, 3,
         [&](Bootstrap& bootstrap) { expect_described(bootstrap, "cannot be: all ranks are threads of one process"); });
  run_on(RankKind::threads, 1, [&](Bootstrap& bootstrap) { expect_described(bootstrap, "there are no peers"); });
}

}  // namespace
}  // namespace Koinon::Testing
