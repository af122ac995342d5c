// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <collectives/Koinon_MoveOf.hpp>

namespace Koinon::Testing {

/// The exchanges of elements T: all_to_all, shards_to_rows, rows_to_shards and all_gather_columns.
template <class T>
class ExchangeOf final : public BitsOf<T> {
 public:
  using BitsOf<T>::BitsOf;

  [[nodiscard]] bool exchanges() const override { return true; }

  void run(AnyPolicy const& any, Call const& c) const override {
    std::visit(
        [&](auto const& policy) {
          auto const in = array_of<T const>(c.in);
          auto const out = array_of<T>(c.out);
          switch (c.operation) {
            case Koinon::Operation::shards_to_rows:
              return Koinon::shards_to_rows(c.label, policy, in, out);
            case Koinon::Operation::rows_to_shards:
              return Koinon::rows_to_shards(c.label, policy, in, out);
            case Koinon::Operation::all_gather_columns:
              if (c.widths != nullptr) return Koinon::all_gather_columns(c.label, policy, in, out, *c.widths);
              return Koinon::all_gather_columns(c.label, policy, in, out);
            default:
              if (c.counts != nullptr) return Koinon::all_to_all(c.label, policy, in, out, *c.counts, *c.receive);
              return Koinon::all_to_all(c.label, policy, in, out);
          }
        },
        any);
  }

  [[nodiscard]] Koinon::Answer ask(AnyPolicy const& any, Call const& c) const override {
    return std::visit(
        [&](auto const& policy) {
          auto const in = array_of<T const>(c.in);
          auto const out = array_of<T>(c.out);
          switch (c.operation) {
            case Koinon::Operation::shards_to_rows:
              return Koinon::can_run<Koinon::ShardsToRows>(policy, in, out);
            case Koinon::Operation::rows_to_shards:
              return Koinon::can_run<Koinon::RowsToShards>(policy, in, out);
            case Koinon::Operation::all_gather_columns:
              if (c.widths != nullptr) return Koinon::can_run<Koinon::AllGatherColumns>(policy, in, out, *c.widths);
              return Koinon::can_run<Koinon::AllGatherColumns>(policy, in, out);
            default:
              if (c.counts != nullptr) return Koinon::can_run<Koinon::AllToAll>(policy, in, out, *c.counts, *c.receive);
              return Koinon::can_run<Koinon::AllToAll>(policy, in, out);
          }
        },
        any);
  }
};

}  // namespace Koinon::Testing
