// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Koinon_HipLaunch.hpp>
#include <support/Koinon_HipSpace.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

// How the threads of a block meet, by a kernel of its own: whether some have left it, as each does for itself that finds
// the communicator failed.
namespace Koinon::Testing {
namespace {

using Impl::HipBlock;
using Impl::HipThreads;

/// Is what a thread found: whether all were there, whether all said so where all did, where one did not, and once more;
/// and behind the first of these, all of which some threads have met, whether they still are there.
struct Found {
  std::uint32_t all_here;
  std::uint32_t all_good;
  std::uint32_t all_but_one;
  std::uint32_t all_again;
  std::uint32_t all_after_some_left;
};

struct Given {
  int first_to_leave;
  int end_to_leave;
  int first_to_leave_late;
  int end_to_leave_late;
  Found* found;  // by thread
};

__attribute__((global)) void meet_without_some([[maybe_unused]] Given const given) {
#if KOINON_DEVICE_PASS
  HipThreads::begin();
  int const thread = HipBlock::thread();
  if (thread >= given.first_to_leave && thread < given.end_to_leave) return;
  Found found;
  found.all_here = HipBlock::all_are_here() ? 1 : 0;
  found.all_good = HipBlock::all(true) ? 1 : 0;
  found.all_but_one = HipBlock::all(thread != HipBlock::threads() - 1) ? 1 : 0;
  found.all_again = HipBlock::all(true) ? 1 : 0;
  found.all_after_some_left = 7;
  given.found[thread] = found;
  if (thread >= given.first_to_leave_late && thread < given.end_to_leave_late) return;
  given.found[thread].all_after_some_left = HipBlock::all_are_here() ? 1 : 0;
#endif
}

struct Case {
  std::string name;
  int threads;
  int first_to_leave;
  int end_to_leave;
};

/// Of waves of 64 lanes as of 32.
std::vector<Case> cases() {
  return {{"nobody_of_one_thread", 1, 0, 0},
          {"nobody", 256, 0, 0},
          {"nobody_where_the_last_wave_is_not_full", 200, 0, 0},
          {"the_first_wave", 256, 0, 64},
          {"the_last_waves", 256, 128, 256},
          {"all_but_the_first_wave", 256, 64, 256},
          {"the_first_thread", 256, 0, 1},
          {"one_thread_within_a_wave", 256, 77, 78},
          {"the_last_thread", 256, 255, 256},
          {"the_last_thread_of_a_wave_that_is_not_full", 200, 199, 200}};
}

class HipThreadsThatLeave : public ::testing::TestWithParam<Case> {};
INSTANTIATE_TEST_SUITE_P(Are, HipThreadsThatLeave, ::testing::ValuesIn(cases()),
                         [](auto const& i) { return i.param.name; });

TEST_P(HipThreadsThatLeave, AreMissedByTheOthersWhereverTheyMeet) {
  Case const& a = GetParam();
  HeldHipStream const space;
  auto const memory = make_space_memory(space);
  auto* const found = reinterpret_cast<Found*>(memory->private_memory());
  Given given{a.first_to_leave, a.end_to_leave, 0, 0, found};
  void* arguments[] = {&given};
  // Again and again: what the last kernel left in shared memory says nothing.
  for (int turn = 0; turn < 3; ++turn) {
    Given late{0, 0, a.first_to_leave, a.end_to_leave, found};
    void* late_arguments[] = {&late};
    for (void** const of_launch : {late_arguments, arguments}) {
      bool const all = of_launch == late_arguments || a.first_to_leave == a.end_to_leave;
      std::vector<Found> seen(static_cast<std::size_t>(a.threads), Found{9, 9, 9, 9, 9});
      memory->upload(memory->private_memory(), reinterpret_cast<std::byte const*>(seen.data()),
                     seen.size() * sizeof(Found));
      ASSERT_EQ(hipLaunchKernel(KOINON_HIP_KERNEL(meet_without_some), dim3(1), dim3(static_cast<unsigned>(a.threads)),
                                of_launch, 0, space.stream().stream()),
                hipSuccess);
      memory->download(reinterpret_cast<std::byte*>(seen.data()), memory->private_memory(), seen.size() * sizeof(Found));
      for (int t = 0; t < a.threads; ++t) {
        if (of_launch == arguments && t >= a.first_to_leave && t < a.end_to_leave) continue;
        Found const& mine = seen[static_cast<std::size_t>(t)];
        ASSERT_EQ(mine.all_here, all ? 1u : 0u) << "thread " << t << ", turn " << turn;
        ASSERT_EQ(mine.all_good, all ? 1u : 0u) << "thread " << t << ", turn " << turn;
        ASSERT_EQ(mine.all_but_one, 0u) << "thread " << t << ", turn " << turn;
        ASSERT_EQ(mine.all_again, all ? 1u : 0u) << "thread " << t << ", turn " << turn;
        bool const leaves_late = of_launch == late_arguments && t >= a.first_to_leave && t < a.end_to_leave;
        bool const still_all = a.first_to_leave == a.end_to_leave;
        ASSERT_EQ(mine.all_after_some_left, leaves_late ? 7u : still_all ? 1u : 0u) << "thread " << t << ", turn " << turn;
      }
    }
  }
}

}  // namespace
}  // namespace Koinon::Testing
