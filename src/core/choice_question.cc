// SPDX-License-Identifier: Apache-2.0
// A choice as it is asked: read, and checked for what nobody could answer.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>

#include "core/answers.h"
#include "core/choice_kind.h"
#include "core/question_rules.h"
#include "core/text_rules.h"

namespace parley::choice_kind {

namespace {

Option read_option(const json::Value& value, const json::Path& at, Faults& faults) {
    if (value.is_string()) return {.label = std::string(value.get_string()), .description = {}};
    ObjectReader object(value, at, faults, "a label or an object with a label");
    object.only({"label", "description", "preview"});
    Option option;
    option.label = object.required_string("label");
    option.description = object.optional_string("description").value_or(std::string());
    option.preview = object.optional_string("preview");
    return option;
}

std::vector<Option> read_options(const ObjectReader& object, const Profile& profile,
                                 Faults& faults) {
    std::vector<Option> options;
    const json::Array* list = object.optional_array("options");
    if (list == nullptr) return options;
    const json::Path at = object.at() / "options";
    options.reserve(list->size());
    for (std::size_t i = 0; i < list->size() && !faults.is_full(); ++i) {
        // What is over the limit is refused by its number alone.
        options.push_back(i < profile.options_max ? read_option((*list)[i], at / i, faults)
                                                  : Option());
    }
    return options;
}

bool read_multi_select(const ObjectReader& object, Faults& faults) {
    constexpr std::array<std::string_view, 3> kSpellings = {"multi_select", "multiSelect",
                                                            "multiple"};
    std::optional<bool> chosen;
    for (const std::string_view spelling : kSpellings) {
        const std::optional<bool> value = object.optional_bool(spelling);
        if (!value) continue;
        if (chosen && *chosen != *value) {
            faults.add(object.at() / spelling,
                       fmt::format("\"{}\" contradicts another spelling of it; give one of "
                                   "multi_select, multiSelect and multiple",
                                   spelling));
        }
        chosen = value;
    }
    return chosen.value_or(false);
}

void check_option(const std::vector<Option>& options, std::size_t index, const json::Path& at,
                  Faults& faults) {
    const Option& option = options[index];
    const json::Path label_at = at / "label";
    check_text(option.label, {.what = "the label", .shape = TextShape::label}, label_at, faults);
    const auto label_of = [](const Option& each) -> std::string_view { return each.label; };
    if (const std::size_t alike = first_alike(options, index, label_of); alike != index) {
        faults.add(label_at, fmt::format("the label is the same as that of option {}; give each "
                                         "option a label of its own",
                                         alike + 1));
    }
    check_text(option.description, {.what = "the description", .may_be_blank = true},
               at / "description", faults);
    if (option.preview) {
        check_text(*option.preview, {.what = "the preview", .may_be_blank = true}, at / "preview",
                   faults);
    }
}

void check_options(const Question& question, const Profile& profile, const json::Path& at,
                   Faults& faults) {
    const std::size_t count = question.options.size();
    const json::Path list = at / "options";
    const std::size_t checked = std::min(count, profile.options_max);
    for (std::size_t i = 0; i < checked; ++i) check_option(question.options, i, list / i, faults);
    if (count > profile.options_max) {
        faults.add(list, fmt::format("{}, but at most {} may be offered; leave some out",
                                     count_of(count, "option"), profile.options_max));
    } else if (count < profile.options_min) {
        faults.add(list, fmt::format("{}, but {} are needed; a field for free text is added to "
                                     "them by itself",
                                     count_of(count, "option"),
                                     range_of(profile.options_min, profile.options_max)));
    } else if (count == 0 && !question.custom) {
        faults.add(at / "custom",
                   "there are no options and free text is switched off, so nobody could answer; "
                   "add options or allow free text");
    }
}

// Nobody could give what is wished for here.
void check_wishes(const Question& question, const json::Path& at, Faults& faults) {
    const auto most = static_cast<int>(
        question.multi_select ? question.options.size() + (question.custom ? 1 : 0) : 1);
    if (question.min && *question.min > most) {
        faults.add(at / "min", fmt::format("{} choices are wanted, but at most {} can be made{}",
                                           *question.min, most,
                                           question.multi_select ? ""
                                                                 : "; allow several with "
                                                                   "multi_select"));
    }
    if (question.max && *question.max < 1)
        faults.add(at / "max", "at most 0 choices, so nobody could answer; give 1 or more");
    if (question.max && !question.multi_select && *question.max > 1)
        faults.add(at / "max", "this question takes one choice; allow several with multi_select");
    if (question.min && question.max && *question.min > *question.max) {
        faults.add(at / "max", fmt::format("at least {} choices and at most {}, so nobody could "
                                           "answer",
                                           *question.min, *question.max));
    }
}

// It is marked beforehand, so it must be something that a person could have marked. Fewer than are
// wanted are no fault: the person adds the others.
void check_preset(Question& question, const json::Path& at, Faults& faults) {
    if (question.preset->is_empty()) return;
    Answer preset = *question.preset;
    preset.note.reset();
    const json::Path place = at / "default";
    check_marks(question, preset, place, faults);
    const auto count = static_cast<int>(choices_of(preset));
    question.preset = std::move(preset);
    if (question.max && count > *question.max) {
        faults.add(place, fmt::format("{} are marked beforehand, but at most {} may be chosen",
                                      count, *question.max));
    }
}

}  // namespace

void read(const ObjectReader& object, const Profile& profile, Question& question, Faults& faults) {
    question.options = read_options(object, profile, faults);
    question.multi_select = read_multi_select(object, faults);
    question.custom = object.optional_bool("custom").value_or(true);
    question.min = object.optional_count("min");
    question.max = object.optional_count("max");
}

void check(Question& question, const Profile& profile, const json::Path& at, Faults& faults) {
    check_options(question, profile, at, faults);
    check_wishes(question, at, faults);
    check_preset(question, at, faults);
}

}  // namespace parley::choice_kind
