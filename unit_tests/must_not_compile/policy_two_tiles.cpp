// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: Koinon::CollectivePolicy: contradictory traits
// expect: TraitsAgree<Koinon::RowTiles<64>, Koinon::OneTileABlock<1024> *>
#include "MockSpace.hpp"

Koinon::CollectivePolicy<Koinon::RowTiles<64>, Koinon::OneTileABlock<1024>>::execution_space space;
