// SPDX-License-Identifier: Apache-2.0
// parley watch: what happens, as it happens; one line an event, or one JSON document.
#include <fmt/format.h>

#include <utility>

#include "app/commands/commands.h"
#include "app/commands/id_lookup.h"
#include "app/reach/with_server.h"
#include "app/terminal/list_lines.h"
#include "app/terminal/session_names.h"
#include "base/overload.h"
#include "dialect/native/server.h"

namespace parley::app {

namespace {

class WatchCommand final : public Command, private FollowListener {
public:
    CommandSpec spec() override {
        return {.about =
                    "Follows what happens, across lost connections, until Ctrl-C. First come "
                    "the asks that wait.",
                .options = {{.names = "--session",
                             .value = "SESSION",
                             .help = "Only this session, by name, id or the beginning of one",
                             .target = &session_ref_},
                            {.names = "--after",
                             .value = "CURSOR",
                             .help = "Go on after this event, instead of with what waits now",
                             .target = &after_},
                            {.names = "--json",
                             .help = "One JSON document a line",
                             .target = &wants_json_}},
                .examples = {{"parley watch", "see asks come and go"},
                             {"parley watch --json | jq .type", "for a program"}}};
    }

    ExitCode run(const RunContext& context) override {
        if (after_) {
            request_.after = native::parse_cursor(*after_);
            if (!request_.after) return context.refuse_usage("--after must be a number");
        }
        return with_server(context, [this](ServerVisit& session) {
            session_ = &session;
            if (!session_ref_) return read_names();
            look_up_session(session.link, *session_ref_, [this](Result<SessionPtr> found) {
                // One that does not exist yet is waited for by its name.
                const bool is_new = !found && found.error().code == ErrorCode::not_found;
                if (!found && !is_new) return session_->fail(found.error());
                request_.session = is_new ? *session_ref_ : (*found)->id.str();
                read_names();
            });
        });
    }

private:
    void read_names() {
        list_session_names(session_->link, named_by(), [this](Result<NamesById> names) {
            if (!names) return session_->fail(names.error());
            names_ = std::move(*names);
            follow();
        });
    }
    NamedBy named_by() const { return wants_json_ ? NamedBy::own_name : NamedBy::title; }
    void follow() { following_ = session_->link.follow(request_, *this); }

    void learn_name(const Event& event) {
        std::visit(
            Overload{
                [this](const OneOf<SessionCreated, SessionChanged> auto& body) {
                    names_[body.session->id] = name_of(*body.session, named_by());
                },
                [](const OneOf<AskOpened, AskSettled, DraftChanged, SnoozeChanged, SessionEnded,
                               PartAdded, MessageAdded, MessagesTaken, NoticeGiven, AgentRevoked,
                               TokenChanged, MarkChanged, ContentDeleted> auto&) {},
            },
            event.body);
    }

    void on_frames(std::span<const Frame> frames) override {
        Console& console = session_->context.console;
        for (const Frame& frame : frames) {
            const auto* event = std::get_if<EventPtr>(&frame);
            if (event != nullptr) learn_name(**event);
            if (wants_json_) {
                const JsonNames names(names_);
                console.print_json(native::write_frame(frame, {.names = &names}).data);
            } else if (event != nullptr) {
                console.print(event_line(**event, names_[(*event)->session], console.row_style()));
            } else if (const auto* listed = std::get_if<SnapshotAsk>(&frame)) {
                console.print(list_line(*listed->ask, names_[listed->ask->session],
                                        session_->loop.clock().wall(), console.row_style()));
            }
        }
        // The reader is gone: there is nobody to watch for.
        if (console.has_lost_output()) session_->finish(ExitCode::done);
    }

    void on_state(State state, const std::optional<Error>& why) override {
        if (state == State::ended && why) return session_->fail(*why);
        const State before = std::exchange(state_, state);
        if (before == state && state != State::away) return;
        session_->context.complain(words_for(before, why));
    }

    std::string words_for(State before, const std::optional<Error>& why) const {
        if (state_ == State::away && why) return "the broker's store is away: " + why->message;
        if (state_ != State::connected) return "the connection is lost; trying again";
        return before == State::away ? "the broker's store is back" : "connected again";
    }

    std::optional<std::string> session_ref_;
    std::optional<std::string> after_;
    bool wants_json_ = false;
    State state_ = State::connected;
    FollowRequest request_;
    NamesById names_;
    ServerVisit* session_ = nullptr;
    std::unique_ptr<Following> following_;
};

}  // namespace

std::unique_ptr<Command> make_watch() {
    return std::make_unique<WatchCommand>();
}

}  // namespace parley::app
