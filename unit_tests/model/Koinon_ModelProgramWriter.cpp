// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Koinon_ModelBlockWriter.hpp"
#include "Koinon_ModelLaunches.hpp"

#include <array>
#include <string>
#include <utility>
#include <vector>

namespace Koinon::Impl {
namespace {

/// Writes the programs of all ranks, launch after launch.
class ProgramWriter {
 public:
  ProgramWriter(Setting const& setting, Sequence const& sequence)
      : m_setting(setting), m_sequence(sequence), m_program(setting) {}

  Program write() {
    for (int rank = 0; rank < m_setting.ranks; ++rank) write_rank(rank);
    m_program.finish();
    return std::move(m_program);
  }

 private:
  using Copies = std::array<int, max_blocks>;

  void write_rank(int rank) {
    Copies copies;
    copies.fill(m_setting.rules[Rule::zero_is_no_number] ? m_setting.start : -1);
    PeerNumbers known, taken;
    known.fill(-1);
    int last_borrowed = -1, number_of_borrowed = 0;
    for (int i = 0; i < static_cast<int>(m_sequence.size()); ++i) {
      Launch const& launch = m_sequence[i];
      taken = known;
      if (m_setting.rules[Rule::known_is_previous_launch]) taken.fill(-1);
      if (launch.kind == Kind::borrowed) {
        if (last_borrowed >= 0) read_borrowed(rank, last_borrowed, number_of_borrowed);
        last_borrowed = i;
      }
      if (uses_array(launch, rank)) fill_array(rank, i);
      write_launch(rank, i, copies, known, taken);
      if (last_borrowed == i) number_of_borrowed = copies[0];
      if (is_in_place(launch)) read_results(rank, i);
      if (uses_array(launch, rank)) overwrite_array(rank, i);
      known = taken;
    }
    if (last_borrowed >= 0) read_borrowed(rank, last_borrowed, number_of_borrowed);
  }

  void write_launch(int rank, int i, Copies& copies, PeerNumbers const& known, PeerNumbers& taken) {
    Launch const& launch = m_sequence[i];
    Kernel& kernel =
        m_program.add_kernel(rank, "launch " + std::to_string(i + 1) + " (" + text_of(launch) + ")", launch.blocks);
    Copies const before = copies;
    bool const advances = m_setting.rules[Rule::every_launch_advances] || !is_idle(launch, rank);
    std::vector<Place> left;
    for (int b = 0; b < launch.blocks; ++b) {
      bool const wraps = before[b] == last_number && m_setting.clears_at_wrap;
      int number = number_after(before[b]);
      if (wraps && m_setting.rules[Rule::two_numbers_at_wrap]) number = number_after(number);
      BlockWriter block(m_setting, m_program, {rank, b, launch.blocks, i + 1, number}, known, taken, kernel.steps[b]);
      if (wraps) block.start_at_wrap();
      write_body(block, launch);
      block.end();
      if (b == 0)
        for (Place const& place : std::exchange(m_unarmed[rank], {})) block.arm(place);
      left.insert(left.end(), block.unarmed().begin(), block.unarmed().end());
      if (!advances) continue;
      int const stride = m_setting.rules[Rule::number_copies_advance] ? launch.blocks : max_blocks;
      for (int copy = b; copy < max_blocks; copy += stride) copies[copy] = number;
    }
    m_unarmed[rank] = std::move(left);
  }

  Step user_step(Action action, int rank, int i, int chunk, int block, int round) {
    Place const place{Area::user, rank, chunk, block, (i + 1) & 1};
    Step step;
    step.action = action;
    step.cell = m_program.cell(place);
    step.region = m_program.region(place);
    step.launch = static_cast<std::uint8_t>(i + 1);
    step.round = static_cast<std::uint8_t>(round);
    return step;
  }

  void add_user_kernel(std::string const& name, Action action, int rank, int i, int round) {
    Kernel& kernel = m_program.add_kernel(rank, name, 1);
    Launch const& launch = m_sequence[i];
    int const chunks = is_in_place(launch) && launch.kind != Kind::one_shot_in_place ? m_setting.ranks : 1;
    for (int block = 0; block < launch.blocks; ++block)
      for (int chunk = 0; chunk < chunks; ++chunk)
        kernel.steps[0].push_back(user_step(action, rank, i, chunk, block, round));
  }

  void fill_array(int rank, int i) { add_user_kernel("the user's fill", Action::store, rank, i, 0); }
  void read_results(int rank, int i) { add_user_kernel("the user's reading", Action::read, rank, i, 1); }
  void overwrite_array(int rank, int i) { add_user_kernel("the user's overwriting", Action::store, rank, i, 7); }

  /// @param i, number  the launch that stored what is read
  void read_borrowed(int rank, int i, int number) {
    Kernel& kernel = m_program.add_kernel(rank, "the user's reading of borrowed memory", 1);
    for (int block = 0; block < m_sequence[i].blocks; ++block)
      for (int source = 0; source < m_setting.ranks; ++source) {
        if (source == rank) continue;
        Place const place = borrowed_place(m_setting, rank, source, block, number);
        Step step;
        step.action = Action::read;
        step.cell = m_program.cell(place);
        step.region = m_program.region(place);
        step.launch = static_cast<std::uint8_t>(i + 1);
        kernel.steps[0].push_back(step);
      }
  }

  Setting const& m_setting;
  Sequence const& m_sequence;
  Program m_program;
  std::array<std::vector<Place>, max_ranks> m_unarmed;  // what the launch after arms, where its own one does not
};

}  // namespace

Program make_program(Setting const& setting, Sequence const& sequence) {
  return ProgramWriter(setting, sequence).write();
}

}  // namespace Koinon::Impl
