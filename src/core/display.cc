// SPDX-License-Identifier: Apache-2.0
#include "core/display.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/answers.h"
#include "core/limits.h"
#include "core/question_kinds.h"
#include "core/questions.h"
#include "core/text_rules.h"
#include "text/safe_text.h"
#include "text/width.h"

namespace parley {

namespace {

constexpr std::string_view kRecommended = "(recommended)";
constexpr std::string_view kOther = "other";

bool equals_ignoring_case(std::string_view text, std::string_view lower) {
    return lower_ascii(text) == lower;
}

std::string one_line(std::string_view text) {
    return parley::one_line(text, limits::kSummaryChars);
}

std::string summary_of(const Question& question, const Answer& answer) {
    std::string summary;
    const auto add = [&](std::string_view text) {
        if (!summary.empty()) summary += ", ";
        summary += text;
    };
    for (std::size_t i = 0; i < question.options.size(); ++i)
        if (std::ranges::find(answer.selected, question.options[i].label) != answer.selected.end())
            add(shown_label(question, i).text);
    if (answer.other) add(one_line(*answer.other));
    if (summary.empty()) summary = "(unanswered)";
    if (answer.note) summary += fmt::format(" (note: {})", one_line(*answer.note));
    return summary;
}

}  // namespace

ShownLabel shown_label(const Question& question, std::size_t option_index) {
    const std::string_view label = question.options[option_index].label;
    if (option_index == 0 && label.size() > kRecommended.size()) {
        const std::string_view rest = label.substr(0, label.size() - kRecommended.size());
        if (equals_ignoring_case(label.substr(rest.size()), kRecommended) && !is_blank(rest))
            return {.text = escape_unsafe(trim_blanks(rest)), .is_recommended = true};
    }
    return {.text = escape_unsafe(label)};
}

std::string shown_header(const Question& question, const Profile& profile) {
    return cut_to_clusters(escape_unsafe(question.header), profile.header_chars);
}

bool is_other_label(std::string_view label) {
    return equals_ignoring_case(trim_blanks(label), kOther);
}

bool adds_other_row(const Question& question) {
    return question.custom && std::ranges::none_of(question.options, [](const Option& option) {
               return is_other_label(option.label);
           });
}

std::string wish_words(const Question& question) {
    std::string words = rules_of(question).wish_words(question);
    if (question.required == false)
        words += words.empty() ? "may be left empty" : "; may be left empty";
    return words;
}

std::string ask_title(const AskSpec& spec) {
    if (spec.permission && !spec.permission->summary.empty())
        return one_line(spec.permission->summary);
    const Question& first = spec.questions.front();
    std::string title = first.header == make_header(first.text)
                            ? one_line(first.text)
                            : one_line(fmt::format("{}: {}", first.header, first.text));
    if (spec.questions.size() > 1) title += fmt::format(" (+{})", spec.questions.size() - 1);
    return title;
}

std::vector<std::string> summary_lines(const Ask& ask) {
    std::vector<std::string> lines;
    if (!ask.settlement || ask.settlement->outcome != Outcome::answered) return lines;
    const auto& questions = ask.spec->questions;
    const auto& answers = ask.settlement->answers;
    if (ask.spec->permission && questions.size() == 1)
        return {fmt::format("{}: {}", summary_of(questions[0], answer_at(answers, 0)),
                            ask_title(*ask.spec))};
    for (std::size_t i = 0; i < questions.size(); ++i) {
        lines.push_back(fmt::format("{}: {}", one_line(questions[i].header),
                                    summary_of(questions[i], answer_at(answers, i))));
    }
    return lines;
}

}  // namespace parley
