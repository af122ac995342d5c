// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: Koinon::ScaledBlocks: a launch has at least one block
#include "MockSpace.hpp"

Koinon::CollectivePolicy<Koinon::ScaledBlocks<0, 4>>::execution_space space;
