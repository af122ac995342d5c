// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "MockSpace.hpp"

// Compiles: what the other files of this folder do wrong, done right.
Koinon::CollectivePolicy<Koinon::OneShot, Koinon::PeerLoad, Mock::OtherSpace, Koinon::OneRowABlock,
                         Koinon::RowTiles<64>, Koinon::BlockThreads<128>, Koinon::SkipEntryBarrier,
                         Koinon::Deterministic, Koinon::VectorBytes<16>, Koinon::VectorsInFlight<2>>::execution_space
    space;

Koinon::Communicator<Mock::DefaultSpace>& make();

void call() {
  Koinon::CollectivePolicy policy(Mock::DefaultSpace{}, make());
  auto strict = Koinon::require(policy, Koinon::OneShot{});
  auto faster = Koinon::prefer(strict, Koinon::ScaledBlocks<4, 32>{});
  static_cast<void>(faster);
}
