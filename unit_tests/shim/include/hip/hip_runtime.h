// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// What this header has besides, a prelude of this folder gives to the files that have kernels.
#include <hip/hip_runtime_api.h>
