// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <support/Koinon_ExecutionSpaces.hpp>
#include <support/Koinon_Streams.hpp>

#include <gtest/gtest.h>

#include <functional>

namespace Koinon::Testing {

/// Is one backend's vocabulary under test: its block, and a communicator whose ranks are threads.
template <class Space>
struct VocabularyOf {
  using Backend = typename ExecutionSpaceTraits<Space>::backend;
  using Block = typename Backend::Block;
  using Packet = typename Block::Packet;

  /// Runs body(communicator, block) on each of `ranks` ranks; those of odd number store past the caches.
  static void on_ranks(int ranks, std::function<void(Communicator<Space>&, Block const&)> const& body) {
    run_thread_ranks(ranks, [&](ThreadBootstrap& bootstrap) {
      Communicator<Space> communicator(make_space<Space>(), bootstrap);
      Block const block(0, 1);
      if (communicator.rank() % 2 == 1) fix_streams(communicator.device(), true);
      body(communicator, block);
    });
  }
};

/// A backend joins the suite by one line.
using Vocabularies = ::testing::Types<VocabularyOf<HostThread>>;

/// Names the typed tests after their backend.
struct VocabularyName {
  template <class Vocabulary>
  static std::string GetName(int) {
    return std::string(Vocabulary::Backend::facts({}).facts.backend.view());
  }
};

}  // namespace Koinon::Testing
