// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <collectives/Koinon_ReductionOf.hpp>

#include <cstring>

namespace Koinon::Testing {

/// Is what moves of elements T have in common: any bits.
template <class T>
class BitsOf : public Exercise {
 public:
  explicit BitsOf(std::string name) : Exercise(std::move(name), sizeof(T), false) {}

  [[nodiscard]] char const* multimem_refusal(AnyPolicy const& any) const override {
    return std::visit(
        []<class Policy>(Policy const&) -> char const* {
          return Koinon::Impl::multimem_moves_refusal<BackendOf<Policy>>();
        },
        any);
  }

  [[nodiscard]] bool reduces() const override { return false; }

  /// Random bytes: NaN with payloads, zeros of both signs; every eighth element is all ones.
  void fill(std::byte* to, std::size_t first, std::size_t count, std::uint64_t seed, int rank) const override {
    for (std::size_t i = 0; i < count; ++i) {
      std::uint64_t const random = element_bits(seed, rank, first + i);
      for (std::size_t b = 0; b < sizeof(T); ++b) {
        std::uint64_t const bits = (random & 7u) == 0 ? 0xFFu : mixed(random + b / 8) >> (b % 8 * 8);
        to[i * sizeof(T) + b] = static_cast<std::byte>(bits & 0xFFu);
      }
    }
  }

  /// @pre `ranks` is the one source rank here
  [[nodiscard]] std::string check(std::byte const* results, std::size_t first, std::size_t count, std::uint64_t seed,
                                  int source, bool) const override {
    std::byte expected[sizeof(T)];
    for (std::size_t i = 0; i < count; ++i) {
      fill(expected, first + i, 1, seed, source);
      if (std::memcmp(results + i * sizeof(T), expected, sizeof(T)) == 0) continue;
      return "element " + std::to_string(first + i) + " of rank " + std::to_string(source) + " does not have its bits";
    }
    return {};
  }
};

/// The moves of elements T: all_gather and broadcast.
template <class T>
class MoveOf final : public BitsOf<T> {
 public:
  using BitsOf<T>::BitsOf;

  void run(AnyPolicy const& any, Call const& c) const override {
    std::visit(
        [&](auto const& policy) {
          auto const out = array_of<T>(c.out);
          if (c.operation == Koinon::Operation::broadcast) {
            Koinon::broadcast(c.label, policy, out, c.root);
          } else if (c.counts != nullptr) {
            Koinon::all_gather(c.label, policy, array_of<T const>(c.in), out, *c.counts);
          } else {
            Koinon::all_gather(c.label, policy, array_of<T const>(c.in), out);
          }
        },
        any);
  }

  [[nodiscard]] Koinon::Answer ask(AnyPolicy const& any, Call const& c) const override {
    return std::visit(
        [&](auto const& policy) {
          auto const out = array_of<T>(c.out);
          if (c.operation == Koinon::Operation::broadcast)
            return Koinon::can_run<Koinon::Broadcast>(policy, out, c.root);
          auto const in = array_of<T const>(c.in);
          if (c.counts != nullptr) return Koinon::can_run<Koinon::AllGather>(policy, in, out, *c.counts);
          return Koinon::can_run<Koinon::AllGather>(policy, in, out);
        },
        any);
  }
};

}  // namespace Koinon::Testing
