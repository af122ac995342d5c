// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <collectives/Koinon_CellDraw.hpp>

#include <gtest/gtest.h>

#include <cstdio>
#include <tuple>
#include <vector>

namespace Koinon::Testing {
namespace {

#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
constexpr int calls_of_threads = 600;
constexpr int calls_of_processes = 600;
#else
constexpr int calls_of_threads = 14400;  // 6 cases of threads and 6 of processes: 10^5
constexpr int calls_of_processes = 2400;  // of 8 on 2 cores one takes ten times what one of threads does
#endif

int calls_of_this_run() {
  return calls(ranks_as() == RanksAs::threads ? calls_of_threads : calls_of_processes);
}

/// Calls without a word between ranks but the collectives' own; digests of results are compared now and then.
class Stress : public ::testing::TestWithParam<std::tuple<int, std::uint32_t>> {};

void make_calls(Session const& session, int calls, std::uint64_t seed) {
  Random shared(seed);
  Random own(mixed(seed) + static_cast<std::uint64_t>(session.rank()));
  std::uint64_t digest = 0;
  int faults = 0;
  for (int i = 0; i < calls && faults < 5; ++i) {
    delay(own.next());
    Exercise const& exercise = *exercises()[shared.below(exercises().size())];
    Cell const cell = draw_cell(session, exercise, shared);
    Verdict const verdict = run_cell(session, exercise, cell, shared.next());
    digest = mixed(digest ^ verdict.digest);
    if (!verdict.fault.empty()) {
      ++faults;
      ADD_FAILURE() << "call " << i << " of seed " << seed << ": " << exercise.name() << ", " << cell.text()
                    << ", rank " << session.rank() << " of " << session.size() << ": " << verdict.fault;
    }
    if (shared.one_in(50)) session.barrier();
    if (i % 256 != 255) continue;
    std::vector<std::uint64_t> all(static_cast<std::size_t>(session.size()));
    session.bootstrap().all_gather(std::as_bytes(std::span(&digest, 1)), std::as_writable_bytes(std::span(all)));
    for (std::uint64_t const each : all) EXPECT_EQ(each, digest) << "results before call " << i << " differ over ranks";
  }
}

TEST_P(Stress, EveryResultOfRandomMixedCallsIsTheReference) {
  auto const& [ranks, start] = GetParam();
  std::printf("seed %llu, %d calls\n", static_cast<unsigned long long>(seed()), calls_of_this_run());
  run_ranks(ranks, [first = start](Bootstrap& bootstrap) {
    for (int space = 0; space < HostSpaces::count; ++space) {
      Session const session(bootstrap, space, first);
      make_calls(session, calls_of_this_run() / HostSpaces::count,
                 mixed(seed() + first) + static_cast<std::uint64_t>(space));
    }
  });
}

INSTANTIATE_TEST_SUITE_P(Calls, Stress,
                         ::testing::Combine(::testing::ValuesIn(mixed_rank_counts()),
                                            ::testing::Values(0u, 0xFFFFFFFFu - 200u)),
                         [](auto const& i) {
                           return ranks_name(std::get<0>(i.param)) +
                                  (std::get<1>(i.param) == 0 ? "_from_the_first_launch" : "_through_the_wrap");
                         });

}  // namespace
}  // namespace Koinon::Testing
