// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: Koinon::VectorsInFlight: at least one vector is in flight
#include "MockSpace.hpp"

Koinon::CollectivePolicy<Koinon::VectorsInFlight<0>>::execution_space space;
