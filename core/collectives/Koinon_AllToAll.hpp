// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <collectives/Koinon_ExchangeCall.hpp>
#include <Koinon_Operations.hpp>

#include <string_view>

namespace Koinon {

/// Gives each rank its block of rows of `in` and takes a block of each, bit for bit: the rows of in [S, ...] from
/// send_offset[p] on go to rank p, those of out [R, ...] from receive_offset[p] on come from rank p.
///
/// Collective on the policy's instance. Without counts both arrays have equal rows, a multiple of the ranks, of which each
/// rank gets as many. With counts send[p] of this rank is receive[rank] of rank p. `out` is apart from `in`. Errors as
/// all_reduce's.
template <class... Traits, ArrayLike In, ArrayLike Out>
void all_to_all(std::string_view label, CollectivePolicy<Traits...> const& policy, In const& in, Out const& out) {
  Impl::perform(label, policy, Impl::call_exchange<Impl::AllToAllShape>(policy, Impl::Result::callers, in, out));
}
template <class... Traits, ArrayLike In, ArrayLike Out>
void all_to_all(std::string_view label, CollectivePolicy<Traits...> const& policy, In const& in, Out const& out, Counts const& send, Counts const& receive) {
  Impl::perform(label, policy, Impl::call_exchange<Impl::AllToAllShape>(policy, Impl::Result::callers, in, out, &send, &receive));
}
template <class... Traits, ArrayLike In, ArrayLike Out>
void all_to_all(CollectivePolicy<Traits...> const& policy, In const& in, Out const& out) {
  all_to_all(std::string_view(), policy, in, out);
}
template <class... Traits, ArrayLike In, ArrayLike Out>
void all_to_all(CollectivePolicy<Traits...> const& policy, In const& in, Out const& out, Counts const& send, Counts const& receive) {
  all_to_all(std::string_view(), policy, in, out, send, receive);
}

namespace Impl {
template <>
struct Ask<AllToAll> {
  template <class Policy, class In, class Out>
  static auto call(Policy const& policy, In const& in, Out const& out) {
    return call_exchange<AllToAllShape>(policy, Result::callers, in, out);
  }
  template <class Policy, class In, class Out>
  static auto call(Policy const& policy, In const& in, Out const& out, Counts const& send, Counts const& receive) {
    return call_exchange<AllToAllShape>(policy, Result::callers, in, out, &send, &receive);
  }
};
}  // namespace Impl

}  // namespace Koinon
