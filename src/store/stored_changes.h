// SPDX-License-Identifier: Apache-2.0
// What the writers of stores on disk have in common: the names of an ask, the ask as it is once
// settled, and how changes are known again that leave no row to know them by. Internal to the
// engines.
#pragma once

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/overload.h"
#include "core/event.h"
#include "parley/values.h"

namespace parley::stored {

inline std::optional<std::string_view> as_view(const std::optional<std::string>& text) {
    return text ? std::optional<std::string_view>(*text) : std::nullopt;
}

inline std::optional<std::string_view> call_id_of(const AskSpec& spec) {
    if (!spec.tool || spec.tool->call_id.empty()) return std::nullopt;
    return spec.tool->call_id;
}

inline std::optional<std::string_view> asker_of(const AskSpec& spec) {
    if (spec.asker.empty()) return std::nullopt;
    return spec.asker;
}

inline AskPtr settled_copy(const Ask& ask, const std::shared_ptr<const Settlement>& settlement) {
    auto settled = std::make_shared<Ask>(ask);
    settled->settlement = settlement;
    settled->is_asker_revoked = false;
    return settled;
}

struct SameBody {
    const EventBody& other;

    bool operator()(const PartAdded& body) const {
        const auto* same = std::get_if<PartAdded>(&other);
        return same != nullptr && *same->part == *body.part;
    }
    bool operator()(const NoticeGiven& body) const {
        const auto* same = std::get_if<NoticeGiven>(&other);
        return same != nullptr && same->text == body.text && same->level == body.level;
    }
    // Of a revocation: what was put under that name since is what is read.
    bool operator()(const TokenChanged& body) const {
        const auto* same = std::get_if<TokenChanged>(&other);
        return same != nullptr && same->name == body.name;
    }
    // Of one that was dropped.
    bool operator()(const MarkChanged& body) const {
        const auto* same = std::get_if<MarkChanged>(&other);
        return same != nullptr && same->key == body.key;
    }
    // Known by their rows.
    bool operator()(const OneOf<AskOpened, AskSettled, DraftChanged, SnoozeChanged, SessionCreated,
                                SessionChanged, SessionEnded, MessageAdded, MessagesTaken,
                                AgentRevoked, ContentDeleted> auto&) const {
        return false;
    }
};

// Whether nothing but the event itself tells that its change was stored.
inline bool is_known_by_event(const EventBody& body) {
    return std::visit(
        Overload{[](const OneOf<PartAdded, NoticeGiven, TokenChanged, MarkChanged> auto&) {
                     return true;
                 },
                 [](const OneOf<AskOpened, AskSettled, DraftChanged, SnoozeChanged, SessionCreated,
                                SessionChanged, SessionEnded, MessageAdded, MessagesTaken,
                                AgentRevoked, ContentDeleted> auto&) { return false; }},
        body);
}

// Whether the event was written by a transaction whose outcome was unknown and that turned out to
// be stored; each is taken once.
inline bool take_recognised(std::vector<EventPtr>& recognised, Instant at, SessionId session,
                            const EventBody& body) {
    const auto same = std::find_if(recognised.begin(), recognised.end(), [&](const auto& event) {
        return event->at == at && event->session == session &&
               std::visit(SameBody{event->body}, body);
    });
    if (same == recognised.end()) return false;
    recognised.erase(same);
    return true;
}

}  // namespace parley::stored
