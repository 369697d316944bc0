// SPDX-License-Identifier: Apache-2.0
#include "dialect/claude/ask_user_question.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "core/answers.h"
#include "core/display.h"
#include "core/object_reader.h"
#include "core/questions.h"
#include "core/text_rules.h"
#include "core/value_json.h"

namespace parley::claude {

namespace {

std::optional<std::size_t> find_question(const std::vector<Question>& questions,
                                         std::string_view text) {
    for (std::size_t i = 0; i < questions.size(); ++i)
        if (questions[i].text == text) return i;
    return std::nullopt;
}

const std::string* chosen_preview(const Question& question, const Answer& answer) {
    if (question.multi_select || answer.selected.size() != 1) return nullptr;
    for (const Option& option : question.options)
        if (option.label == answer.selected.front())
            return option.preview ? &*option.preview : nullptr;
    return nullptr;
}

bool is_annotated(const Question& question, const Answer& answer) {
    return answer.note || chosen_preview(question, answer) != nullptr;
}

// The texts by which the sender of `input` knows its questions.
std::vector<std::string> keys_of(const json::Value& input, const std::vector<Question>& questions) {
    std::vector<std::string> keys;
    for (const Question& question : questions) keys.push_back(question.text);
    const json::Object* object = input.if_object();
    const json::Value* list = object != nullptr ? object->if_contains("questions") : nullptr;
    const json::Array* given = list != nullptr ? list->if_array() : nullptr;
    if (given == nullptr || given->size() != questions.size()) return keys;
    for (std::size_t i = 0; i < keys.size(); ++i) {
        const json::Object* question = (*given)[i].if_object();
        const json::Value* text = question != nullptr ? question->if_contains("question") : nullptr;
        if (text != nullptr && text->is_string()) keys[i] = view_of(text->get_string());
    }
    return keys;
}

std::vector<std::string> keys_of(const std::vector<Question>& questions) {
    return keys_of(json::Value(), questions);
}

void write_keyed_answers(json::Writer& out, const std::vector<std::string>& keys,
                         const std::vector<Question>& questions, const Answers& answers,
                         JoinStyle style) {
    out.begin_object();
    for (std::size_t i = 0; i < questions.size(); ++i) {
        const Answer& answer = answer_at(answers, i);
        if (is_answered(answer)) out.field(keys[i], join_answer(questions[i], answer, style));
    }
    out.end_object();
}

void write_keyed_annotations(json::Writer& out, const std::vector<std::string>& keys,
                             const std::vector<Question>& questions, const Answers& answers) {
    out.begin_object();
    for (std::size_t i = 0; i < questions.size(); ++i) {
        const Answer& answer = answer_at(answers, i);
        if (!is_annotated(questions[i], answer)) continue;
        out.key(keys[i]).begin_object();
        if (const std::string* preview = chosen_preview(questions[i], answer))
            out.field("preview", *preview);
        if (answer.note) out.field("notes", *answer.note);
        out.end_object();
    }
    out.end_object();
}

bool has_annotations(const std::vector<Question>& questions, const Answers& answers) {
    for (std::size_t i = 0; i < questions.size(); ++i)
        if (is_annotated(questions[i], answer_at(answers, i))) return true;
    return false;
}

// The original tool put the word "Other" among the selected options when the text field was used.
void drop_added_other(const Question& question, Answer& answer) {
    if (!answer.other) return;
    std::erase_if(answer.selected, [&](const std::string& label) {
        return is_other_label(label) && !has_label(question, label);
    });
}

void read_output_entry(const std::vector<Question>& questions, const json::Value& value,
                       Answers& answers, const json::Path& at, Faults& faults) {
    const ObjectReader entry(value, at, faults, "an answer: an object with \"question\"");
    if (!entry.is_object()) return;
    const std::string text = entry.required_string("question");
    const auto index = find_question(questions, text);
    if (!index) {
        faults.add(at / "question", fmt::format("{} is not the text of a question of this ask",
                                                quoted_excerpt(text)));
        return;
    }
    Answer answer;
    if (const json::Array* labels = entry.required_array("selectedOptions")) {
        const json::Path labels_at = at / "selectedOptions";
        for (std::size_t i = 0; i < labels->size(); ++i) {
            const json::Value& label = (*labels)[i];
            if (label.is_string()) {
                answer.selected.emplace_back(view_of(label.get_string()));
            } else {
                faults.add(labels_at / i, expected_message("a label as a string", label));
            }
        }
    }
    answer.other = entry.optional_string("customInput");
    answer.note = entry.optional_string("notes");
    drop_added_other(questions[*index], answer);
    answers[*index] = std::move(answer);
}

}  // namespace

Result<std::vector<Question>> read_input(const json::Value& input, const Profile& profile,
                                         const json::Path& at, std::vector<Fault>* warnings) {
    return read_questions(input, profile, at, warnings);
}

void write_questions(json::Writer& out, const std::vector<Question>& questions) {
    out.begin_array();
    for (const Question& question : questions) {
        out.begin_object().field("question", question.text).field("header", question.header);
        write_options(out.key("options"), question.options, Fields::all);
        out.field_bool("multiSelect", question.multi_select);
        if (!question.custom) out.field_bool("custom", false);
        write_wishes(out, question);
        out.end_object();
    }
    out.end_array();
}

void write_answers(json::Writer& out, const std::vector<Question>& questions,
                   const Answers& answers, JoinStyle style) {
    write_keyed_answers(out, keys_of(questions), questions, answers, style);
}

Answers read_answers(const std::vector<Question>& questions, const json::Value& value,
                     JoinStyle style, const json::Path& at, Faults& faults) {
    Answers answers(questions.size());
    const json::Object* entries = value.if_object();
    if (entries == nullptr) {
        faults.add(at, expected_message("an object with the question texts as its keys", value));
        return answers;
    }
    for (const auto& entry : *entries) {
        const json::Path entry_at = at / entry.key();
        const std::string text = normalize_newlines(entry.key());
        if (const auto index = find_question(questions, text)) {
            answers[*index] =
                read_joined_value(questions[*index], entry.value(), style, entry_at, faults);
        } else {
            faults.add(entry_at, fmt::format("{} is not the text of a question of this ask",
                                             quoted_excerpt(text)));
        }
    }
    return answers;
}

std::string updated_input(const json::Value& input, const std::vector<Question>& questions,
                          const Answers& answers) {
    const std::vector<std::string> keys = keys_of(input, questions);
    std::string text;
    json::Writer out(text);
    out.begin_object();
    bool has_questions = false;
    if (const json::Object* fields = input.if_object()) {
        for (const auto& field : *fields) {
            const std::string_view name(field.key().data(), field.key().size());
            if (name == "answers" || name == "annotations") continue;
            has_questions = has_questions || name == "questions";
            out.key(name).value(field.value());
        }
    }
    if (!has_questions) write_questions(out.key("questions"), questions);
    write_keyed_answers(out.key("answers"), keys, questions, answers, JoinStyle::claude);
    if (has_annotations(questions, answers))
        write_keyed_annotations(out.key("annotations"), keys, questions, answers);
    out.end_object();
    return text;
}

void write_answer_list(json::Writer& out, const std::vector<Question>& questions,
                       const Answers& answers) {
    out.begin_array();
    for (std::size_t i = 0; i < questions.size(); ++i) {
        const Answer& answer = answer_at(answers, i);
        out.begin_object().field("question", questions[i].text);
        out.key("selectedOptions").begin_array();
        for (const std::string& label : answer.selected) out.string(label);
        out.end_array();
        if (answer.other) out.field("customInput", *answer.other);
        if (answer.note) out.field("notes", *answer.note);
        out.end_object();
    }
    out.end_array();
}

std::string tool_output(const std::vector<Question>& questions, const Answers& answers) {
    std::string text;
    json::Writer out(text);
    out.begin_object().key("answers");
    write_answer_list(out, questions, answers);
    out.end_object();
    return text;
}

Result<Answers> read_tool_output(const std::vector<Question>& questions, const json::Value& value) {
    Faults faults;
    const json::Path root;
    const ObjectReader object(value, root, faults, "an object with \"answers\"");
    Answers answers(questions.size());
    if (const json::Array* list = object.required_array("answers")) {
        const json::Path at = root / "answers";
        for (std::size_t i = 0; i < list->size(); ++i)
            read_output_entry(questions, (*list)[i], answers, at / i, faults);
    }
    return std::move(faults).give(std::move(answers));
}

}  // namespace parley::claude
