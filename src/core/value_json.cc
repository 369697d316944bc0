// SPDX-License-Identifier: Apache-2.0
#include "core/value_json.h"

#include "core/answers.h"
#include "core/display.h"
#include "text/time_text.h"

namespace parley {

namespace {

void write_option(json::Writer& out, const Option& option, Fields fields) {
    out.begin_object().field("label", option.label);
    if (fields == Fields::all || !option.description.empty())
        out.field("description", option.description);
    if (option.preview) out.field("preview", *option.preview);
    out.end_object();
}

// With what no front is to work out for itself: how the label is read, whether it is recommended,
// and whether it only opens the field for a text of one's own.
void write_shown_options(json::Writer& out, const Question& question) {
    out.key("options").begin_array();
    for (std::size_t i = 0; i < question.options.size(); ++i) {
        const Option& option = question.options[i];
        out.begin_object().field("label", option.label).field("description", option.description);
        if (option.preview) out.field("preview", *option.preview);
        if (const ShownLabel label = shown_label(question, i); label.is_recommended)
            out.field_bool("recommended", true).field("shown", label.text);
        if (question.custom && is_other_label(option.label)) out.field_bool("opens_text", true);
        out.end_object();
    }
    out.end_array();
}

void write_question(json::Writer& out, const Question& question, Fields fields) {
    const bool writes_all = fields == Fields::all;
    out.begin_object().field("question", question.text).field("header", question.header);
    if (writes_all || question.kind != QuestionKind::choice)
        out.field("kind", to_string(question.kind));
    if (writes_all) {
        write_shown_options(out, question);
    } else if (!question.options.empty()) {
        write_options(out.key("options"), question.options, fields);
    }
    if (writes_all || question.multi_select) out.field_bool("multi_select", question.multi_select);
    if (writes_all || !question.custom) out.field_bool("custom", question.custom);
    write_wishes(out, question);
    out.end_object();
}

std::string take_string(const json::Value& value) {
    const auto* text = value.if_string();
    return text != nullptr ? std::string(view_of(*text)) : std::string();
}

Option read_written_option(const json::Value& value, const json::Path& at, Faults& faults) {
    const ObjectReader object(value, at, faults);
    Option option;
    option.label = object.required_string("label");
    option.description = object.optional_string("description").value_or(std::string());
    option.preview = object.optional_string("preview");
    return option;
}

// Labels come first, and whatever is none is the text.
void read_written_default(Question& question, const json::Array* texts) {
    if (texts == nullptr) return;
    Answer preset;
    for (const json::Value& each : *texts) {
        std::string text = take_string(each);
        if (has_label(question, text)) {
            preset.selected.push_back(std::move(text));
        } else {
            preset.other = std::move(text);
        }
    }
    question.preset = std::move(preset);
}

Question read_written_question(const json::Value& value, const json::Path& at, Faults& faults) {
    const ObjectReader object(value, at, faults);
    Question question;
    question.text = object.required_string("question");
    question.header = object.optional_string("header").value_or(std::string());
    question.kind = read_name<QuestionKind>(object, "kind", faults).value_or(QuestionKind::choice);
    if (const json::Array* list = object.optional_array("options")) {
        const json::Path options_at = at / "options";
        question.options.reserve(list->size());
        for (std::size_t i = 0; i < list->size() && !faults.is_full(); ++i)
            question.options.push_back(read_written_option((*list)[i], options_at / i, faults));
    }
    question.multi_select = object.optional_bool("multi_select").value_or(false);
    question.custom = object.optional_bool("custom").value_or(true);
    question.required = object.optional_bool("required");
    question.min = object.optional_count("min");
    question.max = object.optional_count("max");
    read_written_default(question, object.optional_array("default"));
    return question;
}

Answer read_answer(const json::Value& value, const json::Path& at, Faults& faults) {
    const ObjectReader object(value, at, faults, "an answer: an object with \"selected\"");
    object.only({"selected", "other", "note"});
    Answer answer;
    if (const json::Array* list = object.optional_array("selected")) {
        const json::Path selected_at = at / "selected";
        answer.selected.reserve(list->size());
        for (std::size_t i = 0; i < list->size() && !faults.is_full(); ++i) {
            const json::Value& label = (*list)[i];
            if (!label.is_string())
                faults.add(selected_at / i, expected_message("a label as a string", label));
            answer.selected.push_back(take_string(label));
        }
    }
    answer.other = object.optional_string("other");
    answer.note = object.optional_string("note");
    return answer;
}

}  // namespace

void write_questions(json::Writer& out, const std::vector<Question>& questions, Fields fields) {
    out.begin_array();
    for (const Question& question : questions) write_question(out, question, fields);
    out.end_array();
}

void write_wishes(json::Writer& out, const Question& question) {
    if (question.required) out.field_bool("required", *question.required);
    if (question.min) out.key("min").number(std::int64_t{*question.min});
    if (question.max) out.key("max").number(std::int64_t{*question.max});
    if (!is_answered(*question.preset)) return;
    out.key("default").begin_array();
    for (const std::string& label : question.preset->selected) out.string(label);
    if (question.preset->other) out.string(*question.preset->other);
    out.end_array();
}

void write_options(json::Writer& out, const std::vector<Option>& options, Fields fields) {
    out.begin_array();
    for (const Option& option : options) write_option(out, option, fields);
    out.end_array();
}

void write_answers(json::Writer& out, const Answers& answers) {
    out.begin_array();
    for (const Answer& answer : answers) {
        out.begin_object().key("selected").begin_array();
        for (const std::string& label : answer.selected) out.string(label);
        out.end_array();
        write_optional(out, "other", answer.other);
        write_optional(out, "note", answer.note);
        out.end_object();
    }
    out.end_array();
}

void write_draft_fields(json::Writer& out, const Draft& draft) {
    out.key("answers");
    if (draft.is_dropped()) {
        out.null();
    } else {
        write_answers(out, draft.answers);
    }
    out.field("device", draft.device).key("version").number(draft.version);
}

void write_decider(json::Writer& out, const Decider& decider) {
    out.begin_object().field("kind", to_string(decider.kind));
    if (!decider.principal.empty()) out.field("principal", decider.principal);
    write_optional(out, "name", decider.name);
    write_optional(out, "claimed", decider.claimed);
    if (decider.uid) out.field_int("uid", *decider.uid);
    if (decider.pid) out.field_int("pid", *decider.pid);
    out.end_object();
}

void write_settlement(json::Writer& out, const Settlement& settlement) {
    out.begin_object().field("outcome", to_string(settlement.outcome));
    if (settlement.outcome == Outcome::answered)
        write_answers(out.key("answers"), settlement.answers);
    write_decider(out.key("decider"), settlement.decider);
    out.field("door", settlement.door);
    write_time(out, "at", settlement.at);
    write_optional(out, "note", settlement.note);
    out.end_object();
}

void write_message(json::Writer& out, const MessageAdded& message) {
    out.begin_object().field("id", message.id.str()).field("text", message.text);
    write_decider(out.key("by"), message.by);
    out.end_object();
}

void write_spec_fields(json::Writer& out, const AskSpec& spec, Fields fields) {
    const bool writes_all = fields == Fields::all;
    write_optional(out, "context", spec.context);
    write_optional(out, "key", spec.key);
    if (spec.tool) {
        out.key("tool").begin_object();
        if (writes_all || !spec.tool->message_id.empty())
            out.field("message_id", spec.tool->message_id);
        out.field("call_id", spec.tool->call_id).end_object();
    }
    write_optional(out, "agent", spec.agent);
    if (writes_all || spec.urgency != Urgency::normal)
        out.field("urgency", to_string(spec.urgency));
    if (writes_all || !spec.dismissible) out.field_bool("dismissible", spec.dismissible);
}

void write_permission(json::Writer& out, const AskSpec& spec, Summary summary) {
    if (!spec.permission) return;
    const PermissionRequest& request = *spec.permission;
    out.key("permission").begin_object().field("tool", request.tool);
    out.key("input").raw(request.input.empty() ? std::string_view("{}") : request.input);
    write_optional(out, "diff", request.diff);
    write_optional(out, "plan", request.plan);
    if (summary == Summary::written) out.field("summary", request.summary);
    out.end_object();
}

void write_optional(json::Writer& out, const json::Key& name,
                    const std::optional<std::string>& text) {
    if (text) out.field(name, *text);
}

void write_seconds(json::Writer& out, const json::Key& name, std::optional<Millis> duration) {
    if (duration) out.key(name).number(static_cast<double>(duration->count()) / 1000);
}

void write_time(json::Writer& out, const json::Key& name, Instant at) {
    const Rfc3339 text = rfc3339(at);
    out.field(name, std::string_view(text.data(), text.size()));
}

std::vector<Question> read_written_questions(const json::Value& value, const json::Path& at,
                                             Faults& faults) {
    std::vector<Question> questions;
    const json::Array* list = value.if_array();
    if (list == nullptr) {
        faults.add(at, expected_message("a list of questions", value));
        return questions;
    }
    questions.reserve(list->size());
    for (std::size_t i = 0; i < list->size() && !faults.is_full(); ++i)
        questions.push_back(read_written_question((*list)[i], at / i, faults));
    return questions;
}

Answers read_answers(const json::Value& value, const json::Path& at, Faults& faults) {
    Answers answers;
    const json::Array* list = value.if_array();
    if (list == nullptr) {
        faults.add(at, expected_message("a list of answers, one for each question", value));
        return answers;
    }
    answers.reserve(list->size());
    for (std::size_t i = 0; i < list->size() && !faults.is_full(); ++i)
        answers.push_back(read_answer((*list)[i], at / i, faults));
    return answers;
}

Draft read_draft_fields(const ObjectReader& object, Faults& faults) {
    Draft draft;
    if (const json::Value* answers = object.find("answers"))
        draft.answers = read_answers(*answers, object.at() / "answers", faults);
    draft.device = object.optional_string("device").value_or(std::string());
    draft.version = static_cast<std::uint64_t>(object.optional_int("version").value_or(0));
    return draft;
}

Decider read_decider(const json::Value& value, const json::Path& at, Faults& faults) {
    const ObjectReader object(value, at, faults);
    Decider decider;
    decider.kind = read_name<Decider::Kind>(object, "kind", faults).value_or(decider.kind);
    decider.principal = object.optional_string("principal").value_or(std::string());
    decider.name = object.optional_string("name");
    decider.claimed = object.optional_string("claimed");
    if (const auto uid = object.optional_int("uid")) decider.uid = static_cast<std::uint32_t>(*uid);
    if (const auto pid = object.optional_int("pid")) decider.pid = static_cast<std::uint32_t>(*pid);
    return decider;
}

Settlement read_settlement(const json::Value& value, const json::Path& at, Faults& faults) {
    const ObjectReader object(value, at, faults);
    Settlement settlement;
    if (const auto outcome = read_name<Outcome>(object, "outcome", faults)) {
        settlement.outcome = *outcome;
    } else {
        faults.add(at / "outcome", "\"outcome\" is missing");
    }
    if (const json::Value* answers = object.find("answers"))
        settlement.answers = read_answers(*answers, at / "answers", faults);
    if (const json::Value* decider = object.find("decider"))
        settlement.decider = read_decider(*decider, at / "decider", faults);
    settlement.door = object.optional_string("door").value_or(std::string());
    settlement.at = read_time(object, "at", faults);
    settlement.note = object.optional_string("note");
    return settlement;
}

MessageAdded read_message(const json::Value& value, const json::Path& at, Faults& faults) {
    const ObjectReader object(value, at, faults);
    MessageAdded message;
    message.id = read_id<MessageId>(object, "id", faults);
    message.text = object.required_string("text");
    if (const json::Value* by = object.find("by"))
        message.by = read_decider(*by, at / "by", faults);
    return message;
}

PermissionRequest read_permission(const json::Value& value, const json::Path& at, Faults& faults) {
    const ObjectReader object(value, at, faults, "an object with \"tool\" and \"input\"");
    object.only({"tool", "input", "diff", "plan", "summary"});
    PermissionRequest request;
    request.tool = object.required_string("tool");
    if (const json::Value* input = object.find("input")) request.input = json::serialize(*input);
    request.diff = object.optional_string("diff");
    request.plan = object.optional_string("plan");
    request.summary = object.optional_string("summary").value_or(std::string());
    return request;
}

void read_spec_fields(const ObjectReader& object, AskSpec& spec, Faults& faults) {
    spec.context = object.optional_string("context");
    spec.key = object.optional_string("key");
    if (const json::Value* tool = object.find("tool")) {
        const json::Path at = object.at() / "tool";
        const ObjectReader call(*tool, at, faults);
        call.only({"message_id", "call_id"});
        spec.tool =
            ToolCall{.message_id = call.optional_string("message_id").value_or(std::string()),
                     .call_id = call.required_string("call_id")};
    }
    if (const json::Value* permission = object.find("permission"))
        spec.permission = read_permission(*permission, object.at() / "permission", faults);
    spec.agent = object.optional_string("agent");
    spec.urgency = read_name<Urgency>(object, "urgency", faults).value_or(Urgency::normal);
    spec.dismissible = object.optional_bool("dismissible").value_or(true);
}

Session read_session_fields(const ObjectReader& object, Faults& faults) {
    Session session;
    session.id = read_id<SessionId>(object, "id", faults);
    session.name = object.optional_string("name");
    session.title = object.optional_string("title");
    if (object.find("parent") != nullptr)
        session.parent = read_id<SessionId>(object, "parent", faults);
    session.owner = object.optional_string("owner").value_or(std::string());
    session.agent = object.optional_string("agent");
    session.directory = object.optional_string("directory");
    session.on_dismiss =
        read_name<OnDismiss>(object, "on_dismiss", faults).value_or(OnDismiss::tell);
    session.activity = read_name<Activity>(object, "activity", faults).value_or(Activity::idle);
    session.ask_timeout = object.optional_seconds("ask_timeout_seconds");
    session.created_at = read_time(object, "created_at", faults);
    session.ended_at = read_optional_time(object, "ended_at", faults);
    return session;
}

std::optional<Instant> read_optional_time(const ObjectReader& object, std::string_view key,
                                          Faults& faults) {
    const std::optional<std::string> text = object.optional_string(key);
    if (!text) return std::nullopt;
    const auto time = parse_rfc3339(*text);
    if (time) return *time;
    faults.add(object.at() / key, time.error().message);
    return std::nullopt;
}

Instant read_time(const ObjectReader& object, std::string_view key, Faults& faults) {
    if (object.find(key) == nullptr) {
        faults.add(object.at() / key, fmt::format("\"{}\" is missing", key));
        return {};
    }
    return read_optional_time(object, key, faults).value_or(Instant());
}

}  // namespace parley
