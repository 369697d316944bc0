// SPDX-License-Identifier: Apache-2.0
#include "app/terminal/list_lines.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <variant>

#include "app/terminal/local_time.h"
#include "base/overload.h"
#include "core/display.h"
#include "core/settlement_phrase.h"
#include "text/safe_text.h"
#include "text/time_text.h"
#include "text/width.h"

namespace parley::app {

namespace {

constexpr int kTextCells = 24;  // with fewer beside the id, what is asked has a line of its own

// All on one line: what is listed must not look like two entries.
std::string shown_line(std::string_view text, const PlainStyle& style) {
    std::string line = shown_text(text, style.charset);
    std::replace(line.begin(), line.end(), '\n', ' ');
    return line;
}

std::string_view ellipsis(const PlainStyle& style) {
    return style.charset == Charset::utf8 ? "…" : "...";
}

std::string bracketed(std::string_view session) {
    return session.empty() ? std::string() : fmt::format("[{}] ", session);
}

// What was decided, how and by whom: "Database: PostgreSQL  answered by ada in the web page".
std::string settled_words(const Ask& ask, std::string_view shown_time = {}) {
    const std::vector<std::string> lines = summary_lines(ask);
    return fmt::format(
        "{}  {}", lines.empty() ? ask_title(*ask.spec) : fmt::format("{}", fmt::join(lines, "; ")),
        settlement_phrase(*ask.settlement, shown_time));
}

class EventWords {
public:
    explicit EventWords(std::string_view session) : session_(bracketed(session)) {}

    std::string operator()(const AskOpened& opened) const {
        return fmt::format("ask.opened     {}  {}{}", opened.ask->id.str(), session_,
                           ask_title(*opened.ask->spec));
    }
    std::string operator()(const AskSettled& settled) const {
        return fmt::format("ask.settled    {}  {}{}", settled.ask->id.str(), session_,
                           settled_words(*settled.ask));
    }
    std::string operator()(const ContentDeleted& deleted) const {
        return fmt::format("ask.content_deleted  {}  {}", deleted.ask.str(), session_);
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
        return fmt::format("session.part   {}{}  {}", session_, to_string(added.part->kind),
                           added.part->body);
    }
    std::string operator()(const MessageAdded& message) const {
        return fmt::format("session.message  {}{}", session_, message.text);
    }
    std::string operator()(const NoticeGiven& notice) const {
        return fmt::format("notice         {}{}: {}", session_, to_string(notice.level),
                           notice.text);
    }
    std::string operator()(const AgentRevoked& revoked) const {
        return fmt::format("agent.revoked  {}", revoked.principal);
    }
    std::string operator()(const OneOf<DraftChanged, SnoozeChanged, MessagesTaken, TokenChanged,
                                       MarkChanged> auto&) const {
        return {};
    }

private:
    const std::string session_;
};

std::string_view revoked_mark(const Ask& ask) {
    return ask.is_asker_revoked ? "(agent revoked) " : "";
}

}  // namespace

std::string brief_line(const Ask& ask, std::string_view session, const PlainStyle& style) {
    const std::string title = bracketed(session) + ask_title(*ask.spec);
    return fmt::format("{}\t{}\n", ask.id.str(), shown_line(title, style));
}

std::string list_line(const Ask& ask, std::string_view session, Instant now,
                      const PlainStyle& style) {
    const std::string state = ask.is_pending()
                                  ? format_duration(std::max(now - ask.created_at, Millis::zero()))
                                  : std::string(to_string(ask.state()));
    const std::string said = ask.is_pending()
                                 ? std::string(revoked_mark(ask)) + ask_title(*ask.spec)
                                 : settled_words(ask, local_time(ask.settlement->at));
    const std::string text = shown_line(bracketed(session) + said, style);
    const std::string head = fmt::format("{}  {:>9}  ", ask.id.str(), state);
    if (text_width(head) + kTextCells <= style.columns)
        return cut_to_width(head + text, style.columns, ellipsis(style)) + "\n";
    return fmt::format("{}\n  {}\n",
                       cut_to_width(ask.id.str() + "  " + state, style.columns, ellipsis(style)),
                       cut_to_width(text, style.columns - 2, ellipsis(style)));
}

std::string event_line(const Event& event, std::string_view session, const PlainStyle& style) {
    const std::string words = std::visit(EventWords(session), event.body);
    if (words.empty()) return {};
    const std::string text = local_time(event.at) + "  " + words;
    return cut_to_width(shown_line(text, style), style.columns, ellipsis(style)) + "\n";
}

}  // namespace parley::app
