// SPDX-License-Identifier: Apache-2.0
#include "app/serve/ask_log.h"

#include <fmt/ranges.h>

#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/overload.h"
#include "core/display.h"
#include "text/safe_text.h"

namespace parley::app {

namespace {

std::string questions_of(const Ask& ask) {
    std::vector<std::string> texts;
    for (const Question& question : ask.spec->questions)
        texts.push_back(escape_unsafe(question.text));
    return fmt::format("{}", fmt::join(texts, " | "));
}

}  // namespace

void AskLog::start() {
    following_ = link_.follow({}, *this);
}

// What is in the snapshot at the start was opened, and logged, before.
void AskLog::on_frames(std::span<const Frame> frames) {
    for (const Frame& frame : frames) {
        const auto* event = std::get_if<EventPtr>(&frame);
        if (event == nullptr) continue;
        std::visit(
            Overload{
                [this](const AskOpened& opened) { write_opened(*opened.ask); },
                [this](const AskSettled& settled) { write_settled(*settled.ask); },
                [](const OneOf<DraftChanged, SnoozeChanged, SessionCreated, SessionChanged,
                               SessionEnded, PartAdded, MessageAdded, MessagesTaken, NoticeGiven,
                               AgentRevoked, TokenChanged, MarkChanged, ContentDeleted> auto&) {},
            },
            (*event)->body);
    }
}

void AskLog::write_opened(const Ask& ask) {
    const LogField id{"ask", ask.id.str()};
    const LogField session{"session", ask.session.str()};
    if (content_ == Content::ids) return log_.debug("ask-opened", {id, session});
    log_.info("ask-opened", {id, session, {"question", questions_of(ask)}});
}

void AskLog::write_settled(const Ask& ask) {
    const Settlement& end = *ask.settlement;
    const LogField id{"ask", ask.id.str()};
    const LogField outcome{"outcome", std::string(to_string(end.outcome))};
    const LogField by{"by", end.decider.name.value_or(end.decider.principal)};
    const LogField door{"door", end.door};
    if (content_ == Content::ids) return log_.debug("ask-settled", {id, outcome, by, door});
    const LogField text =
        end.outcome == Outcome::answered
            ? LogField{"answer", fmt::format("{}", fmt::join(summary_lines(ask), " | "))}
            : LogField{"note", escape_unsafe(end.note.value_or(""))};
    log_.info("ask-settled", {id, outcome, by, door, text});
}

}  // namespace parley::app
