// SPDX-License-Identifier: Apache-2.0
#include "dialect/opencode/questions.h"

#include <fmt/format.h>

#include "core/answers.h"
#include "core/model_text.h"
#include "core/object_reader.h"
#include "core/settle.h"
#include "core/value_json.h"
#include "dialect/limits.h"
#include "text/utf8.h"

namespace parley::opencode {

namespace {

constexpr std::string_view kOutputLead = "User has answered your questions: ";
constexpr std::string_view kOutputTail = ". You can now continue with the user's answers in mind.";
constexpr std::string_view kUnanswered = "Unanswered";

// A refusal in OpenCode's words; `where` is a path like ["answers"][0], or empty.
Rejection refuse(std::string_view what, std::string_view where, std::string pointer) {
    Error error;
    error.code = ErrorCode::invalid;
    error.message = where.empty() ? std::string(what) : fmt::format("{}\n  at {}", what, where);
    error.message = cut_message(std::move(error.message));
    error.faults.push_back({std::move(pointer), cut_message(std::string(what))});
    return reject(std::move(error));
}

std::string expected(std::string_view type, const json::Value& got) {
    return fmt::format("Expected {}, got {}", type, json::serialize(got));
}

Result<std::vector<std::string>> read_texts(const json::Value& value, std::size_t index) {
    const std::string where = fmt::format("[\"answers\"][{}]", index);
    const std::string pointer = fmt::format("/answers/{}", index);
    const json::Array* list = value.if_array();
    if (list == nullptr) return refuse(expected("QuestionAnswer", value), where, pointer);
    std::vector<std::string> texts;
    texts.reserve(list->size());
    for (std::size_t i = 0; i < list->size(); ++i) {
        const json::Value& text = (*list)[i];
        if (!text.is_string()) {
            return refuse(expected("string", text), fmt::format("{}[{}]", where, i),
                          fmt::format("{}/{}", pointer, i));
        }
        texts.emplace_back(view_of(text.get_string()));
    }
    return texts;
}

// "/answers/0/1" as OpenCode spells it: ["answers"][0][1].
std::string bracketed(std::string_view pointer) {
    std::string where;
    while (!pointer.empty()) {
        pointer.remove_prefix(1);
        const std::string_view step = pointer.substr(0, pointer.find('/'));
        where += where.empty() ? fmt::format("[\"{}\"]", step) : fmt::format("[{}]", step);
        pointer.remove_prefix(step.size());
    }
    return where;
}

void append_quoted(std::string& out, std::string_view text) {
    out += '"';
    for (const char c : text) {
        if (c == '"' || c == '\\') out += '\\';
        out += c;
    }
    out += '"';
}

}  // namespace

std::string cut_message(std::string message) {
    std::size_t at = 0;
    for (std::size_t chars = 0; at < message.size() && chars < limits::kOpencodeMessageChars;
         ++chars)
        at += utf8::next(std::string_view(message).substr(at)).bytes;
    message.resize(at);
    return message;
}

void write_questions(json::Writer& out, const std::vector<Question>& questions) {
    out.begin_array();
    for (const Question& question : questions) {
        out.begin_object().field("question", question.text).field("header", question.header);
        out.key("options").begin_array();
        for (const Option& option : question.options) {
            out.begin_object().field("label", option.label);
            out.field("description", option.description).end_object();
        }
        out.end_array();
        if (question.multi_select) out.field_bool("multiple", true);
        if (!question.custom) out.field_bool("custom", false);
        write_wishes(out, question);
        out.end_object();
    }
    out.end_array();
}

void write_request(json::Writer& out, const Ask& ask, const ToolCall& tool) {
    out.begin_object().field("id", ask.id.str()).field("sessionID", ask.session.str());
    write_questions(out.key("questions"), ask.spec->questions);
    out.key("tool").begin_object().field("messageID", tool.message_id);
    out.field("callID", tool.call_id).end_object().end_object();
}

void write_answers(json::Writer& out, const std::vector<Question>& questions,
                   const Answers& answers) {
    out.begin_array();
    for (std::size_t i = 0; i < questions.size(); ++i) {
        const Answer& answer = answer_at(answers, i);
        out.begin_array();
        for (const std::string& label : answer.selected) out.string(label);
        if (answer.other) out.string(*answer.other);
        out.end_array();
    }
    out.end_array();
}

std::string replied_properties(const Ask& ask) {
    static const Answers kNone;
    std::string text;
    json::Writer out(text);
    out.begin_object().field("sessionID", ask.session.str()).field("requestID", ask.id.str());
    write_answers(out.key("answers"), ask.spec->questions,
                  ask.settlement ? ask.settlement->answers : kNone);
    out.end_object();
    return text;
}

std::string rejected_properties(const Ask& ask) {
    std::string text;
    json::Writer out(text);
    out.begin_object().field("sessionID", ask.session.str()).field("requestID", ask.id.str());
    out.end_object();
    return text;
}

Result<ReplyTexts> read_reply(const std::optional<json::Value>& body) {
    if (!body) return refuse("Expected object, got undefined", {}, "");
    const json::Object* object = body->if_object();
    if (object == nullptr) return refuse(expected("object", *body), {}, "");
    constexpr std::string_view kAnswersAt = "[\"answers\"]";
    const json::Value* answers = object->if_contains("answers");
    if (answers == nullptr) return refuse("Missing key", kAnswersAt, "/answers");
    const json::Array* list = answers->if_array();
    if (list == nullptr) return refuse(expected("array", *answers), kAnswersAt, "/answers");
    ReplyTexts texts;
    texts.reserve(list->size());
    for (std::size_t i = 0; i < list->size(); ++i) {
        TRY(each, read_texts((*list)[i], i));
        texts.push_back(std::move(each));
    }
    return texts;
}

Result<Answers> sort_reply(const std::vector<Question>& questions, ReplyTexts texts) {
    texts.resize(questions.size());
    Faults faults;
    const json::Path root;
    const json::Path at = root / "answers";
    Answers answers;
    for (std::size_t i = 0; i < questions.size(); ++i)
        answers.push_back(sort_texts(questions[i], std::move(texts[i]), at / i, faults));
    if (faults.empty()) return answers;
    const Fault& first = faults.list().front();
    return refuse(first.detail, bracketed(first.path), first.path);
}

std::string output_text(const std::vector<Question>& questions, const Answers& answers) {
    std::string text(kOutputLead);
    for (std::size_t i = 0; i < questions.size(); ++i) {
        if (i > 0) text += ", ";
        const Answer& answer = answer_at(answers, i);
        append_quoted(text, questions[i].text);
        text += '=';
        append_quoted(text, is_answered(answer) ? joined_answer(answer) : kUnanswered);
        if (answer.note) {
            text += " (note: ";
            append_quoted(text, *answer.note);
            text += ')';
        }
    }
    text += kOutputTail;
    return text;
}

std::string title(std::size_t question_count) {
    return fmt::format("Asked {} question{}", question_count, question_count > 1 ? "s" : "");
}

std::string error_text(const Ask& ask) {
    if (ask.settlement && withdrawal_rule(*ask.settlement) == WithdrawalRule::turn_stopped)
        return "Tool execution aborted";
    const bool is_plain_dismissal =
        ask.state() == AskState::dismissed && !ask.settlement->note.has_value();
    return is_plain_dismissal ? "The user dismissed this question" : model_text(ask);
}

}  // namespace parley::opencode
