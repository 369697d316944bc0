// SPDX-License-Identifier: Apache-2.0
// The transitions of an ask: pending → answered | dismissed | timed_out | withdrawn, and no other.
// These functions make the settlement that is then offered to the store, where the first one wins.
// Pure; the time comes in.
#pragma once

#include <optional>
#include <string>

#include "base/result.h"
#include "core/answers.h"
#include "parley/values.h"

namespace parley {

// Who acts, as far as it was authenticated, and through which door.
struct Actor {
    std::string principal;
    std::string door;
    std::optional<std::string> name = {};  // what `by` claims
};

[[nodiscard]] Result<Settlement> make_answer(const Ask& ask, Answers answers,
                                             const AnswerRules& rules, const Actor& actor,
                                             Instant now);
// Refused (conflict) when the asker forbade it.
[[nodiscard]] Result<Settlement> make_dismissal(const Ask& ask, std::optional<std::string> reason,
                                                const Actor& actor, Instant now);
[[nodiscard]] Result<Settlement> make_withdrawal(std::optional<std::string> reason,
                                                 const Actor& actor, Instant now);
// At the deadline: timed_out, or the asker's default answer with the timer as its decider.
Settlement make_timeout(const Ask& ask, Instant now);

// The same responder said the same thing again: a repeat is told "yes", not "conflict".
bool is_repeat(const Settlement& standing, const Settlement& offered);

// The ask as it is once settled.
AskPtr with_settlement(const Ask& ask, Settlement settlement);

}  // namespace parley
