// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <epilogues/Koinon_MulticastRow.hpp>
#include <epilogues/Koinon_RowSpan.hpp>
#include <epilogues/Koinon_RowTree.hpp>
#include <Koinon_Macros.hpp>

#include <concepts>
#include <cstddef>
#include <type_traits>

namespace Koinon {

/// Is a row of a reduction, in float and not rounded (by Multimem: to the element), in the hands of an epilogue. One type a
/// backend: a policy's row_type.
///
/// All threads of a block have the row together, and all call every function here, in one order. The columns of a row are
/// divided over them, so f is called by one thread for each column, in any order. Values stay in registers up to 16 a
/// thread; those of longer rows are in memory of the block. A row belongs to its body and cannot be copied.
template <class Block>
class Row {
 public:
  Row(Row const&) = delete;
  Row& operator=(Row const&) = delete;

  /// Returns which row this is: of `in` in an all_reduce, of this rank's rows in a reduce_scatter.
  [[nodiscard]] KOINON_FORCE_INLINE std::size_t index() const { return m_index; }
  [[nodiscard]] KOINON_FORCE_INLINE std::size_t columns() const { return m_columns; }

  /// Replaces each value by f(column, value).
  template <class F>
  KOINON_FORCE_INLINE void transform(F&& f) {
    check_function<F>();
    for_each_value([&](std::size_t column, float& value) { value = static_cast<float>(f(column, value)); });
  }

  /// Returns the sum (the largest) of f(column, value) over the row, to all threads, in an order that depends on
  /// columns() alone. A NaN is the largest only of NaNs.
  template <class F>
  [[nodiscard]] KOINON_FORCE_INLINE float reduce_sum(F&& f) {
    return reduce<Impl::RowSum>(f);
  }
  template <class F>
  [[nodiscard]] KOINON_FORCE_INLINE float reduce_max(F&& f) {
    return reduce<Impl::RowMax>(f);
  }

  /// Replaces each value by f(column, value, element), where element is what the array has in this row and column, in
  /// float. An array is a matrix whose row index() this is, or a vector that has one element a column.
  template <class A, class F>
  KOINON_FORCE_INLINE void load(A const& array, F&& f) {
    static_assert(std::is_invocable_r_v<float, F&, std::size_t, float, float>,
                  "Koinon::Row: load takes f(column, value, element) that returns the new value as a float");
    auto const span = Impl::row_span(array, m_index);
    using T = std::remove_const_t<typename decltype(span)::element>;
    static_assert(Impl::is_row_element_v<T>, "Koinon::Row: load takes an array of numbers");
    for_each_run([&](auto whole, float* values, std::size_t column, int n) {
      constexpr int size = Impl::columns_at_once<decltype(whole)>;
      if constexpr (decltype(whole)::value > 0) {
        if (span.stride == 1) {
          float elements[size];
          Impl::load_group<Block, size, T>(span.pointer + column, elements);
          KOINON_INDEPENDENT_ELEMENTS
          KOINON_UNROLL
          for (int e = 0; e < size; ++e) {
            values[e] = static_cast<float>(f(column + static_cast<std::size_t>(e), values[e], elements[e]));
          }
          return;
        }
      }
      T const* const at = span.pointer + static_cast<std::ptrdiff_t>(column) * span.stride;
      KOINON_UNROLL
      for (int e = 0; e < size; ++e) {
        if (e >= n) continue;
        float const element = Impl::to_float(Impl::element_at(at + e * span.stride));
        values[e] = static_cast<float>(f(column + static_cast<std::size_t>(e), values[e], element));
      }
    });
  }
  /// Replaces the values by those of an array.
  template <class A>
  KOINON_FORCE_INLINE void load(A const& array) {
    load(array, [](std::size_t, float, float element) { return element; });
  }

  /// Stores f(column, value), rounded once to the array's type; the values stay as they are.
  template <class A, class F>
  KOINON_FORCE_INLINE void store(A const& array, F&& f) {
    check_function<F>();
    auto const span = Impl::row_span(array, m_index);
    using T = typename decltype(span)::element;
    static_assert(!std::is_const_v<T>, "Koinon::Row: store takes an array whose elements are not const");
    static_assert(Impl::is_row_element_v<T>, "Koinon::Row: store takes an array of numbers");
    if constexpr (!std::is_const_v<T>) {
      for_each_run([&](auto whole, float* values, std::size_t column, int n) {
        span.template store<Block>(whole, column, n, [&](int e) {
          return static_cast<float>(f(column + static_cast<std::size_t>(e), values[e]));
        });
      });
    }
  }
  /// Stores the values, rounded once to the array's type.
  template <class A>
  KOINON_FORCE_INLINE void store(A const& array) {
    store(array, [](std::size_t, float value) { return value; });
  }

  /// Replaces each value by g(column, value, most), where most is the largest f(column, value) over the value's span of
  /// `Columns` neighbouring columns; the last span may have fewer.
  template <int Columns, class F, class G>
  KOINON_FORCE_INLINE void transform_by_maxima(F&& f, G&& g) {
    static_assert(Columns == 128, "Koinon::Row: spans of 128 columns");
    check_function<F>();
    static_assert(std::is_invocable_r_v<float, G&, std::size_t, float, float>,
                  "Koinon::Row: g is called as g(column, value, most) and returns a float");
    using Op = Impl::RowMax;
    auto const most_of = [&](auto whole, float const* values, std::size_t column, int n) {
      return join<Op>(whole, values, column, n, f);
    };
    auto const replace = [&](auto whole, float* values, std::size_t column, int n, float most) {
      KOINON_UNROLL
      for (int e = 0; e < group; ++e) {
        if (decltype(whole)::value > 0 || e < n) {
          values[e] = static_cast<float>(g(column + static_cast<std::size_t>(e), values[e], most));
        }
      }
    };
    if constexpr (Block::row_registers == 0) {
      for (std::size_t begin = 0; begin < m_columns; begin += Columns) {
        std::size_t const end = begin + Columns < m_columns ? begin + Columns : m_columns;
        float most = Op::identity;
        auto const look = [&](auto whole, float* values, std::size_t column, int n) {
          most = Op::join(most, most_of(whole, values, column, n));
        };
        auto const put = [&](auto whole, float* values, std::size_t column, int n) { replace(whole, values, column, n, most); };
        for (std::size_t column = begin; column < end; column += group) visit(look, m_room + column, column);
        for (std::size_t column = begin; column < end; column += group) visit(put, m_room + column, column);
      }
    } else {
      auto const do_one = [&](float* at, std::size_t column) {
        float most = Op::identity;
        auto const look = [&](auto whole, float* values, std::size_t c, int n) { most = most_of(whole, values, c, n); };
        visit(look, at, column);
        most = Block::template join_lanes<Op, Columns / group>(most);  // a span is neighbouring threads'
        auto const put = [&](auto whole, float* values, std::size_t c, int n) { replace(whole, values, c, n, most); };
        visit(put, at, column);
      };
      std::size_t const first = first_column();
      std::size_t const stride = m_threads * group;
      if (m_room == nullptr) {
        KOINON_UNROLL
        for (int k = 0; k < Block::row_registers / group; ++k) {
          do_one(m_values + group * k, first + static_cast<std::size_t>(k) * stride);
        }
      } else {
        for (std::size_t base = 0; base < m_columns; base += stride) do_one(m_room + base + first, base + first);
      }
    }
  }

  /// Calls f(i) for i in [0, count), divided over the block's threads: what goes with a row besides its columns.
  template <class F>
  KOINON_FORCE_INLINE void for_each(std::size_t count, F&& f) const {
    for (auto i = static_cast<std::size_t>(m_block.thread()); i < count; i += static_cast<std::size_t>(m_block.threads())) f(i);
  }

  // For the bodies, below.
  static constexpr int group = Impl::row_group;
  /// Columns that a block with its rows in memory takes at once: enough for loops over vectors.
  static constexpr int run = Block::row_registers == 0 ? 8 * group : group;

  /// @param room columns floats of the block's own, for a row that does not fit registers
  KOINON_FORCE_INLINE Row(Block const& block, std::size_t index, std::size_t columns, float* room)
      : m_block(block), m_index(index), m_columns(columns), m_threads(threads_of(block)) {
    if constexpr (Block::row_registers == 0) {
      m_room = room;
    } else {
      m_room = fits_registers(block, columns) ? nullptr : room;
    }
  }

  [[nodiscard]] static KOINON_FORCE_INLINE bool fits_registers(Block const& block, std::size_t columns) {
    return columns <= static_cast<std::size_t>(Block::row_registers) * threads_of(block);
  }

  /// Calls f(whole, values, column, n) for each run of n neighbouring columns of this thread: a whole run or group, or the
  /// row's last group, which a type says (columns_at_once).
  template <class F>
  KOINON_FORCE_INLINE void for_each_run(F&& f) {
    if constexpr (run > group) {
      std::size_t column = 0;
      for (; column + run <= m_columns; column += run) f(std::integral_constant<int, run>{}, m_room + column, column, run);
      for (; column < m_columns; column += group) visit(f, m_room + column, column);
    } else {
      std::size_t const first = first_column();
      std::size_t const stride = m_threads * group;
      if (m_room == nullptr) {
        KOINON_UNROLL
        for (int k = 0; k < Block::row_registers / group; ++k) {
          visit(f, m_values + group * k, first + static_cast<std::size_t>(k) * stride);
        }
        return;
      }
      for (std::size_t column = first; column < m_columns; column += stride) visit(f, m_room + column, column);
    }
  }

 private:
  template <class F>
  static KOINON_FORCE_INLINE constexpr void check_function() {
    static_assert(std::is_invocable_r_v<float, F&, std::size_t, float>,
                  "Koinon::Row: f is called as f(column, value) and returns a float");
  }
  // A power of two, so that the tree over threads is a part of the tree over columns.
  [[nodiscard]] static KOINON_FORCE_INLINE std::size_t threads_of(Block const& block) {
    unsigned const threads = static_cast<unsigned>(block.threads());
    unsigned power = 1;
    while (power * 2 <= threads) power *= 2;
    return power;
  }
  [[nodiscard]] KOINON_FORCE_INLINE std::size_t first_column() const {
    auto const thread = static_cast<std::size_t>(m_block.thread());
    return thread < m_threads ? thread * group : m_columns;
  }
  template <class F>
  KOINON_FORCE_INLINE void visit(F const& f, float* values, std::size_t column) {
    if (column + group <= m_columns) {
      f(std::integral_constant<int, group>{}, values, column, group);
    } else if (column < m_columns) {
      f(std::integral_constant<int, 0>{}, values, column, static_cast<int>(m_columns - column));
    }
  }
  template <class F>
  KOINON_FORCE_INLINE void for_each_value(F&& f) {
    for_each_run([&](auto whole, float* values, std::size_t column, int n) {
      KOINON_INDEPENDENT_ELEMENTS
      KOINON_UNROLL
      for (int e = 0; e < Impl::columns_at_once<decltype(whole)>; ++e) {
        if (decltype(whole)::value > 0 || e < n) f(column + static_cast<std::size_t>(e), values[e]);
      }
    });
  }

  /// Joins f(column, value) of one group.
  template <class Op, class Whole, class F>
  [[nodiscard]] static KOINON_FORCE_INLINE float join(Whole, float const* values, std::size_t column, [[maybe_unused]] int n, F& f) {
    float part[group];
    KOINON_UNROLL
    for (int e = 0; e < group; ++e) {
      part[e] = Whole::value > 0 || e < n ? static_cast<float>(f(column + static_cast<std::size_t>(e), values[e])) : Op::identity;
    }
    return Impl::join_group<Op>(part);
  }

  template <class Op, class F>
  [[nodiscard]] KOINON_FORCE_INLINE float reduce(F& f) {
    check_function<F>();
    std::size_t const first = first_column();
    std::size_t const stride = m_threads * group;
    if constexpr (Block::row_registers > 0) {
      if (m_room == nullptr) {
        constexpr int groups = Block::row_registers / group;
        float joined[groups];
        KOINON_UNROLL
        for (int k = 0; k < groups; ++k) {
          joined[k] = Op::identity;
          auto const keep = [&](auto whole, float* values, std::size_t column, int n) {
            joined[k] = join<Op>(whole, values, column, n, f);
          };
          visit(keep, m_values + group * k, first + static_cast<std::size_t>(k) * stride);
        }
        m_block.template join_threads<Op>(joined, m_threads, m_turn++);
        static_assert(groups == 2);
        return Op::join(joined[0], joined[1]);
      }
    }
    Impl::RowTree<Op> tree;
    std::size_t base = 0;
    if constexpr (run > group) {
      for (; base + run <= m_columns; base += run) {
        float part[run];
        KOINON_INDEPENDENT_ELEMENTS
        for (int e = 0; e < run; ++e) {
          std::size_t const column = base + static_cast<std::size_t>(e);
          part[e] = static_cast<float>(f(column, m_room[column]));
        }
        static_assert(run == 8 * group);
        tree.push(Impl::join_neighbours<Op>(part), 3);
      }
    }
    for (; base < m_columns; base += stride) {
      float joined[1] = {Op::identity};
      auto const keep = [&](auto whole, float* values, std::size_t column, int n) {
        joined[0] = join<Op>(whole, values, column, n, f);
      };
      visit(keep, m_room + base + first, base + first);
      if constexpr (Block::row_registers > 0) m_block.template join_threads<Op>(joined, m_threads, m_turn++);
      tree.push(joined[0]);
    }
    return tree.result();
  }

  Block const& m_block;
  std::size_t m_index;
  std::size_t m_columns;
  std::size_t m_threads;
  float* m_room;
  unsigned m_turn = 0;
  float m_values[Block::row_registers > 0 ? Block::row_registers : 1];
};

}  // namespace Koinon
