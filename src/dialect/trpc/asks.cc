// SPDX-License-Identifier: Apache-2.0
#include "dialect/trpc/asks.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>

#include "core/answers.h"
#include "core/object_reader.h"
#include "core/questions.h"
#include "core/text_rules.h"
#include "core/value_json.h"
#include "dialect/attachments.h"
#include "dialect/joined.h"
#include "text/limits.h"
#include "text/time_text.h"

namespace parley::trpc {

namespace {

void write_questions(json::Writer& out, const std::vector<Question>& questions) {
    out.begin_array();
    for (const Question& question : questions) {
        out.begin_object().field("question", question.text).field("header", question.header);
        out.field_bool("multiSelect", question.multi_select);
        if (!question.custom) out.field_bool("custom", false);
        write_wishes(out, question);
        write_options(out.key("options"), question.options, Fields::all);
        out.end_object();
    }
    out.end_array();
}

void write_notes(json::Writer& out, const std::vector<Question>& questions,
                 const Answers& answers) {
    if (std::ranges::none_of(answers, [](const Answer& answer) { return answer.note.has_value(); }))
        return;
    out.key("notes").begin_object();
    for (std::size_t i = 0; i < questions.size() && i < answers.size(); ++i)
        if (answers[i].note) out.field(questions[i].text, *answers[i].note);
    out.end_object();
}

std::optional<std::size_t> index_of_key(std::string_view key, std::size_t count) {
    std::size_t index = 0;
    const char* const end = key.data() + key.size();
    const auto [stop, problem] = std::from_chars(key.data(), end, index);
    if (key.empty() || problem != std::errc() || stop != end || index >= count) return std::nullopt;
    return index;
}

// The questions that a key may mean; more than one is ambiguous.
std::vector<std::size_t> meant_by(const std::vector<Question>& questions, std::string_view key) {
    for (std::size_t i = 0; i < questions.size(); ++i)
        if (questions[i].text == key) return {i};
    std::vector<std::size_t> meant;
    for (std::size_t i = 0; i < questions.size(); ++i)
        if (questions[i].header == key) meant.push_back(i);
    auto index = index_of_key(key, questions.size());
    if (!index && key.starts_with('q')) index = index_of_key(key.substr(1), questions.size());
    if (index && std::ranges::find(meant, *index) == meant.end()) meant.push_back(*index);
    return meant;
}

std::optional<std::size_t> find_question(const std::vector<Question>& questions,
                                         std::string_view key, const json::Path& at,
                                         Faults& faults) {
    const std::vector<std::size_t> meant = meant_by(questions, key);
    if (meant.size() == 1) return meant.front();
    if (meant.empty()) {
        faults.add(at, fmt::format("{} names no question of this ask; use a question's text, its "
                                   "header, or its index from 0 to {}",
                                   quoted_excerpt(key), questions.size() - 1));
    } else {
        faults.add(at, fmt::format("{} may mean question {} or question {}; use the question's "
                                   "text",
                                   quoted_excerpt(key), meant[0] + 1, meant[1] + 1));
    }
    return std::nullopt;
}

// What can be said of answers before their questions are known: an object of strings, or of lists
// of strings.
void check_answer_shape(const json::Value& answers, const json::Path& at, Faults& faults) {
    const json::Object* entries = answers.if_object();
    if (entries == nullptr)
        return faults.add(at,
                          expected_message("an object with an entry for each question", answers));
    for (const auto& entry : *entries) {
        const json::Path entry_at = at / entry.key();
        const json::Array* list = entry.value().if_array();
        if (list == nullptr && !entry.value().is_string())
            faults.add(entry_at, expected_message("a string or a list of strings", entry.value()));
        for (std::size_t i = 0; list != nullptr && i < list->size(); ++i)
            if (!(*list)[i].is_string())
                faults.add(entry_at / i, expected_message("a string", (*list)[i]));
    }
}

// A session as the client calls it.
std::string read_session_ref(const ObjectReader& object, Faults& faults) {
    std::string session = object.required_string("sessionId");
    if (object.is_object())
        check_text(session, name_rule("the session"), object.at() / "sessionId", faults);
    return session;
}

// What is attached to a message is named below it.
void add_attachments(const json::Array& attachments, const json::Path& at, StreamInput& stream,
                     Faults& faults) {
    for (std::size_t i = 0; i < attachments.size(); ++i) {
        const auto text = attachment_text(attachments[i]);
        if (!text) {
            faults.add(at / i, "must name a file by \"path\", \"name\" or \"url\"");
            continue;
        }
        if (!stream.message.empty()) stream.message += i == 0 ? "\n\n" : "\n";
        stream.message += *text;
    }
}

}  // namespace

std::string ask_question_event(const Ask& ask) {
    std::string text;
    json::Writer out(text);
    out.begin_object().field("type", "ask-question").field("questionId", ask.id.str());
    write_questions(out.key("questions"), ask.spec->questions);
    out.end_object();
    return text;
}

std::string ask_settled_event(const Ask& ask) {
    std::string text;
    json::Writer out(text);
    out.begin_object().field("type", "ask-settled").field("questionId", ask.id.str());
    out.field("outcome", to_string(ask.state()));
    if (ask.state() == AskState::answered) {
        write_answers(out.key("answers"), ask.spec->questions, ask.settlement->answers);
        write_notes(out, ask.spec->questions, ask.settlement->answers);
    }
    out.end_object();
    return text;
}

void write_pending(json::Writer& out, const Ask& ask, std::string_view shown_session) {
    out.begin_object().field("questionId", ask.id.str());
    out.field("sessionId", shown_session.empty() ? ask.session.str() : std::string(shown_session));
    write_questions(out.key("questions"), ask.spec->questions);
    out.field("createdAt", format_rfc3339(ask.created_at));
    if (ask.deadline) out.field("deadline", format_rfc3339(*ask.deadline));
    out.end_object();
}

std::string pending_list(std::span<const AskPtr> asks, std::string_view shown_session) {
    std::string text;
    json::Writer out(text);
    out.begin_array();
    for (const AskPtr& ask : asks) write_pending(out, *ask, shown_session);
    out.end_array();
    return text;
}

void write_answers(json::Writer& out, const std::vector<Question>& questions,
                   const Answers& answers) {
    out.begin_object();
    for (std::size_t i = 0; i < questions.size() && i < answers.size(); ++i) {
        const Answer& answer = answers[i];
        if (!is_answered(answer)) continue;
        out.key(questions[i].text);
        if (!questions[i].multi_select) {
            out.string(answer.selected.empty() ? *answer.other : answer.selected.front());
            continue;
        }
        out.begin_array();
        for (const std::string& label : answer.selected) out.string(label);
        if (answer.other) out.string(*answer.other);
        out.end_array();
    }
    out.end_object();
}

Answers read_answers(const std::vector<Question>& questions, const json::Value& value,
                     const json::Path& at, Faults& faults) {
    Answers answers(questions.size());
    const json::Object* entries = value.if_object();
    if (entries == nullptr) {
        faults.add(at, expected_message("an object with an entry for each question", value));
        return answers;
    }
    std::vector<bool> has_key(questions.size());
    for (const auto& entry : *entries) {
        const json::Path entry_at = at / entry.key();
        const std::string key = normalize_newlines(entry.key());
        const auto index = find_question(questions, key, entry_at, faults);
        if (!index) continue;
        if (has_key[*index]) {
            faults.add(entry_at, fmt::format("question {} is answered by another key too; give "
                                             "each question one",
                                             *index + 1));
            continue;
        }
        has_key[*index] = true;
        answers[*index] =
            read_joined_value(questions[*index], entry.value(), JoinStyle::plain, entry_at, faults);
    }
    return answers;
}

Result<AskInput> read_ask(const json::Value& input) {
    Faults faults(Unknown::noted);
    const json::Path root;
    const ObjectReader object(input, root, faults, "an object with \"questions\"");
    if (!object.is_object()) return std::move(faults).reject();
    const bool is_flat = object.find("questions") == nullptr && object.find("question") != nullptr;
    object.only({"sessionId", "questions", "timeoutMs", "toolCallId", "key", "blocking"},
                is_flat ? kQuestionMembers : std::initializer_list<std::string_view>{});
    AskInput ask;
    AskSpec& spec = ask.request.spec;
    spec.questions = read_questions(input, kOpenProfile, root, faults);
    if (object.find("sessionId") != nullptr) ask.request.session = read_session_ref(object, faults);
    if (auto call = object.optional_string("toolCallId")) {
        check_text(*call, name_rule("the call id"), root / "toolCallId", faults);
        spec.tool = ToolCall{.message_id = {}, .call_id = std::move(*call)};
    }
    if (auto key = object.optional_string("key")) {
        check_text(*key, name_rule("the key"), root / "key", faults);
        spec.key = std::move(*key);
    }
    ask.is_blocking = object.optional_bool("blocking").value_or(true);
    const auto timeout = object.optional_number("timeoutMs");
    const auto longest = static_cast<double>(Millis(limits::kTimeoutMax).count());
    if (timeout && (*timeout < 0 || *timeout > longest)) {
        faults.add(root / "timeoutMs",
                   fmt::format("must be from 0, which means no timeout, to {:.0f}", longest));
    } else if (timeout) {
        spec.timeout = Millis(static_cast<std::int64_t>(std::ceil(*timeout)));
    }
    if (spec.timeout == Millis::zero()) {
        ask.waits_for_ever = true;
        spec.timeout.reset();
    }
    ask.request.warnings = faults.warnings();
    return std::move(faults).give(std::move(ask));
}

Result<AnswerInput> read_answer_ask(const json::Value& input) {
    Faults faults;
    const json::Path root;
    const ObjectReader object(input, root, faults, "an object with \"questionId\"");
    AnswerInput answer;
    answer.session = read_session_ref(object, faults);
    answer.question_id = object.required_string("questionId");
    answer.answers = object.find("answers");
    if (object.is_object() && answer.answers == nullptr)
        faults.add(root / "answers", "\"answers\" is missing");
    if (answer.answers != nullptr) check_answer_shape(*answer.answers, root / "answers", faults);
    return std::move(faults).give(std::move(answer));
}

Result<StreamInput> read_stream(const json::Value& input) {
    Faults faults;
    const json::Path root;
    const ObjectReader object(input, root, faults, "an object with \"sessionId\"");
    StreamInput stream;
    if (object.find("sessionId") != nullptr) stream.session = read_session_ref(object, faults);
    stream.message = object.optional_string("userMessage").value_or(std::string());
    stream.follows = object.optional_bool("follow").value_or(false);
    stream.last_event_id = object.optional_string("lastEventId");
    if (const json::Array* attachments = object.optional_array("attachments"))
        add_attachments(*attachments, root / "attachments", stream, faults);
    return std::move(faults).give(std::move(stream));
}

Result<std::string> read_session(const json::Value& input) {
    Faults faults;
    const json::Path root;
    const ObjectReader object(input, root, faults, "an object with \"sessionId\"");
    std::string session = read_session_ref(object, faults);
    return std::move(faults).give(std::move(session));
}

}  // namespace parley::trpc
