// SPDX-License-Identifier: Apache-2.0
#include "dialect/joined.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <vector>

#include "core/answers.h"
#include "core/model_text.h"
#include "core/object_reader.h"
#include "core/text_rules.h"
#include "dialect/limits.h"

namespace parley {

namespace {

constexpr std::string_view kSeparator = ", ";

constexpr std::size_t kBytesPerTry = 64;

bool needs_quotes(std::string_view label) {
    return label.find(kSeparator) != std::string_view::npos ||
           label.find('"') != std::string_view::npos;
}

// One way in which a label may stand in a join.
struct Form {
    std::string text;
    std::size_t option = 0;
};

enum class Spelling : std::uint8_t { canonical, any };

// The forms of all labels, longest first. Canonical: as the claude style writes them.
std::vector<Form> forms_of(const Question& question, Spelling spelling) {
    std::vector<Form> forms;
    for (std::size_t i = 0; i < question.options.size(); ++i) {
        const std::string& label = question.options[i].label;
        const bool is_quoted = needs_quotes(label);
        if (is_quoted) forms.push_back({json::quoted(label), i});
        if (!is_quoted || spelling == Spelling::any) forms.push_back({label, i});
    }
    std::ranges::sort(forms, [](const Form& a, const Form& b) {
        return a.text.size() != b.text.size() ? a.text.size() > b.text.size() : a.text < b.text;
    });
    return forms;
}

// Where the next text starts if `form` stands at `at`: after the separator, or at the end.
std::optional<std::size_t> next_after(std::string_view joined, std::size_t at, const Form& form) {
    if (!joined.substr(at).starts_with(form.text)) return std::nullopt;
    const std::size_t end = at + form.text.size();
    if (end == joined.size()) return end;
    if (!joined.substr(end).starts_with(kSeparator)) return std::nullopt;
    // A separator at the very end is no separator.
    if (end + kSeparator.size() == joined.size()) return std::nullopt;
    return end + kSeparator.size();
}

using Chosen = std::vector<std::size_t>;  // indices of options

// Labels that make up the whole of `joined`, the longest tried first.
std::optional<Chosen> cover(std::string_view joined, const std::vector<Form>& forms) {
    std::size_t longest = 0;
    for (const Form& form : forms) longest += form.text.size() + kSeparator.size();
    if (joined.empty() || joined.size() > longest) return std::nullopt;
    struct Step {
        std::size_t at = 0;
        std::size_t next_form = 0;
        std::size_t option = 0;
    };
    std::vector<Step> steps(1);
    std::vector<bool> is_dead(joined.size());  // no cover goes on from here
    std::size_t tries = 0;
    while (!steps.empty() && tries < limits::kJoinedTries) {
        Step& step = steps.back();
        if (step.next_form == forms.size()) {
            is_dead[step.at] = true;
            steps.pop_back();
            continue;
        }
        const Form& form = forms[step.next_form++];
        tries += 1 + form.text.size() / kBytesPerTry;
        const auto next = next_after(joined, step.at, form);
        if (!next) continue;
        step.option = form.option;
        if (*next == joined.size()) {
            Chosen chosen;
            for (const Step& each : steps) chosen.push_back(each.option);
            return chosen;
        }
        if (!is_dead[*next]) steps.push_back({.at = *next});
    }
    return std::nullopt;
}

// Labels from the front, each once and the longest first; what follows them is free text.
Answer read_front(const Question& question, std::string_view joined,
                  const std::vector<Form>& forms) {
    Answer answer;
    std::vector<bool> is_taken(question.options.size());
    std::size_t at = 0;
    while (at < joined.size()) {
        std::optional<std::size_t> next;
        const auto form = std::ranges::find_if(forms, [&](const Form& each) {
            if (is_taken[each.option]) return false;
            next = next_after(joined, at, each);
            return next.has_value();
        });
        if (form == forms.end()) break;
        is_taken[form->option] = true;
        answer.selected.push_back(question.options[form->option].label);
        at = *next;
    }
    if (at < joined.size()) answer.other = std::string(joined.substr(at));
    return answer;
}

std::optional<Answer> read_labels(const Question& question, std::string_view joined,
                                  const std::vector<Form>& forms) {
    const auto chosen = cover(joined, forms);
    if (!chosen) return std::nullopt;
    Answer answer;
    for (const std::size_t option : *chosen)
        answer.selected.push_back(question.options[option].label);
    return answer;
}

Answer read_several(const Question& question, std::string_view joined, JoinStyle style) {
    if (style == JoinStyle::claude) {
        const std::vector<Form> canonical = forms_of(question, Spelling::canonical);
        if (auto answer = read_labels(question, joined, canonical)) return std::move(*answer);
    }
    const std::vector<Form> forms = forms_of(question, Spelling::any);
    if (auto answer = read_labels(question, joined, forms)) return std::move(*answer);
    return read_front(question, joined, forms);
}

}  // namespace

std::string join_answer(const Question& question, const Answer& answer, JoinStyle style) {
    if (style == JoinStyle::plain || !question.multi_select) return joined_answer(answer);
    Answer quoted = answer;
    for (std::string& label : quoted.selected)
        if (needs_quotes(label)) label = json::quoted(label);
    return joined_answer(quoted);
}

Answer read_joined(const Question& question, std::string_view joined, JoinStyle style,
                   const json::Path& at, Faults& faults) {
    Answer answer;
    if (is_blank(joined)) return answer;
    if (question.multi_select) {
        answer = read_several(question, joined, style);
    } else if (has_label(question, joined)) {
        answer.selected.emplace_back(joined);
    } else {
        answer.other = std::string(joined);
    }
    if (answer.other && !question.custom) {
        faults.add(at, fmt::format("{} is not one of the options; {}",
                                   quoted_excerpt(*answer.other), ways_to_answer(question)));
    }
    return answer;
}

Answer read_joined_value(const Question& question, const json::Value& value, JoinStyle style,
                         const json::Path& at, Faults& faults) {
    if (const auto* text = value.if_string())
        return read_joined(question, view_of(*text), style, at, faults);
    const json::Array* list = value.if_array();
    if (list == nullptr) {
        faults.add(at, expected_message("a string or a list of strings", value));
        return {};
    }
    std::vector<std::string> texts;
    for (std::size_t i = 0; i < list->size(); ++i) {
        const json::Value& text = (*list)[i];
        if (!text.is_string()) {
            faults.add(at / i, expected_message("a string", text));
            return {};
        }
        texts.emplace_back(view_of(text.get_string()));
    }
    return sort_texts(question, std::move(texts), at, faults);
}

}  // namespace parley
