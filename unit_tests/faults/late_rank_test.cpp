// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <support/Koinon_FaultCalls.hpp>
#include <support/Koinon_RankKinds.hpp>

#include <gtest/gtest.h>

namespace Koinon::Testing {
namespace {

class LateRank : public OnBothKinds {};
INSTANTIATE_TEST_SUITE_P(Ranks, LateRank, both_kinds(), kind_name);

// Long enough for ranks that a sanitizer slows down to be in time.
constexpr milliseconds deadline{thread_sanitized || address_sanitized ? 600 : 200};

TEST_P(LateRank, IsNamedByAllOthersAndFailsItself) {
  for (Way const& way : ways) {
    run(4, [&](Bootstrap& bootstrap) {
      constexpr int late = 2;
      Comm comm = make_comm(bootstrap, with_timeout(deadline));
      if (bootstrap.rank() == late) std::this_thread::sleep_for(3 * deadline);
      auto const since = Clock::now();
      Caught const found = caught([&] { reduce_ones(comm, "together", way); });
      expect_missing(found, {late});
      if (bootstrap.rank() != late) {
        EXPECT_EQ(found.operation, "all_reduce");
        EXPECT_EQ(found.label, "together");
        EXPECT_EQ(found.launch_number, 1u);
        EXPECT_TRUE(found.says("rank 2 did not arrive within 0.")) << found.message;
        EXPECT_GE(Clock::now() - since, deadline - milliseconds(50));
        EXPECT_LT(Clock::now() - since, deadline + soon);
      } else {
        EXPECT_LT(Clock::now() - since, soon);
      }
      expect_stays_failed(comm, found);
    });
  }
}

TEST_P(LateRank, IsNamedByEveryOperationThatWaits) {
  using Policy = CollectivePolicy<HostThread>;
  std::vector<float> a(64, 1.0f);
  struct Operation {
    char const* name;
    std::function<void(Policy const&, std::span<float const>, std::span<float>)> call;
  };
  std::vector<Operation> const operations{
      {"barrier", [](Policy const& p, auto, auto) { barrier("op", p); }},
      {"reduce_scatter", [](Policy const& p, auto in, auto out) { reduce_scatter("op", p, in, out.first(32)); }},
      {"all_gather", [](Policy const& p, auto in, auto out) { all_gather("op", p, in.first(32), out); }},
      {"all_to_all", [](Policy const& p, auto in, auto out) { all_to_all("op", p, in, out); }},
      {"reduce", [](Policy const& p, auto in, auto out) { reduce("op", p, in, out, 0); }},
      {"broadcast", [](Policy const& p, auto, auto out) { broadcast("op", p, out, 1); }},
  };
  for (Operation const& operation : operations) {
    run(2, [&](Bootstrap& bootstrap) {
      Comm comm = make_comm(bootstrap, with_timeout(deadline));
      if (bootstrap.rank() == 1) std::this_thread::sleep_for(2 * deadline);
      std::vector<float> in(64, 1.0f);
      std::vector<float> out(64);
      Policy const policy(comm.space(), comm);
      Caught const found = caught([&] { operation.call(policy, std::span<float const>(in), std::span<float>(out)); });
      expect_missing(found, {1});
      EXPECT_EQ(found.operation, operation.name);
      EXPECT_EQ(found.label, "op");
    });
  }
}

TEST_P(LateRank, ThatNeverComesIsNamedToo) {
  run(3, [](Bootstrap& bootstrap) {
    Comm comm = make_comm(bootstrap, with_timeout(deadline));
    if (bootstrap.rank() > 0) {
      Caught const found = caught([&] { reduce_ones(comm, "x", ways[2]); });
      expect_missing(found, {0});
      expect_stays_failed(comm, found);
    }
    bootstrap.barrier();  // rank 0 does nothing until the others have given up
  });
}

TEST_P(LateRank, IsNamedInSymmetricAllocationAndSplit) {
  for (bool const splits : {false, true}) {
    run(3, [&](Bootstrap& bootstrap) {
      Comm comm = make_comm(bootstrap, with_timeout(deadline));
      if (bootstrap.rank() == 1) std::this_thread::sleep_for(2 * deadline);
      Caught const found = caught([&] {
        if (splits) {
          (void)comm.split(0, 0);
        } else {
          (void)symmetric_array<int, 1>(comm, 8);
        }
      });
      expect_missing(found, {1});
      EXPECT_EQ(found.operation, splits ? "split" : "symmetric allocation");
      EXPECT_EQ(found.launch_number, 0u);
      expect_stays_failed(comm, found);
    });
  }
}

TEST_P(LateRank, WithinTheTimeoutIsWaitedFor) {
  for (milliseconds const delay : {milliseconds(1), milliseconds(900)}) {
    run(3, [&](Bootstrap& bootstrap) {
      Comm const comm = make_comm(bootstrap, with_timeout(milliseconds(1000)));
      for (Way const& way : ways) {
        if (bootstrap.rank() == 0 && (delay < milliseconds(100) || &way == &ways[2]))
          std::this_thread::sleep_for(delay);
        reduce_ones(comm, "x", way);
      }
      comm.check();
    });
  }
}

TEST_P(LateRank, InTheDestructorIsWaitedForUpToTheTimeout) {
  run(2, [&](Bootstrap& bootstrap) {
    auto since = Clock::now();
    {
      Comm const comm = make_comm(bootstrap, with_timeout(deadline));
      reduce_ones(comm, "x", ways[0]);
      since = Clock::now();
      if (bootstrap.rank() == 1) std::this_thread::sleep_for(4 * deadline);
    }
    if (bootstrap.rank() == 0) {
      EXPECT_GE(Clock::now() - since, deadline);
      EXPECT_LT(Clock::now() - since, 3 * deadline + soon);
    }
    bootstrap.barrier();
  });
}

TEST_P(LateRank, LeavesTheResultOfItsPeersUnwritten) {
  run(2, [&](Bootstrap& bootstrap) {
    Comm comm = make_comm(bootstrap, with_timeout(deadline));
    if (bootstrap.rank() == 1) {
      std::this_thread::sleep_for(2 * deadline);
      EXPECT_EQ(caught([&] { comm.check(); }).missing, std::vector<int>{1});
      return;
    }
    CollectivePolicy<HostThread> const policy(comm.space(), comm);
    std::vector<float> const in(16, 1.0f);
    std::vector<float> out(16, -7.0f);
    expect_missing(caught([&] { all_reduce("x", policy, std::span(in), std::span(out)); }), {1});
    EXPECT_EQ(out, std::vector<float>(16, -7.0f));
  });
}

}  // namespace
}  // namespace Koinon::Testing
