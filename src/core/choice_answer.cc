// SPDX-License-Identifier: Apache-2.0
// A choice as it is answered.
#include <fmt/format.h>

#include <algorithm>

#include "core/answers.h"
#include "core/choice_kind.h"
#include "core/display.h"
#include "core/text_rules.h"

namespace parley::choice_kind {

namespace {

constexpr std::size_t kLabelsNamed = 8;

// Labels in the order of the options, each once.
void sort_labels(const Question& question, std::vector<std::string>& selected) {
    if (selected.size() < 2) return;
    std::vector<std::string> sorted;
    sorted.reserve(selected.size());
    for (const Option& option : question.options)
        if (std::ranges::find(selected, option.label) != selected.end())
            sorted.push_back(option.label);
    selected = std::move(sorted);
}

// The two forms of one answer that answers.h names become one.
void unify(const Question& question, Answer& answer) {
    if (!answer.other) return;
    if (has_label(question, *answer.other)) {
        answer.selected.push_back(std::move(*answer.other));
        answer.other.reset();
        return;
    }
    if (question.custom)
        std::erase_if(answer.selected,
                      [](const std::string& label) { return is_other_label(label); });
}

void check_selected(const Question& question, const Answer& answer, const json::Path& at,
                    Faults& faults) {
    const json::Path list = at / "selected";
    for (std::size_t i = 0; i < answer.selected.size() && !faults.is_full(); ++i) {
        if (has_label(question, answer.selected[i])) continue;
        faults.add(list / i, fmt::format("{} is not one of the options; {}",
                                         quoted_excerpt(answer.selected[i]),
                                         choice_kind::ways_to_answer(question)));
    }
}

void check_choice_count(const Question& question, const Answer& answer, const json::Path& at,
                        Faults& faults) {
    if (question.multi_select) return;
    if (answer.selected.size() > 1) {
        faults.add(at / "selected", fmt::format("this question takes one choice, but {} were "
                                                "selected; keep one",
                                                answer.selected.size()));
    } else if (answer.selected.size() == 1 && answer.other) {
        faults.add(at / "other",
                   "this question takes one choice: either an option or a text of your own; put a "
                   "remark on the option into \"note\"");
    }
}

}  // namespace

void check_answer(const Question& question, Answer& answer, const json::Path& at, Faults& faults) {
    check_selected(question, answer, at, faults);
    unify(question, answer);
    sort_labels(question, answer.selected);
    if (answer.other && !question.custom) {
        faults.add(at / "other", fmt::format("this question takes no text of your own; {}",
                                             choice_kind::ways_to_answer(question)));
    }
    check_choice_count(question, answer, at, faults);
}

std::string ways_to_answer(const Question& question) {
    std::string ways;
    const std::size_t named = std::min(question.options.size(), kLabelsNamed);
    for (std::size_t i = 0; i < named; ++i) {
        ways += i == 0 ? "choose " : i + 1 == question.options.size() ? " or " : ", ";
        ways += quoted_excerpt(question.options[i].label);
    }
    if (named < question.options.size())
        ways += fmt::format(" or one of {} more", question.options.size() - named);
    if (question.custom) ways += ways.empty() ? "give a text as \"other\"" : ", or give \"other\"";
    return ways;
}

std::string unmet_wish(const Question& question, const Answer& answer) {
    const auto count = static_cast<int>(choices_of(answer));
    const auto choices = [](int wanted) {
        return count_of(static_cast<std::size_t>(wanted), "choice");
    };
    if (question.min && count < *question.min) {
        return fmt::format("at least {}, and {} chosen; choose more", choices(*question.min),
                           count == 1 ? "1 is" : fmt::format("{} are", count));
    }
    if (question.max && count > *question.max) {
        return fmt::format("at most {}, and {} are chosen; keep fewer", choices(*question.max),
                           count);
    }
    return {};
}

std::string wish_words(const Question& question) {
    std::string words;
    const int least = question.min.value_or(0);
    if (question.multi_select && question.max) {
        words = least == *question.max ? fmt::format("choose {}", least)
                : least > 0            ? fmt::format("choose {} to {}", least, *question.max)
                                       : fmt::format("choose at most {}", *question.max);
    } else if (question.multi_select && least > 0) {
        words = fmt::format("choose at least {}", least);
    }
    return words;
}

}  // namespace parley::choice_kind
