// SPDX-License-Identifier: Apache-2.0
#include "prompt/prompt_state.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/assert.h"
#include "core/answers.h"
#include "core/limits.h"

namespace parley {

std::string too_long_notice(std::size_t bytes) {
    return fmt::format("That makes a text of {} bytes, and {} is the most: it was not taken.",
                       bytes, limits::kAnswerTextBytes);
}

PromptState::PromptState(std::shared_ptr<const AskSpec> asked, const Options& given)
    : spec(std::move(asked)), options(given) {
    ASSERT(!spec->questions.empty());
    for (const Question& each : spec->questions) {
        questions.emplace_back(each);
        questions.back().restore(*each.preset);
    }
    if (options.appeared_at) guard.appeared(*options.appeared_at);
    if (current().is_text_only()) mode = PromptMode::typing;
}

bool PromptState::has_review() const {
    return questions.size() > 1 || question().multi_select || question().required == false;
}

Answer PromptState::answer_of(std::size_t number) const {
    return questions[number].answer();
}

PromptPicture PromptState::picture() const {
    const bool is_reviewing = mode == PromptMode::reviewing;
    PromptPicture seen{.mode = mode,
                       .index = index,
                       .row = is_reviewing ? review_cursor : current().cursor,
                       .filter = current().filter,
                       .answers = answers(),
                       .reason = reason.text()};
    if (mode == PromptMode::choosing) seen.answers[index] = current().offered();
    return seen;
}

Answers PromptState::answers() const {
    Answers all;
    for (std::size_t i = 0; i < questions.size(); ++i) all.push_back(answer_of(i));
    return all;
}

bool PromptState::is_answered(std::size_t number) const {
    return parley::is_answered(answer_of(number));
}

bool PromptState::is_ready(std::size_t number) const {
    const Question& asked = spec->questions[number];
    if (!is_answered(number)) return asked.required == false;
    return unmet_wish(asked, answer_of(number)).empty();
}

std::string PromptState::why_unready(std::size_t number) const {
    const std::string unmet = unmet_wish(spec->questions[number], answer_of(number));
    return unmet.empty() ? "has no answer yet" : "wants " + unmet;
}

std::optional<std::size_t> PromptState::first_unready() const {
    for (std::size_t i = 0; i < questions.size(); ++i)
        if (!is_ready(i)) return i;
    return std::nullopt;
}

bool PromptState::is_touched() const {
    for (std::size_t i = 0; i < questions.size(); ++i) {
        const QuestionState& here = questions[i];
        const Answer& preset = *spec->questions[i].preset;
        if (!here.note.text().empty() || here.other.text() != preset.other.value_or(""))
            return true;
        if (preset.is_empty() ? here.has_picks() : here.answer() != preset) return true;
    }
    return false;
}

void PromptState::restore(const Answers& draft) {
    for (std::size_t i = 0; i < questions.size(); ++i)
        questions[i].restore(i < draft.size() ? draft[i] : Answer{});
    if (mode == PromptMode::typing && !current().is_text_only()) mode = PromptMode::choosing;
}

void PromptState::take_draft(const Answers& draft, Mono now) {
    if (mode == PromptMode::sending || draft == answers()) return;
    if (is_touched()) {
        offered = draft;
        return;
    }
    restore(draft);
    guard.appeared(now);
}

void PromptState::refused(const Error& error) {
    mode = has_review() ? PromptMode::reviewing
                        : (current().is_text_only() ? PromptMode::typing : PromptMode::choosing);
    notice = fmt::format("This was not taken: {}",
                         error.faults.empty() ? error.message : error.faults.front().detail);
}

TextEditor* PromptState::field() {
    switch (mode) {
        case PromptMode::typing: return &current().other;
        case PromptMode::noting: return &current().note;
        case PromptMode::dismissing: return &reason;
        default: return nullptr;
    }
}

bool PromptState::type_into(TextEditor& field, const Key& key) {
    const std::size_t bytes = field.text().size() + key.text.size();
    const bool is_text = key.is_typed() || key.is(Key::Code::paste);
    if (is_text && bytes > limits::kAnswerTextBytes) {
        notice = too_long_notice(bytes);
        return false;
    }
    return field.press(key);
}

void PromptState::edited(std::string_view text) {
    if (text.size() > limits::kAnswerTextBytes) {
        notice = too_long_notice(text.size());
        return;
    }
    if (mode == PromptMode::noting || mode == PromptMode::dismissing) return field()->replace(text);
    current().other.replace(text);
    current().text_changed();
}

}  // namespace parley
