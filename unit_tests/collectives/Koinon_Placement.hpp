// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <collectives/Koinon_Cell.hpp>

#include <cstddef>
#include <string>
#include <vector>

namespace Koinon::Testing {

/// Is a matrix in memory of a cell's choice, between guards: every byte that is no element holds the guard.
///
/// Where a space has memory apart from the host's, the tests see a copy on the host: `upload` before a call, `download`
/// behind it.
class PlacedMatrix {
 public:
  /// @param arena the symmetric memory of that place; private ones take memory of their own
  PlacedMatrix(Session const& session, std::byte* arena, Place place, Layout layout, std::size_t rows,
               std::size_t columns, std::size_t element_bytes);

  [[nodiscard]] Matrix const& matrix() const { return m_matrix; }
  /// Returns rows [first, first + rows) of it.
  [[nodiscard]] Matrix rows(std::size_t first, std::size_t rows) const;

  /// Puts the guard everywhere.
  void reset() const;
  void upload() const;
  void download() const;

  /// Copies dense elements to a part of it, and back.
  void scatter(Matrix const& part, std::byte const* dense) const;
  void gather(Matrix const& part, std::byte* dense) const;
  /// Puts the guard over a part.
  void wipe(Matrix const& part) const;
  /// Returns where a byte is not the guard; empty: nowhere.
  [[nodiscard]] std::string fault() const;
  /// Returns all its bytes, guards too.
  [[nodiscard]] std::vector<std::byte> bytes() const;
  [[nodiscard]] bool equals(std::vector<std::byte> const& bytes) const;

  static constexpr std::byte guard{0xC3};

 private:
  template <class F>
  void for_each(Matrix const& part, F&& f) const;
  [[nodiscard]] std::byte* seen(std::byte* p) const { return m_begin + (p - m_place); }

  std::vector<std::byte> m_own;
  SpaceMemory const* m_memory;
  std::byte* m_begin;         // where the tests see it
  std::byte* m_place;         // where calls find it
  std::size_t m_bytes;
  std::size_t m_element_bytes;
  Matrix m_matrix;
};

}  // namespace Koinon::Testing
