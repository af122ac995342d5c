// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <collectives/Koinon_MultipleCell.hpp>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

/// What the tests of the operations on several arrays do alike; `some` makes one random call.
namespace Koinon::Testing {

template <class Cell>
Cell draw_multiple(Session const& session, Random& shared) {
  return Cell(session.rank(), session.size(), shared, session.memory());
}

/// Makes a random call by an algorithm, any if it is automatic; not at all if it is refused.
template <class Cell>
void call_multiple(Session const& session, Random& shared, Algorithm algorithm) {
  auto cell = draw_multiple<Cell>(session, shared);
  if (!cell.has_room()) return;
  auto const policy = require(session.policy_of<MultipleSpace>(), Tuning{.algorithm = algorithm});
  if (!cell.can_run(policy)) {
    EXPECT_EQ(algorithm, Algorithm::low_latency) << cell.can_run(policy).reason();
    return;
  }
  Impl::LaunchNumber const before = session.launch_number(0);
  cell.run([&] { cell.enqueue(policy); });
  EXPECT_EQ(session.launch_number(0), Impl::next_launch_number(before)) << "more than one launch";
  cell.expect_result(std::string(to_string(algorithm)));
}

template <class Some>
void make_random_calls(Some const& some) {
  for (int const ranks : multiple_rank_counts()) {
    run_ranks(ranks, [&some](Bootstrap& bootstrap) {
      Session const session(bootstrap, HostSpaces::index_of<MultipleSpace>());
      Random shared(mixed(seed() + static_cast<std::uint64_t>(session.size())));
      for (int i = 0; i < (session.size() <= 8 ? 24 : 6) && !::testing::Test::HasFailure(); ++i) some(session, shared);
    });
  }
}

/// Makes one of the operations that lists have beside them.
inline void call_another(Session const& session, std::size_t n, bool reduces, int i) {
  auto const& policy = session.policy_of<MultipleSpace>();
  if (session.memory() != nullptr) return barrier("mix", policy);
  std::vector<float> const in(n, static_cast<float>(i));
  std::vector<float> out(n * static_cast<std::size_t>(session.size()));
  if (reduces) {
    all_reduce("mix", policy, std::span(in), std::span(out).first(n));
    ASSERT_EQ(out[n - 1], static_cast<float>(i * session.size()));
  } else {
    all_gather_multiple("mix", policy, member(std::span(in), std::span(out)));
    ASSERT_EQ(out.back(), static_cast<float>(i));
  }
}

template <class Some>
void mix_with_other_operations(Some const& some) {
  for (int const ranks : few_rank_counts()) {
    for (std::uint32_t const start : {0u, 0xFFFFFFFFu - 100u}) {
      run_ranks(ranks, [&some, start](Bootstrap& bootstrap) {
        Session const session(bootstrap, HostSpaces::index_of<MultipleSpace>(), start);
        Random shared(mixed(seed() + start));
        Random own(mixed(seed()) + static_cast<std::uint64_t>(session.rank()));
        for (int i = 0; i < calls(80) && !::testing::Test::HasFailure(); ++i) {
          delay(own.next());
          std::size_t const other = shared.below(5);
          std::size_t const n = 1 + shared.below(3000);
          if (other <= 1) {
            call_another(session, n, other == 0, i);
          } else {
            some(session, shared);
          }
        }
      });
    }
  }
}

/// Records a random call and replays it with other inputs each time, with calls that are in no graph in between.
/// @pre the session's memory can record
template <class Cell>
void replay_multiple(Session const& session, Random& shared, Algorithm algorithm) {
  constexpr std::size_t soon_checked = std::size_t{128} << 10;
  auto const policy = require(session.policy_of<MultipleSpace>(), Tuning{.algorithm = algorithm});
  auto cell = std::make_unique<Cell>(draw_multiple<Cell>(session, shared));
  for (int draws = 0; draws < 64 && (cell->bytes() > soon_checked || !cell->can_run(policy)); ++draws) {
    cell = std::make_unique<Cell>(draw_multiple<Cell>(session, shared));
  }
  ASSERT_TRUE(cell->can_run(policy)) << cell->can_run(policy).reason();
  std::string const what(to_string(algorithm));
  session.bootstrap().barrier();  // no capture ends while a kernel waits
  auto recording = cell->memory()->record([&] { cell->enqueue(policy); });
  session.bootstrap().barrier();
  for (int turn = 0; turn < 50 && !::testing::Test::HasFailure(); ++turn) {
    if (turn % 10 == 9) {
      cell->refill(shared.next());
      cell->run([&] { cell->enqueue(policy); });
      cell->expect_result(what + ", call behind replay " + std::to_string(turn));
    }
    cell->refill(shared.next());
    cell->run([&] { recording->replay(); });
    cell->expect_result(what + ", replay " + std::to_string(turn));
  }
  session.bootstrap().barrier();  // nor does a graph go
  recording.reset();
}

template <class... Cells>
void replay_multiple_by(std::initializer_list<Algorithm> algorithms) {
  for (int const ranks : few_rank_counts()) {
    run_ranks(ranks, [&](Bootstrap& bootstrap) {
      Session const session(bootstrap, HostSpaces::index_of<MultipleSpace>());
      Random shared(mixed(seed() + 5 * static_cast<std::uint64_t>(session.size())));
      for (Algorithm const algorithm : algorithms) (replay_multiple<Cells>(session, shared, algorithm), ...);
    });
  }
}

}  // namespace Koinon::Testing
