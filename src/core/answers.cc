// SPDX-License-Identifier: Apache-2.0
#include "core/answers.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/limits.h"
#include "core/profile.h"
#include "core/question_kinds.h"
#include "core/text_rules.h"

namespace parley {

namespace {

void check_free_text(const std::optional<std::string>& text, std::string_view what,
                     const json::Path& at, Faults& faults) {
    if (text) check_text(*text, {.what = what, .bytes_max = limits::kAnswerTextBytes}, at, faults);
}

// More than there can be options: none of them is looked at.
bool are_too_many(std::size_t labels, const json::Path& list, Faults& faults) {
    if (labels <= kOpenProfile.options_max) return false;
    faults.add(list, fmt::format("{} labels, but at most {} are allowed", labels,
                                 kOpenProfile.options_max));
    return true;
}

void check_answer(const Question& question, Answer& answer, const json::Path& at, Faults& faults) {
    check_marks(question, answer, at, faults);
    if (const std::string unmet = unmet_wish(question, answer); !unmet.empty())
        faults.add(at / (question.options.empty() ? "other" : "selected"),
                   "this question wants " + unmet);
}

std::size_t text_bytes(const Answers& answers) {
    std::size_t bytes = 0;
    for (const Answer& answer : answers) {
        for (const std::string& label : answer.selected) bytes += label.size();
        bytes += answer.other ? answer.other->size() : 0;
        bytes += answer.note ? answer.note->size() : 0;
    }
    return bytes;
}

void check_bytes(const Answers& answers, const json::Path& list, Faults& faults) {
    if (const std::size_t bytes = text_bytes(answers); bytes > limits::kAnswersBytes) {
        faults.add(list, fmt::format("the answers have {} bytes of text, but at most {} are "
                                     "allowed; shorten them",
                                     bytes, limits::kAnswersBytes));
    }
}

void check_completeness(const std::vector<Question>& questions, const Answers& answers,
                        const AnswerRules& rules, const json::Path& list, Faults& faults) {
    const bool wants_all = rules.completeness == Completeness::whole;
    for (std::size_t i = 0; i < questions.size(); ++i) {
        if (is_answered(answers[i]) || !questions[i].required.value_or(wants_all)) continue;
        faults.add(list / i, fmt::format("question {} is not answered; {}", i + 1,
                                         ways_to_answer(questions[i])));
    }
    if (rules.completeness != Completeness::partial || !faults.empty()) return;
    const bool may_all_be_empty = std::ranges::all_of(
        questions, [](const Question& question) { return question.required == false; });
    if (!may_all_be_empty && std::ranges::all_of(answers, &Answer::is_empty))
        faults.add(list, "nothing is answered; answer at least one question");
}

}  // namespace

void check_marks(const Question& question, Answer& answer, const json::Path& at, Faults& faults) {
    if (are_too_many(answer.selected.size(), at / "selected", faults)) return;
    tidy_optional(answer.other);
    tidy_optional(answer.note);
    check_free_text(answer.other, "the text", at / "other", faults);
    check_free_text(answer.note, "the note", at / "note", faults);
    rules_of(question).check_answer(question, answer, at, faults);
}

std::string ways_to_answer(const Question& question) {
    return rules_of(question).ways_to_answer(question);
}

std::string unmet_wish(const Question& question, const Answer& answer) {
    return is_answered(answer) ? rules_of(question).unmet_wish(question, answer) : std::string();
}

bool has_label(const Question& question, std::string_view text) {
    return std::ranges::any_of(question.options,
                               [&](const Option& option) { return option.label == text; });
}

std::size_t choices_of(const Answer& answer) {
    return answer.selected.size() + (answer.other ? 1 : 0);
}

bool is_answered(const Answer& answer) {
    return !answer.selected.empty() || answer.other.has_value();
}

const Answer& answer_at(const Answers& answers, std::size_t index) {
    static const Answer kUnanswered;
    return index < answers.size() ? answers[index] : kUnanswered;
}

void check_answers(const std::vector<Question>& questions, Answers& answers,
                   const AnswerRules& rules, const json::Path& list, Faults& faults) {
    if (answers.size() > questions.size()) {
        faults.add(list, fmt::format("{} for {}; give one for each question, in their order",
                                     count_of(answers.size(), "answer"),
                                     count_of(questions.size(), "question")));
        return;
    }
    answers.resize(questions.size());
    for (std::size_t i = 0; i < questions.size(); ++i)
        check_answer(questions[i], answers[i], list / i, faults);
    check_completeness(questions, answers, rules, list, faults);
    check_bytes(answers, list, faults);
}

Result<Answers> check_answers(const std::vector<Question>& questions, Answers answers,
                              const AnswerRules& rules, const json::Path& at) {
    Faults faults;
    check_answers(questions, answers, rules, at / "answers", faults);
    return std::move(faults).give(std::move(answers));
}

Result<Answers> check_draft(const std::vector<Question>& questions, Answers answers) {
    Faults faults;
    const json::Path root;
    const json::Path list = root / "answers";
    if (answers.size() > questions.size()) {
        faults.add(list, fmt::format("{} for {}; give one for each question, in their order",
                                     count_of(answers.size(), "answer"),
                                     count_of(questions.size(), "question")));
    }
    for (std::size_t i = 0; i < answers.size() && !faults.is_full(); ++i) {
        const json::Path at = list / i;
        const TextRule rule = {
            .what = "the text", .bytes_max = limits::kAnswerTextBytes, .may_be_blank = true};
        const Answer& answer = answers[i];
        if (answer.other) check_text(*answer.other, rule, at / "other", faults);
        if (answer.note) check_text(*answer.note, rule, at / "note", faults);
        const json::Path selected = at / "selected";
        if (are_too_many(answer.selected.size(), selected, faults)) continue;
        for (std::size_t j = 0; j < answer.selected.size(); ++j)
            check_text(answer.selected[j], {.what = "the label", .may_be_blank = true},
                       selected / j, faults);
    }
    check_bytes(answers, list, faults);
    return std::move(faults).give(std::move(answers));
}

Answer sort_texts(const Question& question, std::vector<std::string> texts, const json::Path& at,
                  Faults& faults) {
    Answer answer;
    // One of them may be a text of one's own.
    if (texts.size() > kOpenProfile.options_max + 1) {
        are_too_many(texts.size(), at, faults);
        return answer;
    }
    std::size_t taken = 0;
    for (std::size_t i = 0; i < texts.size() && !faults.is_full(); ++i) {
        if (is_blank(texts[i])) continue;
        if (++taken > 1 && !question.multi_select) {
            faults.add(at / i, "this question takes one choice, and this is another; keep one");
        } else if (has_label(question, texts[i])) {
            answer.selected.push_back(std::move(texts[i]));
        } else if (!question.custom) {
            faults.add(at / i, fmt::format("{} is not one of the options; {}",
                                           quoted_excerpt(texts[i]), ways_to_answer(question)));
        } else if (answer.other) {
            faults.add(at / i, fmt::format("{} is not one of the options, and there is a text of "
                                           "your own before it; give one text of your own",
                                           quoted_excerpt(texts[i])));
        } else {
            answer.other = std::move(texts[i]);
        }
    }
    return answer;
}

Result<Answer> sort_texts(const Question& question, std::vector<std::string> texts,
                          const json::Path& at) {
    Faults faults;
    Answer answer = sort_texts(question, std::move(texts), at, faults);
    return std::move(faults).give(std::move(answer));
}

}  // namespace parley
