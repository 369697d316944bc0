// SPDX-License-Identifier: Apache-2.0
#include "agent/demo/demo_host.h"

#include <span>
#include <string>
#include <utility>
#include <variant>

#include "agent/demo/demo_agent.h"
#include "base/overload.h"
#include "core/event.h"

namespace parley {

namespace {

// In the middle of its script it listens to answers alone: what is said counts as heard.
class DemoDriver final : public Driver, private FollowListener {
public:
    DemoDriver(Link& link, SessionId session, const DemoHost::Spoken& spoken, Finished finished)
        : link_(link),
          session_(session),
          finished_(std::move(finished)),
          agent_(link, session.str(), spoken, [this](const Result<void>& result) {
              finish(result ? Ending{} : Ending{Ending::Kind::failed, result.error().message});
          }) {}

    void start() override {
        following_ = link_.follow({.session = session_.str(), .is_agent = true}, *this);
        agent_.introduce();
    }
    void say(std::string text) override {
        link_.say(session_.str(), std::move(text), [](const Result<Said>&) {});
    }
    Interruption interrupt() override { return Interruption::no_turn; }
    void quit() override { finish({Ending::Kind::stopped}); }

private:
    void on_frames(std::span<const Frame> frames) override {
        for (const Frame& frame : frames) {
            if (std::holds_alternative<SnapshotEnd>(frame)) take_first();
            if (const auto* event = std::get_if<EventPtr>(&frame)) on_event(**event);
        }
    }
    void on_event(const Event& event) {
        std::visit(
            Overload{
                [this](const MessageAdded& said) { take(said.id); },
                [](const OneOf<AskOpened, AskSettled, DraftChanged, SnoozeChanged, SessionCreated,
                               SessionChanged, SessionEnded, PartAdded, MessagesTaken, NoticeGiven,
                               AgentRevoked, TokenChanged, MarkChanged, ContentDeleted> auto&) {},
            },
            event.body);
    }
    void on_state(State, const std::optional<Error>&) override {}

    // Those that it was called by.
    void take_first() {
        link_.list_messages(session_.str(), alive_.guard([this](const auto& messages) {
            if (messages && !messages->empty()) take(messages->back().id);
        }));
    }
    void take(MessageId up_to) {
        link_.take_messages(session_.str(), up_to, [](const Result<void>&) {});
    }
    void finish(Ending ending) {
        if (finished_) std::exchange(finished_, nullptr)(std::move(ending));
    }

    Link& link_;
    SessionId session_;
    Finished finished_;
    DemoAgent agent_;
    std::unique_ptr<Following> following_;
    Lifetime alive_;
};

}  // namespace

DemoHost::DemoHost(Wiring wiring, Scope scope)
    : link_(wiring.link),
      spoken_(std::move(wiring.spoken)),
      failed_(std::move(wiring.failed)),
      scope_(scope),
      host_({.home = wiring.home,
             .watching = wiring.link,
             .acting = wiring.link,
             .claim = std::move(wiring.claim),
             .failed = failed_},
            *this) {}

void DemoHost::begin_own() {
    DemoAgent::open_session(link_, alive_.guard([this](const Result<SessionPtr>& opened) {
        if (!opened) return failed_(opened.error());
        own_ = (*opened)->id;
        host_.serve(*opened);
    }));
}

bool DemoHost::is_for(const Session& session) const {
    if (scope_ == Scope::own) return session.id == own_;
    return !session.agent || *session.agent == "demo";
}

Result<std::unique_ptr<Driver>> DemoHost::make(const Session& session, Driver::Onlooker&,
                                               Driver::Finished finished) {
    return std::make_unique<DemoDriver>(link_, session.id, spoken_, std::move(finished));
}

}  // namespace parley
