// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: Koinon::CollectivePolicy: contradictory traits
// expect: TraitsAgree<Koinon::Multimem, Koinon::PeerLoad>
#include "MockSpace.hpp"

Koinon::CollectivePolicy<Koinon::Multimem, Koinon::PeerLoad>::execution_space space;
