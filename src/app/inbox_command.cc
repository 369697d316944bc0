// SPDX-License-Identifier: Apache-2.0
// parley inbox: everything that waits, answered from one screen; one after the other in lines where
// a screen cannot be shown or is not wanted.
#include <fmt/format.h>

#include <memory>
#include <utility>

#include "app/answer_prompt.h"
#include "app/commands.h"
#include "app/inbox_run.h"
#include "app/local_time.h"
#include "app/terminal_screen.h"
#include "app/with_server.h"
#include "core/display.h"
#include "prompt/plain_page.h"

namespace parley::app {

namespace {

// The inbox in lines: the oldest ask that waits, then the next.
class InboxLines final : private FollowListener {
public:
    explicit InboxLines(ServerSession& session) : session_(session) {}

    void start() {
        session_.link.list_snoozes([this](Result<Link::Snoozes> snoozes) {
            if (snoozes) take_snoozes(state_, std::move(*snoozes), moment());
            following_ = session_.link.follow({}, *this);
        });
    }

private:
    InboxNow moment() const {
        return {.mono = session_.loop.now(), .wall = session_.loop.clock().wall()};
    }
    void on_frames(std::span<const Frame> frames) override {
        for (const Frame& frame : frames) {
            take(state_, frame, local_time, moment());
            if (const auto* event = std::get_if<EventPtr>(&frame))
                if (const auto* settled = std::get_if<AskSettled>(&(*event)->body))
                    ended(*settled->ask);
        }
        next();
    }
    void on_state(State state, const std::optional<Error>& why) override {
        if (state == State::ended && why) return session_.fail(*why);
        if (state == State::retrying)
            session_.context.complain("the connection is lost; trying again");
    }

    void next() {
        if (prompt_ || !state_.has_snapshot) return;
        const auto rows = state_.rows(session_.loop.clock().wall());
        if (rows.empty()) {
            if (!std::exchange(has_said_nothing_, true))
                tell("Nothing waits. New questions appear here by themselves; Ctrl-C quits.");
            return await_snoozed();
        }
        has_said_nothing_ = false;
        asked_ = rows.front();
        tell(fmt::format("\n{} of {}, from {}", 1, rows.size(),
                         state_.session_name(asked_->session)));
        prompt_ = AnswerPrompt::open(
            session_.context, session_.loop, asked_, {.in = Console::kIn, .is_accessible = true},
            [this](PromptDecision decision) { decided(std::move(decision)); });
    }
    // What was put off comes back when its time has come.
    void await_snoozed() {
        const Instant now = session_.loop.clock().wall();
        std::optional<Instant> first;
        for (const auto& [id, until] : state_.snoozed_until)
            if (until > now && state_.pending.contains(id) && (!first || until < *first))
                first = until;
        if (!first || *first == awaited_) return;
        awaited_ = *first;
        session_.loop.post_at(session_.loop.now() + (*first - now), [this] { next(); });
    }
    void decided(PromptDecision decision) {
        Done<SettleReply> done = [this](Result<SettleReply> reply) {
            if (reply) return;
            if (prompt_) prompt_->refused(reply.error());
        };
        switch (decision.kind) {
            case PromptDecision::Kind::answer:
                return session_.link.answer(asked_->id, std::move(decision.answers), {},
                                            std::move(done));
            case PromptDecision::Kind::dismiss:
                return session_.link.dismiss(asked_->id, std::move(decision.reason),
                                             std::move(done));
            case PromptDecision::Kind::interrupt: return session_.finish(ExitCode::interrupted);
            case PromptDecision::Kind::give_up: return session_.finish(ExitCode::done);
        }
    }
    // Whoever settled it, the prompt for it ends.
    void ended(const Ask& ask) {
        if (!prompt_ || !asked_ || ask.id != asked_->id) return;
        prompt_->end(AnswerPrompt::Ending::by_itself);
        session_.loop.post([gone = std::move(prompt_)] {});
        for (const std::string& line : summary_lines(ask)) tell("✓ " + line);
        tell(settlement_phrase(*ask.settlement, local_time(ask.settlement->at)));
    }
    void tell(const std::string& text) {
        Console& console = session_.context.console;
        console.tell(shown_text(text, console.err_style().charset) + "\n");
    }

    ServerSession& session_;
    InboxState state_;
    AskPtr asked_;
    std::unique_ptr<AnswerPrompt> prompt_;
    bool has_said_nothing_ = false;
    Instant awaited_ = {};
    std::unique_ptr<Following> following_;
};

class Inbox final : public Command {
public:
    CommandSpec spec() override {
        return {
            .about =
                "Every ask that waits, of all sessions, on one screen: answer, dismiss, snooze, "
                "search, and look back at what was decided. New ones appear by themselves.",
            .options = {{.names = "--notify",
                         .value = "HOW",
                         .help = "How to tell of a new ask when you look elsewhere: bell (the "
                                 "default), notification (of the desktop, where the terminal "
                                 "knows OSC 9 or 777), none.",
                         .target = &notify_,
                         .setting = "inbox.notify",
                         .choices = {"bell", "notification", "none"}},
                        {.names = "--no-numbers",
                         .help = "Show the choices without their numbers.",
                         .target = &no_numbers_},
                        {.names = "--accessible",
                         .help = "One ask after the other in plain lines, for screen readers. "
                                 "Also ACCESSIBLE=1.",
                         .target = &is_accessible_,
                         .setting = "accessible"}},
            .examples = {{"parley inbox", "answer everything from one screen"},
                         {"parley inbox --notify none", "without a sound"}},
            .notes =
                "keys: Enter opens, d dismisses, s snoozes, z shows what is snoozed, / searches, "
                "h shows what was decided, ? lists the rest, q quits"};
    }

    ExitCode run(const RunContext& context) override {
        InboxNotice notice = InboxNotice::bell;
        if (notify_ == "none") {
            notice = InboxNotice::none;
        } else if (notify_ == "notification") {
            notice = InboxNotice::notification;
        } else if (notify_ && notify_ != "bell") {
            return context.refuse_usage("--notify takes bell, notification or none");
        }
        if (!context.console.is_in_tty())
            return context.refuse_usage(
                "there is no terminal to answer on; use 'parley list' and 'parley answer'");
        const bool wants_lines =
            is_accessible_ || context.environment.find("ACCESSIBLE") ||
            !can_show_pictures(context.environment, Console::kIn, Console::kOut);
        return with_server(context, [this, wants_lines, notice](ServerSession& session) {
            if (wants_lines) {
                auto lines = std::make_shared<InboxLines>(session);
                session.keep(lines);
                return lines->start();
            }
            auto screen = std::make_shared<InboxRun>(
                session, InboxRun::Options{.has_numbers = !no_numbers_, .notice = notice});
            session.keep(screen);
            screen->start();
        });
    }

private:
    std::optional<std::string> notify_;
    bool no_numbers_ = false;
    bool is_accessible_ = false;
};

}  // namespace

std::unique_ptr<Command> make_inbox() {
    return std::make_unique<Inbox>();
}

}  // namespace parley::app
