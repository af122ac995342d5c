// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: Koinon::CollectivePolicy: contradictory traits
// expect: TraitsAgree<Koinon::BlockThreads<128>, Koinon::BlockThreads<256> *>
#include "MockSpace.hpp"

Koinon::CollectivePolicy<Koinon::BlockThreads<128>, Koinon::BlockThreads<256>>::execution_space space;
