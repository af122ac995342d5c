// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <support/Koinon_FaultCalls.hpp>
#include <support/Koinon_RankKinds.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>

namespace Koinon::Testing {
namespace {

class SymmetricMemory : public OnBothKinds {};
INSTANTIATE_TEST_SUITE_P(Ranks, SymmetricMemory, both_kinds(), kind_name);

constexpr CommunicatorOptions one_mib{.symmetric_bytes = std::size_t{1} << 20};

std::ptrdiff_t offset_of(Comm const& comm, void const* p) {
  return static_cast<std::byte const*>(p) - comm.device().segment(comm.rank());
}

TEST_P(SymmetricMemory, IsZeroedAndAtTheSameOffsetOnAllRanks) {
  run(3, [](Bootstrap& bootstrap) {
    Comm const comm = make_comm(bootstrap, one_mib);
    auto const array = symmetric_array<double, 2>(comm, 7, 100);
    EXPECT_EQ(array.extent(0), 7u);
    EXPECT_EQ(array.extent(1), 100u);
    EXPECT_EQ(array.stride(0), 100);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(array.data()) % 256, 0u);
    for (std::size_t i = 0; i < 700; ++i) ASSERT_EQ(array.data()[i], 0.0);
    std::ptrdiff_t const mine = offset_of(comm, array.data());
    std::vector<std::ptrdiff_t> all(3);
    bootstrap.all_gather(std::as_bytes(std::span(&mine, 1)), std::as_writable_bytes(std::span(all)));
    EXPECT_EQ(all, std::vector<std::ptrdiff_t>(3, mine));
    // A peer's memory is where the handle says.
    array(6, 99) = 10.0 + comm.rank();
    barrier(CollectivePolicy<HostThread>(comm.space(), comm));
    for (int p = 0; p < 3; ++p) EXPECT_EQ(comm.device().peer_pointer(p, array.data())[699], 10.0 + p);
    barrier(CollectivePolicy<HostThread>(comm.space(), comm));
  });
}

TEST_P(SymmetricMemory, IsZeroedAgainWhenReused) {
  run(2, [](Bootstrap& bootstrap) {
    Comm const comm = make_comm(bootstrap, one_mib);
    for (int i = 0; i < 20; ++i) {
      auto const a = symmetric_array<std::uint8_t, 1>(comm, 700'000);
      for (std::size_t k = 0; k < 700'000; k += 1000) ASSERT_EQ(a(k), 0);
      std::fill_n(a.data(), 700'000, std::uint8_t{255});
      free_symmetric(comm, a);
    }
  });
}

TEST_P(SymmetricMemory, ThatIsExhaustedIsAnErrorWithTheNumbersOnAllRanks) {
  run(3, [](Bootstrap& bootstrap) {
    Comm const comm = make_comm(bootstrap, one_mib);
    auto const kept = symmetric_array<char, 1>(comm, 600'000);
    Caught const found = caught([&] { (void)symmetric_array<char, 1>(comm, 500'000); });
    expect_error(found, "ResourceError", "500000 bytes", " of 1048576 are in use", "symmetric_bytes");
    expect_error(caught([&] { (void)symmetric_array<char, 1>(comm, std::size_t{1} << 62); }), "ResourceError");
    expect_error(caught([&] { (void)symmetric_array<double, 2>(comm, std::size_t{1} << 40, std::size_t{1} << 40); }),
                 "ResourceError");
    expect_error(caught([&] { (void)symmetric_array<char, 1>(comm, std::numeric_limits<std::size_t>::max()); }),
                 "ResourceError");
    comm.check();  // nothing of this ends the communicator
    reduce_ones(comm, "x", ways[1]);
    free_symmetric(comm, kept);
    free_symmetric(comm, symmetric_array<char, 1>(comm, 1'000'000));
  });
}

TEST_P(SymmetricMemory, OfNoBytesIsOfUse) {
  run(2, [](Bootstrap& bootstrap) {
    Comm const comm = make_comm(bootstrap, {.symmetric_bytes = 4096});
    auto const a = symmetric_array<float, 1>(comm, 0);
    auto const b = symmetric_array<float, 1>(comm, 0);
    EXPECT_NE(a.data(), b.data());
    free_symmetric(comm, a);
    free_symmetric(comm, b);
    Comm const none = make_comm(bootstrap, {.symmetric_bytes = 0});
    expect_error(caught([&] { (void)symmetric_array<float, 1>(none, 1); }), "ResourceError", "of 0 are in use");
  });
}

TEST_P(SymmetricMemory, FreedInAnotherOrderIsAMismatchAndStaysAllocated) {
  run(3, [](Bootstrap& bootstrap) {
    Comm const comm = make_comm(bootstrap, one_mib);
    auto const a = symmetric_array<char, 1>(comm, 1000);
    auto const b = symmetric_array<char, 1>(comm, 1000);
    Caught const found = caught([&] { free_symmetric(comm, comm.rank() == 2 ? b : a); });
    expect_error(found, "MismatchError", "rank 0 frees offset " + std::to_string(offset_of(comm, a.data())),
                 "rank 2 offset " + std::to_string(offset_of(comm, b.data())), "same order");
    free_symmetric(comm, a);
    free_symmetric(comm, b);
    expect_error(caught([&] { free_symmetric(comm, a); }), "InvalidArgument", "freed already");
  });
}

TEST_P(SymmetricMemory, OfDifferentSizesIsAMismatchThatSaysWhoAsksForWhat) {
  run(2, [](Bootstrap& bootstrap) {
    Comm const comm = make_comm(bootstrap, one_mib);
    Caught const found = caught([&] { (void)symmetric_array<char, 1>(comm, comm.rank() == 0 ? 1000 : 1001); });
    expect_error(found, "MismatchError", "rank 0 asks for 1000 bytes, rank 1 for 1001");
    free_symmetric(comm, symmetric_array<char, 1>(comm, 1'000'000));
  });
}

TEST_P(SymmetricMemory, OfSomebodyElseIsRefusedOnAllRanks) {
  run(3, [](Bootstrap& bootstrap) {
    Comm const comm = make_comm(bootstrap, one_mib);
    auto const mine = symmetric_array<float, 1>(comm, 100);
    std::vector<float> foreign(100);
    std::span<float> const of_the_heap(foreign);
    expect_error(caught([&] { free_symmetric(comm, of_the_heap); }), "InvalidArgument", "rank 0", "symmetric_array");
    expect_error(caught([&] { free_symmetric(comm, std::span<float>()); }), "InvalidArgument");
    expect_error(caught([&] { free_symmetric(comm, std::span<float>(mine.data() + 1, 99)); }), "InvalidArgument");
    // On one rank only: all are told which.
    Caught const found =
        caught([&] { free_symmetric(comm, comm.rank() == 1 ? of_the_heap : std::span<float>(mine.data(), 100)); });
    expect_error(found, "InvalidArgument", "on rank 1 the array is not one");
    free_symmetric(comm, mine);
  });
}

}  // namespace
}  // namespace Koinon::Testing
