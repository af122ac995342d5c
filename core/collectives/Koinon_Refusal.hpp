// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Koinon_Export.hpp>
#include <arrays/Koinon_Operand.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>

namespace Koinon {

/// Answers can_run: yes, or no and why.
class Answer {
 public:
  Answer() = default;
  explicit Answer(std::string reason) : m_reason(std::move(reason)) {}
  explicit operator bool() const { return m_reason.empty(); }
  /// Returns what the call would throw; empty if it can run.
  [[nodiscard]] std::string const& reason() const { return m_reason; }

 private:
  std::string m_reason;
};

namespace Impl {

/// Says why a call is refused before anything is launched; empty: it is not.
struct Refusal {
  enum class Kind { none, invalid_argument, unsupported };
  Kind kind = Kind::none;
  std::string reason;

  [[nodiscard]] static Refusal invalid(std::string why) { return {Kind::invalid_argument, std::move(why)}; }
  [[nodiscard]] static Refusal unsupported(std::string why) { return {Kind::unsupported, std::move(why)}; }
  explicit operator bool() const { return kind != Kind::none; }
};

/// Throws a refusal as InvalidArgument or UnsupportedError whose message names operation, label and rank.
[[noreturn]] KOINON_EXPORT void throw_refusal(Refusal const& refusal, std::string_view operation, std::string_view label,
                                              int rank);

/// Returns the message that throw_refusal throws.
KOINON_EXPORT std::string refusal_text(Refusal const& refusal, std::string_view operation, std::string_view label,
                                       int rank);

/// Throws ResourceError: a borrowed result exceeds its workspace. Nothing was launched, the workspace is unchanged.
[[noreturn]] KOINON_EXPORT void throw_workspace_too_small(std::string_view operation, std::string_view label, int rank,
                                                          std::size_t needed, std::size_t given);

// Checks that several operations share. Each returns an empty refusal when all is well.
KOINON_EXPORT Refusal refuse_null(char const* argument);
KOINON_EXPORT Refusal refuse_memory(char const* argument, char const* reason);
KOINON_EXPORT Refusal refuse_instance(char const* reason);
KOINON_EXPORT Refusal refuse_extent(char const* argument, char const* what, std::size_t given, std::string const& expected);
KOINON_EXPORT Refusal check_counts(std::span<std::int64_t const> counts, int ranks, char const* argument);
KOINON_EXPORT Refusal check_root(int root, int ranks);
/// An epilogue takes rows whose neighbouring elements are neighbours in memory.
KOINON_EXPORT Refusal refuse_strided_rows(char const* argument);

/// Says whether an array can be used: it has no element, or is not null and this rank's kernels can access it.
template <class State, class T>
[[nodiscard]] bool is_usable(State& state, Operand<T> const& a) {
  return a.count == 0 || (a.pointer != nullptr && state.memory().refusal_of(a.pointer) == nullptr);
}

/// Refuses an array that cannot be used.
template <class State, class T>
[[nodiscard, gnu::noinline, gnu::cold]] Refusal refuse_array(State& state, char const* argument, Operand<T> const& a) {
  return a.pointer == nullptr ? refuse_null(argument) : refuse_memory(argument, state.memory().refusal_of(a.pointer));
}

/// Says whether two dense ranges of memory share a byte.
inline bool overlap(void const* a, std::size_t a_bytes, void const* b, std::size_t b_bytes) {
  auto const x = reinterpret_cast<std::uintptr_t>(a);
  auto const y = reinterpret_cast<std::uintptr_t>(b);
  return a_bytes > 0 && b_bytes > 0 && x < y + b_bytes && y < x + a_bytes;
}

}  // namespace Impl
}  // namespace Koinon
