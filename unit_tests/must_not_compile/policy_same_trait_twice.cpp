// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: Koinon::CollectivePolicy: contradictory traits
// expect: TraitsAgree<Koinon::OneShot, Koinon::OneShot>
#include "MockSpace.hpp"

Koinon::CollectivePolicy<Koinon::OneShot, Koinon::OneShot>::execution_space space;
