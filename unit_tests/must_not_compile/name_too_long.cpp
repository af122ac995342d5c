// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: out_of_range
// expect: (constant|constexpr)
#include <Koinon_ShortName.hpp>

constexpr Koinon::ShortName name = "a name that does not fit into one";
