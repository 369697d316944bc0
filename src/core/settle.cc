// SPDX-License-Identifier: Apache-2.0
#include "core/settle.h"

#include <tuple>

#include "core/door_names.h"
#include "core/faults.h"
#include "core/limits.h"
#include "core/text_rules.h"

namespace parley {

namespace {

Settlement settled_by(Decider::Kind kind, Outcome outcome, const Actor& actor, Instant now) {
    return {.outcome = outcome, .decider = decider_of(kind, actor), .door = actor.door, .at = now};
}

void check_actor(const Actor& actor, Faults& faults) {
    const json::Path root;
    if (actor.claimed) check_text(*actor.claimed, name_rule("the name"), root / "by", faults);
}

// The reason as it is recorded.
std::optional<std::string> check_reason(std::optional<std::string> reason, Faults& faults) {
    const json::Path root;
    tidy_optional(reason);
    if (reason) {
        check_text(*reason, {.what = "the reason", .bytes_max = limits::kReasonBytes},
                   root / "reason", faults);
    }
    return reason;
}

Result<Settlement> with_reason(Settlement settlement, std::optional<std::string> reason,
                               const Actor& actor) {
    Faults faults;
    check_actor(actor, faults);
    settlement.note = check_reason(std::move(reason), faults);
    return std::move(faults).give(std::move(settlement));
}

}  // namespace

Decider decider_of(Decider::Kind kind, const Actor& actor) {
    Decider decider = {.kind = kind,
                       .principal = actor.principal,
                       .name = actor.name,
                       .claimed = actor.claimed,
                       .uid = actor.uid,
                       .pid = actor.pid};
    if (!decider.name && !decider.principal.empty()) decider.name = decider.principal;
    if (decider.claimed == decider.name) decider.claimed.reset();
    return decider;
}

std::string_view to_string(WithdrawalRule rule) {
    return rule == WithdrawalRule::session_ended ? "session-ended" : "turn-stopped";
}

Result<Settlement> make_answer(const Ask& ask, Answers answers, const AnswerRules& rules,
                               const Actor& actor, Instant now) {
    Faults faults;
    const json::Path root;
    check_actor(actor, faults);
    check_answers(ask.spec->questions, answers, rules, root / "answers", faults);
    Settlement settlement = settled_by(Decider::Kind::person, Outcome::answered, actor, now);
    settlement.answers = std::move(answers);
    return std::move(faults).give(std::move(settlement));
}

Result<Settlement> make_dismissal(const Ask& ask, std::optional<std::string> reason,
                                  const Actor& actor, Instant now) {
    if (!ask.spec->dismissible) {
        return reject(ErrorCode::conflict,
                      "the asker does not allow this ask to be dismissed; answer it instead");
    }
    return with_reason(settled_by(Decider::Kind::person, Outcome::dismissed, actor, now),
                       std::move(reason), actor);
}

Result<Settlement> make_withdrawal(std::optional<std::string> reason, const Actor& actor,
                                   Instant now) {
    return with_reason(settled_by(Decider::Kind::agent, Outcome::withdrawn, actor, now),
                       std::move(reason), actor);
}

Result<Settlement> make_withdrawal(WithdrawalRule rule, std::optional<std::string> reason,
                                   const Actor& actor, Instant now) {
    Settlement settlement = settled_by(Decider::Kind::rule, Outcome::withdrawn, actor, now);
    settlement.decider.name = std::string(to_string(rule));
    settlement.decider.claimed.reset();
    return with_reason(std::move(settlement), std::move(reason), actor);
}

std::optional<WithdrawalRule> withdrawal_rule(const Settlement& settlement) {
    if (settlement.outcome != Outcome::withdrawn || settlement.decider.kind != Decider::Kind::rule)
        return std::nullopt;
    for (const auto rule : {WithdrawalRule::session_ended, WithdrawalRule::turn_stopped})
        if (settlement.decider.name == to_string(rule)) return rule;
    return std::nullopt;
}

Settlement make_timeout(const Ask& ask, Instant now) {
    const Actor timer = {.principal = {}, .door = std::string(door_names::kTimer)};
    const auto& answers = ask.spec->default_answers;
    Settlement settlement = settled_by(
        Decider::Kind::timer, answers ? Outcome::answered : Outcome::timed_out, timer, now);
    if (answers) settlement.answers = *answers;
    return settlement;
}

bool is_repeat(const Settlement& standing, const Settlement& offered) {
    const auto responder = [](const Decider& decider) {
        return std::tie(decider.kind, decider.principal, decider.claimed);
    };
    return standing.outcome == offered.outcome && standing.answers == offered.answers &&
           responder(standing.decider) == responder(offered.decider) &&
           standing.note == offered.note;
}

}  // namespace parley
