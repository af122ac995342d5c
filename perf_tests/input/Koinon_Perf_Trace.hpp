// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Koinon_Perf_Names.hpp>

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace Koinon::Perf {

/// One collective call of a program. The shape is that of the whole array; its first extent counts rows.
struct TraceCall {
  Operation operation = Operation::all_reduce;
  Norm norm = Norm::none;  ///< behind the operation
  std::vector<std::size_t> shape;
  ElementType type = ElementType::f32;
  ReducerName reducer = ReducerName::sum;
  std::string label;

  std::size_t rows() const { return shape.empty() ? 1 : shape.front(); }
  std::size_t columns() const;
  std::size_t bytes() const { return operation == Operation::barrier ? 0 : rows() * columns() * bytes_of(type); }
};

/// The communication of one step of a program (an iteration, a token): which call follows which.
struct TraceStep {
  std::string name;
  std::vector<TraceCall> calls;    ///< each entry of the file once; each has arrays of its own
  std::vector<std::size_t> order;  ///< indices into calls, in the order of the program

  std::size_t bytes() const;
};

struct Trace {
  std::string name;
  std::string source;
  std::vector<TraceStep> steps;
};

/// Reads a trace from JSON text: a list of calls, or {"name", "source", "steps": {"name of a step": list, ...}}.
/// A call is {"operation", "variant", "shape", "type", "reducer", "label", "repeat"}; {"repeat", "calls"} repeats a
/// sequence.
/// @param name says in messages where the text is from
/// @throws FileError "name:line: reason"
Trace parse_trace(std::string_view text, std::string const& name);

/// Reads a trace from a file.
/// @throws FileError, also when the file cannot be read
Trace read_trace(std::string const& file);

}  // namespace Koinon::Perf
