// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: Koinon::CollectivePolicy: contradictory traits
// expect: TraitsAgree<Koinon::OneShot, Koinon::TwoShot>
#include "MockSpace.hpp"

Koinon::CollectivePolicy<Koinon::OneShot, Koinon::PeerLoad, Koinon::TwoShot>::execution_space space;
