// SPDX-License-Identifier: Apache-2.0
// parley watch: what happens, as it happens; one line an event, or one JSON document.
#include <fmt/format.h>

#include <utility>

#include "app/ask_text.h"
#include "app/commands.h"
#include "app/with_server.h"
#include "dialect/native.h"

namespace parley::app {

namespace {

class Watch final : public Command, private FollowListener {
public:
    CommandSpec spec() override {
        return {.about =
                    "Follows what happens, across lost connections, until Ctrl-C. First come "
                    "the asks that wait.",
                .options = {{.names = "--session",
                             .value = "SESSION",
                             .help = "Only this session, by name or id",
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
        FollowRequest request{.session = session_ref_.value_or("")};
        if (after_) {
            request.after = native::parse_cursor(*after_);
            if (!request.after) return context.refuse_usage("--after must be a number");
        }
        return with_server(context, [this, request](ServerSession& session) {
            session_ = &session;
            following_ = session.link.follow(request, *this);
        });
    }

private:
    void on_frames(std::span<const Frame> frames) override {
        Console& console = session_->context.console;
        for (const Frame& frame : frames) {
            if (wants_json_) {
                console.print_json(native::write_frame(frame).data);
            } else if (const auto* event = std::get_if<EventPtr>(&frame)) {
                console.print(event_line(**event, console.row_style()));
            } else if (const auto* listed = std::get_if<SnapshotAsk>(&frame)) {
                console.print(list_line(*listed->ask, {}, session_->loop.clock().wall(),
                                        console.row_style()));
            }
        }
        // The reader is gone: there is nobody to watch for.
        if (console.has_lost_output()) session_->finish(ExitCode::done);
    }

    void on_state(State state, const std::optional<Error>& why) override {
        if (state == State::ended) return session_->fail(*why);
        const bool is_lost = state == State::retrying;
        if (std::exchange(is_lost_, is_lost) == is_lost) return;
        session_->context.complain(is_lost ? "the connection is lost; trying again"
                                           : "connected again");
    }

    std::optional<std::string> session_ref_;
    std::optional<std::string> after_;
    bool wants_json_ = false;
    bool is_lost_ = false;
    ServerSession* session_ = nullptr;
    std::unique_ptr<Following> following_;
};

}  // namespace

std::unique_ptr<Command> make_watch() {
    return std::make_unique<Watch>();
}

}  // namespace parley::app
