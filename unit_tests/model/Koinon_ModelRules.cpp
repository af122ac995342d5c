// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Koinon_ModelRules.hpp"

#include <array>

namespace Koinon::Impl {
namespace {

struct RuleText {
  Rule rule;
  std::string_view name;
  std::string_view without_it;
};

#define KOINON_MODEL_RULE(name, without_it) \
  RuleText {                                \
    Rule::name, #name, without_it           \
  }
constexpr std::array<RuleText, rule_count> texts{{
    // Launch number
    KOINON_MODEL_RULE(every_launch_advances, "a rank with nothing to do does not advance its number"),
    KOINON_MODEL_RULE(zero_is_no_number, "the first launch over zeroed memory has number 0"),
    KOINON_MODEL_RULE(number_copies_advance, "block b advances only copy b of the number"),
    KOINON_MODEL_RULE(two_halves, "staging has one part, used by every launch"),
    KOINON_MODEL_RULE(half_by_parity, "staging has three parts, chosen by number % 3"),
    // Started word
    KOINON_MODEL_RULE(started_word_when_sending, "data sent to a peer replaces the started word there"),
    KOINON_MODEL_RULE(started_word_when_receiving, "a rank that only receives stores no started word"),
    KOINON_MODEL_RULE(started_word_when_empty, "a rank with an empty share stores no started word"),
    KOINON_MODEL_RULE(started_word_first_thing, "the started word is stored at the end of its launch"),
    KOINON_MODEL_RULE(started_word_after_previous_launch, "block 0 stores the next number before its launch has ended"),
    KOINON_MODEL_RULE(started_compare_at_least, "the started word is compared =="),
    KOINON_MODEL_RULE(started_compare_no_window, "the started word is compared with {number, number + 1}"),
    KOINON_MODEL_RULE(started_compare_wrap_safe, "the started word is compared >= as a plain integer"),
    KOINON_MODEL_RULE(every_block_compares, "only block 0 looks at the started words"),
    // First-store rule
    KOINON_MODEL_RULE(first_store_rule, "a block stores without looking at started words"),
    KOINON_MODEL_RULE(first_store_all_peers, "a block looks only at the destination's started word"),
    KOINON_MODEL_RULE(first_store_previous_launch, "a block looks for launch k - 2 instead of k - 1"),
    KOINON_MODEL_RULE(first_store_own_half, "a block stores into its own half without looking"),
    KOINON_MODEL_RULE(block_wise_staging_reads, "block i reads what another block of the owner staged"),
    // Signal, offset and exit words
    KOINON_MODEL_RULE(signal_words_under_first_store_rule, "signal, offset and exit words are stored without looking"),
    KOINON_MODEL_RULE(two_slots_signal_words, "signal, offset and exit words have one slot"),
    KOINON_MODEL_RULE(signal_words_per_block, "block 0 signals for all blocks"),
    KOINON_MODEL_RULE(signal_words_compare_equal, "signal, offset and exit words are compared >="),
    KOINON_MODEL_RULE(entry_words, "a zero-copy source is read without an entry word"),
    KOINON_MODEL_RULE(exit_words, "there are no exit words"),
    KOINON_MODEL_RULE(exit_words_of_idle_readers, "a rank that has nothing to read sends no exit word"),
    KOINON_MODEL_RULE(exit_for_all_zero_copy_sources, "the owner of a zero-copy source waits for one exit word only"),
    KOINON_MODEL_RULE(exit_words_carry_number, "exit words are flags that their reader resets"),
    // Wrap
    KOINON_MODEL_RULE(wrap_clear, "nothing is cleared at the wrap"),
    KOINON_MODEL_RULE(wrap_clear_words, "only packets are cleared at the wrap"),
    KOINON_MODEL_RULE(wrap_clear_keeps_started_words, "started words are cleared at the wrap too"),
    KOINON_MODEL_RULE(wrap_clear_after_all_told, "block 0 clears before it has seen 4 of all peers"),
    KOINON_MODEL_RULE(wrap_clear_self_wait, "blocks do not wait for 5 of their own rank"),
    KOINON_MODEL_RULE(wrap_every_block_waits, "only block 0 waits for 5"),
    KOINON_MODEL_RULE(two_numbers_at_wrap, "the launch at the wrap takes one number: barrier, clear, run"),
    // Rounds
    KOINON_MODEL_RULE(round_words, "a round is stored without looking at round words"),
    KOINON_MODEL_RULE(round_words_per_block, "block 0 stores the round words of all blocks"),
    KOINON_MODEL_RULE(round_words_carry_number, "round words hold the round without the number"),
    KOINON_MODEL_RULE(rounds_alternate_parts, "all rounds use the same part of the half"),
    // Regions and placement
    KOINON_MODEL_RULE(packets_separate_from_plain, "packets and plain data share bytes"),
    KOINON_MODEL_RULE(one_packet_format, "two packet formats with flags at different places share a region"),
    KOINON_MODEL_RULE(placement_never_selects, "a rank whose array is private pushes while its peers pull"),
    KOINON_MODEL_RULE(offset_and_number_in_one_word, "the offset and its number are two words"),
    KOINON_MODEL_RULE(in_place_one_shot_stages, "an in-place one-shot reads the arrays that it overwrites"),
    KOINON_MODEL_RULE(entry_barrier_borrowed, "borrowed memory is stored into without an entry barrier"),
    KOINON_MODEL_RULE(borrowed_awaits_this_launch, "borrowed memory is stored into once the destination started k - 1"),
    KOINON_MODEL_RULE(borrowed_outside_halves, "borrowed memory lies in the rotating halves"),
    // Sentinels
    KOINON_MODEL_RULE(sentinels_begin_armed, "the buffers of sentinels begin as zeros"),
    KOINON_MODEL_RULE(sentinels_armed_again, "who has read sentinels leaves them"),
    KOINON_MODEL_RULE(sentinels_armed_by_reader, "who stores into sentinels makes them all ones first"),
    KOINON_MODEL_RULE(sentinels_armed_in_their_launch, "the reader makes sentinels all ones in its next launch"),
    KOINON_MODEL_RULE(sentinels_armed_before_end, "a kernel ends before its stores of all ones have landed"),
    KOINON_MODEL_RULE(sentinels_two_halves, "sentinels have one half, used by every launch"),
    KOINON_MODEL_RULE(sentinels_under_first_store_rule, "sentinels are stored without looking at started words"),
    KOINON_MODEL_RULE(sentinels_all_read, "sentinels are also sent to ranks that do not read them"),
    KOINON_MODEL_RULE(sentinels_one_access, "a sentinel is stored, and its second part loaded, by two accesses"),
    KOINON_MODEL_RULE(sentinels_never_sent, "data that is all ones is sent as it is"),
    KOINON_MODEL_RULE(sentinels_apart, "sentinels and packets share bytes"),
    KOINON_MODEL_RULE(wrap_clear_keeps_sentinels, "sentinels become zeros at the wrap"),
    // Pushes
    KOINON_MODEL_RULE(ready_words, "what was pushed is read without a ready word"),
    KOINON_MODEL_RULE(ready_words_carry_number, "ready words hold the round without the number"),
    KOINON_MODEL_RULE(ready_after_reading, "ready (j) is told before round j - 1 is reduced"),
    KOINON_MODEL_RULE(ready_after_taking, "ready (j) is told before the results of round j - 2 are taken out"),
    KOINON_MODEL_RULE(ready_of_last_results, "the last results are taken out without a ready word"),
    KOINON_MODEL_RULE(pushes_alternate_parts, "all rounds are pushed into the same part of the half"),
    KOINON_MODEL_RULE(pushed_results_apart, "a pushed result takes the place of its owner's contribution"),
    KOINON_MODEL_RULE(release_on_ready, "ready words are relaxed"),
    KOINON_MODEL_RULE(acquire_on_ready, "what was pushed may be loaded before its ready word"),
    // Order of stores
    KOINON_MODEL_RULE(release_on_signals, "signal and entry words are relaxed"),
    KOINON_MODEL_RULE(release_on_exits, "exit words are relaxed"),
    KOINON_MODEL_RULE(release_at_wrap, "5 is told relaxed"),
    KOINON_MODEL_RULE(release_on_started_words, "started words are relaxed where a call's end drains no stores"),
    KOINON_MODEL_RULE(release_on_packets, "flags of packets are relaxed where peers are known by their data"),
    KOINON_MODEL_RULE(known_is_previous_launch, "data of any earlier launch counts as having seen k - 1"),
    KOINON_MODEL_RULE(known_by_releases_only, "relaxed words (round words) count as having seen k - 1 too"),
}};
#undef KOINON_MODEL_RULE

constexpr bool texts_are_in_order() {
  for (unsigned i = 0; i < rule_count; ++i)
    if (static_cast<unsigned>(texts[i].rule) != i) return false;
  return true;
}
static_assert(texts_are_in_order());

}  // namespace

std::string_view name_of(Rule rule) {
  return texts[static_cast<unsigned>(rule)].name;
}
std::string_view without_it(Rule rule) {
  return texts[static_cast<unsigned>(rule)].without_it;
}

std::optional<Rule> find_rule(std::string_view name) {
  for (RuleText const& text : texts)
    if (text.name == name) return text.rule;
  return std::nullopt;
}

}  // namespace Koinon::Impl
