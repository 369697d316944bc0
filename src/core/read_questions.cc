// SPDX-License-Identifier: Apache-2.0
// Questions from JSON, in every form that agents send them.
#include <fmt/format.h>

#include "core/answers.h"
#include "core/limits.h"
#include "core/object_reader.h"
#include "core/question_kinds.h"
#include "core/question_rules.h"
#include "core/questions.h"
#include "core/value_json.h"

namespace parley {

namespace {

// Labels and a text of one's own, as one string or several. Which is which, the options say.
Answer read_default(const ObjectReader& object, const Question& question, Faults& faults) {
    const json::Value* value = object.find("default");
    if (value == nullptr || value->is_null()) return {};
    const json::Path at = object.at() / "default";
    std::vector<std::string> texts;
    if (const auto* text = value->if_string()) texts.emplace_back(view_of(*text));
    if (const auto* list = value->if_array()) {
        for (std::size_t i = 0; i < list->size() && !faults.is_full(); ++i) {
            const auto* text = (*list)[i].if_string();
            if (text == nullptr)
                faults.add(at / i, expected_message("a label or a text", (*list)[i]));
            texts.emplace_back(text == nullptr ? std::string_view() : view_of(*text));
        }
    }
    if (!value->is_string() && !value->is_array())
        faults.add(at, expected_message("a label, a text, or a list of them", *value));
    return sort_texts(question, std::move(texts), at, faults);
}

Question read_question(const json::Value& value, const Profile& profile, const json::Path& at,
                       Faults& faults) {
    const ObjectReader object(value, at, faults, "a question: an object with \"question\"");
    Question question;
    question.text = object.required_string("question");
    question.header = object.optional_string("header").value_or(std::string());
    question.kind = read_name<QuestionKind>(object, "kind", faults).value_or(QuestionKind::choice);
    question.required = object.optional_bool("required");
    rules_of(question).read(object, profile, question, faults);
    question.preset = read_default(object, question, faults);
    return question;
}

void check_question_members(const json::Value& value, const json::Path& at, Faults& faults) {
    if (value.is_object()) ObjectReader(value, at, faults).only(kQuestionMembers);
}

std::vector<Question> read_list(const json::Array& list, const Profile& profile,
                                const json::Path& at, Faults& faults) {
    std::vector<Question> questions;
    questions.reserve(list.size());
    for (std::size_t i = 0; i < list.size() && !faults.is_full(); ++i) {
        const json::Path each_at = at / i;
        if (i < profile.questions_max) check_question_members(list[i], each_at, faults);
        questions.push_back(i < profile.questions_max
                                ? read_question(list[i], profile, each_at, faults)
                                : Question());
    }
    check_questions(questions, profile, at, faults);
    return questions;
}

std::vector<Question> read_flat(const json::Value& value, const Profile& profile,
                                const json::Path& at, Faults& faults) {
    std::vector<Question> questions;
    questions.push_back(read_question(value, profile, at, faults));
    check_question(questions.front(), profile, at, faults);
    return questions;
}

}  // namespace

const json::Value* unwrap_document(const json::Value& document, json::Value& decoded,
                                   const json::Path& at, Faults& faults) {
    const json::Value* current = &document;
    for (int level = 0; level < limits::kStringLevels && current->is_string(); ++level) {
        auto inner = json::parse(view_of(current->get_string()));
        if (!inner) {
            faults.add(at, fmt::format("this string is not a JSON document ({}); give an object "
                                       "with \"questions\"",
                                       inner.error().message));
            return nullptr;
        }
        decoded = std::move(*inner);
        current = &decoded;
    }
    return current;
}

std::vector<Question> read_questions(const json::Value& document, const Profile& profile,
                                     const json::Path& at, Faults& faults) {
    json::Value decoded;
    const json::Value* value = unwrap_document(document, decoded, at, faults);
    if (value == nullptr) return {};
    if (const auto* list = value->if_array()) return read_list(*list, profile, at, faults);
    const ObjectReader object(*value, at, faults, "an object with \"questions\"");
    if (!object.is_object()) return {};
    const json::Value* inner = object.find("questions");
    if (inner == nullptr) {
        if (object.find("question") != nullptr) return read_flat(*value, profile, at, faults);
        faults.add(at / "questions",
                   fmt::format("there are no questions; give \"questions\", a list of 1 to {}",
                               profile.questions_max));
        return {};
    }
    const json::Path list_at = at / "questions";
    json::Value decoded_list;
    inner = unwrap_document(*inner, decoded_list, list_at, faults);
    if (inner == nullptr) return {};
    if (const auto* list = inner->if_array()) return read_list(*list, profile, list_at, faults);
    if (inner->is_object()) {
        check_question_members(*inner, list_at, faults);
        return read_flat(*inner, profile, list_at, faults);
    }
    faults.add(list_at, expected_message("a list of questions", *inner));
    return {};
}

Result<std::vector<Question>> read_questions(const json::Value& document, const Profile& profile,
                                             const json::Path& at, std::vector<Fault>* warnings) {
    Faults faults(Unknown::noted);
    std::vector<Question> questions = read_questions(document, profile, at, faults);
    check_ask_bytes(text_bytes(questions), at, faults);
    if (warnings != nullptr) *warnings = faults.warnings();
    return std::move(faults).give(std::move(questions));
}

}  // namespace parley
