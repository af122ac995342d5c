// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <node/Koinon_Vote.hpp>

#include <Koinon_Error.hpp>

#include <cstring>

namespace Koinon::Impl {

void vote(Bootstrap& bootstrap, char const* step, std::function<void()> const& action) {
  struct Ballot {
    bool failed;
    char reason[247];
  };
  Ballot ballot{};
  try {
    action();
  } catch (std::exception const& e) {
    ballot.failed = true;
    std::strncpy(ballot.reason, e.what(), sizeof ballot.reason - 1);
  }
  std::vector<Ballot> const ballots = gather_values(bootstrap, ballot);
  std::string reasons;
  for (std::size_t rank = 0; rank < ballots.size(); ++rank) {
    if (!ballots[rank].failed) continue;
    reasons += (reasons.empty() ? "" : "; ") + std::string("rank ") + std::to_string(rank) + ": " + ballots[rank].reason;
  }
  if (!reasons.empty()) throw ResourceError(std::string("Koinon: ") + step + " failed on " + reasons);
}

}  // namespace Koinon::Impl
