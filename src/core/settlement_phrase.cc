// SPDX-License-Identifier: Apache-2.0
#include "core/settlement_phrase.h"

#include <fmt/format.h>

#include "core/door_names.h"
#include "core/limits.h"
#include "core/settle.h"
#include "core/text_rules.h"

namespace parley {

namespace {

std::string one_line(std::string_view text) {
    return parley::one_line(text, limits::kSummaryChars);
}

std::string_view verb_of(const Settlement& settlement) {
    switch (settlement.outcome) {
        case Outcome::answered: return "answered";
        case Outcome::dismissed: return "dismissed";
        case Outcome::timed_out: return "timed out";
        case Outcome::withdrawn: return "withdrawn";
    }
    return "settled";
}

std::string who_of(const Settlement& settlement) {
    const Decider& decider = settlement.decider;
    std::string name = one_line(decider.name.value_or(decider.principal));
    if (decider.claimed) name += fmt::format(" (as “{}”)", one_line(*decider.claimed));
    switch (decider.kind) {
        case Decider::Kind::timer:
            return settlement.outcome == Outcome::answered
                       ? " by the timer with the asker's default"
                       : "";
        case Decider::Kind::agent: return " by the agent";
        case Decider::Kind::rule: {
            const auto rule = withdrawal_rule(settlement);
            if (rule == WithdrawalRule::session_ended) return " because the session ended";
            if (rule == WithdrawalRule::turn_stopped) return " because the turn was stopped";
            return fmt::format(" by the rule {}", name);
        }
        case Decider::Kind::person: break;
    }
    return fmt::format(" by {} {}", name.empty() ? "someone" : name,
                       door_names::phrase(settlement.door));
}

}  // namespace

std::string settlement_phrase(const Settlement& settlement, std::string_view shown_time) {
    std::string phrase = fmt::format("{}{}", verb_of(settlement), who_of(settlement));
    if (!shown_time.empty()) phrase += fmt::format(" at {}", shown_time);
    if (settlement.note) phrase += fmt::format(": {}", one_line(*settlement.note));
    return phrase;
}

}  // namespace parley
