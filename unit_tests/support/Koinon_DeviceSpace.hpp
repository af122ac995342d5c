// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <support/Koinon_RankRunner.hpp>
#include <support/Koinon_SpaceMemory.hpp>

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

namespace Koinon::Testing {

/// Is a stream of a GPU with memory, held as long as a copy of this lives: on the only device, or on that of the calling
/// thread's rank.
///
/// Runtime names the types Stream, Graph and GraphExec, and wraps a vendor's functions in static ones that throw where
/// those return an error; end_capture, destroy and discard do not throw.
template <class Runtime>
class DeviceLane {
 public:
  using Stream = typename Runtime::Stream;
  static constexpr std::size_t bytes = std::size_t{4} << 20;

  [[nodiscard]] Stream stream() const { return m_held->part.stream; }
  [[nodiscard]] std::byte* memory() const { return m_held->part.memory; }

 private:
  struct Part {
    int device = 0;
    Stream stream = nullptr;
    std::byte* memory = nullptr;
  };

  /// Has a few of each device that the program makes once: what is made and freed while a kernel waits for a peer may
  /// wait for the kernel, and streams of one hardware queue wait for each other.
  class Pool {
   public:
    static Pool& instance() {
      static Pool all;
      return all;
    }
    /// Takes one of the device of the calling thread's rank, and makes that device the thread's.
    Part take() {
      int const device = rank_of_thread() % Runtime::count_devices();
      Runtime::use_device(device);
      std::lock_guard const lock(m_mutex);
      std::vector<Part>& free = m_free[device];
      if (free.empty()) {
        for (int i = 0; i < 8; ++i)
          free.push_back({device, Runtime::make_stream(), static_cast<std::byte*>(Runtime::take_memory(bytes))});
      }
      Part const part = free.back();
      free.pop_back();
      return part;
    }
    void give(Part const& part) {
      std::lock_guard const lock(m_mutex);
      m_free[part.device].push_back(part);
    }

   private:
    std::mutex m_mutex;
    std::map<int, std::vector<Part>> m_free;
  };

  struct Held {
    Part part = Pool::instance().take();
    Held() = default;
    Held(Held const&) = delete;
    Held& operator=(Held const&) = delete;
    ~Held() { Pool::instance().give(part); }
  };
  std::shared_ptr<Held const> m_held = std::make_shared<Held const>();
};

/// Is a graph of what a body enqueued.
template <class Runtime>
class DeviceRecording final : public Recording {
 public:
  DeviceRecording(typename Runtime::Stream stream, std::function<void()> const& body) : m_stream(stream) {
    Runtime::begin_capture(stream);
    try {
      body();
    } catch (...) {
      Runtime::discard(Runtime::end_capture(stream));
      throw;
    }
    m_graph = Runtime::make_ready(Runtime::end_capture(stream), stream);
  }
  DeviceRecording(DeviceRecording const&) = delete;
  DeviceRecording& operator=(DeviceRecording const&) = delete;
  ~DeviceRecording() override { Runtime::destroy(m_graph); }
  void replay() const override { Runtime::launch(m_graph, m_stream); }

 private:
  typename Runtime::Stream m_stream;
  typename Runtime::GraphExec m_graph = nullptr;
};

/// Is the memory of a lane.
template <class Runtime>
class DeviceSpaceMemory final : public SpaceMemory {
 public:
  explicit DeviceSpaceMemory(DeviceLane<Runtime> const& lane) : m_lane(lane) {}
  [[nodiscard]] std::byte* private_memory() const override { return m_lane.memory(); }
  [[nodiscard]] std::size_t private_bytes() const override { return DeviceLane<Runtime>::bytes; }
  void upload(std::byte* to, std::byte const* from, std::size_t count) const override {
    copy(to, from, count, Runtime::to_device);
  }
  void download(std::byte* to, std::byte const* from, std::size_t count) const override {
    copy(to, from, count, Runtime::to_host);
  }
  [[nodiscard]] std::unique_ptr<Recording const> record(std::function<void()> const& body) const override {
    return std::make_unique<DeviceRecording<Runtime>>(m_lane.stream(), body);
  }

 private:
  template <class Direction>
  void copy(std::byte* to, std::byte const* from, std::size_t count, Direction direction) const {
    // First: a copy of pageable memory may hold the driver while it waits, and the peers could not launch.
    Runtime::wait(m_lane.stream(), "waiting for a kernel");
    Runtime::copy(to, from, count, direction, m_lane.stream());
    Runtime::wait(m_lane.stream(), "waiting for a copy");
  }

  DeviceLane<Runtime> m_lane;
};

}  // namespace Koinon::Testing
