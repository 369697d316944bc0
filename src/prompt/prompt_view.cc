// SPDX-License-Identifier: Apache-2.0
// How the parts share the room there is.
#include "prompt/prompt_view.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/display.h"
#include "core/text_rules.h"
#include "prompt/markdown.h"
#include "prompt/permission_block.h"
#include "prompt/styled_text.h"
#include "prompt/styles.h"
#include "text/time_text.h"
#include "text/width.h"

namespace parley {

namespace {

// The box is as wide as what is in it, within these.
constexpr int kNarrowestBox = 46;
constexpr int kWidestBox = 100;
constexpr int kSideBySideColumns = 100;  // from here on previews stand beside the choices
constexpr int kRoomyRows = 16;           // below, context and preview are content with less
// Lines that each has at least: the context with the one that tells what is out of sight, the
// preview with its border.
constexpr int kContextRows = 4;
constexpr int kContextRowsSmall = 2;
constexpr int kPreviewRows = 5;
constexpr int kBodyRowsSmall = 5;  // that a permission leaves to its line and its choices
constexpr int kTerseRows = 6;      // fewer for the choices: only the one in hand is described

class View {
public:
    View(const PromptState& state, const PromptLook& look)
        : state_(state), look_(look), glyphs_(glyphs_of(look.charset)) {}

    PromptDrawing draw() {
        if (state_.mode == PromptMode::folded) return folded();
        const int tabs = state_.questions.size() > 1 ? 1 : 0;
        // Three lines of the box at least; then the notice and the keys.
        const Block foot = window_at(footer(), std::max(look_.rows - tabs - 3, 1), 0).block;
        const int room = std::max(look_.rows - foot.height() - tabs, 3);
        const Plan plan = share(room);
        Block main = main_part(plan, room);
        const int left = room - main.height();
        if (plan.context.height() > 0) drawing_.range.ends_context = false;
        if (plan.context.height() > 0 && left > 0) add_context(plan.context, left);
        if (tabs > 0) drawing_.block.add(PromptBody::tabs(state_, look_));
        drawing_.block.add(std::move(main));
        drawing_.block.add(foot);
        return std::move(drawing_);
    }

private:
    // What goes where.
    struct Plan {
        Block context = {};
        int context_rows = 0;  // kept for it
        int columns = 0;       // of the box, at most
        int height = 1;        // of what is in the box, at most
        bool is_roomy = false;
        bool has_preview = false;  // in a box of its own
        bool is_beside = false;
        PromptBody::Limits limits = {};
    };

    // The question and the choice in hand are in sight in any room. A question that would leave
    // none for its choices is cut in the box and stands whole in the context; a choice whose text
    // is too long is cut and stands whole in the preview. Both can be scrolled: no text is out of
    // reach. In a small room the preview has no box, and is the first part of the context.
    Plan share(int room) const {
        Plan plan{.context = context_lines(),
                  .is_roomy = room >= kRoomyRows,
                  .has_preview = has_previews()};
        bool is_question_cut = false;
        for (;;) {
            plan.is_beside = plan.has_preview && look_.columns >= kSideBySideColumns;
            plan.columns = plan.is_beside ? look_.columns / 2 : std::min(look_.columns, kWidestBox);
            const bool has_box = plan.has_preview && !plan.is_beside && plan.is_roomy;
            int context = plan.context.height();
            if (plan.has_preview && !plan.is_beside && !has_box) context += kPreviewRows;
            plan.context_rows =
                context == 0
                    ? 0
                    : std::min(context + 1, plan.is_roomy ? kContextRows : small_context(room));
            const int others = plan.context_rows + 2 + (has_box ? kPreviewRows : 0);
            plan.height = std::max(room - others, 1);
            if (!shows_choices()) return plan;

            const int question = body_of(plan, least_spacing(plan)).question_height();
            // What is permitted stands whole in the context anyway: the choices count more.
            const int part = state_.spec->permission && !plan.is_roomy ? 3 : 2;
            if (!is_question_cut && question > std::max(plan.height / part, 1)) {
                is_question_cut = true;
                plan.context = with_question(std::move(plan.context));
                plan.limits.question = std::max(plan.height / (part == 3 ? 3 : 4), 1);
                continue;
            }
            plan.limits.text = std::max((plan.height - question) / (plan.is_roomy ? 2 : 3), 1);
            if (plan.has_preview || !cuts_a_choice(plan)) break;
            plan.has_preview = true;
        }
        if (plan.has_preview && !plan.is_beside && !plan.is_roomy) {
            plan.context = with_preview(plan, std::move(plan.context));
            plan.has_preview = false;
        }
        return plan;
    }
    // What is permitted has to be read to its end: by more than a line at a time, where it can be.
    int small_context(int room) const {
        if (!state_.spec->permission) return kContextRowsSmall;
        return std::clamp(room - 2 - kBodyRowsSmall, kContextRowsSmall, kContextRows);
    }
    static PromptBody::Spacing least_spacing(const Plan& plan) {
        return plan.is_roomy ? PromptBody::Spacing::tight : PromptBody::Spacing::terse;
    }
    bool shows_choices() const {
        return state_.mode == PromptMode::choosing || state_.mode == PromptMode::typing ||
               state_.mode == PromptMode::noting ||
               (state_.mode == PromptMode::sending && !state_.has_review());
    }
    bool cuts_a_choice(const Plan& plan) const {
        const PromptBody body = body_of(plan);
        for (std::size_t row = 0; row < state_.current().rows.size(); ++row)
            if (body.cuts(row)) return true;
        return false;
    }
    Block with_question(Block context) const {
        Block both;
        if (state_.spec->permission)
            both.paragraph(shown_text(state_.spec->permission->summary, look_.charset),
                           context_columns(), {.is_bold = true});
        both.paragraph(with_inline_code(shown_text(state_.question().text, look_.charset), {}),
                       context_columns());
        if (context.height() > 0) both.blank();
        both.add(std::move(context));
        return both;
    }
    Block with_preview(const Plan& plan, Block context) const {
        const std::size_t row = state_.current().cursor;
        if (state_.current().rows[row].preview.empty() && !body_of(plan).cuts(row)) return context;
        Block preview = preview_lines(plan, row, context_columns() + 4);
        // What is only too long for the list is of less interest than what the asker says.
        if (!has_previews()) std::swap(preview, context);
        if (preview.height() > 0 && context.height() > 0) preview.blank();
        preview.add(std::move(context));
        return preview;
    }

    std::string header() const {
        if (state_.mode == PromptMode::reviewing) return "Review";
        if (state_.mode == PromptMode::helping) return "Keys";
        std::string title =
            shown_text(shown_header(state_.question(), state_.options.profile), look_.charset);
        if (state_.spec->permission)
            title += fmt::format(" {} {}", glyphs_.dot,
                                 shown_text(state_.spec->permission->tool, look_.charset));
        return title;
    }

    PromptDrawing folded() {
        const std::string text = fmt::format("{} {}", glyphs_.pointer,
                                             shown_text(ask_title(*state_.spec), look_.charset));
        std::string line = text.substr(0, text.find('\n'));
        std::string hint = fmt::format("  ({})", PromptBody::hint(state_, look_));
        if (text_width(hint) > look_.columns / 2) hint.clear();
        line = cut_to_width(line, look_.columns - text_width(hint), glyphs_.ellipsis);
        drawing_.range.ends_context = false;
        drawing_.block.add({{std::move(line), {}}, {std::move(hint), kDim}});
        drawing_.block.cursor = Position{0, 0};
        return std::move(drawing_);
    }

    std::string countdown() const {
        if (!look_.time_left) return {};
        const Millis left = std::max(*look_.time_left, Millis::zero());
        const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(left).count();
        const std::string clock = seconds < 3600
                                      ? fmt::format("{}:{:02}", seconds / 60, seconds % 60)
                                      : format_duration(left);
        if (state_.spec->default_answers)
            return fmt::format("the timer answers{} in {}", timer_answer(), clock);
        return fmt::format("ends in {}", clock);
    }

    // Named where it is one short answer: the choice of it is the asker's, and is to be seen.
    std::string timer_answer() const {
        constexpr int kCells = 20;
        if (state_.questions.size() > 1) return {};
        const Answer& answer = state_.spec->default_answers->front();
        if (answer.selected.size() != 1) return {};
        return fmt::format(" {}", cut_to_width(shown_text(answer.selected.front(), look_.charset),
                                               kCells, glyphs_.ellipsis));
    }

    Block footer() const {
        Block foot;
        if (!state_.notice.empty())
            foot.paragraph(shown_text(state_.notice, look_.charset), look_.columns, kWarning,
                           {{fmt::format("{} ", glyphs_.missing), kWarning}});
        if (!look_.takes_keys) return foot;
        if (state_.offered)
            foot.paragraph("You typed something else on another device: Ctrl-T takes it.",
                           look_.columns, kWarning, {{fmt::format("{} ", glyphs_.dot), kWarning}});
        const std::string hint = PromptBody::hint(state_, look_);
        const std::string clock = countdown();
        std::string both = clock.empty() ? hint : fmt::format("{} {} {}", clock, glyphs_.dot, hint);
        // That arrows move goes without saying, before how to get help does.
        const std::string moving = fmt::format("move {} ", glyphs_.dot);
        const std::size_t at = hint.find(moving);
        if (text_width(both) > look_.columns && at < hint.find(glyphs_.dot))
            both.erase(both.size() - hint.size(), at + moving.size());
        // The keys may be cut in a narrow terminal: "?" tells them. The clock may not.
        foot.add(cut_to_width(both, look_.columns, glyphs_.ellipsis), kDim);
        return foot;
    }

    Block context_lines() const {
        Block lines;
        if (state_.mode == PromptMode::helping) return lines;
        if (state_.spec->permission)
            lines = permission_block(*state_.spec->permission, context_columns(), look_.charset);
        if (!state_.spec->context) return lines;
        if (!lines.lines.empty()) lines.blank();
        lines.add(markdown_block(*state_.spec->context, context_columns(), look_.charset));
        return lines;
    }
    int context_columns() const { return std::min(look_.columns, kWidestBox) - 2; }

    bool has_previews() const {
        return shows_choices() &&
               std::ranges::any_of(state_.current().rows,
                                   [](const ChoiceRow& row) { return !row.preview.empty(); });
    }

    // The box, and the preview beside or below it.
    Block main_part(const Plan& plan, int room) {
        Block body = body_of(plan).body();
        // What scrolls has a use for the room.
        const int context = plan.context.height() > 0 ? plan.context.height() + 1 : 0;
        if (body.height() > plan.height || body.height() + 2 + context > room)
            body = body_of(plan, PromptBody::Spacing::tight).body();
        const int question = body_of(plan, least_spacing(plan)).question_height();
        if (body.height() > plan.height && plan.height - question < kTerseRows)
            body = body_of(plan, PromptBody::Spacing::terse).body();
        const int width =
            std::clamp(body.width() + 4, std::min(kNarrowestBox, plan.columns), plan.columns);
        const bool is_help = state_.mode == PromptMode::helping;
        Window window = is_help ? window_at(body, plan.height, state_.preview_scroll)
                                : window_on_focus(body, plan.height);
        if (is_help) {
            drawing_.range.preview_max = window.above + window.below;
            drawing_.range.preview_page = plan.height;
            drawing_.range.ends_context = false;
            window.block.cursor = Position{};
        }
        Block main = box(window.block, width,
                         {.top = header(),
                          .top_right = more(window.above, glyphs_.up),
                          .bottom = more(window.below, glyphs_.down)},
                         glyphs_);
        if (plan.is_beside) {
            const int columns = look_.columns - width - 1;
            const int wanted = std::min(preview_height(plan, columns, room - 2), room - 2);
            return beside(main, preview_box(plan, columns, std::max(main.height() - 2, wanted)), 1);
        }
        if (plan.has_preview) {
            const int columns = std::min(look_.columns, kWidestBox);
            const int left = room - main.height() - plan.context_rows - 2;
            if (left > 0)
                main.add(preview_box(plan, columns,
                                     std::min(left, preview_height(plan, columns, left))));
        }
        return main;
    }

    PromptBody body_of(const Plan& plan,
                       PromptBody::Spacing spacing = PromptBody::Spacing::airy) const {
        return {state_, look_, std::max(plan.columns - 4, 8), plan.limits, spacing};
    }

    std::string more(int lines, std::string_view sign) const {
        return lines > 0 ? fmt::format("{} {} more", sign,
                                       count_of(static_cast<std::size_t>(lines), "line"))
                         : std::string();
    }

    Block preview_lines(const Plan& plan, std::size_t row, int columns) const {
        const ChoiceRow& choice = state_.current().rows[row];
        const int cells = columns - 4;
        Block lines;
        if (body_of(plan).cuts(row)) {
            lines.paragraph(shown_text(choice.shown, look_.charset), cells, {.is_bold = true});
            if (!choice.description.empty())
                lines.paragraph(shown_text(choice.description, look_.charset), cells);
            if (!choice.preview.empty()) lines.blank();
        } else if (choice.preview.empty()) {
            lines.paragraph(has_previews() ? "(no preview of this choice)" : "(all is shown above)",
                            cells, kDim);
        }
        if (!choice.preview.empty()) lines.add(preview_block(choice.preview, cells, look_.charset));
        return lines;
    }
    // A choice that is only too long for the list has no preview.
    std::string preview_title() const { return has_previews() ? "Preview" : "This choice in full"; }
    // The tallest, so that nothing moves with the cursor; no more than `most` is of interest.
    int preview_height(const Plan& plan, int columns, int most) const {
        int height = 1;
        for (std::size_t row = 0; row < state_.current().rows.size() && height < most; ++row)
            height = std::max(height, preview_lines(plan, row, columns).height());
        return height;
    }
    Block preview_box(const Plan& plan, int columns, int height) {
        const Block lines = preview_lines(plan, state_.current().cursor, columns);
        drawing_.range.preview_max = std::max(lines.height() - height, 0);
        drawing_.range.preview_page = height;
        Window window = window_at(lines, height, state_.preview_scroll);
        while (window.block.height() < height) window.block.blank();
        return box(window.block, columns,
                   {.top = preview_title(),
                    .top_right = more(window.above, glyphs_.up),
                    .bottom = more(window.below, glyphs_.down) +
                              (window.below > 0 && look_.takes_keys ? ": PgDn" : "")},
                   glyphs_);
    }

    // Set off by a bar, so that no line of it can pass for one of ours; what is out of sight is
    // told.
    void add_context(const Block& context, int height) {
        const bool fits = context.height() + 1 <= height;
        const int shown = fits ? context.height() : std::max(height - 1, 1);
        const Window window = window_at(context, shown, state_.context_scroll);
        PaneRange& range = drawing_.range;
        range.context_max = std::max(context.height() - shown, 0);
        range.context_page = shown;
        range.context_below = window.below;
        range.ends_context = window.below == 0;
        for (const Line& each : window.block.lines) {
            Line line = {{std::string(glyphs_.bar) + " ", kDim}};
            line.insert(line.end(), each.begin(), each.end());
            drawing_.block.add(std::move(line));
        }
        if (window.above + window.below > 0) {
            if (height > 1) drawing_.block.add(scroll_line(window));
        } else if (fits) {
            drawing_.block.blank();
        }
    }
    Line scroll_line(const Window& window) const {
        const bool is_unread = state_.spec->permission && !state_.has_read && window.below > 0;
        const Line bar = {{std::string(glyphs_.bar) + " ", kDim}};
        if (!look_.takes_keys) return {bar.front(), {more(window.below, glyphs_.down), kDim}};
        const std::string_view alt = state_.pages_context() ? "" : "Alt-";
        const auto lines = [](int count) { return count == 1 ? "line" : "lines"; };
        std::string text = fmt::format("{} {} {} above: {}PgUp", glyphs_.up, window.above,
                                       lines(window.above), alt);
        if (window.below > 0) {
            text = fmt::format("{} {} more {}{}: {}PgDn", glyphs_.down, window.below,
                               lines(window.below), is_unread ? " to read" : "", alt);
            if (window.above > 0) text += fmt::format(" {} {} above", glyphs_.dot, window.above);
        }
        return {
            {std::string(glyphs_.bar) + " ", kDim},
            {cut_to_width(text, look_.columns - 2, glyphs_.ellipsis), is_unread ? kWarning : kDim}};
    }

    const PromptState& state_;
    const PromptLook& look_;
    const Glyphs& glyphs_;
    PromptDrawing drawing_;
};

}  // namespace

PromptDrawing draw_prompt(const PromptState& state, const PromptLook& look) {
    return View(state, look).draw();
}

}  // namespace parley
