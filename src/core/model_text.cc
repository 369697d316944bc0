// SPDX-License-Identifier: Apache-2.0
// A model acts on what it is told, so each text says who decided and what must not be assumed.
#include "core/model_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/answers.h"
#include "core/settle.h"
#include "text/json.h"

namespace parley {

namespace {

constexpr std::string_view kUnanswered = "Unanswered";
constexpr std::string_view kNoteOpens = " (note: ";

// What stands before the pairs. No lead contains a quote, so the first one opens the first pair.
constexpr std::string_view kLeadWhole = "User has answered your questions";
constexpr std::string_view kLeadNone = "User has answered none of your questions";
constexpr std::string_view kLeadTimer =
    "Nobody answered your questions in time, so the default answers that you set apply";

std::string part_lead(std::size_t answered, std::size_t asked) {
    return fmt::format("User has answered {} of your {} questions", answered, asked);
}

std::string lead_of(const Settlement& settlement, std::size_t answered, std::size_t asked) {
    if (settlement.decider.kind == Decider::Kind::timer) return std::string(kLeadTimer);
    if (answered == asked) return std::string(kLeadWhole);
    return answered == 0 ? std::string(kLeadNone) : part_lead(answered, asked);
}

std::string_view tail_of(const Settlement& settlement, std::size_t answered, std::size_t asked) {
    if (settlement.decider.kind == Decider::Kind::timer)
        return "No person has confirmed them; say so where it matters.";
    if (answered == 0)
        return "Do not assume an answer; ask again, more simply, or continue without it.";
    if (answered < asked)
        return "Continue with the answers given; do not assume an answer where there is none.";
    const bool has_own_words = std::ranges::any_of(
        settlement.answers, [](const Answer& answer) { return answer.other || answer.note; });
    if (has_own_words)
        return "Some of this is in the user's own words: read it carefully and do what it says, "
               "also where it asks you to change course or to stop.";
    return "You can now continue with the user's answers in mind.";
}

std::string pairs_of(const std::vector<Question>& questions, const Answers& answers) {
    std::string pairs;
    for (std::size_t i = 0; i < questions.size(); ++i) {
        if (i > 0) pairs += ", ";
        const Answer& answer = answer_at(answers, i);
        json::append_quoted(pairs, questions[i].text);
        pairs += '=';
        // Without quotes: nothing that a person types can look like it.
        if (is_answered(answer)) {
            json::append_quoted(pairs, joined_answer(answer));
        } else {
            pairs += kUnanswered;
        }
        if (answer.note) {
            pairs += kNoteOpens;
            json::append_quoted(pairs, *answer.note);
            pairs += ')';
        }
    }
    return pairs;
}

std::string answered_text(const Ask& ask) {
    const auto& questions = ask.spec->questions;
    const Settlement& settlement = *ask.settlement;
    const auto answered =
        static_cast<std::size_t>(std::ranges::count_if(settlement.answers, is_answered));
    return fmt::format("{}: {}. {}", lead_of(settlement, answered, questions.size()),
                       pairs_of(questions, settlement.answers),
                       tail_of(settlement, answered, questions.size()));
}

std::string reason_of(const Settlement& settlement) {
    return settlement.note ? fmt::format(" Reason: {}.", json::quoted(*settlement.note))
                           : std::string();
}

std::string_view withdrawn_lead(const Settlement& settlement) {
    const auto rule = withdrawal_rule(settlement);
    if (rule == WithdrawalRule::session_ended)
        return "The session ended before anyone answered your questions.";
    if (rule == WithdrawalRule::turn_stopped)
        return "The user stopped this turn before anyone answered your questions.";
    return "Your questions were withdrawn before anyone answered them.";
}

}  // namespace

std::string joined_answer(const Answer& answer) {
    std::string joined;
    for (const std::string& label : answer.selected) {
        if (!joined.empty()) joined += ", ";
        joined += label;
    }
    if (answer.other) {
        if (!joined.empty()) joined += ", ";
        joined += *answer.other;
    }
    return joined;
}

std::string model_text(const Ask& ask) {
    if (!ask.settlement)
        return "Nobody has answered your questions yet; they are still open. Do not assume an "
               "answer.";
    const Settlement& settlement = *ask.settlement;
    switch (settlement.outcome) {
        case Outcome::answered: return answered_text(ask);
        case Outcome::dismissed:
            // The reason may well be "ask me tomorrow": then it is what counts.
            return fmt::format(
                "The user dismissed your questions without answering them.{} Do not assume an "
                "answer{}.",
                reason_of(settlement), settlement.note ? "" : ", and do not ask the same again");
        case Outcome::timed_out:
            return "Nobody answered your questions before their deadline. Silence is neither a "
                   "yes nor a no: do not assume an answer.";
        case Outcome::withdrawn: break;
    }
    return fmt::format("{}{} There is no answer; do not assume one.", withdrawn_lead(settlement),
                       reason_of(settlement));
}

}  // namespace parley
