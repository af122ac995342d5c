// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Koinon_Perf_MpiExchange.hpp>
#include <Koinon_Perf_MpiTypes.hpp>

#include <mpi.h>

#include <memory>
#include <vector>

namespace Koinon::Perf {

namespace {

/// Is a derived type, freed with its last copy unless MPI has ended before.
using OwnedType = std::shared_ptr<MPI_Datatype>;

OwnedType committed(MPI_Datatype made) {
  MPI_Type_commit(&made);
  return OwnedType(new MPI_Datatype(made), [](MPI_Datatype* type) {
    int over = 0;
    MPI_Finalized(&over);
    if (over == 0) MPI_Type_free(type);
    delete type;
  });
}

/// Returns the type of rows of neighbours, a row every `pitch` elements.
OwnedType rows_type(std::size_t rows, std::size_t columns, std::size_t pitch, MPI_Datatype element) {
  MPI_Datatype made = MPI_DATATYPE_NULL;
  MPI_Type_vector(static_cast<int>(rows), static_cast<int>(columns), static_cast<int>(pitch), element, &made);
  return committed(made);
}

/// Every rank's columns have one width: the type of a rank's columns in the whole, the next one a width further on.
Call gather_columns_call(Case const& what, Arrays const& arrays, MPI_Datatype element) {
  auto const width = what.counts.front();
  auto const rows = rows_type(what.rows, width, what.columns, element);
  MPI_Datatype resized = MPI_DATATYPE_NULL;
  MPI_Type_create_resized(*rows, 0, static_cast<MPI_Aint>(width * bytes_of(what.type)), &resized);
  auto const count = static_cast<int>(what.rows * width);
  return [=, columns = committed(resized)] {
    MPI_Allgather(arrays.in, count, element, arrays.out, 1, *columns, MPI_COMM_WORLD);
  };
}

Call all_to_all_call(Case const& what, Arrays const& arrays, MPI_Datatype element, int rank, int size) {
  if (!what.counts_given) {
    auto const count = static_cast<int>(what.elements_of(rank));
    return [=] { MPI_Alltoall(arrays.in, count, element, arrays.out, count, element, MPI_COMM_WORLD); };
  }
  std::vector<int> sent, sent_at, received, received_at;
  for (int p = 0; p < size; ++p) {
    sent.push_back(static_cast<int>(what.elements_of(p)));
    sent_at.push_back(static_cast<int>(what.offset_of(p)));
    received.push_back(static_cast<int>(what.elements_of(rank)));
    received_at.push_back(static_cast<int>(what.elements_of(rank)) * p);
  }
  return [=] {
    MPI_Alltoallv(arrays.in, sent.data(), sent_at.data(), element, arrays.out, received.data(), received_at.data(), element,
                  MPI_COMM_WORLD);
  };
}

}  // namespace

Call mpi_exchange_call(Case const& what, Arrays const& arrays, int rank, int size) {
  auto const element = mpi_type(what.type);
  if (what.operation == Operation::all_to_all) return all_to_all_call(what, arrays, element, rank, size);
  if (what.operation == Operation::all_gather_columns && !what.counts_given) return gather_columns_call(what, arrays, element);
  std::vector<OwnedType> owned;
  std::vector<MPI_Datatype> sent, received;
  std::vector<int> sent_at, received_at;
  auto const bytes = bytes_of(what.type);
  for (int p = 0; p < size; ++p) {
    auto const to = what.piece(rank, p);
    auto const from = what.piece(p, rank);
    sent.push_back(*owned.emplace_back(rows_type(to.rows, to.columns, to.input_pitch, element)));
    received.push_back(*owned.emplace_back(rows_type(from.rows, from.columns, from.output_pitch, element)));
    sent_at.push_back(static_cast<int>(to.input_offset * bytes));
    received_at.push_back(static_cast<int>(from.output_offset * bytes));
  }
  return [=, ones = std::vector<int>(static_cast<std::size_t>(size), 1), kept = owned] {
    MPI_Alltoallw(arrays.in, ones.data(), sent_at.data(), sent.data(), arrays.out, ones.data(), received_at.data(),
                  received.data(), MPI_COMM_WORLD);
  };
}

}  // namespace Koinon::Perf
