// SPDX-License-Identifier: Apache-2.0
// How the parts share the room there is.
#include "prompt/prompt_view.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/display.h"
#include "core/text_rules.h"
#include "prompt/markdown.h"
#include "text/time_text.h"
#include "text/width.h"

namespace parley {

namespace {

// The box is as wide as what is in it, within these.
constexpr int kBoxColumnsMin = 46;
constexpr int kBoxColumnsMax = 100;
constexpr int kSideBySideColumns = 100;  // from here on previews stand beside the choices
constexpr int kContextLinesMin = 3;
constexpr int kPreviewLinesMin = 3;
constexpr TextStyle kDim = {.is_dim = true};
constexpr TextStyle kNotice = {.color = Color::yellow, .is_bold = true};

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
        const Block context = context_lines();
        Block main = main_part(room, context.height());
        const int left = room - main.height();
        if (context.height() > 0 && left > 0) add_context(context, left);
        if (tabs > 0) drawing_.block.add(PromptBody::tabs(state_, look_));
        drawing_.block.add(std::move(main));
        drawing_.block.add(foot);
        return std::move(drawing_);
    }

private:
    std::string header() const {
        if (state_.mode == PromptMode::reviewing) return "Review";
        if (state_.mode == PromptMode::helping) return "Keys";
        return shown_text(shown_header(state_.question(), state_.options.profile), look_.charset);
    }

    PromptDrawing folded() {
        const std::string text =
            fmt::format("{} {}: {}", glyphs_.pointer, header(),
                        shown_text(state_.question().text, look_.charset).substr(0, 400));
        std::string line = text.substr(0, text.find('\n'));
        std::string hint = fmt::format("  ({})", PromptBody::hint(state_, look_));
        if (text_width(hint) > look_.columns / 2) hint.clear();
        line = cut_to_width(line, look_.columns - text_width(hint), glyphs_.ellipsis);
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
        if (state_.spec->default_answers) return fmt::format("the timer answers in {}", clock);
        return fmt::format("ends in {}", clock);
    }

    Block footer() const {
        Block foot;
        if (!state_.notice.empty())
            foot.paragraph(shown_text(state_.notice, look_.charset), look_.columns, kNotice,
                           {{fmt::format("{} ", glyphs_.missing), kNotice}});
        const std::string hint = PromptBody::hint(state_, look_);
        const std::string clock = countdown();
        const std::string both =
            clock.empty() ? hint : fmt::format("{} {} {}", clock, glyphs_.dot, hint);
        // The keys may be cut in a narrow terminal: "?" tells them. The clock may not.
        foot.add(cut_to_width(both, look_.columns, glyphs_.ellipsis), kDim);
        return foot;
    }

    Block context_lines() const {
        if (!state_.spec->context || state_.mode == PromptMode::helping) return {};
        return markdown_block(*state_.spec->context, std::min(look_.columns, kBoxColumnsMax) - 2,
                              look_.charset);
    }

    bool has_previews() const {
        return state_.mode != PromptMode::reviewing && state_.mode != PromptMode::helping &&
               std::ranges::any_of(state_.current().rows,
                                   [](const ChoiceRow& row) { return !row.preview.empty(); });
    }

    // The box, and the preview beside or below it.
    Block main_part(int room, int context_height) {
        const bool is_beside = has_previews() && look_.columns >= kSideBySideColumns;
        const int columns = is_beside ? look_.columns / 2 : std::min(look_.columns, kBoxColumnsMax);
        const int wanted_context = std::min(context_height + 1, kContextLinesMin + 1);
        int height = std::max(room - 2 - (context_height > 0 ? wanted_context : 0), 1);
        const bool is_below = has_previews() && !is_beside;
        if (is_below) height = std::max(height - kPreviewLinesMin - 2, 1);

        Block body = body_of(columns, PromptBody::Spacing::airy);
        if (body.height() > height) body = body_of(columns, PromptBody::Spacing::tight);
        const int width = std::clamp(body.width() + 4, std::min(kBoxColumnsMin, columns), columns);
        const Window window = window_on_focus(body, height);
        Block main = box(window.block, width,
                         {.top = header(),
                          .top_right = more(window.above, glyphs_.up),
                          .bottom = more(window.below, glyphs_.down)},
                         glyphs_);
        if (is_beside) return with_preview_beside(main, width, room);
        if (is_below) {
            const int left = room - main.height() - (context_height > 0 ? wanted_context : 0) - 2;
            if (left > 0) main.add(preview_box(std::min(look_.columns, kBoxColumnsMax), left));
        }
        return main;
    }

    Block body_of(int columns, PromptBody::Spacing spacing) const {
        return PromptBody(state_, look_, std::max(columns - 4, 8), spacing).body();
    }

    std::string more(int lines, std::string_view sign) const {
        return lines > 0 ? fmt::format("{} {} more", sign,
                                       count_of(static_cast<std::size_t>(lines), "line"))
                         : std::string();
    }

    Block with_preview_beside(const Block& main, int width, int room) {
        const int columns = look_.columns - width - 1;
        const int height = std::max(main.height() - 2, std::min(room - 2, preview_height(columns)));
        return beside(main, preview_box(columns, height), 1);
    }
    std::string preview_text() const {
        const QuestionState& at = state_.current();
        const std::string& preview = at.rows[at.cursor].preview;
        return preview.empty() ? "(no preview of this choice)" : preview;
    }
    Block preview_lines(int columns) const {
        return markdown_block(preview_text(), columns - 4, look_.charset);
    }
    int preview_height(int columns) const { return preview_lines(columns).height(); }
    Block preview_box(int columns, int height) {
        const Block lines = preview_lines(columns);
        drawing_.preview_scroll_max = std::max(lines.height() - height, 0);
        const Window window = window_at(lines, height, state_.preview_scroll);
        return box(window.block, columns,
                   {.top = "Preview",
                    .top_right = more(window.above, glyphs_.up),
                    .bottom = window.below > 0 ? more(window.below, glyphs_.down) + ": PgDn"
                                               : std::string()},
                   glyphs_);
    }

    // Set off by a bar, so that no line of it can pass for one of ours; what is out of sight is
    // told.
    void add_context(const Block& context, int height) {
        const bool fits = context.height() + 1 <= height;
        const int shown = fits ? context.height() : std::max(height - 1, 1);
        drawing_.context_scroll_max = std::max(context.height() - shown, 0);
        const Window window = window_at(context, shown, state_.context_scroll);
        for (const Line& each : window.block.lines) {
            Line line = {{std::string(glyphs_.bar) + " ", kDim}};
            line.insert(line.end(), each.begin(), each.end());
            drawing_.block.add(std::move(line));
        }
        if (window.above + window.below > 0) {
            drawing_.block.add(fmt::format("{} {} {} above, {} below: Alt-{} Alt-{}", glyphs_.bar,
                                           glyphs_.ellipsis, window.above, window.below,
                                           look_.charset == Charset::utf8 ? "↑" : "Up",
                                           look_.charset == Charset::utf8 ? "↓" : "Down"),
                               kDim);
        } else if (fits) {
            drawing_.block.blank();
        }
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
