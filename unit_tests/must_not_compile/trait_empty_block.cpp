// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: Koinon::BlockThreads: a block has at least one thread
#include "MockSpace.hpp"

Koinon::CollectivePolicy<Koinon::BlockThreads<0>>::execution_space space;
