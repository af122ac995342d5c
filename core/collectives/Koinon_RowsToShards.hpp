// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <collectives/Koinon_ExchangeCall.hpp>
#include <Koinon_Operations.hpp>

#include <string_view>

namespace Koinon {

/// Turns all columns of own rows into own columns of all rows, bit for bit: in [N, C] of rank q are all columns of the rows
/// from q * N on, out [N * R, C / R] of rank r are all rows of the columns from r * C / R on. The inverse of shards_to_rows.
///
/// Collective on the policy's instance. Columns of `in` and rows of `out` are multiples of the ranks R; columns are the
/// elements of a row. `out` is apart from `in`. Errors as all_reduce's.
template <class... Traits, ArrayLike In, ArrayLike Out>
void rows_to_shards(std::string_view label, CollectivePolicy<Traits...> const& policy, In const& in, Out const& out) {
  Impl::perform(label, policy, Impl::call_exchange<Impl::RowsToShardsShape>(policy, Impl::Result::callers, in, out));
}
template <class... Traits, ArrayLike In, ArrayLike Out>
void rows_to_shards(CollectivePolicy<Traits...> const& policy, In const& in, Out const& out) {
  rows_to_shards(std::string_view(), policy, in, out);
}

namespace Impl {
template <>
struct Ask<RowsToShards> {
  template <class Policy, class In, class Out>
  static auto call(Policy const& policy, In const& in, Out const& out) {
    return call_exchange<RowsToShardsShape>(policy, Result::callers, in, out);
  }
};
}  // namespace Impl

}  // namespace Koinon
