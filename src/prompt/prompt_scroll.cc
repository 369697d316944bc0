// SPDX-License-Identifier: Apache-2.0
// What scrolls in a prompt, and whether what is permitted was on the screen to its end.
#include <fmt/format.h>

#include <algorithm>

#include "core/permission.h"
#include "prompt/prompt_state.h"

namespace parley {

namespace {

constexpr int kSmallPane = 4;  // lines

}  // namespace

void PromptState::drawn(const PaneRange& shown_range) {
    range = shown_range;
    context_scroll = std::min(context_scroll, range.context_max);
    preview_scroll = std::min(preview_scroll, range.preview_max);
    if (range.ends_context) has_read = true;
}

bool PromptState::pages_context() const {
    return range.preview_max == 0 || (spec->permission && !has_read);
}

bool PromptState::must_read_first() const {
    if (has_read || !spec->permission) return false;
    return std::ranges::any_of(answers(), [&](const Answer& answer) {
        return std::ranges::any_of(answer.selected, [&](const std::string& label) {
            return permission::allows(*spec, label);
        });
    });
}

std::string PromptState::what_to_read() const {
    const int lines = range.context_below;
    if (lines == 0) return "PgDn: read on to the end before you allow it.";
    return fmt::format("PgDn: {} more {} to read before you allow it.", lines,
                       lines == 1 ? "line" : "lines");
}

bool PromptState::scroll(const Key& key) {
    using Code = Key::Code;
    const bool is_help = mode == PromptMode::helping;
    const bool is_page = key.is(Code::page_up) || key.is(Code::page_down);
    const bool is_arrow = key.is(Code::up) || key.is(Code::down);
    // In a list that is short enough to be read at a glance they are of more use for what is long.
    const bool is_far_free = mode == PromptMode::choosing && !current().is_text_only() &&
                             !current().has_filter() &&
                             (range.context_max > 0 || range.preview_max > 0);
    const bool is_far =
        (key.is(Code::home) || key.is(Code::end)) && (key.is_alt || is_help || is_far_free);
    if (!is_page && !is_far && !(is_arrow && (key.is_alt || is_help))) return false;
    // Where nothing is too long they go through the choices.
    const bool is_all_shown = range.context_max == 0 && range.preview_max == 0;
    if (is_page && mode == PromptMode::choosing && is_all_shown) return false;

    const bool is_context = !is_help && ((is_arrow || key.is_alt) || pages_context());
    int& scrolled = is_context ? context_scroll : preview_scroll;
    const int most = is_context ? range.context_max : range.preview_max;
    // One line of a page stays, so that the eye finds its place; not of one that has hardly any.
    const int lines = is_context ? range.context_page : range.preview_page;
    const int page = std::max(lines > kSmallPane ? lines - 1 : lines, 1);
    const bool is_up = key.is(Code::page_up) || key.is(Code::up) || key.is(Code::home);
    const int step = is_far ? most : is_page ? page : 1;
    scrolled = std::clamp(scrolled + (is_up ? -step : step), 0, most);
    return true;
}

}  // namespace parley
