// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Koinon_Macros.hpp>

#include <cstdint>

// Where this folder leaves C++, beside the compiler's builtins. A build that runs it elsewhere than on an AMD GPU
// (unit_tests/shim) defines KOINON_HIP_LANGUAGE, and has defined what follows as well as the builtins.
#if !defined(KOINON_HIP_LANGUAGE)

// A pointer that was loaded from memory may lead anywhere for the compiler, which then takes the slower flat
// instructions, and these are waited for with those of shared memory: every address of HipWords is a global one.
#if KOINON_DEVICE_PASS
#define KOINON_HIP_GLOBAL __attribute__((address_space(1)))
#else
#define KOINON_HIP_GLOBAL
#endif

// Memory of a block.
#define KOINON_HIP_SHARED __attribute__((shared)) static

// A function of the lanes of a wave, for those that a branch has not left out.
#define KOINON_HIP_IN_PART(function) function

// Four words in registers that lie behind each other.
#define KOINON_HIP_FOUR_WORDS std::uint32_t __attribute__((ext_vector_type(4)))

// A kernel as launches name it, and its arguments where the launch put them.
#define KOINON_HIP_KERNEL(...) reinterpret_cast<void const*>(&__VA_ARGS__)
#define KOINON_HIP_ARGUMENTS(Arguments, comm, arguments) HipKernelArguments<Arguments>::in_place()

// Waits for all of a wave's loads and stores.
#if defined(__GFX12__)
#define KOINON_HIP_DRAIN "s_wait_loadcnt 0x0\n s_wait_storecnt 0x0"
#elif defined(__GFX11__) || defined(__GFX10__)
#define KOINON_HIP_DRAIN "s_waitcnt vmcnt(0)\n s_waitcnt_vscnt null, 0x0"
#else
#define KOINON_HIP_DRAIN "s_waitcnt vmcnt(0)"
#endif

#endif
