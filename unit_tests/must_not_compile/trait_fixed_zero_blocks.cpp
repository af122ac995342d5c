// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: Koinon::FixedBlocks: a launch has at least one block
#include "MockSpace.hpp"

Koinon::CollectivePolicy<Koinon::FixedBlocks<0>>::execution_space space;
