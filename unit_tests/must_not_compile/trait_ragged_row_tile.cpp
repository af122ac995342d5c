// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: Koinon::RowTiles: MaxElements must be a power of two
#include "MockSpace.hpp"

Koinon::CollectivePolicy<Koinon::RowTiles<1000>>::execution_space space;
