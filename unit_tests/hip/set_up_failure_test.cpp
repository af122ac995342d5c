// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <hip/Koinon_FakeHip.hpp>
#include <node/Koinon_Vote.hpp>
#include <support/Koinon_Told.hpp>

#include <dlfcn.h>
#include <string>

namespace Koinon::Testing {
namespace {

class HipSetUp : public OnBothKinds {};
INSTANTIATE_TEST_SUITE_P(Ranks, HipSetUp, both_kinds(), kind_name);

struct Failures {
  int steps = 0;   // that could be made to fail
  int thrown = 0;  // of which so many failed the communicator; the others changed nothing
};

/// Makes a communicator again and again, each time with the next call of a rank failing, until none is left. Expects
/// that all ranks come to the same end, that nothing is left, and that a further communicator works while the fault
/// lasts once.
Failures fail_every_step(RankKind kind, int ranks, int gpus, int failing_rank) {
  Failures failures;
  Told const hits;
  Told const thrown;
  for (bool more = true; more && !::testing::Test::HasFailure(); ++failures.steps) {
    *hits = *thrown = 0;
    run_on_fake(
        kind, ranks, std::vector<FakeHipGpu>(static_cast<std::size_t>(gpus)),
        [&](FakeHipRuntime& fake, FakeHip const& space, Bootstrap& bootstrap) {
          bool threw = false;
          std::string text;
          try {
            FakeHipComm const comm(space, bootstrap);
            fake.stop_failing();  // ends are not steps of the set-up
            bootstrap.barrier();
          } catch (ResourceError const& e) {
            threw = true;
            text = e.what();
          }
          bool const hit = bootstrap.rank() == failing_rank && !fake.failed_call().empty();
          for (int const other : Impl::gather_values(bootstrap, static_cast<int>(threw))) {
            EXPECT_EQ(other != 0, threw) << fake.failed_call() << ": " << text;
          }
          if (hit) ++*hits;
          if (threw && bootstrap.rank() == 0) ++*thrown;
          if (!threw) return;
          EXPECT_NE(text.find("failed on rank " + std::to_string(failing_rank) + ": "), std::string::npos) << text;
          FakeHipComm const again(space, bootstrap);
          bootstrap.barrier();
        },
        [&](FakeHipRuntime& fake) { fake.fail(failing_rank, failures.steps); });
    more = *hits > 0;
    if (!more) {
      EXPECT_EQ(*thrown, 0) << "nothing failed";
      break;
    }
    failures.thrown += *thrown;
  }
  return failures;
}

TEST_P(HipSetUp, EndsAlikeOnAllRanksWhicheverStepFailsOnARank) {
  for (int const ranks : {1, 2, 3}) {
    for (int rank = 0; rank < ranks; ++rank) {
      Failures const failures = fail_every_step(GetParam(), ranks, 2, rank);
      EXPECT_GT(failures.thrown, 20) << failures.steps << " steps";
      // The page of the alert (its device, registering, finding it), a peer's GPU, and devices that end as they began
      // can be done without.
      EXPECT_LE(failures.steps - failures.thrown, 4 + ranks) << failures.steps << " steps";
    }
  }
}

TEST(HipSetUpOfARank, TellsTheStepTheRankAndTheRuntimesReason) {
  run_on_fake(
      RankKind::threads, 2, {{}, {}},
      [](FakeHipRuntime&, FakeHip const& space, Bootstrap& bootstrap) {
        expect_error(caught([&] { FakeHipComm const comm(space, bootstrap); }), "ResourceError",
                     "allocating device memory failed on rank 1", "uncached bytes (hipExtMallocWithFlags)",
                     "hipErrorOutOfMemory (2)");
      },
      [](FakeHipRuntime& fake) { fake.fail(1, 0, hipErrorOutOfMemory, "hipExtMallocWithFlags"); });
}

TEST(HipSetUpOfARank, IsRefusedWhereTheDeviceHasNoClockToEndWaitsBy) {
  run_on_fake(RankKind::threads, 2, {{}, {.clock_kilohertz = 0}},
              [](FakeHipRuntime&, FakeHip const& space, Bootstrap& bootstrap) {
                expect_error(caught([&] { FakeHipComm const comm(space, bootstrap); }), "ResourceError",
                             "failed on rank 1", "no wall clock");
              });
}

TEST(HipSetUpWithoutARuntime, IsRefusedWithTheReason) {
  if (dlopen("libamdhip64.so", RTLD_NOW) != nullptr || dlsym(RTLD_DEFAULT, "hipExtMallocWithFlags") != nullptr) {
    GTEST_SKIP() << "this machine has a runtime";
  }
  expect_error(caught([] { (void)Impl::hip_runtime(); }), "ResourceError", "there is no HIP runtime");
}

}  // namespace
}  // namespace Koinon::Testing
