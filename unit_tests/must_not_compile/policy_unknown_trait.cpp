// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: Koinon::CollectivePolicy: unknown trait
// expect: KnownTrait<FastPlease>
#include "MockSpace.hpp"

struct FastPlease {};
Koinon::CollectivePolicy<Koinon::OneShot, FastPlease>::execution_space space;
