// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: Koinon: an element type must be trivially copyable
#include <Koinon_AllGather.hpp>

#include <string>

using Policy = Koinon::CollectivePolicy<Koinon::HostThread>;

void call(Policy const& policy, std::span<std::string> in, std::span<std::string> out) {
  Koinon::all_gather(policy, in, out);
}
