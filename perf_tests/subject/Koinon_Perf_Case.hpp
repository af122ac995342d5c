// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Koinon_Perf_Names.hpp>
#include <Koinon_Tuning.hpp>

#include <array>
#include <cstddef>
#include <string>
#include <vector>

namespace Koinon::Perf {

/// Says what one call is: operation, arrays, and how Koinon shall do it. The same on every rank.
struct Case {
  Operation operation = Operation::all_reduce;
  Norm norm = Norm::none;
  ElementType type = ElementType::f32;
  ReducerName reducer = ReducerName::sum;
  std::size_t rows = 0;  ///< of the whole array; of shards, of what a rank has with all columns
  std::size_t columns = 1;
  /// Rows a rank; the rows' even partition unless the user gave others. all_to_all: what each rank sends to that one;
  /// where columns are dealt out: columns a rank.
  std::vector<std::size_t> counts;
  bool counts_given = false;
  bool in_place = false;
  bool borrowed = false;  ///< the output is a workspace, by the operation's form that returns it
  Placement placement = Placement::private_memory;
  Algorithm algorithm = Algorithm::automatic;
  Transport transport = Transport::automatic;
  Tuning tuning{};  ///< required beside these: what --tune tries
  bool skip_entry_barrier = false;
  bool dependent_launch = false;
  bool early_trigger = false;
  std::string label;

  static constexpr int root = 0;

  // Operations on several arrays have them one behind the other. Gathered: what a step of speculative decoding tells,
  // [rows, n] twice and [rows], of the 2 n + 1 columns in all. Reduced: four pairs of a weight's and a bias's gradient.
  static constexpr std::size_t gathered_members = 3;
  static constexpr std::size_t reduced_members = 8;
  std::array<std::size_t, gathered_members> member_columns() const;
  std::array<std::size_t, reduced_members> member_elements() const;
  /// Returns the elements of the output before each gathered member, last: of all. In a workspace every one begins at a
  /// multiple of lent_bytes, where all_gather_multiple_borrowed has it in a workspace that is just large enough.
  std::array<std::size_t, gathered_members + 1> gathered_offsets() const;
  static constexpr std::size_t lent_bytes = 64;

  // What a norm has besides lies behind the input and in the output, each part from a multiple of part_bytes on.
  static constexpr std::size_t part_bytes = 256;
  static constexpr float weight_offset = 0.5f;  // the weights are whole numbers: none of them is 0 with it
  static constexpr float epsilon = 1e-6f;
  static constexpr float scale = 0.0625f;       // of fp8
  static constexpr std::size_t group = 128;     // columns that have one scale in fp8_groups
  bool has_residual() const { return norm != Norm::none && norm != Norm::plain; }
  bool is_quantized() const { return norm == Norm::fp8 || norm == Norm::fp8_groups; }
  std::size_t groups() const { return (columns + group - 1) / group; }
  /// Elements before each part. in: of the input array; all others: of the output array.
  struct NormParts {
    std::size_t residual, weight, input_room;
    std::size_t residual_out, norm_out, scales, output_room;
  };
  /// @pre norm != Norm::none
  NormParts norm_parts(int rank) const;
  /// Returns the elements of the output before what a rival without a fused norm lets its reduction write: the rows that
  /// the residual is added to, or those that are normalized in place.
  std::size_t reduced_in_output(int rank) const {
    auto const parts = norm_parts(rank);
    return has_residual() ? parts.residual_out : parts.norm_out;
  }

  /// Tells whether a second call on the same arrays gives the same result again.
  bool is_repeatable() const { return !in_place || !has_reducer(operation); }
  /// Tells whether peers may store into this rank's result before it has entered the call.
  bool is_written_early() const { return borrowed && skip_entry_barrier; }
  /// Tells whether input and output lie in one array.
  bool is_one_array() const { return in_place || operation == Operation::broadcast; }

  std::size_t elements() const { return rows * columns; }
  std::size_t bytes() const { return elements() * bytes_of(type); }
  std::size_t elements_of(int rank) const { return counts[static_cast<std::size_t>(rank)] * columns; }
  std::size_t offset_of(int rank) const;

  /// Is where the piece of a rank for another one lies: rows of neighbours in the input of the one and the output of the other.
  struct Piece {
    std::size_t rows, columns;
    std::size_t input_offset, input_pitch;
    std::size_t output_offset, output_pitch;
  };
  /// @pre is_exchange(operation)
  Piece piece(int from, int to) const;
  /// The elements in a row of this rank's arrays.
  std::size_t input_columns(int rank) const;
  std::size_t output_columns(int rank) const;

  /// Elements that this rank passes as input and gets as output; both 0 where it has no such array. Of a norm only what
  /// is reduced is input that is rewritten; input_room has all.
  std::size_t input_elements(int rank) const;
  std::size_t input_room(int rank) const;
  std::size_t output_elements(int rank) const;
  /// Where in one array of the rank input and output lie when the call is in place.
  std::size_t input_offset(int rank) const;
  std::size_t output_offset(int rank) const;
  std::size_t in_place_elements() const { return elements(); }
  /// Returns what a rank sends to one peer at most: by this the library looks its tunings up.
  std::size_t message_bytes() const;
  /// The most that any rank needs; symmetric memory has the same size everywhere.
  std::size_t largest_input(int ranks) const;
  std::size_t largest_output(int ranks) const;
};

/// Returns how many rows each rank has when they are dealt out evenly.
std::vector<std::size_t> even_counts(std::size_t rows, int ranks);

}  // namespace Koinon::Perf
