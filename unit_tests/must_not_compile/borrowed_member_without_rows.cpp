// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: Koinon: a borrowed result has rows
#include <Koinon_Core.hpp>

using Policy = Koinon::CollectivePolicy<Koinon::HostThread>;

void call(Policy const& policy, Koinon::Workspace const& workspace, std::span<int const> rows,
          Koinon::Array<int, 0> const& scalar) {
  auto all = Koinon::all_gather_multiple_borrowed(policy, workspace, Koinon::TotalRows{2}, rows, scalar);
}
