// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <support/Koinon_ExecutionSpaces.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace Koinon::Testing {

/// Is a matrix of elements whose type the matrix of tests does not know; strides in elements.
struct Matrix {
  std::byte* data = nullptr;
  std::size_t rows = 0;
  std::size_t columns = 0;
  std::ptrdiff_t row_stride = 0;
  std::ptrdiff_t column_stride = 1;
};

/// Is one call of any operation, as a value.
struct Call {
  Koinon::Operation operation = Koinon::Operation::all_reduce;
  std::string_view label;
  Matrix in;
  Matrix out;  // of a broadcast: the array
  int root = 0;
  Koinon::Counts const* counts = nullptr;   // of an all_to_all: what is sent
  Koinon::Counts const* receive = nullptr;
  Koinon::Widths const* widths = nullptr;
};

/// Is an element type, or an element type with a reducer, without its type: templates are instantiated once, and the
/// matrix of calls is a loop at run time.
class Exercise {
 public:
  Exercise(std::string name, std::size_t element_bytes, bool rounds_before_division)
      : m_name(std::move(name)),
        m_element_bytes(element_bytes),
        m_rounds_before_division(rounds_before_division) {}
  Exercise(Exercise const&) = delete;
  Exercise& operator=(Exercise const&) = delete;
  virtual ~Exercise();

  [[nodiscard]] std::string const& name() const { return m_name; }
  [[nodiscard]] std::size_t element_bytes() const { return m_element_bytes; }
  /// Says whether results over multicast may differ from those over peers.
  [[nodiscard]] bool rounds_before_division() const { return m_rounds_before_division; }

  /// Returns why the policy's backend cannot do it by multicast; null: it can, where the communicator has such memory.
  [[nodiscard]] virtual char const* multimem_refusal(AnyPolicy const& policy) const = 0;

  [[nodiscard]] virtual bool reduces() const = 0;
  /// Says whether large low-latency messages of it may go over sentinels, where the backend has them.
  [[nodiscard]] virtual bool sends_sentinels() const { return false; }
  /// Says whether its operations give each rank a piece of each.
  [[nodiscard]] virtual bool exchanges() const { return false; }
  /// Writes `rank`'s input elements [first, first + count), dense.
  virtual void fill(std::byte* to, std::size_t first, std::size_t count, std::uint64_t seed, int rank) const = 0;
  /// Returns what is wrong with dense results of elements [first, ..), computed from all ranks' inputs; empty: nothing.
  [[nodiscard]] virtual std::string check(std::byte const* results, std::size_t first, std::size_t count,
                                          std::uint64_t seed, int ranks, bool by_multimem) const = 0;
  virtual void run(AnyPolicy const& policy, Call const& call) const = 0;
  [[nodiscard]] virtual Koinon::Answer ask(AnyPolicy const& policy, Call const& call) const = 0;

 private:
  std::string m_name;
  std::size_t m_element_bytes;
  bool m_rounds_before_division;
};

using Exercises = std::vector<std::unique_ptr<Exercise const>>;

/// Returns all exercises of this build: reductions of every element type, and moves.
Exercises const& exercises();
/// Returns the exercise of that name.
Exercise const& exercise(std::string_view name);

// One a file of templates.
void add_float_exercises(Exercises& to);
void add_double_exercises(Exercises& to);
void add_bfloat16_exercises(Exercises& to);
void add_narrow_exercises(Exercises& to);
void add_int32_exercises(Exercises& to);
void add_integer_exercises(Exercises& to);
void add_long_exercises(Exercises& to);
void add_composed_exercises(Exercises& to);
void add_user_exercises(Exercises& to);
void add_move_exercises(Exercises& to);
void add_move_wide_exercises(Exercises& to);
void add_exchange_exercises(Exercises& to);

}  // namespace Koinon::Testing
