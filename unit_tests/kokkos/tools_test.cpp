// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Koinon_CoreWithoutMpi.hpp>

#include "kokkos/Koinon_KokkosRanks.hpp"

#include <gtest/gtest.h>
#include <Kokkos_Core.hpp>

#include <algorithm>
#include <mutex>
#include <string>
#include <vector>

namespace {

std::mutex mutex;
std::vector<std::string> begun;
std::vector<std::string> allocated;
std::vector<std::string> freed;
int fences = 0;

void note_begin(char const* name, std::uint32_t, std::uint64_t* kernel) {
  std::scoped_lock const lock(mutex);
  begun.emplace_back(name);
  *kernel = begun.size();
}
void note_fence(char const* name, std::uint32_t, std::uint64_t*) {
  // Kokkos itself fences around each event for a tool that has not said that it needs none: these are not Koinon's.
  if (std::string(name).find("Tool Fence") != std::string::npos) return;
  std::scoped_lock const lock(mutex);
  ++fences;
}
void note_allocation(Kokkos_Profiling_SpaceHandle space, char const* label, void const*, std::uint64_t) {
  std::scoped_lock const lock(mutex);
  allocated.push_back(std::string(space.name) + " " + label);
}
void note_deallocation(Kokkos_Profiling_SpaceHandle space, char const* label, void const*, std::uint64_t) {
  std::scoped_lock const lock(mutex);
  freed.push_back(std::string(space.name) + " " + label);
}

TEST(Tools, see_one_parallel_for_a_collective_named_with_its_label_and_no_fence) {
  namespace Tools = Kokkos::Tools::Experimental;
  Tools::set_begin_parallel_for_callback(note_begin);
  Tools::set_begin_fence_callback(note_fence);
  Tools::set_allocate_data_callback(note_allocation);
  Tools::set_deallocate_data_callback(note_deallocation);
  begun.clear();
  fences = 0;
  Koinon::Testing::run_ranks(1, [](Koinon::Bootstrap& bootstrap) {
    Koinon::Testing::KokkosRank const rank(bootstrap);
    auto const x = Koinon::symmetric_view<float*>("weights", rank.comm, 4);
    {
      std::scoped_lock const lock(mutex);
      fences = 0;
    }
    Koinon::all_reduce("grad", rank.policy, x, x);
    Koinon::barrier(rank.policy);
    EXPECT_EQ(fences, 0);
    Koinon::free_symmetric(rank.comm, x);
  });
  Tools::pause_tools();
  EXPECT_EQ(begun, (std::vector<std::string>{"Koinon::all_reduce [grad]", "Koinon::barrier"}));
  EXPECT_NE(std::find(allocated.begin(), allocated.end(), "Koinon::Symmetric weights"), allocated.end());
  EXPECT_NE(std::find(freed.begin(), freed.end(), "Koinon::Symmetric weights"), freed.end());
}

}  // namespace
