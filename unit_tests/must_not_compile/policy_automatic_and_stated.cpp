// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: Koinon::CollectivePolicy: contradictory traits
// expect: TraitsAgree<Koinon::Auto, Koinon::LowLatency>
#include "MockSpace.hpp"

Koinon::CollectivePolicy<Koinon::Auto, Koinon::LowLatency>::execution_space space;
