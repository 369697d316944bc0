// SPDX-License-Identifier: Apache-2.0
#include "app/ask_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/assert.h"
#include "term/tty.h"

namespace parley::app {

using Next = NumberedPrompt::Step::Next;

AskRun::AskRun(const RunContext& context, Executor& home, const Clock& clock, BrokerAccess& access,
               Options options, Finished finished)
    : context_(context),
      home_(home),
      clock_(clock),
      link_(access.link()),
      is_lasting_(access.is_lasting()),
      options_(std::move(options)),
      finished_(std::move(finished)) {}

void AskRun::start() {
    link_.ask(options_.request, [this](Result<OpenedAsk> result) { opened(std::move(result)); });
}

void AskRun::opened(Result<OpenedAsk> opened) {
    if (!opened) return fail(opened.error());
    ask_ = opened->ask;
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
    if (options_.prompt_fd) start_prompt(*options_.prompt_fd);
}

void AskRun::start_prompt(int fd) {
    NumberedPrompt::Options options{.style = context_.console.err_style(),
                                    .profile = options_.profile};
    if (ask_->deadline)
        options.time_left = std::max(*ask_->deadline - clock_.wall(), Millis::zero());
    prompt_.reset(new Prompt{fd, NumberedPrompt(ask_->spec, options), {fd, home_}});
    // What was typed before the question was there does not answer it.
    discard_typed(fd);
    take(prompt_->machine.start());
}

void AskRun::take(NumberedPrompt::Step step) {
    context_.console.tell(step.text);
    switch (step.next) {
        case Next::read: return read_line();
        case Next::answer:
        case Next::dismiss: return settle(std::move(step));
        case Next::give_up:
            context_.complain("no answer: the input ended before the question was answered");
            return leave("the input ended without an answer", ExitCode::failed);
    }
}

void AskRun::read_line() {
    prompt_->lines.next([this](std::optional<std::string> line) { got_line(std::move(line)); });
}

void AskRun::got_line(std::optional<std::string> line) {
    if (!prompt_ || leaving_with_) return;
    if (!line) return take(prompt_->machine.end_of_input());
    // A terminal has shown what was typed; of a pipe nobody has seen it.
    if (!is_tty(prompt_->fd))
        context_.console.tell(shown_text(*line, context_.console.err_style().charset) + '\n');
    take(prompt_->machine.feed(*line));
}

void AskRun::settle(NumberedPrompt::Step step) {
    is_settling_ = true;
    Done<SettleReply> done = [this](Result<SettleReply> reply) { settled_by_us(std::move(reply)); };
    if (step.next == Next::answer) {
        link_.answer(ask_->id, std::move(step.answers), {}, std::move(done));
    } else {
        link_.dismiss(ask_->id, std::move(step.reason), std::move(done));
    }
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
    take(prompt_->machine.refused(reply.error()));
}

void AskRun::settled(Result<AskPtr> ask) {
    if (!finished_) return;
    if (!ask) return fail(ask.error());
    const Settlement& settlement = *(*ask)->settlement;
    if (leaving_with_ && settlement.outcome == Outcome::withdrawn) {
        if (leaving_with_ == ExitCode::interrupted)
            context_.complain("interrupted; the question is withdrawn");
        return finish(*leaving_with_);
    }
    if (prompt_ && !was_answered_here_) {
        // It ended without the person: the line that they were typing is not for the shell.
        discard_typed(prompt_->fd);
        context_.console.tell("\n");
    }
    const AskReport report = report_of(**ask, {.form = options_.form,
                                               .session = options_.request.session,
                                               .is_out_tty = context_.console.is_out_tty(),
                                               .was_answered_here = was_answered_here_,
                                               .charset = context_.console.err_style().charset});
    context_.console.tell(report.err);
    context_.console.print(report.out);
    finish(report.code);
}

void AskRun::interrupt() {
    if (leaving_with_) return finish(ExitCode::interrupted);
    if (prompt_) context_.console.tell("\n");
    if (!ask_) {
        leaving_with_ = ExitCode::interrupted;
        return;
    }
    leave("interrupted", ExitCode::interrupted);
}

void AskRun::leave(std::string reason, ExitCode code) {
    leaving_with_ = code;
    const std::optional<std::string>& key = options_.request.spec.key;
    if (is_lasting_ && key) {
        context_.complain(fmt::format(
            "the question stays open as {}; run the same command again with --key {} to wait on, "
            "or take it back with 'parley withdraw {}'",
            ask_->id.str(), *key, ask_->id.str()));
        return finish(code);
    }
    link_.withdraw(ask_->id, std::move(reason), [this](Result<SettleReply> reply) {
        if (!reply) return fail(reply.error());
        settled(reply->ask);
    });
}

void AskRun::fail(const Error& error) {
    if (!finished_) return;
    if (prompt_) context_.console.tell("\n");
    finish(context_.fail(error));
}

void AskRun::finish(ExitCode code) {
    if (!finished_) return;
    prompt_.reset();
    wait_.cancel();
    std::exchange(finished_, nullptr)(code);
}

}  // namespace parley::app
