// SPDX-License-Identifier: Apache-2.0
#include "app/commands/ask_report.h"

#include <fmt/format.h>

#include "base/assert.h"
#include "core/answers.h"
#include "core/display.h"
#include "core/settlement_phrase.h"
#include "dialect/native/server.h"
#include "text/safe_text.h"

namespace parley::app {

namespace {

ExitCode code_of(Outcome outcome) {
    switch (outcome) {
        case Outcome::answered: return ExitCode::done;
        case Outcome::dismissed: return ExitCode::dismissed;
        case Outcome::timed_out: return ExitCode::timed_out;
        case Outcome::withdrawn: return ExitCode::withdrawn;
    }
    return ExitCode::failed;
}

// A line for each label and text. A question that was left out has an empty line, so that the lines
// of single choices stay those of their questions.
std::string plain_answers(const Ask& ask, const ReportOptions& options) {
    std::string out;
    const auto add = [&](const std::string& text) {
        out += options.is_out_tty ? escape_unsafe(text) : text;
        out += '\n';
    };
    for (const Answer& answer : ask.settlement->answers) {
        for (const std::string& label : answer.selected) add(label);
        if (answer.other) add(*answer.other);
        if (!is_answered(answer)) add("");
    }
    return out;
}

std::string words_for_people(const Ask& ask, const ReportOptions& options) {
    const Settlement& settlement = *ask.settlement;
    std::string phrase = fmt::format("parley {}: {}\n", options.command,
                                     settlement_phrase(settlement, options.shown_time));
    if (settlement.outcome != Outcome::answered) return phrase;
    std::string words;
    if (!options.was_answered_here) words = std::move(phrase);
    // Where stdout goes elsewhere, the person still sees what was taken.
    const bool is_on_out = options.is_out_tty && options.form != AnswerForm::none;
    if (!is_on_out || options.always_sums_up)
        for (const std::string& line : summary_lines(ask)) words += fmt::format("✓ {}\n", line);
    return words;
}

}  // namespace

AskReport report_of(const Ask& ask, const ReportOptions& options) {
    ASSERT(ask.settlement != nullptr);
    AskReport report{.out = {},
                     .err = shown_text(words_for_people(ask, options), options.charset),
                     .code = code_of(ask.settlement->outcome)};
    if (!report.err.empty()) report.err += '\n';
    if (options.form == AnswerForm::json) {
        const native::OneName name{std::string(options.session)};
        report.out = escape_unsafe_json(native::ask_document(ask, {.names = &name})) + "\n";
    } else if (options.form == AnswerForm::plain && ask.settlement->outcome == Outcome::answered) {
        report.out = plain_answers(ask, options);
    }
    return report;
}

}  // namespace parley::app
