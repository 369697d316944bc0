// SPDX-License-Identifier: Apache-2.0
#include "core/content.h"

#include <memory>
#include <utility>
#include <variant>

#include "base/overload.h"

namespace parley {

AskPtr without_content(const Ask& ask, Instant at) {
    const AskSpec& said = *ask.spec;
    auto spec = std::make_shared<AskSpec>();
    for (std::size_t i = 0; i < said.questions.size(); ++i)
        spec->questions.push_back(
            {.text = std::string(kDeletedContent), .header = {}, .options = {}});
    spec->key = said.key;
    spec->tool = said.tool;
    if (said.permission)
        spec->permission = PermissionRequest{
            .tool = said.permission->tool, .input = "{}", .summary = std::string(kDeletedContent)};
    spec->agent = said.agent;
    spec->asker = said.asker;
    spec->urgency = said.urgency;
    spec->dismissible = said.dismissible;
    spec->timeout = said.timeout;
    spec->content_deleted_at = at;

    auto blank = std::make_shared<Ask>(ask);
    blank->spec = std::move(spec);
    if (ask.settlement) {
        auto settlement = std::make_shared<Settlement>(*ask.settlement);
        settlement->answers.assign(settlement->answers.size(), Answer{});
        settlement->note.reset();
        blank->settlement = std::move(settlement);
    }
    return blank;
}

EventPtr without_content_of(const EventPtr& event, AskId ask, Instant at) {
    return std::visit(
        Overload{
            [&](const AskOpened& opened) {
                if (opened.ask->id != ask) return event;
                return with_body(*event, AskOpened{without_content(*opened.ask, at)});
            },
            [&](const AskSettled& settled) {
                if (settled.ask->id != ask) return event;
                return with_body(*event, AskSettled{without_content(*settled.ask, at)});
            },
            // Drafts went when it was settled; what its agent said of it is its session's.
            [&](const OneOf<DraftChanged, SnoozeChanged, SessionCreated, SessionChanged,
                            SessionEnded, PartAdded, MessageAdded, MessagesTaken, NoticeGiven,
                            AgentRevoked, TokenChanged, MarkChanged, ContentDeleted> auto&) {
                return event;
            },
        },
        event->body);
}

}  // namespace parley
