// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <linkage/Koinon_Part.hpp>
#include <support/Koinon_Oracle.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

/// Calls through parts, with every result checked.
namespace Koinon::Testing {

/// Makes one call of every kind, each through the part that is next: ranks call from different parts at the same time,
/// a rank from all of them in turn. Collective.
inline void call_in_turn(Comm const& comm, std::vector<Part const*> const& parts) {
  std::size_t call = static_cast<std::size_t>(comm.rank());
  auto const part = [&]() -> Part const& { return *parts[call++ % parts.size()]; };
  int const ranks = comm.size();
  auto const mine = static_cast<std::size_t>(comm.rank());
  for (Algorithm const algorithm : {Algorithm::low_latency, Algorithm::one_shot, Algorithm::two_shot}) {
    std::size_t const n = algorithm == Algorithm::low_latency ? 5 : 3000;

    std::vector<float> const in(n, static_cast<float>(mine + 1));
    std::vector<float> out(n);
    part().sum(comm, algorithm, in, out);
    for (float const x : out) ASSERT_EQ(x, static_cast<float>(ranks * (ranks + 1) / 2));

    std::vector<std::int16_t> numbers(n);
    for (std::size_t i = 0; i < n; ++i) numbers[i] = static_cast<std::int16_t>(i % 100 + mine);
    part().largest(comm, algorithm, numbers);
    for (std::size_t i = 0; i < n; ++i) ASSERT_EQ(numbers[i], static_cast<int>(i % 100) + ranks - 1);

    std::vector<Affine> maps(n, Affine{static_cast<std::uint32_t>(2 * mine + 3), 5});
    std::vector<Affine> of_all;
    for (int p = 0; p < ranks; ++p) of_all.push_back({static_cast<std::uint32_t>(2 * p + 3), 5});
    Affine const composed = Compose::expected(of_all.data(), ranks);
    part().compose(comm, algorithm, maps);
    for (Affine const& map : maps) ASSERT_TRUE(same_bits(map, composed));

    std::vector<double> const rows(n * static_cast<std::size_t>(ranks), 0.5);
    std::vector<double> shard(n);
    part().scatter(comm, algorithm, rows, shard);
    for (double const x : shard) ASSERT_EQ(x, 0.5 * ranks);
  }
  std::vector<Rgb> const color(7, Rgb{static_cast<std::uint8_t>(mine), 1, 2});
  std::vector<Rgb> colors(7 * static_cast<std::size_t>(ranks));
  part().gather(comm, Algorithm::automatic, color, colors);
  for (std::size_t i = 0; i < colors.size(); ++i) ASSERT_EQ(colors[i].red, i / 7);

  std::vector<Wide> wide(3);
  if (comm.rank() == ranks - 1) wide.assign(3, Wide{{1, 2, 3}});
  part().broadcast(comm, wide, ranks - 1);
  for (Wide const& w : wide) ASSERT_EQ(w.words[2], 3u);
  part().barrier(comm);
}

/// Expects that a wrong call through `from` is refused with one text in all parts, and caught by its class in `in`.
inline void refuse_across(Comm const& comm, Part const& from, Part const& in) {
  std::string const refused = in.caught([&] { from.call_wrongly(comm); });
  EXPECT_EQ(refused.rfind("InvalidArgument: ", 0), 0u) << refused;
  EXPECT_NE(refused.find("all_reduce"), std::string::npos) << refused;
  EXPECT_NE(from.why_not(comm), "");
  EXPECT_EQ(from.why_not(comm), in.why_not(comm));
}

/// Expects that `in` catches errors by their classes and with their members when other code throws them.
inline void expect_catches(Part const& in) {
  EXPECT_EQ(in.caught([] { throw TimeoutError("late", "all_reduce", "x", 7, {1, 3}); }),
            "TimeoutError of the ranks 1 3: late");
  EXPECT_EQ(in.caught([] { throw AbortedError("over", 2); }), "AbortedError of rank 2: over");
  EXPECT_EQ(in.caught([] { throw UnsupportedError("no"); }), "UnsupportedError: no");
  EXPECT_EQ(in.caught([] { throw MismatchError("you said"); }), "another Error: you said");
  EXPECT_EQ(in.caught([] { throw std::runtime_error("not ours"); }), "no Error of Koinon");
  EXPECT_EQ(in.caught([] {}), "nothing");
}

}  // namespace Koinon::Testing
