// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <collectives/Koinon_ExchangeCall.hpp>
#include <Koinon_Operations.hpp>

#include <string_view>

namespace Koinon {

/// Gathers every rank's columns on every rank, bit for bit: the columns of out [T, sum(widths)] from offset[p] on are
/// in [T, widths[p]] of rank p.
///
/// Collective on the policy's instance. Columns are the elements of a row. Widths are positive; without them each rank has
/// as many columns, and those of `out` are a multiple of the ranks. `out` is apart from `in`. Errors as all_reduce's.
template <class... Traits, ArrayLike In, ArrayLike Out>
void all_gather_columns(std::string_view label, CollectivePolicy<Traits...> const& policy, In const& in, Out const& out) {
  Impl::perform(label, policy, Impl::call_exchange<Impl::AllGatherColumnsShape>(policy, Impl::Result::callers, in, out));
}
template <class... Traits, ArrayLike In, ArrayLike Out>
void all_gather_columns(std::string_view label, CollectivePolicy<Traits...> const& policy, In const& in, Out const& out, Widths const& widths) {
  Impl::perform(label, policy, Impl::call_exchange<Impl::AllGatherColumnsShape>(policy, Impl::Result::callers, in, out, &widths));
}
template <class... Traits, ArrayLike In, ArrayLike Out>
void all_gather_columns(CollectivePolicy<Traits...> const& policy, In const& in, Out const& out) {
  all_gather_columns(std::string_view(), policy, in, out);
}
template <class... Traits, ArrayLike In, ArrayLike Out>
void all_gather_columns(CollectivePolicy<Traits...> const& policy, In const& in, Out const& out, Widths const& widths) {
  all_gather_columns(std::string_view(), policy, in, out, widths);
}

namespace Impl {
template <>
struct Ask<AllGatherColumns> {
  template <class Policy, class In, class Out>
  static auto call(Policy const& policy, In const& in, Out const& out) {
    return call_exchange<AllGatherColumnsShape>(policy, Result::callers, in, out);
  }
  template <class Policy, class In, class Out>
  static auto call(Policy const& policy, In const& in, Out const& out, Widths const& widths) {
    return call_exchange<AllGatherColumnsShape>(policy, Result::callers, in, out, &widths);
  }
};
}  // namespace Impl

}  // namespace Koinon
