// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <bitset>
#include <optional>
#include <string_view>

namespace Koinon::Impl {

/// Names every rule of the launch protocol; each can be taken out of the model alone.
enum class Rule : unsigned {
  every_launch_advances,
  zero_is_no_number,
  number_copies_advance,
  two_halves,
  half_by_parity,
  started_word_when_sending,
  started_word_when_receiving,
  started_word_when_empty,
  started_word_first_thing,
  started_word_after_previous_launch,
  started_compare_at_least,
  started_compare_no_window,
  started_compare_wrap_safe,
  every_block_compares,
  first_store_rule,
  first_store_all_peers,
  first_store_previous_launch,
  first_store_own_half,
  block_wise_staging_reads,
  signal_words_under_first_store_rule,
  two_slots_signal_words,
  signal_words_per_block,
  signal_words_compare_equal,
  entry_words,
  exit_words,
  exit_words_of_idle_readers,
  exit_for_all_zero_copy_sources,
  exit_words_carry_number,
  wrap_clear,
  wrap_clear_words,
  wrap_clear_keeps_started_words,
  wrap_clear_after_all_told,
  wrap_clear_self_wait,
  wrap_every_block_waits,
  two_numbers_at_wrap,
  round_words,
  round_words_per_block,
  round_words_carry_number,
  rounds_alternate_parts,
  packets_separate_from_plain,
  one_packet_format,
  placement_never_selects,
  offset_and_number_in_one_word,
  in_place_one_shot_stages,
  entry_barrier_borrowed,
  borrowed_awaits_this_launch,
  borrowed_outside_halves,
  sentinels_begin_armed,
  sentinels_armed_again,
  sentinels_armed_by_reader,
  sentinels_armed_in_their_launch,
  sentinels_armed_before_end,
  sentinels_two_halves,
  sentinels_under_first_store_rule,
  sentinels_all_read,
  sentinels_one_access,
  sentinels_never_sent,
  sentinels_apart,
  wrap_clear_keeps_sentinels,
  ready_words,
  ready_words_carry_number,
  ready_after_reading,
  ready_after_taking,
  ready_of_last_results,
  pushes_alternate_parts,
  pushed_results_apart,
  release_on_ready,
  acquire_on_ready,
  release_on_signals,
  release_on_exits,
  release_at_wrap,
  release_on_started_words,
  release_on_packets,
  known_is_previous_launch,
  known_by_releases_only,
  count
};

inline constexpr unsigned rule_count = static_cast<unsigned>(Rule::count);

/// Returns the switch's name, as `--without` takes it.
std::string_view name_of(Rule rule);
/// Returns what the protocol does without the rule.
std::string_view without_it(Rule rule);
/// Returns the rule of that name.
std::optional<Rule> find_rule(std::string_view name);

/// Says which rules hold; all of them when made.
class RuleSet {
 public:
  RuleSet() { m_holds.set(); }
  bool operator[](Rule rule) const { return m_holds[static_cast<unsigned>(rule)]; }
  void remove(Rule rule) { m_holds.reset(static_cast<unsigned>(rule)); }

 private:
  std::bitset<rule_count> m_holds;
};

}  // namespace Koinon::Impl
