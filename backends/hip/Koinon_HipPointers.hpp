// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Koinon_Export.hpp>
#include <Koinon_HipPlace.hpp>

namespace Koinon::Impl {

/// Says why kernels of that place cannot reach an address; null: they can. The text is static.
///
/// Coarse- and fine-grained memory are both taken. No peer ever touches a user's array: this rank's own kernel reads it,
/// after the caches were invalidated at its begin, and writes it, written back at its end, before whatever the stream
/// orders behind. Grain decides what peers may see while a kernel runs, and that is asked of Koinon's segments alone.
///
/// Memory of another device is taken where this one may access it; access is opened then, as the program could have done
/// itself, and stays open. Pools and the virtual memory calls have permissions of their own, which nothing tells: opening
/// those is the program's matter. Makes no call that a capture forbids, and waits for nothing.
KOINON_EXPORT char const* unreachable_reason(HipPlace const& place, void const* p);

}  // namespace Koinon::Impl
