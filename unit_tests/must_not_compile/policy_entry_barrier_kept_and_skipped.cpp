// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: Koinon::CollectivePolicy: contradictory traits
// expect: TraitsAgree<Koinon::EntryBarrier, Koinon::SkipEntryBarrier>
#include "MockSpace.hpp"

Koinon::CollectivePolicy<Koinon::EntryBarrier, Koinon::SkipEntryBarrier>::execution_space space;
