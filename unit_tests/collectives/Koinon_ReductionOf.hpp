// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <collectives/Koinon_Exercise.hpp>
#include <support/Koinon_Samples.hpp>

#include <cstring>
#include <type_traits>

namespace Koinon::Testing {

template <class T>
Koinon::Array<T, 2> array_of(Matrix const& m) {
  Koinon::Array<std::remove_const_t<T>, 2> array(reinterpret_cast<std::remove_const_t<T>*>(m.data), m.rows, m.columns);
  array.strides[0] = m.row_stride;
  array.strides[1] = m.column_stride;
  return array;
}

/// The reductions of elements T with reducer R: all_reduce, reduce_scatter and reduce.
template <class T, class R>
class ReductionOf final : public Exercise {
 public:
  explicit ReductionOf(std::string name)
      : Exercise(std::move(name), sizeof(T), is_narrow<T> && std::is_same_v<R, Koinon::Average>) {}

  [[nodiscard]] char const* multimem_refusal(AnyPolicy const& any) const override {
    return std::visit(
        []<class Policy>(Policy const&) -> char const* {
          return BackendOf<Policy>::template multimem_refusal<T, R>;
        },
        any);
  }

  [[nodiscard]] bool reduces() const override { return true; }
  [[nodiscard]] bool sends_sentinels() const override {
    return Koinon::Impl::sends_sentinels<Koinon::Impl::reduced_element_t<T, R>, Koinon::canonical_reducer_t<R>>;
  }

  void fill(std::byte* to, std::size_t first, std::size_t count, std::uint64_t seed, int rank) const override {
    for (std::size_t i = 0; i < count; ++i) {
      T const value = sample<T, R>(element_bits(seed, rank, first + i));
      std::memcpy(to + i * sizeof(T), &value, sizeof(T));
    }
  }

  [[nodiscard]] std::string check(std::byte const* results, std::size_t first, std::size_t count, std::uint64_t seed,
                                  int ranks, bool by_multimem) const override {
    T values[64];
    for (std::size_t i = 0; i < count; ++i) {
      for (int p = 0; p < ranks; ++p) values[p] = sample<T, R>(element_bits(seed, p, first + i));
      T got;
      std::memcpy(static_cast<void*>(&got), results + i * sizeof(T), sizeof(T));
      if (is_reduction<T, R>(got, values, ranks, {.before_division = by_multimem})) continue;
      return "element " + std::to_string(first + i) + " is not the reduction of the ranks' values; bytes got " +
             hex(&got) + ", of the ranks" + [&] {
               std::string text;
               for (int p = 0; p < ranks; ++p) text += " " + hex(&values[p]);
               return text;
             }();
    }
    return {};
  }

  void run(AnyPolicy const& any, Call const& c) const override {
    std::visit([&](auto const& policy) { call(policy, c); }, any);
  }
  [[nodiscard]] Koinon::Answer ask(AnyPolicy const& any, Call const& c) const override {
    return std::visit([&](auto const& policy) { return question(policy, c); }, any);
  }

 private:
  static std::string hex(T const* value) {
    static constexpr char digits[] = "0123456789abcdef";
    unsigned char bytes[sizeof(T)];
    std::memcpy(bytes, value, sizeof(T));
    std::string text;
    for (std::size_t i = sizeof(T); i-- > 0;) (text += digits[bytes[i] >> 4]) += digits[bytes[i] & 15];
    return text;
  }

  template <class Policy>
  static void call(Policy const& policy, Call const& c) {
    auto const in = array_of<T const>(c.in);
    auto const out = array_of<T>(c.out);
    switch (c.operation) {
      case Koinon::Operation::all_reduce:
        return Koinon::all_reduce(c.label, policy, in, out, R{});
      case Koinon::Operation::reduce:
        return Koinon::reduce(c.label, policy, in, out, c.root, R{});
      default:
        if (c.counts != nullptr) return Koinon::reduce_scatter(c.label, policy, in, out, R{}, *c.counts);
        return Koinon::reduce_scatter(c.label, policy, in, out, R{});
    }
  }

  template <class Policy>
  static Koinon::Answer question(Policy const& policy, Call const& c) {
    auto const in = array_of<T const>(c.in);
    auto const out = array_of<T>(c.out);
    switch (c.operation) {
      case Koinon::Operation::all_reduce:
        return Koinon::can_run<Koinon::AllReduce>(policy, in, out, R{});
      case Koinon::Operation::reduce:
        return Koinon::can_run<Koinon::Reduce>(policy, in, out, c.root, R{});
      default:
        if (c.counts != nullptr) return Koinon::can_run<Koinon::ReduceScatter>(policy, in, out, R{}, *c.counts);
        return Koinon::can_run<Koinon::ReduceScatter>(policy, in, out, R{});
    }
  }
};

/// Adds the reductions of T with each reducer.
template <class T, class... R>
void add_reductions(Exercises& to) {
  (to.push_back(std::make_unique<ReductionOf<T, R> const>(std::string(Koinon::element_name<T>()) + "_" +
                                                          std::string(Koinon::reducer_name<R>()))),
   ...);
}

}  // namespace Koinon::Testing
