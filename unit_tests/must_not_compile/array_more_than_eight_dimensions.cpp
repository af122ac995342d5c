// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: Koinon::Array has at most 8 dimensions
#include <Koinon_Array.hpp>

Koinon::Array<float, 9> array;
