// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: Koinon: a borrowed result has rows
#include <Koinon_Core.hpp>

using Policy = Koinon::CollectivePolicy<Koinon::HostThread>;

void call(Policy const& policy, Koinon::Workspace const& workspace,
          Koinon::Array<int, 0> const& scalar) {
  auto all = Koinon::all_gather_borrowed(policy, workspace, scalar, Koinon::TotalRows{2});
}
