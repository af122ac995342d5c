// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <collectives/Koinon_ExchangeCall.hpp>
#include <Koinon_Operations.hpp>

#include <string_view>

namespace Koinon {

/// Turns columns of all rows into all columns of own rows, bit for bit: in [N * R, C / R] of rank q are all rows of the
/// columns from q * C / R on, out [N, C] of rank r are all columns of the rows from r * N on.
///
/// Collective on the policy's instance. Rows of `in` and columns of `out` are multiples of the ranks R; columns are the
/// elements of a row. `out` is apart from `in`. Errors as all_reduce's.
template <class... Traits, ArrayLike In, ArrayLike Out>
void shards_to_rows(std::string_view label, CollectivePolicy<Traits...> const& policy, In const& in, Out const& out) {
  Impl::perform(label, policy, Impl::call_exchange<Impl::ShardsToRowsShape>(policy, Impl::Result::callers, in, out));
}
template <class... Traits, ArrayLike In, ArrayLike Out>
void shards_to_rows(CollectivePolicy<Traits...> const& policy, In const& in, Out const& out) {
  shards_to_rows(std::string_view(), policy, in, out);
}

namespace Impl {
template <>
struct Ask<ShardsToRows> {
  template <class Policy, class In, class Out>
  static auto call(Policy const& policy, In const& in, Out const& out) {
    return call_exchange<ShardsToRowsShape>(policy, Result::callers, in, out);
  }
};
}  // namespace Impl

}  // namespace Koinon
