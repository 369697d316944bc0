// SPDX-License-Identifier: Apache-2.0
#include "app/ask_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <variant>

#include "app/local_time.h"
#include "core/display.h"
#include "core/permission.h"
#include "core/profile.h"
#include "text/safe_text.h"
#include "text/time_text.h"
#include "text/width.h"

namespace parley::app {

namespace {

// All on one line: what is listed must not look like two entries.
std::string one_line(std::string_view text, const PlainStyle& style) {
    std::string line = shown_text(text, style.charset);
    std::replace(line.begin(), line.end(), '\n', ' ');
    return line;
}

std::string_view ellipsis(const PlainStyle& style) {
    return style.charset == Charset::utf8 ? "…" : "...";
}

void show_options(PlainPage& page, const Question& question) {
    for (std::size_t i = 0; i < question.options.size(); ++i) {
        const ShownLabel label = shown_label(question, i);
        page.hanging(fmt::format("  {}. ", i + 1),
                     label.is_recommended ? label.text + "  [recommended]" : label.text);
        if (!question.options[i].description.empty())
            page.hanging("     ", question.options[i].description, PlainPage::Look::dim);
    }
    if (adds_other_row(question)) page.line("  or in your own words");
}

struct EventWords {
    std::string operator()(const AskOpened& opened) const {
        return fmt::format("ask.opened     {}  {}", opened.ask->id.str(),
                           opened.ask->spec->questions.front().text);
    }
    std::string operator()(const AskSettled& settled) const {
        return fmt::format("ask.settled    {}  {}", settled.ask->id.str(),
                           settlement_phrase(*settled.ask->settlement));
    }
    std::string operator()(const SessionCreated& created) const {
        return fmt::format("session.created  {}",
                           created.session->name.value_or(created.session->id.str()));
    }
    std::string operator()(const SessionEnded& ended) const {
        return fmt::format("session.ended  {}",
                           ended.session->name.value_or(ended.session->id.str()));
    }
    std::string operator()(const SessionChanged& changed) const {
        return fmt::format("session.status  {}  {}",
                           changed.session->name.value_or(changed.session->id.str()),
                           to_string(changed.session->activity));
    }
    std::string operator()(const PartAdded& added) const {
        return fmt::format("session.part   {}  {}", to_string(added.part->kind), added.part->body);
    }
    std::string operator()(const MessageAdded& message) const {
        return fmt::format("session.message  {}", message.text);
    }
    std::string operator()(const NoticeGiven& notice) const {
        return fmt::format("notice         {}: {}", to_string(notice.level), notice.text);
    }
    std::string operator()(const DraftChanged&) const { return {}; }
    std::string operator()(const MessagesTaken&) const { return {}; }
};

}  // namespace

std::string list_line(const Ask& ask, std::string_view session, Instant now,
                      const PlainStyle& style) {
    const Question& first = ask.spec->questions.front();
    std::string text = fmt::format(
        "{}  {:>9}  {}{}: {}", ask.id.str(),
        ask.is_pending() ? format_duration(std::max(now - ask.created_at, Millis::zero()))
                         : std::string(to_string(ask.state())),
        session.empty() ? std::string() : fmt::format("[{}] ", session), first.header, first.text);
    if (ask.spec->questions.size() > 1)
        text += fmt::format("  (+{} more)", ask.spec->questions.size() - 1);
    return cut_to_width(one_line(text, style), style.columns, ellipsis(style)) + "\n";
}

std::string whole_text(const Ask& ask, std::string_view session, Instant now,
                       const PlainStyle& style) {
    PlainPage page(style);
    page.line(fmt::format("{}  {}", ask.id.str(), to_string(ask.state())), PlainPage::Look::bold);
    page.line(fmt::format("session {}, asked {} ago{}", session,
                          format_duration(std::max(now - ask.created_at, Millis::zero())),
                          ask.spec->agent ? " by " + *ask.spec->agent : std::string()));
    if (ask.deadline && ask.is_pending())
        page.line(fmt::format("ends in {}",
                              format_duration(std::max(*ask.deadline - now, Millis::zero()))));
    if (const std::string context = permission::context_text(*ask.spec); !context.empty()) {
        page.blank();
        page.set_off(context);
    }
    for (const Question& question : ask.spec->questions) {
        page.blank();
        page.hanging(shown_header(question, kOpenProfile) + ": ", question.text,
                     PlainPage::Look::bold);
        if (question.multi_select) page.line("  (several may be chosen)");
        show_options(page, question);
    }
    if (ask.settlement) {
        page.blank();
        page.line(settlement_phrase(*ask.settlement, local_time(ask.settlement->at)));
        for (const std::string& line : summary_lines(ask)) page.hanging("  ", line);
    }
    return page.take();
}

std::string event_line(const Event& event, const PlainStyle& style) {
    const std::string words = std::visit(EventWords{}, event.body);
    if (words.empty()) return {};
    const std::string text = local_time(event.at) + "  " + words;
    return cut_to_width(one_line(text, style), style.columns, ellipsis(style)) + "\n";
}

}  // namespace parley::app
