// SPDX-License-Identifier: Apache-2.0
#include "app/commands/ask_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "app/limits.h"
#include "app/terminal/local_time.h"
#include "base/assert.h"
#include "dialect/native/server.h"
#include "prompt/plain_page.h"

namespace parley::app {

using Ending = AnswerPrompt::Ending;

AskRun::AskRun(const RunContext& context, net::Loop& loop, BrokerAccess& access, Options options,
               Finished finished)
    : context_(context),
      loop_(loop),
      link_(access.link()),
      is_lasting_(access.is_lasting()),
      options_(std::move(options)),
      finished_(std::move(finished)) {}

void AskRun::start() {
    link_.ask(options_.request,
              alive_.guard([this](Result<OpenedAsk> result) { opened(std::move(result)); }));
}

void AskRun::opened(Result<OpenedAsk> opened) {
    if (!opened) return fail(opened.error());
    ask_ = opened->ask;
    if (options_.is_background && !leaving_with_) return tell_asked();
    if (!ask_->is_pending()) return settled(ask_);
    wait_ = link_.wait(ask_->id, [this](Result<AskPtr> ask) {
        // The reply to what was typed here says more: whose settlement it is.
        if (is_settling_ && ask) {
            settled_meanwhile_ = *ask;
        } else {
            settled(std::move(ask));
        }
    });
    if (leaving_with_) return leave("interrupted", *leaving_with_);
    if (options_.prompt) return find_draft();
    context_.complain(fmt::format(
        "waits as {}; answer it in 'parley inbox', on the page, or with 'parley answer {}'",
        ask_->id.str(), ask_->id.str()));
}

// The id is the same whether it is open still or was asked before and is settled by now.
void AskRun::tell_asked() {
    if (options_.form == AnswerForm::json) {
        const native::OneName name{options_.request.session};
        context_.console.print_json(native::ask_document(*ask_, {.names = &name}));
    } else {
        context_.console.print(ask_->id.str() + "\n");
    }
    finish(ExitCode::done);
}

// What was typed the last time that this question was asked here.
void AskRun::find_draft() {
    if (!is_lasting_ || !options_.request.spec.key) return open_prompt({});
    link_.find_draft(ask_->id, alive_.guard([this](Result<DraftPtr> draft) {
        if (!finished_ || leaving_with_) return;
        if (!draft || !*draft) return open_prompt({});
        draft_version_ = (*draft)->version;
        open_prompt((*draft)->answers);
    }));
}

void AskRun::open_prompt(Answers draft) {
    ASSERT(options_.prompt);
    options_.prompt->draft = std::move(draft);
    // It is let go of later than this may be (end_prompt).
    prompt_ = AnswerPrompt::open(
        context_, loop_, ask_, *options_.prompt,
        alive_.guard([this](PromptDecision decision) { decided(std::move(decision)); }));
    was_picture_ = prompt_->is_picture();
}

void AskRun::decided(PromptDecision decision) {
    if (leaving_with_ && decision.kind != PromptDecision::Kind::interrupt) return;
    Done<SettleReply> done =
        alive_.guard([this](Result<SettleReply> reply) { settled_by_us(std::move(reply)); });
    switch (decision.kind) {
        case PromptDecision::Kind::answer:
            is_settling_ = true;
            return link_.answer(ask_->id, std::move(decision.answers), {}, std::move(done));
        case PromptDecision::Kind::dismiss:
            is_settling_ = true;
            return link_.dismiss(ask_->id, {.reason = std::move(decision.reason)}, std::move(done));
        case PromptDecision::Kind::interrupt: return interrupt();
        case PromptDecision::Kind::command: return;
        case PromptDecision::Kind::give_up:
            end_prompt(Ending::decided);
            context_.complain(fmt::format(
                "no answer: the input ended before the question was answered{}",
                options_.is_of_agent ? "; it stays open, and can be answered elsewhere" : ""));
            return leave("the input ended without an answer", ExitCode::failed);
    }
}

// The terminal is as it was before anything is said.
void AskRun::end_prompt(Ending ending) {
    if (!prompt_) return;
    unsent_ = prompt_->unsent();
    (void)prompt_->end(ending);
    // It may be the prompt that calls.
    loop_.post([ended = std::move(prompt_)] {});
}

void AskRun::tell_unsent(const Answers& settled) {
    const Answers unsent = std::exchange(unsent_, {});
    if (unsent == settled) return;
    const Charset charset = context_.console.err_style().charset;
    for (const Answer& answer : unsent)
        for (const auto* text : {&answer.other, &answer.note})
            if (*text) context_.console.tell(shown_text("not sent: " + **text, charset) + "\n");
}

void AskRun::settled_by_us(Result<SettleReply> reply) {
    is_settling_ = false;
    if (reply) {
        was_answered_here_ = reply->is_yours;
        return settled(reply->ask);
    }
    if (settled_meanwhile_) return settled(std::exchange(settled_meanwhile_, nullptr));
    const ErrorCode code = reply.error().code;
    const bool can_try_again = code == ErrorCode::invalid || code == ErrorCode::conflict ||
                               code == ErrorCode::too_large || code == ErrorCode::overloaded;
    if (!can_try_again || !prompt_) return fail(reply.error());
    prompt_->refused(reply.error());
}

void AskRun::settled(Result<AskPtr> ask) {
    if (!finished_) return;
    if (!ask) return fail(ask.error());
    const Settlement& settlement = *(*ask)->settlement;
    if (prompt_ && prompt_->is_lent()) {
        // The editor has the terminal; it is told when it has come back.
        loop_.post_at(loop_.now() + limits::kLentTerminalPoll,
                      alive_.guard([this, ask = *ask] { settled(ask); }));
        return;
    }
    if (leaving_with_ && settlement.outcome == Outcome::withdrawn) {
        if (leaving_with_ == ExitCode::interrupted)
            context_.complain("interrupted; the question is withdrawn");
        tell_unsent({});
        return finish(*leaving_with_);
    }
    end_prompt(was_answered_here_ ? Ending::decided : Ending::by_itself);
    const AskReport report = report_of(**ask, {.command = context_.command,
                                               .form = options_.form,
                                               .session = options_.request.session,
                                               .is_out_tty = context_.console.is_out_tty(),
                                               .was_answered_here = was_answered_here_,
                                               .always_sums_up = was_picture_,
                                               .shown_time = local_time(settlement.at),
                                               .charset = context_.console.err_style().charset});
    context_.console.tell(report.err);
    if (!was_answered_here_) tell_unsent(settlement.answers);
    context_.console.print(report.out);
    finish(report.code);
}

void AskRun::interrupt() {
    if (prompt_ && prompt_->is_lent()) return;
    if (leaving_with_) {
        // The broker did not answer, and the person does not wait for it.
        if (ask_ && is_lasting_) tell_left_open("the broker has not answered");
        return finish(ExitCode::interrupted);
    }
    end_prompt(Ending::by_itself);
    if (!ask_) {
        leaving_with_ = ExitCode::interrupted;
        return;
    }
    leave("interrupted", ExitCode::interrupted);
}

void AskRun::leave(std::string reason, ExitCode code) {
    leaving_with_ = code;
    if (options_.is_of_agent) {
        tell_unsent({});
        return finish(code);
    }
    const std::optional<std::string>& key = options_.request.spec.key;
    if (is_lasting_ && key) {
        const bool has_typed =
            std::ranges::any_of(unsent_, [](const Answer& each) { return each != Answer{}; });
        context_.complain(fmt::format(
            "the question stays open as {}; run the same command again with --key {} to wait on{}, "
            "or take it back with 'parley withdraw {}'",
            ask_->id.str(), *key, has_typed ? " with what you typed" : "", ask_->id.str()));
        if (!has_typed) return finish(code);
        return link_.put_draft(ask_->id, {.answers = unsent_, .version = draft_version_},
                               alive_.guard([this, code](const Result<DraftReply>& kept) {
                                   if (!kept || !kept->is_kept) tell_unsent({});
                                   finish(code);
                               }));
    }
    link_.withdraw(ask_->id, std::move(reason), alive_.guard([this](Result<SettleReply> reply) {
        if (reply) return settled(reply->ask);
        if (reply.error().code != ErrorCode::unavailable) return fail(reply.error());
        tell_left_open(reply.error().message);
        finish(*leaving_with_);
    }));
}

void AskRun::tell_left_open(std::string_view why) {
    if (!finished_) return;
    context_.complain(fmt::format(
        "the question could not be taken back: {}; do so later with 'parley withdraw {}'", why,
        ask_->id.str()));
}

void AskRun::fail(const Error& error) {
    if (!finished_) return;
    end_prompt(Ending::by_itself);
    finish(context_.fail(error));
}

void AskRun::finish(ExitCode code) {
    if (!finished_) return;
    end_prompt(Ending::decided);
    wait_.cancel();
    std::exchange(finished_, nullptr)(code);
}

}  // namespace parley::app
