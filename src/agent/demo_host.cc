// SPDX-License-Identifier: Apache-2.0
#include "agent/demo_host.h"

#include <utility>
#include <variant>

#include "base/overload.h"

namespace parley {

DemoHost::DemoHost(Link& link, Spoken spoken) : link_(link), spoken_(std::move(spoken)) {}

DemoHost::~DemoHost() = default;

void DemoHost::start() {
    following_ = link_.follow({}, *this);
}

void DemoHost::on_frames(std::span<const Frame> frames) {
    for (const Frame& frame : frames) {
        const auto* event = std::get_if<EventPtr>(&frame);
        if (event == nullptr) continue;
        std::visit(
            Overload{
                [&](const MessageAdded& message) { spoken_to((*event)->session, message.id); },
                [](const OneOf<AskOpened, AskSettled, DraftChanged, SnoozeChanged, SessionCreated,
                               SessionChanged, SessionEnded, PartAdded, MessagesTaken, NoticeGiven,
                               AgentRevoked, TokenChanged> auto&) {},
            },
            (*event)->body);
    }
}

void DemoHost::spoken_to(SessionId session, MessageId message) {
    if (served_.contains(session)) {
        // It is in the middle of its script and listens to answers alone.
        link_.take_messages(session.str(), message, [](Result<void>) {});
        return;
    }
    link_.find_session(
        session.str(), alive_.guard([this, session, message](Result<SessionPtr> found) {
            const bool has_other = found && (*found)->agent && *(*found)->agent != "demo";
            if (!found || has_other) return;
            serve(session, message);
        }));
}

void DemoHost::serve(SessionId session, MessageId message) {
    const auto [place, is_new] = served_.emplace(session, nullptr);
    if (!is_new) return;
    place->second = std::make_unique<Served>();
    Served& served = *place->second;
    served.following =
        link_.follow({.session = std::string(session.str()), .is_agent = true}, served);
    link_.take_messages(session.str(), message, [](Result<void>) {});
    // The agent is dropped outside its own call.
    served.agent = std::make_unique<DemoAgent>(
        link_, std::string(session.str()), [this](std::string_view line) { spoken_(line); },
        [this, session](Result<void>) {
            link_.find_session(session.str(), alive_.guard([this, session](Result<SessionPtr>) {
                served_.erase(session);
            }));
        });
    served.agent->introduce();
}

}  // namespace parley
