// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: Koinon: an element type must be trivially copyable
#include <Koinon_AllReduce.hpp>

#include <string>

using Policy = Koinon::CollectivePolicy<Koinon::HostThread>;

struct Append {
  void init(std::string&) const {}
  std::string join(std::string const& a, std::string const& b) const { return a + b; }
};

void call(Policy const& policy, std::span<std::string> data) {
  Koinon::all_reduce(policy, data, data, Append{});
}
