// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gtest/gtest.h>

// In the place of the tests on Kokkos::Cuda, where they cannot be built.
TEST(KokkosCuda, runs_the_cases_of_views_on_a_gpu) {
  GTEST_SKIP() << KOINON_TEST_ABSENT;
}
