// SPDX-License-Identifier: Apache-2.0
// parley status: what waits, in one line, at once. For shell prompts, tmux and bars, which run it
// all the time: where there is no broker it is quiet, and it never keeps anybody waiting.
#include <memory>
#include <utility>

#include "app/commands/commands.h"
#include "app/limits.h"
#include "app/reach/broker_access.h"
#include "app/terminal/waiting_text.h"
#include "base/lifetime.h"
#include "client/remote_link.h"
#include "core/snooze.h"
#include "net/loop.h"

namespace parley::app {

namespace {

class StatusCommand final : public Command, private FollowListener {
public:
    CommandSpec spec() override {
        return {.about =
                    "Says in one line what waits for an answer, without what you have put "
                    "off. Ends with 0 if nothing waits, 10 if something does, and with 6, "
                    "silently in a script, if no broker answers within a second.",
                .options = {{.names = "--json", .help = "Print JSON", .target = &wants_json_}},
                .examples = {{"parley status", "2 waiting, 1 urgent: Database: Which one?"},
                             {"parley status >/dev/null; [ $? -eq 10 ] && echo waiting",
                              "in a script"}},
                .notes = "Recipes for prompts and tmux: docs/notify.md."};
    }

    ExitCode run(const RunContext& context) override {
        net::Loop loop;
        context_ = &context;
        loop_ = &loop;
        loop.post([this] { start(); });
        loop.run();
        following_.reset();
        access_.reset();
        return code_;
    }

private:
    void start() {
        loop_->post_at(loop_->now() + limits::kStatusPatience,
                       [this] { fail({ErrorCode::unavailable, "the broker does not answer"}); });
        open_server(
            {.loop = *loop_, .environment = context_->environment, .global = context_->global},
            [this](Result<std::unique_ptr<BrokerAccess>> opened) {
                if (!opened) return fail(opened.error());
                access_ = std::move(*opened);
                following_ = access_->link().follow({}, *this);
            });
    }

    // The pending asks come first, and then the end of them.
    void on_frames(std::span<const Frame> frames) override {
        const Instant now = loop_->clock().wall();
        for (const Frame& frame : frames) {
            if (const auto* listed = std::get_if<SnapshotAsk>(&frame)) {
                if (is_snoozed(listed->snoozed_until, now)) continue;
                waiting_.has_more = waiting_.count == limits::kStatusCounted;
                if (!waiting_.has_more) waiting_.add(listed->ask);
            }
            if (waiting_.has_more || std::holds_alternative<SnapshotEnd>(frame)) return tell();
        }
    }

    void on_state(State state, const std::optional<Error>& why) override {
        if (state != State::connected && state != State::away && why) fail(*why);
    }

    void tell() {
        wants_json_ ? context_->console.print_json(waiting_document(waiting_))
                    : context_->console.print(waiting_line(waiting_, loop_->clock().wall()) + "\n");
        finish(waiting_.first ? ExitCode::waiting : ExitCode::done);
    }

    // A prompt or a bar that finds no broker shows nothing; a person at a terminal is told.
    void fail(const Error& error) {
        const bool is_away = error.code == ErrorCode::unavailable;
        if (is_away && wants_json_) context_->console.print_json(waiting_document({}));
        const bool is_quiet = is_away && (wants_json_ || !context_->console.is_out_tty());
        finish(is_quiet ? ExitCode::unreachable : context_->fail(error));
    }

    void finish(ExitCode code) {
        code_ = code;
        loop_->stop();
    }

    bool wants_json_ = false;
    const RunContext* context_ = nullptr;
    net::Loop* loop_ = nullptr;
    std::unique_ptr<BrokerAccess> access_;
    std::unique_ptr<Following> following_;
    Waiting waiting_;
    ExitCode code_ = ExitCode::failed;
};

}  // namespace

std::unique_ptr<Command> make_status() {
    return std::make_unique<StatusCommand>();
}

}  // namespace parley::app
