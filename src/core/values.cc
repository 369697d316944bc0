// SPDX-License-Identifier: Apache-2.0
// The names of the vocabulary's enumerations, as they stand on our own wire and in the store.
#include "parley/values.h"

#include <algorithm>

#include "core/event.h"
#include "core/token.h"

namespace parley {

std::string_view to_string(QuestionKind kind) {
    switch (kind) {
        case QuestionKind::choice: return "choice";
    }
    return "choice";
}

std::string_view to_string(Urgency urgency) {
    switch (urgency) {
        case Urgency::low: return "low";
        case Urgency::normal: return "normal";
        case Urgency::high: return "high";
    }
    return "normal";
}

std::string_view to_string(Outcome outcome) {
    switch (outcome) {
        case Outcome::answered: return "answered";
        case Outcome::dismissed: return "dismissed";
        case Outcome::timed_out: return "timed_out";
        case Outcome::withdrawn: return "withdrawn";
    }
    return "withdrawn";
}

std::string_view to_string(Decider::Kind kind) {
    switch (kind) {
        case Decider::Kind::person: return "person";
        case Decider::Kind::timer: return "timer";
        case Decider::Kind::agent: return "agent";
        case Decider::Kind::rule: return "rule";
    }
    return "rule";
}

std::string_view to_string(AskState state) {
    switch (state) {
        case AskState::pending: return "pending";
        case AskState::answered: return "answered";
        case AskState::dismissed: return "dismissed";
        case AskState::timed_out: return "timed_out";
        case AskState::withdrawn: return "withdrawn";
    }
    return "pending";
}

std::string_view to_string(OnDismiss policy) {
    return policy == OnDismiss::tell ? "tell" : "stop";
}

std::string_view to_string(Activity activity) {
    return activity == Activity::idle ? "idle" : "working";
}

std::string_view to_string(Role role) {
    switch (role) {
        case Role::agent: return "agent";
        case Role::responder: return "responder";
        case Role::owner: return "owner";
    }
    return "agent";
}

std::string shown_name(const Token& token) {
    constexpr std::size_t kTailLength = 6;
    if (!token.person.empty()) return token.person;
    const std::string& id = token.principal;
    return "guest-" + id.substr(id.size() - std::min(id.size(), kTailLength));
}

std::string_view to_string(NoticeGiven::Level level) {
    switch (level) {
        case NoticeGiven::Level::info: return "info";
        case NoticeGiven::Level::warning: return "warning";
        case NoticeGiven::Level::error: return "error";
    }
    return "info";
}

std::string_view to_string(Part::Kind kind) {
    switch (kind) {
        case Part::Kind::text: return "text";
        case Part::Kind::tool_input: return "tool_input";
        case Part::Kind::tool_input_error: return "tool_input_error";
        case Part::Kind::tool_output: return "tool_output";
        case Part::Kind::finish: return "finish";
    }
    return "finish";
}

}  // namespace parley
