// SPDX-License-Identifier: Apache-2.0
// The transitions of an ask: pending → answered | dismissed | timed_out | withdrawn, and no other.
// These functions make the settlement that is then offered to the store, where the first one wins.
// Pure; the time comes in.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/result.h"
#include "core/answers.h"
#include "core/mark.h"
#include "core/viewer.h"
#include "parley/values.h"

namespace parley {

// Who acts, as far as it was authenticated, and through which door.
struct Actor {
    std::string principal;
    std::string door;
    std::optional<std::string> name = {};     // authenticated too; absent: the principal
    std::optional<std::string> claimed = {};  // what `by` says
    std::optional<std::uint32_t> uid = {};    // of the local socket's peer
    std::optional<std::uint32_t> pid = {};
    bool sees_all = false;  // core/viewer.h
    std::optional<SessionId> only_session = {};
    // What it settles rests on this mark, or on none.
    MarkPtr only_while = {};

    Viewer viewer() const {
        return {.principal = principal, .sees_all = sees_all, .only_session = only_session};
    }
};

// One who sees all: a person, or a part of this program that acts for those who run it.
inline Actor unrestricted_actor(std::string principal, std::string_view door) {
    return {.principal = std::move(principal), .door = std::string(door), .sees_all = true};
}

// Who decided, or spoke, as it is recorded: by the authenticated name, with what was claimed beside
// it where that differs.
Decider decider_of(Decider::Kind kind, const Actor& actor);

[[nodiscard]] Result<Settlement> make_answer(const Ask& ask, Answers answers,
                                             const AnswerRules& rules, const Actor& actor,
                                             Instant now);
// Refused (conflict) when the asker forbade it.
[[nodiscard]] Result<Settlement> make_dismissal(const Ask& ask, std::optional<std::string> reason,
                                                const Actor& actor, Instant now);
[[nodiscard]] Result<Settlement> make_withdrawal(std::optional<std::string> reason,
                                                 const Actor& actor, Instant now);

// What the rule itself withdraws: the decider is the rule, `actor` is who set it off.
enum class WithdrawalRule : std::uint8_t { session_ended, turn_stopped };
std::string_view to_string(WithdrawalRule rule);
[[nodiscard]] Result<Settlement> make_withdrawal(WithdrawalRule rule,
                                                 std::optional<std::string> reason,
                                                 const Actor& actor, Instant now);
// The rule behind a settlement; nullopt when a person, the agent or the timer decided.
std::optional<WithdrawalRule> withdrawal_rule(const Settlement& settlement);

// At the deadline: timed_out, or the asker's default answer with the timer as its decider.
Settlement make_timeout(const Ask& ask, Instant now);

// The same responder, i.e. principal and `by`, said the same thing again: a repeat is told "yes",
// not "conflict".
bool is_repeat(const Settlement& standing, const Settlement& offered);

}  // namespace parley
