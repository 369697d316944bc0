// SPDX-License-Identifier: Apache-2.0
#include "prompt/question_state.h"

#include <algorithm>
#include <utility>

#include "core/text_rules.h"
#include "prompt/question_editors.h"
#include "text/fold.h"
#include "text/utf8.h"

namespace parley {

namespace {

constexpr std::size_t kRowsWithoutFilter = 9;
constexpr int kPageRows = 10;
constexpr int kAllRows = 1'000'000;

}  // namespace

void drop_last_character(std::string& text) {
    while (!text.empty() && (static_cast<unsigned char>(text.back()) & 0xc0) == 0x80)
        text.pop_back();
    if (!text.empty()) text.pop_back();
}

QuestionState::QuestionState(const Question& question)
    : rows(editor_of(question).rows(question)),
      picked(rows.size()),
      is_multi(question.multi_select) {}

bool QuestionState::has_filter() const {
    const auto options =
        std::ranges::count_if(rows, [](const ChoiceRow& r) { return !r.opens_text; });
    return static_cast<std::size_t>(options) > kRowsWithoutFilter;
}

bool QuestionState::shows(std::size_t row) const {
    if (filter.empty() || rows[row].opens_text) return true;
    return WordSearch(filter).finds_in(rows[row].shown + "\n" + rows[row].description);
}

std::optional<std::size_t> QuestionState::text_row() const {
    const auto found = std::ranges::find_if(rows, &ChoiceRow::opens_text);
    if (found == rows.end()) return std::nullopt;
    return static_cast<std::size_t>(found - rows.begin());
}

bool QuestionState::has_picks() const {
    return std::ranges::find(picked, true) != picked.end();
}

Answer QuestionState::answer() const {
    Answer answer;
    bool takes_text = is_text_only();
    for (std::size_t row = 0; row < rows.size(); ++row) {
        if (!picked[row]) continue;
        const bool is_typed = rows[row].opens_text && !other.is_blank();
        if (is_typed) takes_text = true;
        if (!is_typed && !rows[row].label.empty()) answer.selected.push_back(rows[row].label);
    }
    if (takes_text && !other.is_blank()) answer.other = other.text();
    if (!note.is_blank()) answer.note = note.text();
    return answer;
}

Answer QuestionState::offered() const {
    Answer answer = this->answer();
    const bool is_marked = is_text_only() || is_multi || has_picks();
    if (is_marked || !shows(cursor)) return answer;
    if (!rows[cursor].opens_text) answer.selected = {rows[cursor].label};
    if (rows[cursor].opens_text && !other.is_blank()) answer.other = other.text();
    return answer;
}

bool QuestionState::can_be_marked(std::size_t row) const {
    return !rows[row].opens_text || !other.is_blank();
}

void QuestionState::go_to(std::size_t row) {
    const bool goes_along = !is_multi && has_picks() && row != cursor;
    cursor = row;
    came_by_letter = false;
    if (!goes_along) return;
    clear_picks();
    picked[row] = can_be_marked(row);
}

void QuestionState::step(int rows_down, Ends ends) {
    std::vector<std::size_t> shown;
    std::size_t here = 0;
    for (std::size_t row = 0; row < rows.size(); ++row) {
        if (!shows(row)) continue;
        if (row == cursor) here = shown.size();
        shown.push_back(row);
    }
    if (shown.empty()) return;
    // From a row that the filter hides, down is to the first one that it shows.
    if (!shows(cursor)) return go_to(rows_down > 0 ? shown.front() : shown.back());
    const auto count = static_cast<int>(shown.size());
    const int wanted = static_cast<int>(here) + rows_down;
    const int row =
        ends == Ends::wrap ? (wanted % count + count) % count : std::clamp(wanted, 0, count - 1);
    go_to(shown[static_cast<std::size_t>(row)]);
}

bool QuestionState::move(const Key& key) {
    switch (key.code) {
        case Key::Code::up: step(-1, Ends::wrap); return true;
        case Key::Code::down: step(1, Ends::wrap); return true;
        case Key::Code::page_up: step(-kPageRows, Ends::stop); return true;
        case Key::Code::page_down: step(kPageRows, Ends::stop); return true;
        case Key::Code::home: step(-kAllRows, Ends::stop); return true;
        case Key::Code::end: step(kAllRows, Ends::stop); return true;
        default: return false;
    }
}

bool QuestionState::go_to_letter(std::string_view letter) {
    const std::string wanted = fold_case(letter);
    for (std::size_t i = 1; i <= rows.size(); ++i) {
        const std::size_t row = (cursor + i) % rows.size();
        const std::string_view shown = rows[row].shown;
        // Our own row for other words has a key of its own.
        if (rows[row].label.empty()) continue;
        if (fold_case(shown.substr(0, utf8::cluster_bytes(shown))) != wanted) continue;
        go_to(row);
        return true;
    }
    return false;
}

void QuestionState::toggle(std::size_t row) {
    go_to(row);
    if (is_multi) {
        picked[row] = !picked[row];
        return;
    }
    clear_picks();
    picked[row] = true;
}

void QuestionState::toggle_all() {
    bool are_all_in = true;
    for (std::size_t row = 0; row < rows.size(); ++row)
        if (shows(row) && can_be_marked(row) && !picked[row]) are_all_in = false;
    for (std::size_t row = 0; row < rows.size(); ++row)
        if (shows(row) && can_be_marked(row)) picked[row] = !are_all_in;
}

void QuestionState::text_changed() {
    const auto row = text_row();
    if (!row) return;
    const bool has_text = !other.is_blank();
    if (has_text && !is_multi) clear_picks();
    picked[*row] = has_text;
    cursor = *row;
}

std::optional<std::string> QuestionState::filter_after(const Key& key) const {
    std::string wanted = filter;
    if (key.is(Key::Code::backspace)) {
        drop_last_character(wanted);
    } else if (key.is_typed()) {
        wanted += key.text;
    } else if (key.is(Key::Code::paste)) {
        wanted += trim_blanks(key.text);
        std::ranges::replace(wanted, '\n', ' ');
    } else {
        return std::nullopt;
    }
    return wanted;
}

void QuestionState::narrow(std::string wanted) {
    filter = std::move(wanted);
    if (shows(cursor) && !rows[cursor].opens_text) return;
    // A mark that is out of sight would be sent unseen.
    if (!is_multi) clear_picks();
    // Where nothing matches no row is in hand, least of all the one for other words: what was typed
    // to find a choice is no answer.
    cursor = 0;
    for (std::size_t row = 0; row < rows.size(); ++row) {
        if (rows[row].opens_text || !shows(row)) continue;
        cursor = row;
        return;
    }
}

void QuestionState::restore(const Answer& draft) {
    clear_picks();
    filter.clear();
    note.replace(draft.note.value_or(""));
    other.replace(draft.other.value_or(""));
    if (is_text_only()) return;
    for (std::size_t row = 0; row < rows.size(); ++row) {
        const auto& labels = draft.selected;
        const bool is_in = std::ranges::find(labels, rows[row].label) != labels.end() ||
                           (rows[row].opens_text && !other.is_blank());
        if (!is_in) continue;
        // Of one choice only the last counts: a text, if there is one.
        if (!is_multi || !has_picks()) cursor = row;
        if (!is_multi) clear_picks();
        picked[row] = true;
    }
}

}  // namespace parley
