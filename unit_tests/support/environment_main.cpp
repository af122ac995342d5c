// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gtest/gtest.h>

#include <cstdlib>

int main(int argc, char** argv) {
  ::testing::InitGoogleTest(&argc, argv);
  // What a caller's environment says to the library is not what these tests are about: they set what they need.
  for (char const* const name : {"KOINON_TIMEOUT_SECONDS", "KOINON_RANKS_PER_NODE", "KOINON_CHECK", "KOINON_TUNING",
                                 "KOINON_LOG", "NCCL_NVLS_ENABLE", "TORCH_SYMM_MEM_DISABLE_MULTICAST",
                                 "NVSHMEM_DISABLE_NVLS"}) {
    unsetenv(name);
  }
  setenv("KOINON_MULTICAST", "0", 1);  // no test makes a real multicast object; those of the fake one ask for it
  return RUN_ALL_TESTS();
}
