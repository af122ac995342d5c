// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Koinon_EvenPartition.hpp>
#include <Koinon_Perf_Case.hpp>

#include <algorithm>

namespace Koinon::Perf {

std::size_t Case::offset_of(int rank) const {
  std::size_t rows_before = 0;
  for (int before = 0; before < rank; ++before) rows_before += counts[static_cast<std::size_t>(before)];
  return rows_before * columns;
}

std::array<std::size_t, Case::gathered_members> Case::member_columns() const {
  auto const n = columns > 0 ? (columns - 1) / 2 : 0;
  return {n, columns > 0 ? columns - 1 - n : 0, columns > 0 ? 1u : 0u};
}

std::array<std::size_t, Case::gathered_members + 1> Case::gathered_offsets() const {
  auto const step = borrowed ? lent_bytes / bytes_of(type) : 1;
  std::array<std::size_t, gathered_members + 1> offsets{};
  for (std::size_t m = 0; m < gathered_members; ++m)
    offsets[m + 1] = offsets[m] + (rows * member_columns()[m] + step - 1) / step * step;
  return offsets;
}

std::array<std::size_t, Case::reduced_members> Case::member_elements() const {
  std::array<std::size_t, reduced_members> members{};
  auto const pair = elements() / (reduced_members / 2);
  for (std::size_t m = 0; m < reduced_members; m += 2) {
    members[m + 1] = pair / 64;
    members[m] = pair - members[m + 1];
  }
  members[0] += elements() % (reduced_members / 2);
  return members;
}

std::size_t Case::input_elements(int rank) const {
  switch (operation) {
    case Operation::barrier:
      return 0;
    case Operation::all_gather:
    case Operation::all_gather_multiple:
      return elements_of(rank);
    case Operation::all_gather_columns:
      return rows * counts[static_cast<std::size_t>(rank)];
    case Operation::broadcast:
      return rank == root ? elements() : 0;
    default:
      return elements();
  }
}

Case::NormParts Case::norm_parts(int rank) const {
  auto const up = [&](std::size_t elements, std::size_t bytes) {
    return elements + (bytes + part_bytes - 1) / part_bytes * part_bytes / bytes_of(type);
  };
  auto const element = bytes_of(type);
  auto const own = operation == Operation::reduce_scatter ? elements_of(rank) : elements();
  auto const own_rows = columns > 0 ? own / columns : 0;
  NormParts parts{};
  parts.residual = up(0, elements() * element);
  parts.weight = up(parts.residual, has_residual() ? own * element : 0);
  parts.input_room = up(parts.weight, columns * element);
  parts.norm_out = up(0, has_residual() ? own * element : 0);
  parts.scales = up(parts.norm_out, is_quantized() ? own : own * element);
  parts.output_room = up(parts.scales, norm == Norm::fp8_groups ? own_rows * groups() * sizeof(float) : 0);
  return parts;
}

std::size_t Case::input_room(int rank) const {
  return norm == Norm::none ? input_elements(rank) : norm_parts(rank).input_room;
}

std::size_t Case::output_elements(int rank) const {
  if (norm != Norm::none) return norm_parts(rank).output_room;
  switch (operation) {
    case Operation::barrier:
      return 0;
    case Operation::reduce_scatter:
      return elements_of(rank);
    case Operation::all_to_all:
      return counts.size() * elements_of(rank);
    case Operation::reduce:
      return rank == root ? elements() : 0;
    case Operation::all_gather_multiple:
      return gathered_offsets().back();
    default:
      return elements();
  }
}

std::size_t Case::input_columns(int rank) const {
  auto const width = counts.empty() ? 0 : counts[static_cast<std::size_t>(rank)];
  return operation == Operation::shards_to_rows || operation == Operation::all_gather_columns ? width : columns;
}

std::size_t Case::output_columns(int rank) const {
  return operation == Operation::rows_to_shards ? counts[static_cast<std::size_t>(rank)] : columns;
}

Case::Piece Case::piece(int from, int to) const {
  auto const q = static_cast<std::size_t>(from), p = static_cast<std::size_t>(to);
  auto const width = counts[q];
  switch (operation) {
    case Operation::shards_to_rows:
      return {rows, width, p * rows * width, width, q * width, columns};
    case Operation::rows_to_shards:
      return {rows, counts[p], p * counts[p], columns, q * rows * counts[p], counts[p]};
    case Operation::all_gather_columns:
      return {rows, width, 0, width, offset_of(from) / columns, columns};
    default:
      return {counts[p], columns, offset_of(to), columns, q * counts[p] * columns, columns};
  }
}

std::size_t Case::input_offset(int rank) const {
  return operation == Operation::all_gather ? offset_of(rank) : 0;
}

std::size_t Case::output_offset(int rank) const {
  return operation == Operation::reduce_scatter ? offset_of(rank) : 0;
}

std::size_t Case::message_bytes() const {
  if (operation == Operation::all_to_all) return counts_given ? 0 : bytes() / counts.size();
  if (divides_columns(operation)) return rows * *std::max_element(counts.begin(), counts.end()) * bytes_of(type);
  if (!has_counts(operation) || counts.empty()) return bytes();
  return *std::max_element(counts.begin(), counts.end()) * columns * bytes_of(type);
}

std::size_t Case::largest_input(int ranks) const {
  std::size_t largest = 0;
  for (int rank = 0; rank < ranks; ++rank) largest = std::max(largest, input_room(rank));
  return largest;
}

std::size_t Case::largest_output(int ranks) const {
  std::size_t largest = 0;
  for (int rank = 0; rank < ranks; ++rank) largest = std::max(largest, output_elements(rank));
  return largest;
}

std::vector<std::size_t> even_counts(std::size_t rows, int ranks) {
  std::vector<std::size_t> counts;
  for (auto const count : even_partition(static_cast<std::int64_t>(rows), ranks))
    counts.push_back(static_cast<std::size_t>(count));
  return counts;
}

}  // namespace Koinon::Perf
