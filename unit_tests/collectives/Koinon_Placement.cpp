// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <collectives/Koinon_Placement.hpp>

#include <cstdint>
#include <cstring>
#include <stdexcept>

namespace Koinon::Testing {

namespace {

constexpr std::size_t guard_bytes = 128;

/// Returns strides and, by them, how many elements the matrix spans.
std::size_t lay_out(Layout layout, Matrix& m) {
  auto const rows = static_cast<std::ptrdiff_t>(m.rows);
  auto const columns = static_cast<std::ptrdiff_t>(m.columns);
  std::ptrdiff_t span = rows * columns;
  m.row_stride = columns;
  m.column_stride = 1;
  if (layout == Layout::subview) {
    m.row_stride = columns + 3;
    span = rows * m.row_stride;
  } else if (layout == Layout::left) {
    m.row_stride = 1;
    m.column_stride = rows + 2;
    span = columns * m.column_stride;
  }
  return rows > 0 ? static_cast<std::size_t>(span) : 0;  // of no rows some columns lie nowhere
}

}  // namespace

PlacedMatrix::PlacedMatrix(Session const& session, std::byte* arena, Place place, Layout layout, std::size_t rows,
                           std::size_t columns, std::size_t element_bytes)
    : m_memory(session.memory()), m_element_bytes(element_bytes) {
  m_matrix.rows = rows;
  m_matrix.columns = columns;
  std::size_t const span = lay_out(layout, m_matrix) * element_bytes;
  bool const symmetric = place == Place::symmetric || place == Place::symmetric_apart ||
                         place == Place::symmetric_odd || (place == Place::mixed && session.rank() % 2 == 0);
  bool const odd = place == Place::private_odd || place == Place::symmetric_odd;
  std::size_t const apart = place == Place::symmetric_apart ? static_cast<std::size_t>(session.rank()) % 5 * 64 : 0;
  std::size_t const before = guard_bytes + apart + (odd ? element_bytes : 0);
  m_bytes = before + span + guard_bytes;
  if (symmetric) {
    if (m_bytes > Session::arena_bytes) throw std::logic_error("a cell's matrix exceeds the arena");
    m_place = arena;
  } else if (m_memory != nullptr) {
    // The arenas tell the two arrays of a cell apart.
    std::size_t const half = m_memory->private_bytes() / 2;
    if (m_bytes > half) throw std::logic_error("a cell's matrix exceeds the private memory");
    m_place = m_memory->private_memory() + (arena == session.in_arena() ? 0 : half);
  }
  if (!symmetric || m_memory != nullptr) {
    m_own.resize(m_bytes + 64);
    auto const address = reinterpret_cast<std::uintptr_t>(m_own.data());
    m_begin = m_own.data() + (64 - address % 64) % 64;
  } else {
    m_begin = arena;
  }
  if (m_memory == nullptr) m_place = m_begin;
  m_matrix.data = m_place + before;
  reset();
}

Matrix PlacedMatrix::rows(std::size_t first, std::size_t rows) const {
  Matrix part = m_matrix;
  part.rows = rows;
  part.data += static_cast<std::ptrdiff_t>(first) * part.row_stride * static_cast<std::ptrdiff_t>(m_element_bytes);
  return part;
}

void PlacedMatrix::reset() const {
  std::memset(m_begin, static_cast<int>(guard), m_bytes);
}
void PlacedMatrix::upload() const {
  if (m_memory != nullptr) m_memory->upload(m_place, m_begin, m_bytes);
}
void PlacedMatrix::download() const {
  if (m_memory != nullptr) m_memory->download(m_begin, m_place, m_bytes);
}

template <class F>
void PlacedMatrix::for_each(Matrix const& part, F&& f) const {
  auto const bytes = static_cast<std::ptrdiff_t>(m_element_bytes);
  std::size_t const run = part.column_stride == 1 ? part.columns : 1;  // elements that lie side by side
  if (run == 0) return;
  std::size_t at = 0;
  for (std::size_t i = 0; i < part.rows; ++i) {
    for (std::size_t j = 0; j < part.columns; j += run) {
      std::ptrdiff_t const offset =
          static_cast<std::ptrdiff_t>(i) * part.row_stride + static_cast<std::ptrdiff_t>(j) * part.column_stride;
      f(seen(part.data + offset * bytes), at * m_element_bytes, run * m_element_bytes);
      at += run;
    }
  }
}

void PlacedMatrix::scatter(Matrix const& part, std::byte const* dense) const {
  for_each(part, [&](std::byte* p, std::size_t at, std::size_t bytes) { std::memcpy(p, dense + at, bytes); });
}
void PlacedMatrix::gather(Matrix const& part, std::byte* dense) const {
  for_each(part, [&](std::byte const* p, std::size_t at, std::size_t bytes) { std::memcpy(dense + at, p, bytes); });
}
void PlacedMatrix::wipe(Matrix const& part) const {
  for_each(part, [](std::byte* p, std::size_t, std::size_t bytes) { std::memset(p, static_cast<int>(guard), bytes); });
}

std::string PlacedMatrix::fault() const {
  for (std::size_t i = 0; i < m_bytes; ++i) {
    if (m_begin[i] == guard) continue;
    return "the byte " + std::to_string(m_place + i - m_matrix.data) +
           " from its begin, which is no element, was written";
  }
  return {};
}

std::vector<std::byte> PlacedMatrix::bytes() const {
  return {m_begin, m_begin + m_bytes};
}
bool PlacedMatrix::equals(std::vector<std::byte> const& bytes) const {
  return std::memcmp(m_begin, bytes.data(), m_bytes) == 0;
}

}  // namespace Koinon::Testing
