// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: Koinon::Communicator: no backend of this build has this execution space
// expect: backends of this build: [a-z]
#include <Koinon_Core.hpp>

struct Elsewhere {};

void call(Koinon::Bootstrap& bootstrap) { Koinon::Communicator comm(Elsewhere{}, bootstrap); }
