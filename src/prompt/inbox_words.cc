// SPDX-License-Identifier: Apache-2.0
#include "prompt/inbox_words.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/display.h"
#include "core/settlement_phrase.h"
#include "prompt/limits.h"
#include "prompt/styles.h"
#include "text/width.h"

namespace parley {

namespace {

constexpr TextStyle kUrgent = {.color = Color::red, .is_bold = true};
constexpr int kWideColumns = 72;  // from here on a row names its session
constexpr int kAgeCells = 7;
constexpr int kEndCells = 12;
constexpr int kNoticeLines = 2;

// "45 s", "14 min", "3 h", "2 d": calm enough for a column.
std::string short_duration(Millis duration) {
    const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(duration).count();
    if (seconds < 60) return fmt::format("{} s", seconds);
    if (seconds < 3600) return fmt::format("{} min", seconds / 60);
    if (seconds < 48 * 3600) return fmt::format("{} h", seconds / 3600);
    return fmt::format("{} d", seconds / (24 * 3600));
}

// Cut or filled to exactly so many cells.
std::string fit(std::string_view text, int cells, const Glyphs& glyphs) {
    std::string shown = cut_to_width(text, cells, glyphs.ellipsis);
    const int missing = cells - text_width(shown);
    return shown.append(static_cast<std::size_t>(std::max(missing, 0)), ' ');
}

}  // namespace

std::string ended_phrase(const Ask& ask, ShownTime shown_time) {
    std::string phrase = settlement_phrase(*ask.settlement, shown_time(ask.settlement->at));
    const std::vector<std::string> lines = summary_lines(ask);
    for (std::size_t i = 0; i < lines.size(); ++i)
        phrase += fmt::format("{}{}", i == 0 ? ": " : "; ", lines[i]);
    return phrase;
}

std::string InboxWords::one_line(std::string_view text) const {
    std::string line = shown_text(text, look_.charset);
    std::ranges::replace(line, '\n', ' ');
    return line;
}

std::string InboxWords::time_of(Instant at) const {
    return look_.shown_time != nullptr ? look_.shown_time(at) : std::string();
}

std::string InboxWords::waiting(const Ask& ask) const {
    return short_duration(std::max(now_ - ask.created_at, Millis::zero()));
}

std::string InboxWords::ends(const Ask& ask) const {
    if (!ask.deadline) return {};
    return fmt::format("ends {}", short_duration(std::max(*ask.deadline - now_, Millis::zero())));
}

std::string InboxWords::ends_or_snoozed(const Ask& ask) const {
    if (!state_.is_snoozed(ask.id, now_)) return ends(ask);
    return fmt::format("zz {}", time_of(state_.snoozed_until.at(ask.id)));
}

std::string InboxWords::who(const Ask& ask) const {
    const std::string session = one_line(state_.session_name(ask.session));
    if (!ask.spec->agent || *ask.spec->agent == session) return session;
    return fmt::format("{} / {}", session, one_line(*ask.spec->agent));
}

std::string InboxWords::who_waits(const Ask& ask) const {
    std::string line = fmt::format("{} {} waits {}", who(ask), glyphs_.dot, waiting(ask));
    if (ask.is_asker_revoked)
        line += fmt::format(" {} agent revoked, nobody waits for it", glyphs_.dot);
    if (ask.deadline) line += fmt::format(" {} {}", glyphs_.dot, ends(ask));
    return line;
}

Line InboxWords::row(const Ask& ask, const RowLook& row_look) const {
    const std::string what =
        (ask.is_asker_revoked ? "(agent revoked) " : "") + one_line(ask_title(*ask.spec));
    const bool is_urgent = ask.spec->urgency == Urgency::high;
    const bool has_draft = state_.has_draft(ask.id);
    const std::string_view mark = is_urgent ? "!" : ask.spec->urgency == Urgency::low ? "-" : " ";
    Line line = {{(row_look.is_here ? std::string(glyphs_.pointer) : " ") + " ", kBold},
                 {std::string(mark) + " ", is_urgent ? kUrgent : kDim},
                 {has_draft ? "* " : "  ", kWarning}};
    int room = look_.columns - 6;
    const TextStyle style{.is_bold = row_look.is_here};
    const std::string end = ends_or_snoozed(ask);
    if (look_.columns < kWideColumns) {
        // Where there is room for one, what ends counts more than what began.
        const std::string age = end.empty() ? waiting(ask) : end;
        const int cells = std::max(room - text_width(age) - 1, 8);
        line.push_back({fit(what, cells, glyphs_), style});
        line.push_back({" " + age, kDim});
        return line;
    }
    const int who_cells = std::clamp(look_.columns / 4, 16, 40);
    const int end_cells = row_look.has_ends ? kEndCells : 0;
    room -= who_cells + kAgeCells + end_cells + 2;
    line.push_back({fit(what, room, glyphs_), style});
    line.push_back({"  " + fit(who(ask), who_cells - 1, glyphs_) + " ", {.color = Color::cyan}});
    line.push_back({fit(waiting(ask), kAgeCells, glyphs_), kDim});
    if (end_cells > 0) line.push_back({fit(end, end_cells, glyphs_), kWarning});
    return line;
}

Line InboxWords::past_row(const Ask& ask, bool is_here) const {
    const std::vector<std::string> lines = summary_lines(ask);
    const bool is_answered = !lines.empty();
    std::string what = is_answered ? lines.front() : ask_title(*ask.spec);
    if (lines.size() > 1) what += fmt::format(" (+{})", lines.size() - 1);
    // Who decided is in sight, however long the question is.
    what = cut_to_width(one_line(what), std::max(look_.columns / 2, 8), glyphs_.ellipsis);
    const std::string text = fmt::format("{}  {}  {}", time_of(ask.settlement->at), what,
                                         settlement_phrase(*ask.settlement));
    return {
        {(is_here ? std::string(glyphs_.pointer) : " ") + " ", kBold},
        {std::string(is_answered ? glyphs_.tick : glyphs_.dash) + " ", is_answered ? kGood : kDim},
        {cut_to_width(one_line(text), look_.columns - 8, glyphs_.ellipsis), {.is_bold = is_here}}};
}

Block InboxWords::agent_notice() const {
    Block lines;
    const auto& notice = state_.agent_notice;
    if (!notice || now_ - notice->at > limits::kNoticeShown) return lines;
    const std::string who =
        notice->session.is_nil() ? "Notice" : one_line(state_.session_name(notice->session));
    const bool is_grave = notice->level != NoticeGiven::Level::info;
    const Line lead = {
        {cut_to_width(fmt::format("{} {}: ", is_grave ? glyphs_.missing : glyphs_.dot, who),
                      look_.columns / 2, ": "),
         is_grave ? kWarning : TextStyle{.color = Color::cyan}}};
    const Line text = {{one_line(notice->text), {}}};
    lines.paragraph(text, look_.columns, lead);
    if (lines.height() <= kNoticeLines) return lines;
    lines.lines.resize(kNoticeLines);
    Line& last = lines.lines.back();
    last = cut_line(last, look_.columns - text_width(glyphs_.ellipsis), "");
    last.push_back({std::string(glyphs_.ellipsis), {}});
    return lines;
}

}  // namespace parley
