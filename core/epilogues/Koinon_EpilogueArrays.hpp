// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <collectives/Koinon_Refusal.hpp>
#include <collectives/Koinon_Rows.hpp>
#include <elements/Koinon_Elements.hpp>
#include <epilogues/Koinon_RmsNormRows.hpp>
#include <epilogues/Koinon_RowEpilogue.hpp>
#include <Koinon_Array.hpp>

#include <array>
#include <cstddef>
#include <string>
#include <type_traits>

namespace Koinon::Impl {

/// Is the canonical element of an array that an epilogue is given.
template <class A>
using epilogue_element_t = canonical_element_t<typename decltype(as_array(std::declval<A const&>()))::value_type>;

/// Says at compile time whether an array can be read, or written, by an epilogue on that space.
template <class Space, class A, bool Written>
constexpr void check_epilogue_array() {
  if constexpr (is_given<A>) {
    static_assert(ArrayLike<A>, "Koinon: an epilogue's field is an array: a View, mdspan, span or Koinon::Array");
    if constexpr (ArrayLike<A>) {
      if constexpr (requires { ArrayTraits<A>::template is_accessible_from<Space>; }) {
        static_assert(ArrayTraits<A>::template is_accessible_from<Space>,
                      "Koinon: the policy's execution space cannot access the memory space of this View");
      }
      using T = typename decltype(as_array(std::declval<A const&>()))::value_type;
      static_assert(!Written || !std::is_const_v<T>, "Koinon: an output of an epilogue has const elements");
      static_assert(is_row_element_v<std::remove_const_t<T>>, "Koinon: an epilogue's arrays have numbers as elements");
    }
  }
}

/// Checks an epilogue's arrays one after the other, and keeps the first refusal.
template <class State>
class EpilogueArrays {
 public:
  EpilogueArrays(State& state, RowShape const& shape) : m_state(state), m_shape(shape) {
    m_seen[m_count++] = {.name = "in", .begin = shape.in, .bytes = shape.in_bytes};
  }
  [[nodiscard]] Refusal refusal() const { return m_refusal; }

  template <class A>
  void read(char const* name, A const& a, std::size_t rows) {
    if constexpr (is_given<A>) {
      check_matrix(name, as_array(a), rows);
      note(name, as_array(a));
    }
  }
  template <class A>
  void read_vector(char const* name, A const& a) {
    if constexpr (is_given<A>) {
      auto const array = as_array(a);
      if (array.size() != m_shape.columns) return refuse(refuse_extent(name, "elements", array.size(), columns_text()));
      check_rows_of(name, array, !is_dense(array));
      note(name, array);
    }
  }
  template <class A>
  void read_one(char const* name, A const& a) {
    auto const array = as_array(a);
    if (array.size() != 1) return refuse(refuse_extent(name, "elements", array.size(), "one"));
    check_rows_of(name, array, false);
    note(name, array);
  }
  /// @param may_be the one array that this may be, element for element; else it is apart from all before
  template <class A>
  void write(char const* name, A const& a, std::size_t rows, char const* may_be = nullptr) {
    if constexpr (is_given<A>) {
      check_matrix(name, as_array(a), rows);
      check_apart(name, as_array(a), may_be);
      note(name, as_array(a));
    }
  }
  /// Of an array of rows (groups > 0, two dimensions) or any memory of at least `needed` elements.
  template <class A>
  void write_memory(char const* name, A const& a, std::size_t needed, std::size_t groups) {
    auto const array = as_array(a);
    constexpr int rank = std::remove_const_t<decltype(array)>::rank;
    bool strided = false;
    if constexpr (rank == 2) {
      if (groups > 0) {
        if (array.extents[0] != m_shape.rows) return refuse(refuse_extent(name, "rows", array.extents[0], rows_text(m_shape.rows)));
        if (array.extents[1] != groups) {
          return refuse(refuse_extent(name, "columns", array.extents[1], std::to_string(groups) + " groups"));
        }
      } else {
        strided = !is_dense(array);
      }
    } else {
      strided = !is_dense(array);
    }
    if (array.size() < needed) {
      return refuse(refuse_extent(name, "elements", array.size(), "at least " + std::to_string(needed)));
    }
    check_rows_of(name, array, strided);
    check_apart(name, array, nullptr);
    note(name, array);
  }

 private:
  struct Seen {
    char const* name = "";
    void const* begin = nullptr;
    std::size_t bytes = 0;
    std::size_t element_bytes = 0;
    std::ptrdiff_t pitch = 0;
  };

  void refuse(Refusal refusal) {
    if (!m_refusal) m_refusal = std::move(refusal);
  }
  [[nodiscard]] std::string columns_text() const { return std::to_string(m_shape.columns) + " columns of `in`"; }
  [[nodiscard]] static std::string rows_text(std::size_t rows) { return std::to_string(rows) + " of this rank"; }

  template <class T, int Rank>
  [[nodiscard]] static bool is_dense(Array<T, Rank> const& a) {
    std::ptrdiff_t stride = 1;
    for (int d = Rank - 1; d >= 0; --d) {
      if (a.extents[d] != 1 && a.strides[d] != stride) return false;
      stride *= static_cast<std::ptrdiff_t>(a.extents[d]);
    }
    return true;
  }

  template <class T, int Rank>
  void check_matrix(char const* name, Array<T, Rank> const& a, std::size_t rows) {
    if (rows_of(a) != rows) return refuse(refuse_extent(name, "rows", rows_of(a), rows_text(rows)));
    if (row_elements_of(a) != m_shape.columns) {
      return refuse(refuse_extent(name, "elements in a row", row_elements_of(a), columns_text()));
    }
    check_rows_of(name, a, false);
  }
  template <class T, int Rank>
  void check_rows_of(char const* name, Array<T, Rank> const& a, bool strided) {
    Operand<T> const operand(a);
    if (!is_usable(m_state, operand)) return refuse(refuse_array(m_state, name, operand));
    std::ptrdiff_t stride = 1;
    for (int d = Rank - 1; d > 0; --d) {
      strided = strided || (a.extents[d] != 1 && a.strides[d] != stride);
      stride *= static_cast<std::ptrdiff_t>(a.extents[d]);
    }
    if (strided) refuse(refuse_strided_rows(name));
  }

  template <class T, int Rank>
  [[nodiscard]] static std::size_t span_bytes(Array<T, Rank> const& a) {
    if (a.size() == 0) return 0;
    std::size_t last = 0;
    for (int d = 0; d < Rank; ++d) last += (a.extents[d] - 1) * static_cast<std::size_t>(a.strides[d] < 0 ? -a.strides[d] : a.strides[d]);
    return (last + 1) * sizeof(T);
  }
  template <class T, int Rank>
  void note(char const* name, Array<T, Rank> const& a) {
    m_seen[m_count++] = {name, a.pointer, span_bytes(a), sizeof(T), pitch_of(a)};
  }
  /// Returns the elements from one row to the next; 0 if there is none.
  template <class T, int Rank>
  [[nodiscard]] static std::ptrdiff_t pitch_of([[maybe_unused]] Array<T, Rank> const& a) {
    if constexpr (Rank > 0) return a.extents[0] > 1 ? a.strides[0] : 0;
    return 0;
  }
  template <class T, int Rank>
  void check_apart(char const* name, Array<T, Rank> const& a, char const* may_be) {
    for (std::size_t i = 0; i < m_count; ++i) {
      Seen const& other = m_seen[i];
      if (!overlap(a.pointer, span_bytes(a), other.begin, other.bytes)) continue;
      bool const same = may_be != nullptr && std::string_view(other.name) == may_be && is_same(a, other, may_be);
      if (!same) {
        return refuse(Refusal::invalid("`" + std::string(name) + "` overlaps `" + other.name + "`" +
                                       (may_be != nullptr ? "; it may be `" + std::string(may_be) + "` itself" : "")));
      }
    }
  }
  template <class T, int Rank>
  [[nodiscard]] bool is_same(Array<T, Rank> const& a, Seen const& other, char const* may_be) const {
    if (std::string_view(may_be) != "in") {
      return a.pointer == other.begin && span_bytes(a) == other.bytes && sizeof(T) == other.element_bytes &&
             pitch_of(a) == other.pitch;
    }
    // This rank's rows of `in`: all of them, or those that it reduces.
    auto const* const first = static_cast<std::byte const*>(m_shape.in) + m_shape.in_begin_bytes;
    return static_cast<void const*>(a.pointer) == first && sizeof(T) == m_shape.in_element_bytes &&
           (pitch_of(a) == 0 || pitch_of(a) == m_shape.in_pitch);
  }

  State& m_state;
  RowShape const& m_shape;
  Refusal m_refusal;
  std::array<Seen, 10> m_seen{};
  std::size_t m_count = 0;
};

}  // namespace Koinon::Impl
