// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: Koinon::ScaledBlocks: Min must not exceed Max
#include "MockSpace.hpp"

Koinon::CollectivePolicy<Koinon::ScaledBlocks<32, 4>>::execution_space space;
