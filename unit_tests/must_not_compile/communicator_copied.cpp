// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: Communicator
// expect: (deleted|implicitly)
#include <Koinon_Core.hpp>

Koinon::Communicator<Koinon::HostThread> copy(Koinon::Communicator<Koinon::HostThread> const& comm) { return comm; }
