// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Koinon_DeviceCalls.hpp>
#include <node/Koinon_MadeHere.hpp>

namespace Koinon::Impl {

/// Fills and copies device memory and waits until it is done, on a stream of its own that the null stream does not wait
/// for, nor it for the null stream. Each function throws ResourceError.
class DeviceCopies {
 public:
  explicit DeviceCopies(DeviceCalls const& calls) : m_calls(calls), m_stream(calls.make_stream()) {}
  DeviceCopies(DeviceCopies const&) = delete;
  DeviceCopies& operator=(DeviceCopies const&) = delete;
  ~DeviceCopies() {
    if (m_here) m_calls.destroy_stream(m_stream);
  }

  void fill_zero(void* at, std::size_t bytes) const {
    if (bytes > 0) m_calls.fill_zero(m_stream, at, bytes);
  }
  void fill_words(void* at, std::uint32_t value, std::size_t words) const {
    m_calls.fill_words(m_stream, at, value, words);
  }
  void write(void* at, void const* host, std::size_t bytes) const { m_calls.write(m_stream, at, host, bytes); }
  void read(void const* at, void* host, std::size_t bytes) const { m_calls.read(m_stream, at, host, bytes); }

 private:
  DeviceCalls const& m_calls;
  void* m_stream;
  MadeHere m_here;
};

}  // namespace Koinon::Impl
