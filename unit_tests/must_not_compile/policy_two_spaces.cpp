// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: Koinon::CollectivePolicy: contradictory traits
// expect: TraitsAgree<Mock::DefaultSpace, Mock::OtherSpace>
#include "MockSpace.hpp"

Koinon::CollectivePolicy<Mock::DefaultSpace, Koinon::OneShot, Mock::OtherSpace>::execution_space space;
