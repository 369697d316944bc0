// SPDX-License-Identifier: Apache-2.0
// parley answer, parley dismiss, parley withdraw: how a person, or a script for them, ends an ask.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "app/commands/ask_report.h"
#include "app/commands/commands.h"
#include "app/commands/id_lookup.h"
#include "app/reach/with_server.h"
#include "app/terminal/answer_prompt.h"
#include "app/terminal/ask_text.h"
#include "app/terminal/local_time.h"
#include "app/terminal/session_names.h"
#include "core/display.h"
#include "core/settlement_phrase.h"
#include "core/text_rules.h"
#include "dialect/native/server.h"
#include "prompt/choice_line.h"

namespace parley::app {

namespace {

// What every end of an ask has in common: who was first, and saying so.
void tell_end(ServerVisit& session, const SettleReply& reply, bool wants_json) {
    Console& console = session.context.console;
    const Ask& ask = *reply.ask;
    const std::string phrase = settlement_phrase(*ask.settlement, local_time(ask.settlement->at));
    if (!reply.is_yours) {
        std::string words = "too late: " + phrase;
        for (const std::string& line : summary_lines(ask)) words += "\n  " + line;
        session.context.complain(words);
        return session.finish(ExitCode::failed);
    }
    if (!wants_json) {
        const auto tell = [&](std::string_view line) {
            console.tell(shown_text(line, console.err_style().charset) + "\n");
        };
        for (const std::string& line : summary_lines(ask)) tell("✓ " + line);
        if (ask.settlement->outcome != Outcome::answered) tell(phrase);
    }
    session.finish(ExitCode::done);
}

void report(ServerVisit& session, Result<SettleReply> reply, bool wants_json) {
    if (!reply) return session.fail(reply.error());
    if (!wants_json) return tell_end(session, *reply, wants_json);
    session.link.find_session(
        reply->ask->session.str(), [&session, reply = *reply](const Result<SessionPtr>& found) {
            const native::OneName name(found ? name_of(**found, NamedBy::own_name) : "");
            session.context.console.print_json(native::ask_document(*reply.ask, {.names = &name}));
            tell_end(session, reply, true);
        });
}

class AnswerCommand final : public Command {
public:
    CommandSpec spec() override {
        return {
            .about =
                "Answers an ask. Without answers it asks for them here; without "
                "an ask it takes the oldest that waits.",
            .arguments = {{.name = "ASK",
                           .help =
                               "Its id or a beginning that no other has; the oldest if left out",
                           .target = &ask_,
                           .is_required = false,
                           .completion = Completion::ask},
                          {.name = "ANSWER",
                           .help = "One for each question, in order: a label or its number, "
                                   "several as \"1,3\", or your own words",
                           .target = &answers_,
                           .is_required = false}},
            .options = {{.names = "--note",
                         .value = "TEXT",
                         .help = "A note beside the choice (of the first question)",
                         .target = &note_},
                        {.names = "--accessible",
                         .help = "Prompt in plain lines, for screen readers. Also ACCESSIBLE=1.",
                         .target = &is_accessible_,
                         .setting = "accessible"},
                        {.names = "--json", .help = "Print JSON", .target = &wants_json_}},
            .examples = {{"parley answer", "be asked the oldest question"},
                         {"parley answer que_01jd… PostgreSQL", "choose by label"},
                         {"parley answer que_01jd… 1 1,3", "two questions, by number"},
                         {"parley answer que_01jd… -- 3", "the words \"3\", not choice 3"}},
            .notes = "What follows \"--\" are answers in your own words, whatever they look like.",
            .passed_on = &texts_};
    }

    ExitCode run(const RunContext& context) override {
        if (answers_.empty() && texts_.empty() && !context.console.is_interactive())
            return context.refuse_usage(
                "there is no terminal to ask on; give the answers as "
                "arguments");
        return with_server(context, [this](ServerVisit& session) {
            if (ask_) {
                look_up_ask(session.link, *ask_, [this, &session](Result<AskPtr> ask) {
                    if (!ask) return session.fail(ask.error());
                    take(session, *ask);
                });
                return;
            }
            session.link.list_asks({.state = AskState::pending, .limit = 1},
                                   [this, &session](Result<AskPage> page) {
                                       if (!page) return session.fail(page.error());
                                       if (page->asks.empty()) {
                                           session.context.console.tell("Nothing waits.\n");
                                           return session.finish(ExitCode::done);
                                       }
                                       take(session, page->asks.front());
                                   });
        });
    }

private:
    void take(ServerVisit& session, AskPtr ask) {
        pending_ = std::move(ask);
        const std::size_t given = answers_.size() + texts_.size();
        if (given == 0 && pending_->is_pending()) return name_asker(session);
        const auto& questions = pending_->spec->questions;
        if (pending_->is_pending() && given != questions.size()) {
            session.context.complain(
                fmt::format("the ask has {}, but {} given; give one for each",
                            count_of(questions.size(), "question"),
                            given == 1 ? "1 answer was" : fmt::format("{} answers were", given)));
            return session.finish(ExitCode::usage);
        }
        Answers answers;
        for (std::size_t i = 0; i < std::min(questions.size(), answers_.size()); ++i) {
            if (is_stray_number(questions[i], answers_[i])) {
                session.context.complain(
                    fmt::format("question {} has no choice {}; 'parley show {}' lists them", i + 1,
                                quoted_excerpt(answers_[i]), pending_->id.str()));
                return session.finish(ExitCode::usage);
            }
            answers.push_back(to_answer(questions[i], answers_[i]));
        }
        for (const std::string& text : texts_) answers.push_back({.other = text});
        if (note_ && !answers.empty()) answers.front().note = note_;
        settle(session, std::move(answers));
    }

    static bool is_label(const Question& question, const std::string& text) {
        return std::ranges::find(question.options, text, &Option::label) != question.options.end();
    }

    // Numbers that are no choice are a slip, not an answer in other words.
    static bool is_stray_number(const Question& question, const std::string& text) {
        if (question.options.empty() || is_label(question, text) ||
            text.find_first_not_of("0123456789, ") != std::string::npos)
            return false;
        const ChoiceLine line = read_choice_line(question, text);
        return !line.fault.empty() || line.opens_text;
    }

    // What an argument means is not asked back: a label or number if it can be one, else the words
    // themselves.
    static Answer to_answer(const Question& question, const std::string& text) {
        if (is_label(question, text)) return {.selected = {text}};
        const ChoiceLine line = read_choice_line(question, text);
        const bool is_choice = line.fault.empty() && !line.opens_text && !line.answer.is_empty();
        return is_choice ? line.answer : Answer{.other = text};
    }

    void settle(ServerVisit& session, Answers answers) {
        session.link.answer(
            pending_->id, std::move(answers), {},
            [this, &session](Result<SettleReply> reply) { settled(session, std::move(reply)); });
    }

    void settled(ServerVisit& session, Result<SettleReply> reply) {
        is_settling_ = false;
        if (!reply && prompt_ && reply.error().code == ErrorCode::invalid)
            return prompt_->refused(reply.error());
        end_prompt(session, AnswerPrompt::Ending::decided);
        report(session, std::move(reply), wants_json_);
    }

    // Who asks is to be known before one answers.
    void name_asker(ServerVisit& session) {
        session.link.find_session(pending_->session.str(), [this, &session](
                                                               const Result<SessionPtr>& found) {
            const std::string name = asker_name(*pending_, found ? name_of(**found) : "");
            Console& console = session.context.console;
            // The session of those who name none says nothing of who they are.
            if (!name.empty() && name != "default")
                console.tell(shown_text(fmt::format("{} asks", name), console.err_style().charset) +
                             "\n");
            start_prompt(session);
        });
    }

    void start_prompt(ServerVisit& session) {
        // Answered elsewhere while it is open here: this prompt ends by itself.
        wait_ = session.link.wait(pending_->id, [this, &session](Result<AskPtr> ask) {
            if (!ask || is_settling_) return;
            end_prompt(session, AnswerPrompt::Ending::by_itself);
            report(session, SettleReply{*ask, false}, wants_json_);
        });
        // A signal ends the session from outside; the prompt goes with it, before the loop does.
        session.keep(std::shared_ptr<void>(
            this, [](void* self) { static_cast<AnswerCommand*>(self)->prompt_.reset(); }));
        prompt_ = AnswerPrompt::open(
            session.context, session.loop, pending_,
            {.in = Console::kIn, .is_accessible = is_accessible_},
            [this, &session](PromptDecision decision) { decided(session, std::move(decision)); });
    }

    void decided(ServerVisit& session, PromptDecision decision) {
        is_settling_ = decision.kind == PromptDecision::Kind::answer ||
                       decision.kind == PromptDecision::Kind::dismiss;
        switch (decision.kind) {
            case PromptDecision::Kind::answer: return settle(session, std::move(decision.answers));
            case PromptDecision::Kind::dismiss:
                return session.link.dismiss(pending_->id, {.reason = std::move(decision.reason)},
                                            [this, &session](Result<SettleReply> reply) {
                                                settled(session, std::move(reply));
                                            });
            case PromptDecision::Kind::interrupt:
                end_prompt(session, AnswerPrompt::Ending::by_itself);
                session.context.complain("interrupted: the ask goes on waiting");
                return session.finish(ExitCode::interrupted);
            case PromptDecision::Kind::command: return;
            case PromptDecision::Kind::give_up:
                end_prompt(session, AnswerPrompt::Ending::decided);
                session.context.complain("no answer: the ask goes on waiting");
                return session.finish(ExitCode::failed);
        }
    }

    void end_prompt(ServerVisit& session, AnswerPrompt::Ending ending) {
        if (!prompt_) return;
        (void)prompt_->end(ending);
        // It may be the prompt that calls.
        session.loop.post([ended = std::move(prompt_)] {});
    }

    std::optional<std::string> ask_;
    std::vector<std::string> answers_;
    std::vector<std::string> texts_;  // what followed "--": words, whatever they look like
    std::optional<std::string> note_;
    bool wants_json_ = false;
    AskPtr pending_;
    bool is_accessible_ = false;
    std::unique_ptr<AnswerPrompt> prompt_;
    LinkWait wait_;
    bool is_settling_ = false;
};

enum class Ending { dismiss, withdraw };

class EndCommand final : public Command {
public:
    explicit EndCommand(Ending ending) : ending_(ending) {}

    CommandSpec spec() override {
        const bool is_dismissal = ending_ == Ending::dismiss;
        return {.about = is_dismissal ? "Declines an ask: the agent is told, with the reason."
                                      : "Takes back an ask, as its agent.",
                .arguments = {{.name = "ASK",
                               .help = "Its id, or a beginning that no other has",
                               .target = &ask_,
                               .completion = Completion::ask}},
                .options = {{.names = "--reason",
                             .value = "TEXT",
                             .help = "Why, in words",
                             .target = &reason_},
                            {.names = "--json", .help = "Print JSON", .target = &wants_json_}},
                .examples = {{is_dismissal ? "parley dismiss que_01jd… --reason 'not this week'"
                                           : "parley withdraw que_01jd…",
                              is_dismissal ? "decline" : "no longer needed"}}};
    }

    ExitCode run(const RunContext& context) override {
        return with_server(context, [this](ServerVisit& session) {
            look_up_ask(session.link, *ask_, [this, &session](Result<AskPtr> ask) {
                if (!ask) return session.fail(ask.error());
                end(session, (*ask)->id);
            });
        });
    }

private:
    void end(ServerVisit& session, AskId id) {
        Done<SettleReply> done = [this, &session](Result<SettleReply> reply) {
            report(session, std::move(reply), wants_json_);
        };
        if (ending_ == Ending::dismiss) {
            session.link.dismiss(id, {.reason = reason_}, std::move(done));
        } else {
            session.link.withdraw(id, reason_, std::move(done));
        }
    }

    Ending ending_;
    std::optional<std::string> ask_;
    std::optional<std::string> reason_;
    bool wants_json_ = false;
};

}  // namespace

std::unique_ptr<Command> make_answer() {
    return std::make_unique<AnswerCommand>();
}

std::unique_ptr<Command> make_dismiss() {
    return std::make_unique<EndCommand>(Ending::dismiss);
}

std::unique_ptr<Command> make_withdraw() {
    return std::make_unique<EndCommand>(Ending::withdraw);
}

}  // namespace parley::app
