// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <collectives/Koinon_MultipleCell.hpp>

#include <algorithm>
#include <cstring>
#include <type_traits>
#include <utility>

namespace Koinon::Testing {

using Gradients = std::tuple<float>;
using Mixed = std::tuple<float, bfloat16, std::int64_t, std::uint8_t>;

/// Returns a rank's element: a whole number so small that sums over 33 ranks are exact in every type.
inline int whole_number(std::uint64_t seed, int rank, std::size_t index) {
  return static_cast<int>(element_bits(seed, rank, index) % 4);
}
template <class T>
T element_of(double value) {
  if constexpr (std::is_same_v<T, bfloat16>) {
    return T(static_cast<float>(value));
  } else {
    return static_cast<T>(value);
  }
}

/// Is one random all_reduce_multiple of N members, the types in turn those of Types.
template <class Types, std::size_t N, class R = Sum>
class ReduceCell : public MultipleCell {
  template <std::size_t M>
  using TypeOf = std::tuple_element_t<M % std::tuple_size_v<Types>, Types>;

 public:
  /// @param most elements of an array; 0: drawn
  ReduceCell(int rank, int ranks, Random& shared, SpaceMemory const* memory = nullptr, std::size_t most = 0)
      : MultipleCell(rank, ranks, shared.next(), memory) {
    if (most == 0) most = shared.one_in(4) ? 3000 : shared.one_in(2) ? 200 : 12;
    Random own(mixed(m_seed) + static_cast<std::uint64_t>(rank));  // how arrays lie is each rank's own matter
    for_each_member([&]<std::size_t M>() {
      std::size_t const columns = 1 + shared.below(7);
      std::size_t const rows = shared.one_in(8) ? 0 : shared.below(most / columns + 1);
      add_arrays(sizeof(TypeOf<M>), rows, rows, columns, rows, own);
    });
    refill(m_seed);
  }

  void refill(std::uint64_t seed) {
    reset(seed);
    for_each_member([&]<std::size_t M>() {
      put_all<M>(m_in_place[M] ? m_out[M] : m_in[M], [&](std::size_t i) { return number<M>(m_rank, i); });
    });
  }

  template <class Policy>
  void enqueue(Policy const& policy) {
    [&]<std::size_t... M>(std::index_sequence<M...>) {
      all_reduce_multiple("cell", policy, R{}, member_of<M>()...);
    }
    (std::make_index_sequence<N>{});
  }
  template <class Policy>
  [[nodiscard]] Answer can_run(Policy const& policy) {
    (void)place();
    return [&]<std::size_t... M>(std::index_sequence<M...>) {
      return Koinon::can_run<AllReduceMultiple>(policy, R{}, member_of<M>()...);
    }
    (std::make_index_sequence<N>{});
  }

  /// Expects the reductions in the outputs, and no other byte changed.
  void expect_result(std::string const& what) {
    for_each_member([&]<std::size_t M>() {
      MemberRows expected = m_out_before[M];
      put_all<M>(expected, [&](std::size_t i) {
        int result = number<M>(0, i);
        for (int p = 1; p < m_ranks; ++p) {
          result = std::is_same_v<R, Max> ? std::max(result, number<M>(p, i)) : result + number<M>(p, i);
        }
        return result;
      });
      expect_member(M, expected, std::to_string(N) + " members, " + what);
    });
  }

 private:
  template <class F>
  static void for_each_member(F const& f) {
    [&]<std::size_t... M>(std::index_sequence<M...>) { (f.template operator()<M>(), ...); }
    (std::make_index_sequence<N>{});
  }
  template <std::size_t M>
  [[nodiscard]] int number(int rank, std::size_t index) const {
    return whole_number(m_seed + M, rank, index);
  }
  template <std::size_t M, class F>
  static void put_all(MemberRows& to, F const& number_of) {
    for (std::size_t r = 0; r < to.rows; ++r) {
      for (std::size_t c = 0; c < to.columns; ++c) {
        auto const value = element_of<TypeOf<M>>(number_of(r * to.columns + c));
        std::memcpy(to.at(r, c), &value, sizeof value);
      }
    }
  }
  template <std::size_t M>
  [[nodiscard]] auto member_of() {
    using T = TypeOf<M>;
    MemberRows& in = m_in_place[M] ? m_out[M] : m_in[M];
    return member(in.template as<T const>(0, in.rows), m_out[M].template as<T>(0, m_out[M].rows));
  }
};

}  // namespace Koinon::Testing
