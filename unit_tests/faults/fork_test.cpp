// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <support/Koinon_FaultCalls.hpp>
#include <support/Koinon_RankKinds.hpp>

#include <gtest/gtest.h>

#include <sys/wait.h>
#include <unistd.h>

namespace Koinon::Testing {
namespace {

/// Is what a child of a rank does with the communicator that it inherits; returns its exit code.
int use_in_child(std::optional<Comm>& comm, Array<float, 1> const& array) {
  auto const expect_forked = [](Caught const& c) { expect_error(c, "Error", "fork()"); };
  expect_forked(caught([&] { reduce_ones(*comm, "x", ways[0]); }));
  expect_forked(caught([&] { reduce_ones(*comm, "x", ways[3]); }));
  expect_forked(caught([&] { comm->check(); }));
  expect_forked(caught([&] { (void)symmetric_array<float, 1>(*comm, 4); }));
  expect_forked(caught([&] { free_symmetric(*comm, array); }));
  expect_forked(caught([&] { (void)comm->split(0, 0); }));
  comm->abort("a child must not end its parent's communicator");
  EXPECT_FALSE(comm->describe().empty());
  auto const since = Clock::now();
  comm.reset();
  EXPECT_LT(Clock::now() - since, soon);
  return ::testing::Test::HasFailure() ? 1 : 0;
}

int wait_for(pid_t child) {
  int status = 0;
  while (waitpid(child, &status, 0) < 0) {
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status);
}

class Fork : public OnBothKinds {};
INSTANTIATE_TEST_SUITE_P(Ranks, Fork, both_kinds(), kind_name);

TEST_P(Fork, LeavesTheParentWorkingAndItsChildThrowing) {
  if (thread_sanitized) GTEST_SKIP() << "ThreadSanitizer has no fork of a program with threads";
  run(3, [](Bootstrap& bootstrap) {
    std::optional<Comm> comm = make_comm(bootstrap);
    auto const array = symmetric_array<float, 1>(*comm, 1000);
    reduce_ones(*comm, "before", ways[1]);
    array(5) = 1.5f;
    bootstrap.barrier();
    std::fflush(nullptr);
    pid_t const child = fork();
    if (child == 0) {
      int const code = use_in_child(comm, array);
      std::fflush(nullptr);
      _exit(code);
    }
    EXPECT_EQ(wait_for(child), 0);
    for (Way const& way : ways) reduce_ones(*comm, "after", way);
    comm->check();
    EXPECT_EQ(array(5), 1.5f);
    free_symmetric(*comm, array);
    auto const pair = comm->split(0, 0);
    reduce_ones(*pair, "after", ways[0]);
  });
}

TEST_P(Fork, WhileAPeerWaitsDisturbsNobody) {
  if (thread_sanitized) GTEST_SKIP() << "ThreadSanitizer has no fork of a program with threads";
  run(2, [](Bootstrap& bootstrap) {
    std::optional<Comm> comm = make_comm(bootstrap);
    if (bootstrap.rank() == 0) {
      pid_t const child = fork();
      if (child == 0) {
        struct Unwound {};
        try {
          Comm const mine = std::move(*comm);
          throw Unwound();
        } catch (Unwound const&) {
        }
        _exit(0);
      }
      EXPECT_EQ(wait_for(child), 0);
      std::this_thread::sleep_for(milliseconds(20));
    }
    reduce_ones(*comm, "x", ways[2]);
    comm->check();
  });
}

}  // namespace
}  // namespace Koinon::Testing
