// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Koinon_Perf_Case.hpp>
#include <Koinon_Perf_NormOracle.hpp>
#include <Koinon_Perf_Pattern.hpp>

#include <cstddef>
#include <cstdint>

namespace Koinon::Perf {

/// Counts elements of a rank's output that are not those of the pieces from all ranks.
template <class T>
std::uint64_t count_wrong_pieces(Case const& what, Pattern<T> const& pattern, int rank, int ranks, T const* out,
                                 std::size_t iteration) {
  std::uint64_t wrong = 0;
  for (int from = 0; from < ranks; ++from) {
    auto const piece = what.piece(from, rank);
    for (std::size_t row = 0; row < piece.rows; ++row)
      wrong += pattern.count_moved_wrong(
          out + piece.output_offset + row * piece.output_pitch, piece.columns,
          (Pattern<T>::start(from, iteration) + piece.input_offset + row * piece.input_pitch) % Pattern<T>::period);
  }
  return wrong;
}

/// Counts elements of a rank's output that are not as they should be after that call, and changed ones of its input.
/// @param in null where it is a part of the output
template <class T>
std::uint64_t count_wrong_elements(Case const& what, Pattern<T> const& pattern, int rank, int ranks, T const* in,
                                   T const* out, std::size_t iteration) {
  std::uint64_t wrong = 0;
  if (in != nullptr)
    wrong += pattern.count_moved_wrong(in, what.input_elements(rank), Pattern<T>::start(rank, iteration));
  if constexpr (has_norms<T>)
    if (what.norm != Norm::none) return wrong + NormOracle<T>(what, pattern, rank, ranks, iteration).count_wrong(out);
  if (is_exchange(what.operation)) return wrong + count_wrong_pieces(what, pattern, rank, ranks, out, iteration);
  switch (what.operation) {
    case Operation::barrier:
      return wrong;
    case Operation::broadcast:
      return wrong + pattern.count_moved_wrong(out, what.elements(), Pattern<T>::start(Case::root, iteration));
    case Operation::all_gather:
      for (int from = 0; from < ranks; ++from)
        wrong += pattern.count_moved_wrong(out + what.offset_of(from), what.elements_of(from),
                                           Pattern<T>::start(from, iteration));
      return wrong;
    case Operation::all_gather_multiple:
      for (int from = 0; from < ranks; ++from) {
        auto const rows = what.counts[static_cast<std::size_t>(from)];
        std::size_t columns_before = 0, member = 0;
        for (auto const columns : what.member_columns()) {
          auto const* const got =
              out + what.gathered_offsets()[member++] + what.offset_of(from) / what.columns * columns;
          auto const start = (Pattern<T>::start(from, iteration) + rows * columns_before) % Pattern<T>::period;
          wrong += pattern.count_moved_wrong(got, rows * columns, start);
          columns_before += columns;
        }
      }
      return wrong;
    default:
      return wrong +
             pattern.count_reduced_wrong(out, what.output_elements(rank), what.output_offset(rank), ranks, iteration);
  }
}

}  // namespace Koinon::Perf
