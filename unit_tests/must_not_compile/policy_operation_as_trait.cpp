// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: Koinon::CollectivePolicy: unknown trait
// expect: KnownTrait<Koinon::AllReduce>
#include "MockSpace.hpp"

Koinon::CollectivePolicy<Koinon::AllReduce>::execution_space space;
