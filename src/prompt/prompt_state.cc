// SPDX-License-Identifier: Apache-2.0
#include "prompt/prompt_state.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/assert.h"
#include "core/answers.h"

namespace parley {

namespace {

constexpr std::size_t kRowsWithoutFilter = 9;

std::string lower_ascii(std::string_view text) {
    std::string lower(text);
    for (char& c : lower)
        if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    return lower;
}

}  // namespace

void drop_last_character(std::string& text) {
    while (!text.empty() && (static_cast<unsigned char>(text.back()) & 0xc0) == 0x80)
        text.pop_back();
    if (!text.empty()) text.pop_back();
}

bool QuestionState::has_filter() const {
    const auto options =
        std::ranges::count_if(rows, [](const ChoiceRow& r) { return !r.opens_text; });
    return static_cast<std::size_t>(options) > kRowsWithoutFilter;
}

bool QuestionState::shows(std::size_t row) const {
    if (filter.empty() || rows[row].opens_text) return true;
    const std::string wanted = lower_ascii(filter);
    return lower_ascii(rows[row].shown).find(wanted) != std::string::npos ||
           lower_ascii(rows[row].description).find(wanted) != std::string::npos;
}

std::optional<std::size_t> QuestionState::text_row() const {
    const auto found = std::ranges::find_if(rows, &ChoiceRow::opens_text);
    if (found == rows.end()) return std::nullopt;
    return static_cast<std::size_t>(found - rows.begin());
}

PromptState::PromptState(std::shared_ptr<const AskSpec> asked, const Options& given)
    : spec(std::move(asked)), options(given) {
    ASSERT(!spec->questions.empty());
    for (const Question& each : spec->questions) {
        QuestionState state{.rows = choice_rows(each)};
        state.picked.resize(state.rows.size());
        questions.push_back(std::move(state));
    }
    if (current().is_text_only()) mode = PromptMode::typing;
}

bool PromptState::has_review() const {
    return questions.size() > 1 || question().multi_select;
}

Answer PromptState::answer_of(std::size_t number) const {
    const QuestionState& state = questions[number];
    Answer answer;
    bool takes_text = state.is_text_only();
    for (std::size_t row = 0; row < state.rows.size(); ++row) {
        if (!state.picked[row]) continue;
        const bool is_typed = state.rows[row].opens_text && !state.other.is_blank();
        if (is_typed) takes_text = true;
        if (!is_typed && !state.rows[row].label.empty())
            answer.selected.push_back(state.rows[row].label);
    }
    if (takes_text && !state.other.is_blank()) answer.other = state.other.text();
    if (!state.note.is_blank()) answer.note = state.note.text();
    return answer;
}

Answers PromptState::answers() const {
    Answers all;
    for (std::size_t i = 0; i < questions.size(); ++i) all.push_back(answer_of(i));
    return all;
}

bool PromptState::is_answered(std::size_t number) const {
    return parley::is_answered(answer_of(number));
}

bool PromptState::is_touched() const {
    return std::ranges::any_of(questions, [](const QuestionState& each) {
        return std::ranges::find(each.picked, true) != each.picked.end() ||
               !each.other.text().empty() || !each.note.text().empty();
    });
}

void PromptState::restore(const Answers& draft) {
    for (std::size_t i = 0; i < std::min(draft.size(), questions.size()); ++i) {
        QuestionState& state = questions[i];
        for (std::size_t row = 0; row < state.rows.size(); ++row)
            if (std::ranges::find(draft[i].selected, state.rows[row].label) !=
                draft[i].selected.end())
                state.picked[row] = true;
        if (draft[i].note) state.note.replace(*draft[i].note);
        if (!draft[i].other) continue;
        state.other.replace(*draft[i].other);
        if (const auto row = state.text_row()) state.picked[*row] = true;
    }
}

void PromptState::refused(const Error& error) {
    mode = has_review() ? PromptMode::reviewing
                        : (current().is_text_only() ? PromptMode::typing : PromptMode::choosing);
    notice = fmt::format("This was not taken: {}",
                         error.faults.empty() ? error.message : error.faults.front().detail);
}

void PromptState::edited(std::string_view text) {
    if (mode == PromptMode::noting) return current().note.replace(text);
    if (mode == PromptMode::dismissing) return reason.replace(text);
    QuestionState& state = current();
    state.other.replace(text);
    const auto row = state.text_row();
    if (!row) return;
    if (!question().multi_select) state.clear_picks();
    state.picked[*row] = !state.other.is_blank();
    state.cursor = *row;
}

}  // namespace parley
