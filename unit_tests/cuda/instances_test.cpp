// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Koinon_Core.hpp>
#include <cuda/Koinon_FakeCuda.hpp>

#include <span>
#include <utility>
#include <vector>

namespace Koinon::Testing {
namespace {

using Waits = std::vector<std::pair<CUstream, CUstream>>;

/// Is a communicator of one rank with three streams and the default one.
class CudaInstances : public ::testing::Test {
 protected:
  CUstream const a = reinterpret_cast<CUstream>(std::uintptr_t{0xA000});
  CUstream const b = reinterpret_cast<CUstream>(std::uintptr_t{0xB000});
  CUstream const c = reinterpret_cast<CUstream>(std::uintptr_t{0xC000});

  void with_communicator(std::function<void()> const& body) {
    run_on_fake(RankKind::threads, 1, {{}, {}}, [&](FakeDriver& fake, FakeCuda const& space, Bootstrap& bootstrap) {
      m_fake = &fake;
      FakeComm const comm(space, bootstrap);
      m_comm = &comm;
      auto const array = symmetric_array<float, 1>(comm, 4);
      m_array = std::span(array.pointer, 4);
      body();
    });
  }
  /// Makes a call on a stream.
  void call(CUstream stream) { call_on(FakeCuda{m_fake->place(0), stream}); }
  void call_on(FakeCuda const& space) { all_reduce("label", CollectivePolicy(space, *m_comm), m_array, m_array); }
  void expect_refused(CUstream stream, char const* why) { expect_refused_on(FakeCuda{m_fake->place(0), stream}, why); }
  void expect_refused_on(FakeCuda const& space, char const* why) {
    Impl::LaunchNumber const before = m_comm->device().m_numbers[0];
    Waits const waits = m_fake->waits();
    expect_error(caught([&] { call_on(space); }), "InvalidArgument", "Koinon::all_reduce [label]: rank 0", why);
    Answer const answer = can_run<AllReduce>(CollectivePolicy(space, *m_comm), m_array, m_array);
    EXPECT_NE(answer.reason().find(why), std::string::npos) << answer.reason();
    EXPECT_EQ(m_comm->device().m_numbers[0], before) << "a refused call advances nothing";
    EXPECT_EQ(m_fake->waits(), waits);
  }

  FakeDriver* m_fake = nullptr;
  FakeComm const* m_comm = nullptr;
  std::span<float> m_array;
};

TEST_F(CudaInstances, AreOrderedByAnEventWhereACallGoesToAnotherStreamThanTheLastOne) {
  with_communicator([&] {
    int const before = m_fake->calls("cuEvent");
    for (int turn = 0; turn < 3; ++turn) call(a);
    EXPECT_EQ(m_fake->waits(), Waits());
    EXPECT_EQ(m_fake->calls("cuEvent"), before) << "the same stream needs none";
    call(b);
    call(b);
    EXPECT_EQ(m_fake->waits(), (Waits{{b, a}}));
    call(nullptr);
    call(a);
    EXPECT_EQ(m_fake->waits(), (Waits{{b, a}, {nullptr, b}, {a, nullptr}}));
  });
}

TEST_F(CudaInstances, OfOneCaptureAreOrderedInIt) {
  with_communicator([&] {
    call(a);
    m_fake->capture(b, 7);
    m_fake->capture(c, 7);
    call(b);
    EXPECT_EQ(m_fake->waits(), Waits()) << "the first call of a capture may follow calls on any instance";
    call(c);
    call(b);
    EXPECT_EQ(m_fake->waits(), (Waits{{c, b}, {b, c}}));
    m_fake->capture(b, 0);
    m_fake->capture(c, 0);
    call(c);
    EXPECT_EQ(m_fake->waits(), (Waits{{c, b}, {b, c}, {c, a}})) << "behind the last call outside captures";
  });
}

TEST_F(CudaInstances, OfWhichOneIsBeingCapturedAndAnotherIsNotAreRefusedUntilItsEnd) {
  with_communicator([&] {
    m_fake->capture(a, 7);
    call(a);
    expect_refused(b, "in a capture that has not ended");
    m_fake->capture(b, 8);
    expect_refused(b, "in a capture that has not ended");
    m_fake->capture(b, 0);
    call(a);  // goes on
    m_fake->capture(a, 0);
    call(b);
    m_fake->capture(a, 9);  // another capture of the same stream
    call(a);
    m_fake->capture(a, 0);
    m_fake->capture(c, 10);
    call(c);
    m_fake->capture(c, 0);
    EXPECT_EQ(m_fake->waits(), Waits());
  });
}

TEST_F(CudaInstances, AreRefusedWhereTheStreamOfTheLastCallIsBeingCapturedForSomethingElse) {
  with_communicator([&] {
    call(a);
    m_fake->capture(a, 7);
    expect_refused(b, "the stream of the last call is being captured");
    m_fake->capture(a, 0);
    call(b);
    EXPECT_EQ(m_fake->waits(), (Waits{{b, a}}));
  });
}

TEST_F(CudaInstances, OfAnotherDeviceOrInAFailedCaptureAreRefused) {
  with_communicator([&] {
    call(a);
    expect_refused_on(FakeCuda{m_fake->place(1), b}, "it is of another device than the communicator's");
    m_fake->capture(b, FakeDriver::failed_capture);
    expect_refused(b, "the capture of its stream has failed");
    m_fake->always_fail("cuStreamGetCaptureInfo", CUDA_ERROR_STREAM_CAPTURE_IMPLICIT);
    expect_refused(a, "the driver refuses to tell whether its stream is being captured");
    m_fake->always_fail("cuStreamGetCaptureInfo", CUDA_SUCCESS);
    call(a);
  });
}

}  // namespace
}  // namespace Koinon::Testing
