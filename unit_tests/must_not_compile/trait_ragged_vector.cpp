// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: Koinon::VectorBytes: N must be a power of two
#include "MockSpace.hpp"

Koinon::CollectivePolicy<Koinon::VectorBytes<12>>::execution_space space;
