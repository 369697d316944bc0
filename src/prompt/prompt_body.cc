// SPDX-License-Identifier: Apache-2.0
// What stands inside the box in each mode, the tabs above it and the hint below it.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "core/display.h"
#include "core/text_rules.h"
#include "prompt/prompt_view.h"
#include "prompt/styled_text.h"
#include "prompt/styles.h"
#include "text/width.h"

namespace parley {

namespace {

constexpr std::string_view kBadge = "(Recommended)";
constexpr int kTabHeaderCells = 16;
constexpr int kDismissedLines = 3;  // of the question, where it is only named

// What is decided: what is permitted, else the question in hand.
const std::string& ask_subject(const PromptState& state) {
    const auto& permission = state.spec->permission;
    return permission && !permission->summary.empty() ? permission->summary : state.question().text;
}

Line spaces(int count) {
    return {{std::string(static_cast<std::size_t>(std::max(count, 0)), ' '), {}}};
}

}  // namespace

void PromptBody::gap(Block& block) const {
    if (spacing_ == Spacing::airy) block.blank();
}

Block PromptBody::body() const {
    switch (state_.mode) {
        case PromptMode::reviewing: return review();
        case PromptMode::dismissing: return dismissal();
        case PromptMode::helping: return help();
        case PromptMode::sending:
            if (state_.has_review()) return review();
            break;
        default: break;
    }
    return choices();
}

void PromptBody::add_cut(Block& block, std::string_view text, int lines_max, const TextStyle& style,
                         const Line& lead) const {
    add_cut(block, Line{{std::string(text), style}}, lines_max, lead);
}

void PromptBody::add_cut(Block& block, const Line& text, int lines_max, const Line& lead) const {
    const std::size_t first = block.lines.size();
    block.paragraph(text, cells_, lead);
    const std::size_t most = first + static_cast<std::size_t>(lines_max);
    if (block.lines.size() <= most) return;
    block.lines.resize(most);
    Line& last = block.lines.back();
    const int width = cells_ - text_width(glyphs_.ellipsis);
    last = cut_line(last, width, "");
    last.push_back({std::string(glyphs_.ellipsis), last.empty() ? kDim : last.back().style});
}

int PromptBody::question_height() const {
    Block block;
    add_question(block);
    return block.height();
}

bool PromptBody::cuts(std::size_t row) const {
    const ChoiceRow& choice = state_.current().rows[row];
    const int cells = std::max(cells_ - indent(), 1);
    return std::ranges::any_of(std::array{&choice.shown, &choice.description}, [&](auto* text) {
        // Most texts are short: then there is nothing to wrap.
        return static_cast<int>(text->size()) > cells &&
               static_cast<int>(wrap(shown(*text), cells).size()) > limits_.text;
    });
}

void PromptBody::add_question(Block& block) const {
    const Question& question = state_.question();
    add_subject(block);
    if (question.multi_select && !state_.current().is_text_only())
        block.paragraph("(Select multiple with space)", cells_, kDim);
    if (const std::string wish = wish_words(question); !wish.empty())
        block.paragraph(fmt::format("({})", wish), cells_, kDim);
    const QuestionState& at = state_.current();
    if (!at.has_filter()) return;
    const auto count = [&](bool shown_only) {
        std::size_t rows = 0;
        for (std::size_t row = 0; row < at.rows.size(); ++row)
            rows += !at.rows[row].opens_text && (!shown_only || at.shows(row)) ? 1 : 0;
        return rows;
    };
    const std::string filter =
        at.filter.empty()
            ? fmt::format("{} choices; type to narrow them", count(false))
            : fmt::format("Filter: {}  ({} of {})", shown(at.filter), count(true), count(false));
    block.paragraph(filter, cells_, at.filter.empty() ? kDim : TextStyle{});
}

// What is permitted stands where it is decided, in any room; the question about it only where it
// says something else and there is room.
void PromptBody::add_subject(Block& block) const {
    const std::string text = shown(state_.question().text);
    const auto& permission = state_.spec->permission;
    if (!permission || permission->summary.empty())
        return add_cut(block, with_inline_code(text, kBold), limits_.question);
    const std::string summary = shown(permission->summary);
    add_cut(block, summary, limits_.question, kBold);
    if (spacing_ != Spacing::terse && text.find(summary) == std::string::npos)
        add_cut(block, with_inline_code(text, kDim), limits_.question);
}

Block PromptBody::choices() const {
    Block block;
    add_question(block);
    block.pinned = block.lines.size();
    const QuestionState& at = state_.current();
    if (at.is_text_only()) {
        gap(block);
        if (state_.mode == PromptMode::typing) {
            add_field(block, at.other, 0, {{std::string(glyphs_.pointer) + " ", kBold}});
        } else {
            const std::size_t first = block.lines.size();
            const std::string text =
                at.other.is_blank() ? "(nothing typed yet)" : shown(at.other.text());
            block.paragraph(text, cells_, at.other.is_blank() ? kDim : TextStyle{}, spaces(2));
            block.cursor = Position{static_cast<int>(first), 2};
            block.focus_from(first);
        }
    }
    for (std::size_t row = 0; row < at.rows.size(); ++row) {
        if (!at.shows(row)) continue;
        gap(block);
        add_row(block, row);
    }
    add_note(block);
    // A filter that nothing matches leaves no row in hand.
    if (!block.cursor) block.cursor = Position{static_cast<int>(block.pinned) - 1, 0};
    return block;
}

int PromptBody::indent() const {
    return line_width(row_lead(0, false));
}

Line PromptBody::row_lead(std::size_t row, bool is_here) const {
    const QuestionState& at = state_.current();
    const bool is_multi = state_.question().multi_select;
    const bool is_picked = at.picked[row];
    Line lead;
    if (look_.has_numbers) {
        lead.push_back({(is_here ? std::string(glyphs_.pointer) : " ") + " ", kBold});
        // Where digits are looked for they pick nothing.
        if (!at.has_filter()) lead.push_back({row < 9 ? fmt::format("{} ", row + 1) : "  ", kDim});
    }
    const std::string_view mark = is_multi ? (is_picked ? glyphs_.check_on : glyphs_.check_off)
                                           : (is_picked ? glyphs_.radio_on : glyphs_.radio_off);
    lead.push_back({std::string(mark), is_picked ? kGood : TextStyle{}});
    lead.push_back({" ", {}});
    return lead;
}

void PromptBody::add_row(Block& block, std::size_t row) const {
    const QuestionState& at = state_.current();
    const ChoiceRow& choice = at.rows[row];
    const bool is_here = row == at.cursor;
    const Line lead = row_lead(row, is_here);
    const int indent = line_width(lead);
    const std::size_t first = block.lines.size();
    // The mark of the row in hand without a pointer: a cursor and reversed letters.
    const TextStyle style{.is_bold = is_here, .is_reversed = is_here && !look_.has_numbers};
    const std::string label = shown(choice.shown);
    if (choice.is_recommended && text_width(label) + indent + 14 <= cells_) {
        Line line = lead;
        line.push_back({label, style});
        line.push_back({" ", {}});
        line.push_back({std::string(kBadge), kGood});
        block.add(std::move(line));
    } else {
        add_cut(block, label, limits_.text, style, lead);
        if (choice.is_recommended) block.paragraph(kBadge, cells_, kGood, spaces(indent));
    }
    const bool is_described = is_here || spacing_ != Spacing::terse;
    if (choice.opens_text) {
        if (is_described || !at.other.is_blank()) add_text_of(block, indent);
    } else if (is_described && !choice.description.empty()) {
        add_cut(block, shown(choice.description), limits_.text, kDim, spaces(indent));
    }
    if (!is_here || state_.mode == PromptMode::noting) return;
    if (state_.mode != PromptMode::typing) block.cursor = Position{static_cast<int>(first), 0};
    block.focus_from(first);
}

void PromptBody::add_text_of(Block& block, int indent) const {
    const QuestionState& at = state_.current();
    if (state_.mode == PromptMode::typing) {
        add_field(block, at.other, indent, spaces(indent));
    } else if (at.other.is_blank()) {
        add_cut(block, shown(at.rows[*at.text_row()].description), limits_.text, kDim,
                spaces(indent));
    } else {
        add_cut(block, shown(at.other.text()), limits_.text, {}, spaces(indent));
    }
}

void PromptBody::add_note(Block& block) const {
    const TextEditor& note = state_.current().note;
    const Line lead = {{"Note: ", kDim}};
    if (state_.mode == PromptMode::noting) {
        gap(block);
        add_field(block, note, line_width(lead), lead);
    } else if (!note.is_blank()) {
        gap(block);
        add_cut(block, shown(note.text()), limits_.text, {}, lead);
    }
}

void PromptBody::add_field(Block& block, const TextEditor& editor, int indent,
                           const Line& lead) const {
    indent = std::max(indent, line_width(lead));
    const EditorLayout layout = lay_out(editor, std::max(cells_ - indent - 1, 4), look_.charset);
    const std::size_t first = block.lines.size();
    for (std::size_t i = 0; i < layout.lines.size(); ++i) {
        Line line = i == 0 ? lead : spaces(indent);
        line.push_back({layout.lines[i], {.is_underlined = true}});
        // An empty field shows where it is.
        if (layout.lines[i].empty()) line.push_back({" ", {.is_underlined = true}});
        block.add(std::move(line));
    }
    block.cursor =
        Position{static_cast<int>(first) + layout.cursor.row, indent + layout.cursor.column};
    block.focus_from(first);
}

Block PromptBody::review() const {
    Block block;
    block.paragraph("Your answers", cells_, kBold);
    gap(block);
    const Ask preview{
        .id = {},
        .session = {},
        .spec = state_.spec,
        .settlement = std::make_shared<Settlement>(Settlement{.answers = state_.answers()})};
    const std::vector<std::string> lines = summary_lines(preview);
    const auto lead = [&](std::size_t row, std::string_view mark, const TextStyle& style) {
        const bool is_here = state_.review_cursor == row;
        return Line{{(is_here ? std::string(glyphs_.pointer) : " ") + " ", kBold},
                    {std::string(mark) + " ", style}};
    };
    const auto mark_row = [&](std::size_t row, std::size_t first) {
        if (state_.review_cursor != row) return;
        block.cursor = Position{static_cast<int>(first), 0};
        block.focus_from(first);
    };
    for (std::size_t i = 0; i < lines.size(); ++i) {
        const bool is_answered = state_.is_answered(i) && state_.is_ready(i);
        const std::size_t first = block.lines.size();
        block.paragraph(
            shown(lines[i]), cells_, {.is_bold = state_.review_cursor == i},
            lead(i, is_answered ? glyphs_.tick : glyphs_.missing, is_answered ? kGood : kWarning));
        mark_row(i, first);
    }
    gap(block);
    const std::size_t first = block.lines.size();
    const bool is_sending = state_.mode == PromptMode::sending;
    block.paragraph(is_sending ? "Sending" : "Send these answers", cells_,
                    {.is_bold = state_.review_cursor == lines.size()},
                    lead(lines.size(), glyphs_.dash, kDim));
    mark_row(lines.size(), first);
    return block;
}

Block PromptBody::dismissal() const {
    Block block;
    add_cut(block, shown(ask_subject(state_)), kDismissedLines, kDim);
    gap(block);
    block.paragraph("Dismiss without answering? The asker is told that you did.", cells_, kBold);
    block.paragraph("Your reason, if you like:", cells_, kDim);
    add_field(block, state_.reason, 0, {{std::string(glyphs_.pointer) + " ", kBold}});
    return block;
}

Block PromptBody::help() const {
    struct Entry {
        std::string_view keys;
        std::string_view meaning;
    };
    const bool is_utf8 = look_.charset == Charset::utf8;
    const std::vector<Entry> entries = {
        {is_utf8 ? "↑ ↓ j k" : "Up Dn j k", "move"},
        {"1-9", "pick"},
        {"a letter", "go to the choice that begins so"},
        {"Space", "choose, or take out; Ctrl-A all"},
        {"Enter", "confirm"},
        {is_utf8 ? "Tab ← →" : "Tab Lt Rt", "other questions"},
        {"o", "answer in your own words"},
        {"Alt-n", "add a note"},
        {"Alt-Enter", "a new line in a text"},
        {"Ctrl-E", "write it in $EDITOR"},
        {"Ctrl-_", "undo in a text"},
        {"PgUp PgDn", "scroll the preview or context"},
        {"Home End", "its start, its end"},
        {is_utf8 ? "Alt-↑ Alt-↓" : "Alt-Up/Dn", "scroll the context"},
        {"Esc",
         state_.spec->dismissible ? "leave a text, then dismiss" : "leave a text, then fold"},
        {"Ctrl-C", "stop without an answer"},
    };
    Block block;
    for (const Entry& entry : entries)
        block.paragraph(entry.meaning, cells_, {}, {{fmt::format("{:<12}", entry.keys), kBold}});
    block.cursor = Position{0, 0};
    return block;
}

Line PromptBody::tabs(const PromptState& state, const PromptLook& look) {
    const Glyphs& glyphs = glyphs_of(look.charset);
    const bool is_reviewing = state.mode == PromptMode::reviewing ||
                              (state.mode == PromptMode::sending && state.has_review());
    const auto entry = [&](std::string_view name, bool is_here, bool is_done) {
        return Span{
            fmt::format("{}{}{}{}", is_here ? "[" : " ",
                        is_done ? fmt::format("{} ", glyphs.tick) : "", name, is_here ? "]" : " "),
            {.color = is_done ? Color::green : Color::none, .is_bold = is_here}};
    };
    Line line;
    for (std::size_t i = 0; i < state.questions.size(); ++i) {
        const std::string name = cut_to_width(
            shown_text(shown_header(state.spec->questions[i], state.options.profile), look.charset),
            kTabHeaderCells, glyphs.ellipsis);
        line.push_back(entry(name, !is_reviewing && i == state.index,
                             state.is_answered(i) && state.is_ready(i)));
    }
    line.push_back(entry("Review", is_reviewing, false));
    if (line_width(line) <= look.columns) return line;
    const auto answered = static_cast<std::size_t>(std::ranges::count_if(
        line, [](const Span& span) { return span.style.color == Color::green; }));
    const std::string count =
        is_reviewing ? fmt::format("[Review] {} of {} answered", answered, state.questions.size())
                     : fmt::format("[{} of {}] {} answered", state.index + 1,
                                   state.questions.size(), answered);
    return {{cut_to_width(count, look.columns, glyphs.ellipsis), kBold}};
}

std::string PromptBody::hint(const PromptState& state, const PromptLook& look) {
    const std::string_view dot = glyphs_of(look.charset).dot;
    const std::string arrows = look.charset == Charset::utf8 ? "↑/↓ move" : "Up/Down move";
    const bool is_multi = state.question().multi_select;
    const std::string_view leaving = !state.current().filter.empty()  ? "Esc all choices"
                                     : state.options.closes_on_escape ? "Esc back"
                                     : state.spec->dismissible        ? "Esc dismiss"
                                                                      : "Esc fold";
    switch (state.mode) {
        case PromptMode::typing:
            return fmt::format("Enter {} {} Alt-Enter new line {} Esc keep and leave",
                               is_multi ? "keep" : "answer", dot, dot);
        case PromptMode::noting:
            return fmt::format("Enter keep the note {} Alt-Enter new line", dot);
        case PromptMode::reviewing:
            return fmt::format("{} {} Enter change or send {} {}", arrows, dot, dot, leaving);
        case PromptMode::dismissing:
            return fmt::format("Enter dismiss {} Esc go on answering", dot);
        case PromptMode::helping: return "Any other key goes back";
        case PromptMode::sending: return "Sending";
        case PromptMode::folded: return "Any key opens it";
        case PromptMode::choosing: break;
    }
    if (state.current().is_text_only())
        return fmt::format("Type to answer {} {} {} ? help", dot, leaving, dot);
    const std::string_view enter = is_multi ? "Space choose" : "Enter choose";
    std::string hint = fmt::format("{} {} {} {} ", arrows, dot, enter, dot);
    if (is_multi) hint += fmt::format("Enter go on {} ", dot);
    // Where typing narrows the choices, "?" is part of what is looked for.
    const std::string_view help = state.current().has_filter() ? "Alt-? help" : "? help";
    return hint + fmt::format("{} {} {}", leaving, dot, help);
}

}  // namespace parley
