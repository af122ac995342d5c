// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Koinon_CollectivePolicy.hpp>

/// Declares what users' headers name.
namespace Koinon {

class Bootstrap;
class Counts;
class Widths;
class DeviceCommunicator;
class ThreadBootstrap;
class Workspace;
struct CommunicatorOptions;
template <class T, int Rank>
struct Array;

class Error;
class InvalidArgument;
class UnsupportedError;
class ResourceError;
class TimeoutError;
class MismatchError;
class AbortedError;

}  // namespace Koinon
