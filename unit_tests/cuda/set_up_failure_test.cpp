// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <communicator/Koinon_EnvironmentGuard.hpp>
#include <cuda/Koinon_FakeCuda.hpp>
#include <node/Koinon_Vote.hpp>
#include <support/Koinon_Told.hpp>

#include <dlfcn.h>
#include <string>

namespace Koinon::Testing {
namespace {

class CudaSetUp : public OnBothKinds {};
INSTANTIATE_TEST_SUITE_P(Ranks, CudaSetUp, both_kinds(), kind_name);

/// What came of a set-up on one rank.
enum class Outcome : int { threw, works, works_with_multicast };

struct Failures {
  int steps = 0;              // that could be made to fail
  int thrown = 0;             // of which so many failed the communicator,
  int without_multicast = 0;  // cost it multicast,
  int mended = 0;             // or changed nothing
};

/// Makes a communicator again and again, each time with the next call of a rank failing, until none is left. Expects
/// that all ranks come to the same end, that nothing is left, and that a further communicator works while the fault
/// lasts once.
Failures fail_every_step(RankKind kind, int ranks, std::vector<FakeGpu> const& gpus, int failing_rank) {
  Failures failures;
  for (bool more = true; more && !::testing::Test::HasFailure(); ++failures.steps) {
    Told const hits;
    Told const outcomes[3];
    run_on_fake(
        kind, ranks, gpus,
        [&](FakeDriver& fake, FakeCuda const& space, Bootstrap& bootstrap) {
          Outcome outcome = Outcome::threw;
          std::string text;
          try {
            FakeComm const comm(space, bootstrap);
            outcome =
                comm.state()->memory().multicast_base() != nullptr ? Outcome::works_with_multicast : Outcome::works;
            text = comm.describe();
            fake.stop_failing();  // ends are not steps of the set-up
            bootstrap.barrier();
          } catch (ResourceError const& e) {
            text = e.what();
          }
          bool const hit = bootstrap.rank() == failing_rank && !fake.failed_call().empty();
          for (Outcome const other : Impl::gather_values(bootstrap, outcome)) {
            EXPECT_EQ(other, outcome) << fake.failed_call() << ": " << text;
          }
          if (hit) ++*hits;
          if (bootstrap.rank() == 0) *outcomes[static_cast<int>(outcome)] = 1;
          if (outcome == Outcome::threw) {
            EXPECT_NE(text.find("failed on rank " + std::to_string(failing_rank) + ": "), std::string::npos) << text;
            FakeComm const again(space, bootstrap);
            bootstrap.barrier();
          }
        },
        [&](FakeDriver& fake) { fake.fail(failing_rank, failures.steps); });
    more = *hits > 0;
    if (!more) {
      EXPECT_EQ(*outcomes[static_cast<int>(Outcome::threw)], 0) << "nothing failed";
      break;
    }
    failures.thrown += *outcomes[static_cast<int>(Outcome::threw)];
    failures.without_multicast += *outcomes[static_cast<int>(Outcome::works)];
    failures.mended += *outcomes[static_cast<int>(Outcome::works_with_multicast)];
  }
  return failures;
}

TEST_P(CudaSetUp, EndsAlikeOnAllRanksWhicheverStepFailsOnARank) {
  for (int const ranks : {1, 2, 3}) {
    for (int rank = 0; rank < ranks; ++rank) {
      Failures const failures = fail_every_step(GetParam(), ranks, std::vector<FakeGpu>(2), rank);
      EXPECT_GT(failures.thrown, 15) << failures.steps << " steps";
      EXPECT_EQ(failures.thrown + failures.without_multicast, failures.steps);
      // Registering the page of the alert, finding it on the device, and finding a peer's GPU can be done without; where
      // memory does not travel between processes by descriptor, cudaIpc takes it.
      int const by_ipc = GetParam() == RankKind::processes && ranks > 1 ? 10 + 4 * ranks : 0;
      EXPECT_LE(failures.without_multicast, 2 + ranks + by_ipc) << failures.steps << " steps";
      EXPECT_GE(failures.without_multicast, by_ipc / 2) << failures.steps << " steps";
    }
  }
}

TEST_P(CudaSetUp, KeepsOrLosesMulticastAlikeOnAllRanksWhicheverStepFailsOnARank) {
  EnvironmentGuard const wanted("KOINON_MULTICAST", "1");
  for (int rank = 0; rank < 3; ++rank) {
    Failures const failures = fail_every_step(GetParam(), 3, std::vector<FakeGpu>(3), rank);
    EXPECT_GT(failures.thrown, 15) << failures.steps << " steps";
    EXPECT_GT(failures.without_multicast, 8) << failures.steps << " steps";
  }
}

TEST_P(CudaSetUp, FindsFabricHandlesOrEndsAlikeWhicheverStepFailsOnARank) {
  for (int rank = 0; rank < 2; ++rank) {
    Failures const failures = fail_every_step(GetParam(), 2, std::vector<FakeGpu>(2, FakeGpu{.fabric = true}), rank);
    EXPECT_GT(failures.thrown, 10) << failures.steps << " steps";
    int const mended = GetParam() == RankKind::processes ? 6 : 2;
    EXPECT_GT(failures.without_multicast, mended) << failures.steps << " steps";
  }
}

TEST(CudaSetUpOfProcesses, ByIpcEndsAlikeOnAllRanksWhicheverStepFailsOnARank) {
  if (thread_sanitized) GTEST_SKIP() << "which does not see across processes";
  for (int rank = 0; rank < 3; ++rank) {
    Failures const failures =
        fail_every_step(RankKind::processes, 3, std::vector<FakeGpu>(2, FakeGpu{.descriptors = false}), rank);
    EXPECT_GT(failures.thrown, 15) << failures.steps << " steps";
    EXPECT_LE(failures.without_multicast, 5) << failures.steps << " steps";
  }
}

TEST(CudaSetUpWithoutADriver, IsRefusedWithTheReason) {
  if (dlopen("libcuda.so.1", RTLD_NOW) != nullptr) GTEST_SKIP() << "this machine has a driver";
  expect_error(caught([] { (void)Impl::cuda_driver(); }), "ResourceError", "there is no NVIDIA driver");
}

}  // namespace
}  // namespace Koinon::Testing
