// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Koinon_DeviceIpc.hpp>
#include <Koinon_Error.hpp>
#include <Koinon_HipGpus.hpp>
#include <Koinon_HipSegments.hpp>
#include <node/Koinon_MadeHere.hpp>
#include <node/Koinon_SharedSegments.hpp>
#include <node/Koinon_Vote.hpp>

#include <string>

namespace Koinon::Impl {

namespace {

// What is smaller may lie in one block with other allocations, and a handle would share them too.
constexpr std::size_t alignment = std::size_t{2} << 20;

/// Owns one rank's segment, whichever thread lets go of it last.
class HipAllocation {
 public:
  HipAllocation(std::shared_ptr<DeviceCalls const> calls, std::size_t bytes)
      : m_calls(std::move(calls)), m_at(m_calls->allocate(bytes)) {}
  HipAllocation(HipAllocation const&) = delete;
  HipAllocation& operator=(HipAllocation const&) = delete;
  ~HipAllocation() {
    if (m_here) m_calls->free(m_at);
  }
  [[nodiscard]] std::byte* at() const { return m_at; }

 private:
  std::shared_ptr<DeviceCalls const> m_calls;
  std::byte* m_at;
  MadeHere m_here;
};

void share_pointers(DeviceSegments& segments, Bootstrap& bootstrap, std::shared_ptr<DeviceCalls const> const& calls,
                    std::size_t bytes) {
  using Segment = std::shared_ptr<HipAllocation>;
  Segment own;
  vote(bootstrap, "allocating device memory", [&] { own = std::make_shared<HipAllocation>(calls, bytes); });
  auto const all = std::make_shared<std::vector<Segment>>();
  for (Segment const* const offered : gather_values(bootstrap, static_cast<Segment const*>(&own))) {
    all->push_back(*offered);
    segments.at.push_back((*offered)->at());
  }
  bootstrap.barrier();  // each keeps what it offered until all have taken it
  segments.memory = all;
  segments.way = "pointers between threads";
}

void share_handles(DeviceSegments& segments, Bootstrap& bootstrap, std::vector<Identity> const& identities,
                   std::shared_ptr<DeviceCalls const> const& calls, std::size_t bytes,
                   std::chrono::nanoseconds timeout) {
  auto const made = std::make_shared<DeviceIpcSegments>(*calls, bootstrap, timeout);
  made->share(bootstrap, identities, bytes);
  for (int p = 0; p < bootstrap.size(); ++p) segments.at.push_back(made->segment(p));
  segments.memory = made;
  segments.way = "hipIpc handles";
}

}  // namespace

DeviceSegments share_hip_segments(Bootstrap& bootstrap, std::vector<Identity> const& identities, HipPlace const& place,
                                  std::shared_ptr<DeviceCalls const> const& calls, std::size_t bytes,
                                  std::chrono::nanoseconds timeout) {
  HipRuntime const& runtime = hip_runtime();  // that of the calls: it was found before
  bool const threads = all_in_one_process(identities);
  int const rank = bootstrap.rank();
  std::vector<HipGpu> const gpus = gather_gpus(bootstrap, runtime, place);
  vote(bootstrap, "reaching the GPUs of the other ranks", [&] {
    require_reach(runtime, gpus, rank, threads);
    if (threads) open_access(runtime, gpus, rank);
  });

  DeviceSegments segments;
  std::size_t const whole = (bytes + alignment - 1) / alignment * alignment;
  if (threads) {
    share_pointers(segments, bootstrap, calls, whole);
  } else {
    share_handles(segments, bootstrap, identities, calls, whole, timeout);
  }
  segments.base = segments.at[static_cast<std::size_t>(rank)];
  segments.multicast_refusal = "AMD GPUs have no multicast addresses";
  return segments;
}

}  // namespace Koinon::Impl
