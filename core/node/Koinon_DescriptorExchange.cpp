// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <node/Koinon_DescriptorExchange.hpp>

#include <Koinon_Error.hpp>
#include <node/Koinon_Identity.hpp>
#include <node/Koinon_Vote.hpp>

#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>

namespace Koinon::Impl {

namespace {

using Clock = std::chrono::steady_clock;

/// Goes with the descriptor, so that a stranger who found the socket's name is refused.
struct Greeting {
  std::uint64_t token;
  std::int32_t rank;
};

[[noreturn]] void fail(char const* call) {
  throw ResourceError(std::string(call) + " on a Unix socket failed: " + std::strerror(errno));
}

sockaddr_un address_of(std::uint64_t token, int rank, socklen_t& length) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  // A first byte of 0 puts the name into the abstract space: no file is left behind, whatever happens.
  int const n = std::snprintf(address.sun_path + 1, sizeof address.sun_path - 1, "koinon-%016llx-%d",
                              static_cast<unsigned long long>(token), rank);
  length = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + static_cast<std::size_t>(n));
  return address;
}

void send_descriptor(int socket, Greeting const& greeting, int descriptor) {
  iovec part{const_cast<Greeting*>(&greeting), sizeof greeting};
  alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(int))> control{};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = control.data();
  message.msg_controllen = control.size();
  cmsghdr* const header = CMSG_FIRSTHDR(&message);
  header->cmsg_level = SOL_SOCKET;
  header->cmsg_type = SCM_RIGHTS;
  header->cmsg_len = CMSG_LEN(sizeof(int));
  std::memcpy(CMSG_DATA(header), &descriptor, sizeof descriptor);
  ssize_t sent = 0;
  do {
    sent = sendmsg(socket, &message, MSG_NOSIGNAL);
  } while (sent < 0 && errno == EINTR);
  if (sent != static_cast<ssize_t>(sizeof greeting)) fail("sendmsg");
}

FileDescriptor receive_descriptor(int socket, Greeting& greeting) {
  iovec part{&greeting, sizeof greeting};
  alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(int))> control{};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = control.data();
  message.msg_controllen = control.size();
  ssize_t received = 0;
  do {
    received = recvmsg(socket, &message, MSG_CMSG_CLOEXEC | MSG_WAITALL);
  } while (received < 0 && errno == EINTR);
  if (received < 0) fail("recvmsg");
  FileDescriptor descriptor;
  for (cmsghdr* h = CMSG_FIRSTHDR(&message); h != nullptr; h = CMSG_NXTHDR(&message, h)) {
    if (h->cmsg_level != SOL_SOCKET || h->cmsg_type != SCM_RIGHTS) continue;
    int fd = -1;
    std::memcpy(&fd, CMSG_DATA(h), sizeof fd);
    descriptor = FileDescriptor(fd);
  }
  if ((message.msg_flags & MSG_CTRUNC) != 0) {
    throw ResourceError("a peer's descriptor could not be received: the limit of open descriptors is reached");
  }
  if (received != static_cast<ssize_t>(sizeof greeting)) greeting = Greeting{0, -1};
  return descriptor;
}

void wait_readable(int socket, Clock::time_point deadline, char const* what) {
  for (;;) {
    auto const left = std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now()).count();
    if (left <= 0) throw ResourceError(std::string("no ") + what + " from every peer before the timeout");
    pollfd p{socket, POLLIN, 0};
    int const n = poll(&p, 1, static_cast<int>(left < 1000 ? left : 1000));
    if (n > 0) return;
    if (n < 0 && errno != EINTR) fail("poll");
  }
}

}  // namespace

std::vector<ReceivedDescriptor> exchange_descriptors(Bootstrap& bootstrap, int descriptor,
                                                     std::chrono::nanoseconds timeout) {
  int const rank = bootstrap.rank();
  int const size = bootstrap.size();
  std::vector<ReceivedDescriptor> received(static_cast<std::size_t>(size));
  // Without a deadline of the user's the set-up still has one: nothing is computed meanwhile.
  auto const deadline = Clock::now() + (timeout.count() > 0 ? timeout : std::chrono::seconds(600));

  std::uint64_t const token = random_bits();
  FileDescriptor listener;
  vote(bootstrap, "opening a Unix socket", [&] {
    listener = FileDescriptor(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    if (!listener.valid()) fail("socket");
    socklen_t length = 0;
    sockaddr_un const address = address_of(token, rank, length);
    if (bind(listener.get(), reinterpret_cast<sockaddr const*>(&address), length) != 0) fail("bind");
    if (listen(listener.get(), size) != 0) fail("listen");
  });
  std::vector<std::uint64_t> const tokens = gather_values(bootstrap, token);

  // Sending needs no peer's help: the vote above made sure that all listen, and a message fits the buffer of a connection
  // that nobody has accepted yet. So a rank that cannot send is told by the next vote, and nobody waits for it.
  std::vector<FileDescriptor> connections;
  vote(bootstrap, "passing descriptors to ranks", [&] {
    for (int p = 0; p < size; ++p) {
      if (p == rank) continue;
      FileDescriptor s(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
      if (!s.valid()) fail("socket");
      socklen_t length = 0;
      sockaddr_un const address = address_of(tokens[static_cast<std::size_t>(p)], p, length);
      if (connect(s.get(), reinterpret_cast<sockaddr const*>(&address), length) != 0) fail("connect");
      send_descriptor(s.get(), Greeting{tokens[static_cast<std::size_t>(p)], rank}, descriptor);
      connections.push_back(std::move(s));
    }
  });

  // All that is expected has been sent, also by ranks that died since: only a stranger could make this wait.
  vote(bootstrap, "receiving descriptors of ranks", [&] {
    for (int missing = size - 1; missing > 0;) {
      wait_readable(listener.get(), deadline, "connection");
      FileDescriptor const s(accept4(listener.get(), nullptr, nullptr, SOCK_CLOEXEC));
      if (!s.valid()) fail("accept");
      wait_readable(s.get(), deadline, "greeting");
      Greeting greeting{};
      FileDescriptor fd = receive_descriptor(s.get(), greeting);
      bool const stranger = greeting.token != token || greeting.rank < 0 || greeting.rank >= size || !fd.valid() ||
                            received[static_cast<std::size_t>(greeting.rank)].descriptor.valid();
      if (stranger) continue;
      ReceivedDescriptor& entry = received[static_cast<std::size_t>(greeting.rank)];
      entry.descriptor = std::move(fd);
      ucred peer{};
      socklen_t length = sizeof peer;
      if (getsockopt(s.get(), SOL_SOCKET, SO_PEERCRED, &peer, &length) == 0) entry.process_id = peer.pid;
      --missing;
    }
  });
  return received;
}

}  // namespace Koinon::Impl
