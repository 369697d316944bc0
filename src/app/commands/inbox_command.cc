// SPDX-License-Identifier: Apache-2.0
// parley inbox: everything that waits, answered from one screen; one after the other in lines where
// a screen cannot be shown or is not wanted.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <utility>

#include "app/commands/commands.h"
#include "app/limits.h"
#include "app/reach/with_server.h"
#include "app/terminal/answer_prompt.h"
#include "app/terminal/inbox_run.h"
#include "app/terminal/local_time.h"
#include "app/terminal/terminal_screen.h"
#include "core/display.h"
#include "core/event.h"
#include "core/limits.h"
#include "core/settlement_phrase.h"
#include "prompt/plain_page.h"

namespace parley::app {

namespace {

constexpr std::string_view kSkip = "skip";
constexpr std::string_view kSnooze = "snooze";
constexpr std::string_view kList = "list";

// The inbox in lines: the oldest ask that waits, then the next.
class InboxLines final : private FollowListener {
public:
    explicit InboxLines(ServerVisit& session) : session_(session) {}

    void start() {
        bear_interrupts();
        load_sessions();
    }

private:
    InboxNow moment() const {
        return {.mono = session_.loop.now(), .wall = session_.loop.clock().wall()};
    }
    // Ctrl-C in an editor is the editor's.
    void bear_interrupts() {
        session_.on_interrupt([this] {
            if (!prompt_ || !prompt_->is_lent()) return session_.finish(ExitCode::interrupted);
            bear_interrupts();
        });
    }
    void on_frames(std::span<const Frame> frames) override {
        for (const Frame& frame : frames) {
            take(state_, frame, local_time, moment());
            const auto* event = std::get_if<EventPtr>(&frame);
            if (event == nullptr) continue;
            if (const AskPtr ask = settled_in(**event)) ended(ask);
        }
        next();
    }
    void on_state(State state, const std::optional<Error>& why) override {
        if (state == State::ended && why) return session_.fail(*why);
        if (state == State::retrying)
            session_.context.complain("the connection is lost; trying again");
        if (state == State::away && why)
            session_.context.complain(fmt::format("the broker's store is away: {}", why->message));
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
        asked_ = first_of(rows);
        tell(fmt::format("\n{} waiting. From {}:", rows.size(), who(*asked_)));
        prompt_ = AnswerPrompt::open(
            session_.context, session_.loop, asked_,
            {.in = Console::kIn,
             .is_accessible = true,
             .replaces_another = std::exchange(was_replaced_, false),
             .is_line_begun = std::exchange(is_line_begun_, false),
             .draft = drafts_[asked_->id],
             .commands = {std::string(kSkip), std::string(kSnooze), std::string(kList)}},
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
            has_decided_ = false;
            if (prompt_) prompt_->refused(reply.error());
        };
        has_decided_ = decision.kind == PromptDecision::Kind::answer ||
                       decision.kind == PromptDecision::Kind::dismiss;
        switch (decision.kind) {
            case PromptDecision::Kind::answer:
                return session_.link.answer(asked_->id, std::move(decision.answers), {},
                                            std::move(done));
            case PromptDecision::Kind::dismiss:
                return session_.link.dismiss(asked_->id, {.reason = std::move(decision.reason)},
                                             std::move(done));
            case PromptDecision::Kind::interrupt: return session_.finish(ExitCode::interrupted);
            case PromptDecision::Kind::give_up: return session_.finish(ExitCode::done);
            case PromptDecision::Kind::command: return obey(decision.command);
        }
    }
    void obey(const std::string& command) {
        if (command == kList) return prompt_->say(list());
        Answers draft = prompt_->unsent();
        if (std::ranges::any_of(draft, [](const Answer& each) { return each != Answer{}; }))
            drafts_[asked_->id] = std::move(draft);
        if (command == kSnooze) {
            const Instant until = session_.loop.clock().wall() + limits::kUsualSnooze;
            take_snooze(state_, asked_->id, until, moment());
            session_.link.snooze(asked_->id, limits::kUsualSnooze,
                                 [this, id = asked_->id](Result<void> done) {
                                     if (done) return;
                                     take_snooze(state_, id, std::nullopt, moment());
                                     tell(done.error().message);
                                 });
        } else {
            skipped_.insert(asked_->id);
        }
        (void)prompt_->end(AnswerPrompt::Ending::decided);
        session_.loop.post([gone = std::move(prompt_)] {});
        next();
    }
    std::string list() {
        std::string all;
        std::size_t number = 0;
        for (const AskPtr& ask : state_.rows(session_.loop.clock().wall()))
            all += fmt::format("{}) {} (from {})\n", ++number, ask_title(*ask->spec), who(*ask));
        return all;
    }
    std::string who(const Ask& ask) const {
        const std::string session = state_.session_name(ask.session);
        const std::string agent = ask.spec->agent.value_or(session);
        return agent == session ? session : fmt::format("{}, {}", session, agent);
    }
    // The first that was not passed over; all were: from the start again.
    AskPtr first_of(const std::vector<AskPtr>& rows) {
        for (const AskPtr& ask : rows)
            if (!skipped_.contains(ask->id)) return ask;
        skipped_.clear();
        return rows.front();
    }
    void load_sessions() {
        session_.link.list_sessions({.limit = limits::kListPageMax},
                                    [this](Result<SessionPage> page) {
                                        if (page)
                                            for (const SessionPtr& session : page->sessions)
                                                state_.sessions.try_emplace(session->id, session);
                                        following_ = session_.link.follow({}, *this);
                                    });
    }
    // Whoever settled it, the prompt for it ends.
    void ended(const AskPtr& settled) {
        const Ask& ask = *settled;
        if (!prompt_ || !asked_ || ask.id != asked_->id) return;
        // The editor has the terminal; it is told when it has come back.
        if (prompt_->is_lent()) {
            session_.loop.post_at(session_.loop.now() + limits::kLentTerminalPoll, [this, settled] {
                ended(settled);
                next();
            });
            return;
        }
        const Answers unsent = prompt_->unsent();
        was_replaced_ = !std::exchange(has_decided_, false);
        is_line_begun_ = prompt_->end(AnswerPrompt::Ending::by_itself);
        session_.loop.post([gone = std::move(prompt_)] {});
        for (const std::string& line : summary_lines(ask)) tell("✓ " + line);
        tell(settlement_phrase(*ask.settlement, local_time(ask.settlement->at)));
        if (was_replaced_ && unsent != ask.settlement->answers) tell_unsent(unsent);
    }
    void tell_unsent(const Answers& unsent) {
        for (const Answer& answer : unsent)
            for (const auto* text : {&answer.other, &answer.note})
                if (*text) tell("not sent: " + **text);
    }
    void tell(const std::string& text) {
        Console& console = session_.context.console;
        console.tell(shown_text(text, console.err_style().charset) + "\n");
    }

    ServerVisit& session_;
    InboxState state_;
    AskPtr asked_;
    std::set<AskId> skipped_;
    std::map<AskId, Answers> drafts_;  // of what was passed over
    std::unique_ptr<AnswerPrompt> prompt_;
    bool has_said_nothing_ = false;
    bool has_decided_ = false;    // the prompt's ask was settled from here
    bool was_replaced_ = false;   // the last prompt ended by itself
    bool is_line_begun_ = false;  // while it did
    Instant awaited_ = {};
    std::unique_ptr<Following> following_;
};

class InboxCommand final : public Command {
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
        }
        if (!context.console.is_in_tty())
            return context.refuse_usage(
                "there is no terminal to answer on; use 'parley list' and 'parley answer'");
        const bool wants_lines =
            is_accessible_ || context.environment.find("ACCESSIBLE") ||
            !can_show_pictures(context.environment, Console::kIn, Console::kOut);
        return with_server(context, [this, wants_lines, notice](ServerVisit& session) {
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
    return std::make_unique<InboxCommand>();
}

}  // namespace parley::app
