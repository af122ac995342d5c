// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: Koinon::CollectivePolicy: contradictory traits
// expect: TraitsAgree<Koinon::FixedBlocks<4>, Koinon::OneTileABlock<1024> *>
#include "MockSpace.hpp"

Koinon::CollectivePolicy<Koinon::FixedBlocks<4>, Koinon::OneTileABlock<1024>>::execution_space space;
