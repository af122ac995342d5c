// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <communicator/Koinon_Communicator.hpp>
#include <Koinon_Array.hpp>
#include <kokkos/Koinon_KokkosElements.hpp>
#include <kokkos/Koinon_KokkosTools.hpp>
#include <Koinon_PolicyTraits.hpp>

#include <Kokkos_Core.hpp>

#include <concepts>
#include <cstddef>
#include <string>
#include <type_traits>
#include <utility>

namespace Koinon {

namespace Impl {

/// \cond
/// Is the data type of a View of run-time extents: T with one asterisk a dimension.
template <class T, int Rank>
struct PointerOfRank : PointerOfRank<T*, Rank - 1> {};
template <class T>
struct PointerOfRank<T, 0> {
  using type = T;
};
/// \endcond

template <class A, class B>
concept SameBackend =
    std::same_as<typename ExecutionSpaceTraits<A>::backend, typename ExecutionSpaceTraits<B>::backend>;

/// Finds the Kokkos space that accesses what an execution space does: itself, or one of the same backend; else void.
template <class ExecutionSpace>
consteval auto find_kokkos_space() {
  if constexpr (Kokkos::is_execution_space_v<ExecutionSpace>) {
    return std::type_identity<ExecutionSpace>();
  } else if constexpr (SameBackend<ExecutionSpace, Kokkos::DefaultHostExecutionSpace>) {
    return std::type_identity<Kokkos::DefaultHostExecutionSpace>();
  } else if constexpr (SameBackend<ExecutionSpace, Kokkos::DefaultExecutionSpace>) {
    return std::type_identity<Kokkos::DefaultExecutionSpace>();
  } else {
    return std::type_identity<void>();
  }
}

/// Says whether an execution space, Kokkos's or not, can access a memory space of Kokkos.
template <class ExecutionSpace, class MemorySpace>
consteval bool can_access() {
  using Space = typename decltype(find_kokkos_space<ExecutionSpace>())::type;
  if constexpr (std::is_void_v<Space>) {
    return false;
  } else {
    return Kokkos::SpaceAccessibility<Space, MemorySpace>::accessible;
  }
}

// The containers are known by what they offer, so that their headers are included by those who use them only.

/// Holds for Kokkos::Experimental::OffsetView: a View that counts from begins of its own.
template <class V>
concept OffsetViewLike = !Kokkos::is_view_v<V> && requires(V const& v) {
  v.begins();
  requires Kokkos::is_view_v<std::remove_cvref_t<decltype(v.view())>>;
};

/// Holds for Kokkos::DynRankView: a View of the highest rank, of which `rank()` dimensions are in use.
template <class V>
concept DynRankViewLike = !Kokkos::is_view_v<V> && requires(V const& v) {
  typename V::drvtraits;
  requires Kokkos::is_view_v<typename V::view_type>;
  v.rank();
};

}  // namespace Impl

/// Takes a View as the array that it shows: its extents and strides, whatever the layout. The View must live until the
/// work is done, as for parallel_for.
template <class V>
  requires Kokkos::is_view_v<V>
struct ArrayTraits<V> {
  static_assert(!V::traits::memory_traits::is_atomic,
                "Koinon: a View with the Atomic trait cannot be given to a collective");
  using memory_space = typename V::memory_space;
  using T = typename V::value_type;

  static auto to_array(V const& view) {
    constexpr int rank = static_cast<int>(V::rank());
    Array<T, rank> array;
    array.pointer = view.data();
    for (int d = 0; d < rank; ++d) {
      array.extents[d] = view.extent(static_cast<std::size_t>(d));
      array.strides[d] = static_cast<std::ptrdiff_t>(view.stride(static_cast<std::size_t>(d)));
    }
    return array;
  }

  /// Shows an array in memory of the same space as an unmanaged View of row-major layout.
  template <class U, int Rank>
  static auto from_array(Array<U, Rank> const& array) {
    using Data = typename Impl::PointerOfRank<U, Rank>::type;
    using Result = Kokkos::View<Data, Kokkos::LayoutRight, memory_space, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
    return [&]<std::size_t... D>(std::index_sequence<D...>) {
      return Result(array.pointer, array.extents[D]...);
    }(std::make_index_sequence<static_cast<std::size_t>(Rank)>{});
  }

  /// Says whether an execution space can access the View's memory.
  template <class ExecutionSpace>
  static constexpr bool is_accessible_from = Impl::can_access<ExecutionSpace, memory_space>();
};

/// Takes an OffsetView as its View: row 0 is the one at the first index, wherever that begins.
template <Impl::OffsetViewLike V>
struct ArrayTraits<V> : ArrayTraits<std::remove_cvref_t<decltype(std::declval<V const&>().view())>> {
  static auto to_array(V const& offset_view) { return as_array(offset_view.view()); }
};

/// Takes a DynRankView as its View: dimensions that are not in use have extent 1, which is that of a missing one.
template <Impl::DynRankViewLike V>
struct ArrayTraits<V> : ArrayTraits<typename V::view_type> {
  static auto to_array(V const& view) {
    constexpr int rank = static_cast<int>(V::view_type::rank());
    Array<typename ArrayTraits<typename V::view_type>::T, rank> array;
    array.pointer = view.data();
    for (int d = 0; d < rank; ++d) {
      bool const in_use = static_cast<std::size_t>(d) < static_cast<std::size_t>(view.rank());
      array.extents[d] = in_use ? view.extent(static_cast<std::size_t>(d)) : 1;
      array.strides[d] = in_use ? static_cast<std::ptrdiff_t>(view.stride(static_cast<std::size_t>(d))) : 1;
    }
    return array;
  }
};

/// Allocates a zeroed View on symmetric memory: plain and unmanaged, not reference-counted, freed by free_symmetric or
/// with the communicator. Further template arguments follow the data type as for a View. Collective: equal arguments on
/// all ranks.
template <class DataType, class... Properties, class ExecutionSpace, class... Extents>
[[nodiscard]] auto symmetric_view(std::string const& label, Communicator<ExecutionSpace> const& comm, Extents... extents) {
  using V = Kokkos::View<DataType, Properties...>;
  using Pointer = typename V::pointer_type;
  static_assert(Impl::can_access<ExecutionSpace, typename V::memory_space>(),
                "Koinon::symmetric_view: the communicator's space cannot access the View's memory space");
  std::size_t const bytes = V::required_allocation_size(static_cast<std::size_t>(extents)...);
  void* const p = comm.state()->allocate_symmetric(bytes, label);
  return V(static_cast<Pointer>(p), static_cast<std::size_t>(extents)...);
}

}  // namespace Koinon
