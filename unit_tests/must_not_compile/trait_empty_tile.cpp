// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: Koinon::OneTileABlock: a tile has at least one element
#include "MockSpace.hpp"

Koinon::CollectivePolicy<Koinon::OneTileABlock<0>>::execution_space space;
