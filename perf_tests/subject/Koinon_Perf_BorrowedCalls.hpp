// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Koinon_CoreWithoutMpi.hpp>
#include <Koinon_Perf_Case.hpp>
#include <Koinon_Perf_Exercise.hpp>

#include <cstdint>
#include <stdexcept>

namespace Koinon::Perf {

/// Refuses a borrowed result that does not lie where it is checked.
template <class T, int Rank>
void require_at(Array<T, Rank> const& lent, T const* expected) {
  if (lent.data() != expected && lent.size() != 0)
    throw std::logic_error("a borrowed result lies at another place of the workspace");
}

/// Calls use with the rows of each rank as a user has them: a list, or their number in all, evenly dealt out.
template <class Use>
Call with_rows_of(Case const& what, Use const& use) {
  if (what.counts_given) return use(Counts(what.counts));
  return use(TotalRows{static_cast<std::int64_t>(what.rows)});
}

// Each call's result is borrowed from the workspace and lies at out.

template <class T, int Rank, class Policy>
Call borrowed_all_gather_call(Case const& what, Policy const& policy, Workspace const& workspace,
                              Array<T const, Rank> const& in, T const* out) {
  return with_rows_of(what, [&](auto const& rows) -> Call {
    return [=, label = what.label] { require_at(all_gather_borrowed(label, policy, workspace, in, rows), out); };
  });
}

template <class T, int Rank, class Policy, class Reducer>
Call borrowed_reduce_scatter_call(Case const& what, Policy const& policy, Workspace const& workspace,
                                  Array<T const, Rank> const& in, T const* out, Reducer const& reducer) {
  auto const label = what.label;
  if (!what.counts_given)
    return [=] { require_at(reduce_scatter_borrowed(label, policy, workspace, in, reducer), out); };
  return [=, counts = Counts(what.counts)] {
    require_at(reduce_scatter_borrowed(label, policy, workspace, in, reducer, counts), out);
  };
}

/// @pre the operation is all_gather_columns or shards_to_rows
template <class T, class Policy>
Call borrowed_exchange_call(Case const& what, Policy const& policy, Workspace const& workspace,
                            Array<T const, 2> const& in, T const* out) {
  auto const label = what.label;
  if (what.operation == Operation::shards_to_rows)
    return [=] { require_at(shards_to_rows_borrowed(label, policy, workspace, in), out); };
  if (!what.counts_given)
    return [=] { require_at(all_gather_columns_borrowed(label, policy, workspace, in), out); };
  return [=, widths = Widths(what.counts)] {
    require_at(all_gather_columns_borrowed(label, policy, workspace, in, widths), out);
  };
}

}  // namespace Koinon::Perf
