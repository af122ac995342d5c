// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <collectives/Koinon_MultipleCell.hpp>

#include <numeric>
#include <utility>

namespace Koinon::Testing {

/// Is one random all_gather_multiple of N members.
template <std::size_t N>
class GatherCell : public MultipleCell {
 public:
  GatherCell(int rank, int ranks, Random& shared, SpaceMemory const* memory = nullptr)
      : MultipleCell(rank, ranks, shared.next(), memory) {
    m_even = shared.one_in(4);
    std::size_t const most = shared.one_in(8) ? 300 : shared.one_in(3) ? 40 : 4;
    std::int64_t const total = static_cast<std::int64_t>(shared.below(most * static_cast<std::size_t>(ranks) + 1));
    if (m_even) {
      for (std::int64_t const count : even_partition(total, ranks)) m_counts.push_back(count);
    } else {
      for (int p = 0; p < ranks; ++p) {
        m_counts.push_back(shared.one_in(3) ? 0 : static_cast<std::int64_t>(shared.below(most)));
      }
    }
    std::size_t const sum = rows_before(ranks);
    std::size_t const extra = m_even ? 0 : shared.below(3);
    Random own(mixed(m_seed) + static_cast<std::uint64_t>(rank));  // how arrays lie is each rank's own matter
    for (std::size_t m = 0; m < N; ++m) {
      std::size_t const columns = shared.one_in(12) ? 0 : 1 + shared.below(shared.one_in(4) ? 70 : 6);
      add_arrays(member_bytes[m % member_bytes.size()], rows_of(rank) + extra, sum + extra, columns, sum + extra, own);
    }
    refill(m_seed);
  }

  void refill(std::uint64_t seed) {
    reset(seed);
    for (std::size_t m = 0; m < N; ++m) {
      std::size_t const first = m_in_place[m] ? rows_before(m_rank) : 0;
      MemberRows& to = m_in_place[m] ? m_out[m] : m_in[m];
      put_rows(to, m, first, m_rank);
    }
  }

  template <class Policy>
  void enqueue(Policy const& policy) {
    [&]<std::size_t... M>(std::index_sequence<M...>) {
      if (m_even) return all_gather_multiple("cell", policy, member_of<M>()...);
      all_gather_multiple("cell", policy, Counts(m_counts), member_of<M>()...);
    }
    (std::make_index_sequence<N>{});
  }
  template <class Policy>
  [[nodiscard]] Answer can_run(Policy const& policy) {
    (void)place();
    return [&]<std::size_t... M>(std::index_sequence<M...>) {
      if (m_even) return Koinon::can_run<AllGatherMultiple>(policy, member_of<M>()...);
      return Koinon::can_run<AllGatherMultiple>(policy, Counts(m_counts), member_of<M>()...);
    }
    (std::make_index_sequence<N>{});
  }

  /// Expects every rank's rows in every output, and no other byte changed.
  void expect_result(std::string const& what) {
    for (std::size_t m = 0; m < N; ++m) {
      MemberRows expected = m_out_before[m];
      for (int p = 0; p < m_ranks; ++p) put_rows(expected, m, rows_before(p), p);
      expect_member(m, expected, std::to_string(N) + " members, " + what + ", " + text());
    }
  }

 private:
  [[nodiscard]] std::size_t rows_of(int rank) const {
    return static_cast<std::size_t>(m_counts[static_cast<std::size_t>(rank)]);
  }
  [[nodiscard]] std::size_t rows_before(int rank) const {
    return static_cast<std::size_t>(std::accumulate(m_counts.begin(), m_counts.begin() + rank, std::int64_t{0}));
  }
  void put_rows(MemberRows& to, std::size_t m, std::size_t first, int rank) const {
    for (std::size_t row = 0; row < rows_of(rank); ++row) {
      for (std::size_t c = 0; c < to.columns; ++c) to.put(first + row, c, m_seed + m, rank, row);
    }
  }
  template <std::size_t M>
  [[nodiscard]] auto member_of() {
    using T = MemberType<M>;
    auto const in = m_in_place[M] ? m_out[M].as<T const>(rows_before(m_rank), rows_of(m_rank))
                                  : m_in[M].as<T const>(0, m_in[M].rows);
    return member(in, m_out[M].template as<T>(0, m_out[M].rows));
  }
  [[nodiscard]] std::string text() const {
    std::string text = m_even ? "even" : "counts";
    for (std::int64_t const count : m_counts) text += " " + std::to_string(count);
    for (MemberRows const& out : m_out) text += ", " + std::to_string(out.columns);
    return text;
  }

  bool m_even;
  std::vector<std::int64_t> m_counts;
};

}  // namespace Koinon::Testing
